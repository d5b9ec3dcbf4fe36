"""Rare types of columns, each against a plain count of what its cells are."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from string import ascii_lowercase
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import idbits
from idbits.errors import InputError

HUGE = [Decimal(10**60), Decimal(10**60), Decimal(10**60 + 1), None]
NANOSECONDS = [(1, 2, 3), (1, 2, 3), (1, 2, 4), None]
FLOATS = [1.5, 1.5, -0.0, 0.0, float("nan"), None]
ORDERS = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"b": 1}, None]
NAMES = [UUID(int=1), UUID(int=1), UUID(int=2), None]
AGES = [3.0, 4.0, 30.0, np.nan]
MONTHS = ["2020-01", "2020-01", "2020-02", None]
BIG = [2**100, 2**100, 2**100 + 1, None]
LARGE = [2**60, 2**60, 2**60 + 1, None]
SETS = [{*ascii_lowercase}, {*ascii_lowercase[::-1]}, {"a"}, None]


def nested(kind: pa.DataType) -> pa.Table:
    return pa.table({"v": pa.array([[1], [1], [2], None], kind)})


def half_floats() -> pa.Array:
    """Old versions of Arrow make them of NumPy's alone."""
    values = np.array([0 if value is None else value for value in FLOATS], np.float16)
    return pa.array(values, pa.float16(), mask=np.array([value is None for value in FLOATS]))


COLUMNS: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "categories of intervals": (
        lambda: pandas.DataFrame({"v": pandas.cut(AGES, [0, 10, 20, 40])}),
        ["(0, 10]", "(0, 10]", "(20, 40]", None],
    ),
    "intervals": (
        lambda: pandas.DataFrame({"v": pandas.cut(AGES, [0, 10, 20, 40])}).astype({"v": "interval"}),
        ["(0, 10]", "(0, 10]", "(20, 40]", None],
    ),
    "categories of texts and numbers": (
        lambda: pandas.DataFrame({"v": pandas.Categorical(["x", 1, 1, None], ["unused", 1, "x"], ordered=True)}),
        ["x", "1", "1", None],
    ),
    "categories of moments": (
        lambda: pandas.DataFrame({"v": pandas.to_datetime(MONTHS)}).astype("category"),
        [1, 1, 2, None],
    ),
    "periods": (lambda: pandas.DataFrame({"v": pandas.PeriodIndex(MONTHS, freq="M")}), MONTHS),
    "dicts": (lambda: pandas.DataFrame({"v": ORDERS}), ["a1b2", "a1b2", "b1", None]),
    "large whole numbers with a missing one": (
        lambda: pandas.DataFrame({"v": pandas.Series(LARGE, dtype=object)}),
        LARGE,
    ),
    "large whole numbers of NumPy": (
        lambda: pandas.DataFrame({"v": pandas.Series([*map(np.int64, LARGE[:3]), np.nan], dtype=object)}),
        LARGE,
    ),
    "large whole numbers and fractions": (
        lambda: pandas.DataFrame({"v": pandas.Series([*LARGE[:3], 1.5], dtype=object)}),
        [*LARGE[:3], 1.5],
    ),
    "sets": (lambda: pandas.DataFrame({"v": SETS}), ["all", "all", "a", None]),
    "sparse": (lambda: pandas.DataFrame({"v": pandas.arrays.SparseArray(AGES)}), [3, 4, 30, None]),
    "objects of Polars": (lambda: polars.DataFrame({"v": polars.Series(NAMES, dtype=polars.Object)}), NAMES),
    "128 bits": (lambda: polars.DataFrame({"v": polars.Series(BIG, dtype=polars.Int128)}), BIG),
    "half floats": (lambda: pa.table({"v": half_floats()}), [1.5, 1.5, 0, 0, None, None]),
    "half floats of Polars": (
        lambda: polars.DataFrame({"v": polars.Series(FLOATS, dtype=polars.Float16)}),
        [1.5, 1.5, 0, 0, None, None],
    ),
    "decimals of 256 bits": (lambda: pa.table({"v": pa.array(HUGE, pa.decimal256(70, 0))}), HUGE),
    "intervals of Arrow": (
        lambda: pa.table({"v": pa.array(NANOSECONDS, pa.month_day_nano_interval())}),
        NANOSECONDS,
    ),
    "lists of fractions": (
        lambda: pa.table({"v": [[0.0, -0.0], [-0.0, 0.0], [-0.01, -0.0], [-0.01, 0.0], [float("nan")], [None], None]}),
        ["00", "00", "10", "10", "none", "none", None],
    ),
    "lists of fractions in pandas": (
        lambda: pandas.DataFrame(
            {"v": [[0.0, [-0.0]], [-0.0, [0.0]], np.array([-0.0]), [0.0], [float("nan")], [None]]}
        ),
        ["00", "00", "0", "0", "none", "none"],
    ),
    "structs of fractions": (
        lambda: polars.DataFrame({"v": [{"lat": 51.5, "lon": lon} for lon in (-0.0, 0.0, -0.1, float("nan"), None)]}),
        ["0", "0", "1", "none", "none"],
    ),
    "lists of durations": (lambda: nested(pa.list_(pa.duration("ns"))), [1, 1, 2, None]),
    "views of lists of durations": (lambda: nested(pa.list_view(pa.duration("ns"))), [1, 1, 2, None]),
    "lists of fixed size of durations": (lambda: nested(pa.list_(pa.duration("ns"), 1)), [1, 1, 2, None]),
    "structs of durations": (
        lambda: pa.table({"v": pa.array([{"a": 1}, {"a": 1}, {"a": 2}, None], pa.struct([("a", pa.duration("ns"))]))}),
        [1, 1, 2, None],
    ),
    "maps of durations": (
        lambda: pa.table(
            {"v": pa.array([[("a", 1)], [("a", 1)], [("a", 2)], None], pa.map_(pa.string(), pa.duration("ns")))}
        ),
        [1, 1, 2, None],
    ),
    "dictionaries of dictionaries": (
        lambda: pa.table(
            {"v": pa.DictionaryArray.from_arrays([0, 0, 1, None], pa.array(["a", "b"]).dictionary_encode())}
        ),
        ["a", "a", "b", None],
    ),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_rare_types_have_the_groups_of_their_values(kind: str) -> None:
    make, values = COLUMNS[kind]
    answer = idbits.measure(make(), ["v"])
    assert answer.figures.spectrum.pairs() == sorted(Counter(Counter(values).values()).items())
    assert answer.nulls == {"v": values.count(None)}


