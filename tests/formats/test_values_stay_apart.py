"""Values that look alike to a reader in between must not merge, and none may be dropped."""

from __future__ import annotations

import math
from datetime import date, datetime
from pathlib import Path

import numpy
import openpyxl
import pandas
import pyarrow
import pyarrow.parquet
import pyreadstat
import pytest

import idbits


def sizes(source: object, column: str = "a", **reading: object) -> list[int]:
    spectrum = idbits.measure(source, [column], **reading).figures.spectrum  # type: ignore[arg-type]
    return [size for size, sets in spectrum.pairs() for _ in range(sets)]


def test_nan_is_null_in_parquet_whatever_its_statistics_say(tmp_path: Path) -> None:
    table = pyarrow.table({"a": [0.1, math.nan, 0.2, math.nan] * 100})
    pyarrow.parquet.write_table(table, tmp_path / "n.parquet")
    for source in (table, tmp_path / "n.parquet"):
        assert idbits.measure(source, ["a"]).nulls == {"a": 200}
        assert idbits.measure(source, ["a"], where="a is null").n_rows == 200
        assert idbits.measure(source, ["a:band1"]).figures.spectrum.pairs() == [(200, 2)]


@pytest.mark.parametrize(
    "cells",
    [
        [date(2020, 1, 1), datetime(2020, 1, 1, 5), datetime(2020, 1, 1, 6)],
        [pandas.Timestamp(1), pandas.Timestamp(2)],
        [pandas.Timedelta(1), pandas.Timedelta(2)],
        [numpy.arange(2000), numpy.r_[0:1000, 7, 1001:2000], "x"],
        [10**30, 10**30 + 1],
        [2**53, 2**53 + 1],
    ],
)
def test_cells_of_pandas_objects(cells: list[object]) -> None:
    series = pandas.Series(cells, dtype=object)
    assert sizes(pandas.DataFrame({"a": series})) == [1] * len(cells)


def test_durations_keep_their_nanoseconds() -> None:
    assert sizes(pyarrow.table({"a": pyarrow.array([1, 2], pyarrow.duration("ns"))})) == [1, 1]


def test_a_type_that_cannot_be_counted_is_said() -> None:
    with pytest.raises(idbits.DataError, match="cannot be counted"):
        idbits.measure(pandas.DataFrame({"a": pandas.Series(["half of \ud83d"], dtype=object)}), ["a"])


def test_files_with_other_kinds_of_numbers_are_not_mixed(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"a": [0.5]}), tmp_path / "1.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"a": [2**53, 2**53 + 1]}), tmp_path / "2.parquet")
    with pytest.raises(idbits.DataError, match="decimals in others"):
        idbits.measure(tmp_path, ["a"])


@pytest.mark.parametrize(
    "lines",
    [
        ['{"a":18446744073709551617}', '{"a":18446744073709551616}'],
        ['{"a":9007199254740993}', '{"a":9007199254740992}', '{"a":0.5}'],
        ['{"a":0.12345678901234561}', '{"a":0.12345678901234562}'],
    ],
)
def test_long_numbers_in_json_lines(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text("\n".join(lines))
    assert sizes(tmp_path / "n.jsonl") == [1] * len(lines)


def test_numbers_beside_texts_in_excel(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for cell in ("a", 0.1234567890123, 0.1234567890124, "x", 0.5, "0.5x"):
        book.active.append([cell])
    book.save(tmp_path / "n.xlsx")
    assert sizes(tmp_path / "n.xlsx") == [1] * 5


@pytest.mark.parametrize(
    ("cells", "labels", "nulls"),
    [([1.0, 2.0], {1.0: "2"}, 0), ([1.0, None], {1.0: " "}, 1), ([1.0, 2.0], {1.0: "x", 2.0: "x"}, 0)],
)
def test_labels_never_merge_people(
    cells: list[float | None], labels: dict[float, str], nulls: int, tmp_path: Path
) -> None:
    pyreadstat.write_sav(pandas.DataFrame({"a": cells}), str(tmp_path / "n.sav"), variable_value_labels={"a": labels})
    measured = idbits.measure(tmp_path / "n.sav", ["a"])
    assert measured.figures.spectrum.pairs() == [(1, 2)]
    assert measured.nulls == {"a": nulls}


def test_a_blank_after_a_closing_quote_is_refused_and_not_dropped(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text('a,b\n1,"x" \n2,"x"\n')
    with pytest.raises(idbits.DataError, match="quote"):
        idbits.measure(tmp_path / "q.csv", ["b"])


def test_a_field_too_many_that_stands_for_null_is_refused(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("a,b\n1,2,NA\n3,4\n")
    with pytest.raises(idbits.DataError, match="more fields"):
        idbits.measure(tmp_path / "n.csv", ["a"], null="NA")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("full name\nJohn Smith\nJane Doe\nJo X\n", ["full name"]),
        ("price;note, long\n1,5;a\n2,5;b\n", ["price", "note, long"]),
        ("lat,lon;city\n1,2;x\n3,4;y\n", ["lat,lon", "city"]),
        ("\na,b\n1,2\n2,3\n", ["a", "b"]),
        ("\n1,2.5\n2,3.5\n", ["column1", "column2"]),
    ],
)
def test_where_rows_are_cut(text: str, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    inspected = idbits.inspect(tmp_path / "t.csv")
    assert [column.column for column in inspected.columns] == names
    if "," in text and ";" in text:
        assert any("--delimiter" in note for note in inspected.notes)


@pytest.mark.big
def test_a_cell_of_nine_megabytes_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("a,b\n1," + "x" * 9_000_000 + "\n2,y\n")
    assert sizes(tmp_path / "long.csv", "b") == [1, 1]


@pytest.mark.parametrize("encoding", ["base64", "rot13", "idna", "nothing"])
def test_what_is_no_text_encoding_is_wrong_usage(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(idbits.InputError, match="encoding"):
        idbits.measure(tmp_path / "t.csv", ["a"], encoding=encoding)


def test_threads_have_a_limit(tmp_path: Path) -> None:
    with pytest.raises(idbits.InputError, match="threads"):
        idbits.measure(pyarrow.table({"a": [1]}), ["a"], threads=10**9)
