"""Frames of every kind and columns of every type: the same answer as the same values in plain columns."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.dataset
import pytest

import idbits
from idbits.errors import InputError

PLAIN = {"city": ["a", "a", "b", None, "b", "c"], "n": [1, 1, 2, None, 2, 3]}
TABLE = pa.table(PLAIN)
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pandas.DataFrame(PLAIN),
    "pandas, categorical": lambda: pandas.DataFrame(PLAIN).astype("category"),
    "pandas, ordered categories and unused ones": lambda: pandas.DataFrame(
        {**PLAIN, "city": pandas.Categorical(PLAIN["city"], ["c", "b", "a", "unused"], ordered=True)}
    ),
    "pandas, nullable": lambda: pandas.DataFrame(PLAIN).astype({"n": "Int64", "city": "string"}),
    "pandas, Arrow types": lambda: TABLE.to_pandas(types_mapper=pandas.ArrowDtype),
    "polars": lambda: polars.DataFrame(PLAIN),
    "polars, lazy": lambda: polars.LazyFrame(PLAIN),
    "polars, categorical": lambda: polars.DataFrame(PLAIN).with_columns(polars.col("city").cast(polars.Categorical)),
    "polars, enum": lambda: polars.DataFrame(PLAIN).with_columns(
        polars.col("city").cast(polars.Enum(["z", "c", "b", "a"]))
    ),
    "pyarrow, dictionaries": lambda: pa.table([column.dictionary_encode() for column in TABLE.columns], ["city", "n"]),
    "pyarrow, a batch": lambda: TABLE.to_batches()[0],
    "pyarrow, a reader": TABLE.to_reader,
    "pyarrow, a dataset": lambda: pyarrow.dataset.dataset(TABLE),
    "pyarrow, a scanner": lambda: pyarrow.dataset.dataset(TABLE).scanner(columns=["city", "n"]),
    "DuckDB": lambda: duckdb.from_arrow(TABLE),
    "DuckDB, a query": lambda: duckdb.from_arrow(TABLE).order("n"),
    "an Arrow stream": lambda: Stream(TABLE),
}
NOON = datetime(2020, 1, 1, 12, tzinfo=UTC)
COLUMNS: dict[str, list[Any]] = {
    "decimal": [Decimal("1.50"), Decimal("1.50"), Decimal("2.00"), None],
    "list": [[1, 2], [1, 2], [2, 1], None],
    "struct": [{"a": 1, "b": "x"}, {"a": 1, "b": "x"}, {"a": 1, "b": "y"}, None],
    "list of structs": [[{"a": [1]}], [{"a": [1]}], [{"a": [2]}], None],
    "moment": [NOON, NOON, NOON + timedelta(hours=12), None],
    "date": [date(2020, 1, 1), date(2020, 1, 1), date(2020, 1, 2), None],
    "time": [time(1), time(1), time(2), None],
    "duration": [timedelta(1), timedelta(1), timedelta(2), None],
    "bytes": [b"a", b"a", b"\xff", None],
    "boolean": [True, True, False, None],
}
"""Four values, of which the first two are equal and the last is missing."""
SAME_GROUPS = pa.table({"v": ["a", "a", "b", None]})


class Stream:
    """Any table of another package that offers the Arrow interface, such as one of Ibis."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same_answer(kind: str) -> None:
    assert idbits.measure(FRAMES[kind](), ["city", "n"]) == idbits.measure(TABLE, ["city", "n"])


@pytest.mark.parametrize("kind", ["pyarrow, a reader", "DuckDB", "an Arrow stream"])
def test_a_study_may_read_a_stream_more_than_once(kind: str) -> None:
    """A reader is empty after the first time, and columns are chosen before they are measured."""
    chosen = idbits.inspect(FRAMES[kind]())
    assert chosen.n_rows == TABLE.num_rows
    source = FRAMES[kind]()
    assert idbits.measure(source, ["city"]).n_rows == idbits.measure(source, ["n"]).n_rows == TABLE.num_rows
    assert idbits.report(FRAMES[kind](), ["city"], sections=["bits"]).measurement.n_rows == TABLE.num_rows


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_every_type_has_the_groups_of_its_values(kind: str) -> None:
    table = pa.table({"v": COLUMNS[kind]})
    frames = [table, polars.from_arrow(table), table.to_pandas(), duckdb.from_arrow(table)]
    expected = idbits.measure(SAME_GROUPS, ["v"]).figures
    for frame in frames:
        answer = idbits.measure(frame, ["v"])
        assert answer.figures == expected
        assert answer.nulls == {"v": 1}


@pytest.mark.parametrize("zone", ["UTC", "Europe/Amsterdam", "America/New_York", "+05:30"])
def test_days_are_those_of_the_time_zone(zone: str) -> None:
    moments = pa.array(COLUMNS["moment"], pa.timestamp("us", tz=zone))
    table = pa.table({"v": moments})
    local = [None if moment is None else str(moment.date()) for moment in moments.to_pylist()]
    expected = idbits.measure(pa.table({"v": local}), ["v"]).figures
    for frame in (table, table.to_pandas(), *([polars.from_arrow(table)] if "/" in zone else [])):
        assert idbits.measure(frame, ["v:day"]).figures == expected


def test_decimals_are_numbers_whatever_their_scale() -> None:
    short, long = pa.table({"v": [Decimal("1.5"), Decimal(2)]}), pa.table({"v": [Decimal("1.500"), Decimal("2.000")]})
    assert idbits.link(short, long, ["v"]).records.one_to_one == 2


def test_what_cannot_be_read_is_one_clear_line() -> None:
    with pytest.raises(InputError, match=r"^the source must be a path, a glob pattern or a frame, not ListType$"):
        idbits.measure(pa.list_(pa.int64()), ["city"])  # type: ignore[arg-type]
    with pytest.raises(
        InputError, match=r"^Series cannot be read as a table; make a frame of it, for example with to_frame\(\)$"
    ):
        idbits.measure(pandas.Series([1, 2]), ["city"])