def test_periods_and_intervals_are_shown_as_pandas_writes_them() -> None:
    frame = pandas.DataFrame({"month": pandas.PeriodIndex(MONTHS, freq="M"), "age": pandas.cut(AGES, [0, 10, 20, 40])})
    for name, shown in (("month", "2020-01"), ("age", "(0, 10]")):
        values = idbits.measure(frame, [name], values=True, reveal=True).values
        assert values is not None
        assert (shown,) in [row.value for row in values.rows]
    assert idbits.measure(frame, ["month:year"]).figures.spectrum.pairs() == [(1, 1), (3, 1)]


def test_decimals_of_256_bits_are_numbers_if_they_fit() -> None:
    short, long = (
        pa.table({"v": pa.array([Decimal("1.5"), Decimal(2)], pa.decimal256(50, scale))}) for scale in (1, 3)
    )
    assert idbits.link(short, long, ["v"]).records.one_to_one == 2
    assert idbits.measure(long, ["v:round1"]).n_sets == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: pandas.DataFrame({"v": ["a", 1, 1]}),
        lambda: polars.LazyFrame({"v": ["a", "1", "1"]}),
        lambda: duckdb.from_arrow(pa.table({"v": ["a", "1", "1"]})),
    ],
)
def test_a_frame_of_narwhals_is_the_frame_inside(make: Callable[[], Any]) -> None:
    narwhals = pytest.importorskip("narwhals")
    assert idbits.measure(narwhals.from_native(make()), ["v"]) == idbits.measure(make(), ["v"])
    with pytest.raises(InputError, match=r"^Series cannot be read as a table; make a frame of it"):
        idbits.measure(narwhals.from_native(pandas.Series([1]), series_only=True), ["v"])


def test_a_subclass_of_a_frame_is_a_frame() -> None:
    class Own(pandas.DataFrame):
        pass

    assert idbits.measure(Own({"v": ["a", "a", "b"]}), ["v"]).n_sets == 2


def closed_relation() -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    relation = connection.sql("select 1 as v")
    connection.close()
    return relation


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (closed_relation, r"^DuckDBPyRelation cannot be read \(ConnectionException\); is its connection closed\?$"),
        (
            lambda: polars.LazyFrame({"v": ["secret"]}).select(polars.col("v").str.to_integer()),
            r"^LazyFrame cannot be read \(\w+\); read it yourself to see why$",
        ),
    ],
)
def test_errors_of_other_packages_show_no_value(source: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        idbits.measure(source(), ["v"])
    assert caught.value.__cause__ is not None
