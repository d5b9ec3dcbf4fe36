"""Rows as codes: equal codes for equal values, in the order of the source, with row numbers of the source."""

from collections import Counter
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from idbits.engines.base import OpenOptions
from idbits.engines.duckdb import row_codes
from idbits.engines.open import open_table
from idbits.errors import EngineError
from idbits.values.attributes import Kind, parse_attributes

ROWS = [
    {"zip": "01234", "name": "é", "n": "1"},
    {"zip": None, "name": "e", "n": "0"},
    {"zip": "1234", "name": "é", "n": "3"},
    {"zip": "01234", "name": "É ", "n": "2"},
    {"zip": None, "name": "E", "n": "1"},
]


def shown_rows(table, names, table_rows=None):
    attributes = parse_attributes(names, table.columns)
    rows = table_rows or table.coded_rows(attributes)
    labels = [table.labels(attribute) for attribute in attributes]
    return [
        tuple(label[code] for label, code in zip(labels, row, strict=True))
        for row in zip(*(codes.tolist() for codes in rows.codes), strict=True)
    ]


def test_codes_stand_for_the_values_of_the_rows(engine):
    table = engine.loaded(ROWS, ["zip", "name", "zip:prefix1"], in_order=True)
    found = shown_rows(table, ["zip", "name", "zip:prefix1"])
    expected = [(row["zip"], row["name"], row["zip"] and row["zip"][:1]) for row in ROWS]
    in_order = table.coded_rows(parse_attributes(["zip"], table.columns)).numbers is not None
    assert found == expected if in_order else set(found) == set(expected)


def test_codes_give_the_histogram(engine):
    table = engine.loaded(ROWS, ["zip", "name"], count="n")
    rows = table.coded_rows(parse_attributes(["zip", "name"], table.columns))
    people = Counter()
    for shown, weight in zip(shown_rows(table, ["zip", "name"], rows), rows.people.tolist(), strict=True):
        people[shown] += weight
    histogram = table.histogram(parse_attributes(["zip", "name"], table.columns))
    assert +people == dict(zip(histogram.values, histogram.people, strict=True))
    assert rows.n_people == table.n_people() == 7


def test_numbers_are_those_of_the_source(engine):
    table = engine.loaded(ROWS, ["zip"], where="name <> 'e'", in_order=True)
    rows = table.coded_rows(parse_attributes(["zip"], table.columns))
    assert rows.n_people == 4
    if rows.numbers is not None:  # else the engine has put equal rows together
        assert rows.numbers.tolist() == [1, 3, 4, 5]
        assert rows.people is None


def test_every_kind(typed_engine):
    kinds = {"i": Kind.INTEGER, "x": Kind.NUMBER, "b": Kind.BOOLEAN, "d": Kind.DATE, "t": Kind.TIMESTAMP}
    rows = [
        {"i": 2**63 - 1, "x": 0.5, "b": True, "d": date(1899, 1, 1), "t": datetime(2005, 1, 1, 12)},
        {"i": -5, "x": float("nan"), "b": False, "d": None, "t": None},
        {"i": None, "x": -0.0, "b": None, "d": date(1899, 1, 1), "t": datetime(2005, 1, 1, 12)},
        {"i": -5, "x": 0.0, "b": True, "d": date(9999, 12, 31), "t": datetime(2005, 1, 1, 13)},
    ]
    table = typed_engine.loaded(rows, list(kinds), kinds, in_order=True)
    attributes = parse_attributes(list(kinds), table.columns)
    found = table.coded_rows(attributes)
    expected = typed_engine.reference(rows, kinds).coded_rows(attributes)
    for ours, theirs in zip(found.codes, expected.codes, strict=True):
        assert len(set(ours.tolist())) == len(set(theirs.tolist()))
        if found.numbers is not None:
            assert len(set(zip(ours.tolist(), theirs.tolist(), strict=True))) == len(set(theirs.tolist()))


@pytest.mark.big
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_order_holds_over_many_rows_and_files(tmp_path: Path, form: str):
    numbers = np.random.default_rng(0).integers(0, 1_000, 600_000)
    for part, chunk in enumerate(np.array_split(numbers, 3)):
        if form == "csv":
            (tmp_path / f"{part}.csv").write_text("v,w\n" + "".join(f"{v},{v % 7}\n" for v in chunk.tolist()))
        else:
            table = pyarrow.table({"v": chunk, "w": chunk % 7})
            pyarrow.parquet.write_table(table, tmp_path / f"{part}.parquet", row_group_size=20_000)
    for where in (None, "w <> 3" if form == "parquet" else "w <> '3'"):
        table = open_table(str(tmp_path / f"*.{form}"), OpenOptions(in_order=True, where=where))
        table.load(["v"])
        attributes = parse_attributes(["v"], table.columns)
        rows = table.coded_rows(attributes)
        labels = np.array(table.labels(attributes[0]), dtype=object)[rows.codes[0]].astype(np.int64)
        kept = np.ones(len(numbers), bool) if where is None else numbers % 7 != 3
        assert np.array_equal(labels, numbers[kept])
        assert np.array_equal(rows.numbers, np.flatnonzero(kept) + 1)
        table.close()


@pytest.mark.big
@pytest.mark.parametrize("form", ["pandas", "arrow", "parquet", "csv"])
def test_columns_stay_side_by_side_when_nobody_asks_for_order(tmp_path: Path, form: str):
    # Threads read parts of a frame in any order, and each column is read by itself.
    numbers = np.random.default_rng(0).integers(0, 1_000, 700_000)
    frame = pyarrow.table({"v": numbers, "w": numbers % 7})
    source: object = frame.to_pandas() if form == "pandas" else frame
    if form == "parquet":
        source = tmp_path / "t.parquet"
        pyarrow.parquet.write_table(frame, source, row_group_size=20_000)
    elif form == "csv":
        source = tmp_path / "t.csv"
        pyarrow.csv.write_csv(frame, source)
    table = open_table(source, OpenOptions(threads=4))
    table.load(["v", "w"])
    attributes = parse_attributes(["v", "w"], table.columns)
    rows = table.coded_rows(attributes)
    v, w = (
        np.array(table.labels(attribute), dtype=object)[codes].astype(np.int64)
        for attribute, codes in zip(attributes, rows.codes, strict=True)
    )
    assert np.array_equal(v % 7, w)
    table.close()


def test_whole_numbers_of_128_bits(tmp_path: Path):
    values = [2**100, 2**100 + 1, 2**100, None]
    frame = pyarrow.table({"v": pyarrow.array(values, pyarrow.decimal128(38, 0))})
    pyarrow.parquet.write_table(frame, tmp_path / "wide.parquet")
    table = open_table(tmp_path / "wide.parquet", OpenOptions(in_order=True))
    table.load(["v"])
    (codes,) = table.coded_rows(parse_attributes(["v"], table.columns)).codes
    assert codes[0] == codes[2]
    assert len(set(codes.tolist())) == 3


def test_rows_beyond_the_memory_are_refused(tmp_path: Path):
    frame = pyarrow.table({f"c{i}": np.arange(500_000) % (i + 2) for i in range(20)})
    pyarrow.parquet.write_table(frame, tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", OpenOptions(in_order=True, memory=70_000_000))
    table.load(table.columns)
    with pytest.raises(EngineError, match="--memory"):
        table.coded_rows(parse_attributes(list(table.columns), table.columns))
    table.close()


@pytest.mark.parametrize("names", [["zip", "name"], ["zip:prefix1"]])
def test_batches_hold_the_same_rows(engine, names):
    table = engine.loaded(ROWS, names)
    attributes = parse_attributes(names, table.columns)
    batches = table.coded_batches(attributes)
    first = next(batches)
    labels = [table.labels(attribute) for attribute in attributes]
    found = Counter()
    for rows in [first, *batches]:
        weights = [1] * rows.n_rows if rows.people is None else rows.people.tolist()
        for codes, people in zip(zip(*(c.tolist() for c in rows.codes), strict=True), weights, strict=True):
            found[tuple(label[code] for label, code in zip(labels, codes, strict=True))] += people
    histogram = table.histogram(attributes)
    assert found == dict(zip(histogram.values, histogram.people, strict=True))


@pytest.mark.parametrize("count", [None, "n"])
def test_distinct_rows_are_counted(engine, count):
    names = ["zip", "name"]
    table = engine.loaded([*ROWS, ROWS[0], ROWS[0]], names, count=count)
    attributes = parse_attributes(names, table.columns)
    rows = table.distinct_rows(attributes, 1)
    people = dict(zip(shown_rows(table, names, rows), rows.cohorts().tolist(), strict=True))
    histogram = table.histogram(attributes)
    assert people == dict(zip(histogram.values, histogram.people, strict=True))
    assert rows.n_rows == len(people)
    assert rows.n_people == table.n_people()
    for attribute, numbers in zip(attributes, rows.value_people, strict=True):
        single = table.histogram([attribute])
        shown = dict(zip(table.labels(attribute), numbers.tolist(), strict=True))
        assert +Counter(shown) == {label: number for (label,), number in zip(single.values, single.people, strict=True)}


NAMES = ["zip", "zip:prefix1", "n:top2", "name"]


@pytest.mark.parametrize("kept_bytes", [0, 6, 10**6])
@pytest.mark.parametrize("options", [{}, {"where": "name <> 'e'"}, {"count": "n"}])
def test_columns_that_are_kept_have_the_codes_of_columns_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_bytes: int, options: dict[str, str]
) -> None:
    """With no room nothing is kept, with 6 bytes the first column, otherwise all."""
    monkeypatch.setattr(row_codes, "_KEPT_BYTES", kept_bytes)
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    with closing(open_table(path, OpenOptions(in_order=True, **options))) as table:
        table.load(["zip", "name", "n"])
        attributes = parse_attributes(NAMES, table.columns)
        reads = []
        read = row_codes._coded_column
        monkeypatch.setattr(row_codes, "_coded_column", lambda *given: reads.append(given[2]) or read(*given))
        first, again = table.coded_rows(attributes), table.coded_rows(attributes[::-1])
        n_reads = len(reads)
        table.give_back_memory()
        after = table.coded_rows(attributes)
        shown = shown_rows(table, NAMES, first)
    assert [codes.tolist() for codes in first.codes] == [codes.tolist() for codes in again.codes[::-1]]
    assert [codes.tolist() for codes in first.codes] == [codes.tolist() for codes in after.codes]
    assert {codes.dtype for rows in (first, again, after) for codes in rows.codes} == {np.dtype(np.uint32)}
    assert first.sizes == again.sizes[::-1]
    assert (n_reads, len(reads)) == {0: (8, 12), 6: (5, 8), 10**6: (3, 6)}[kept_bytes]
    kept = [row for row in ROWS if options.get("where") is None or row["name"] != "e"]
    assert [row[0] for row in shown] == [row["zip"] for row in kept]
    assert [row[1] for row in shown] == [row["zip"] and row["zip"][:1] for row in kept]


@pytest.mark.parametrize("count", [None, "n"])
def test_views_of_one_column_are_counted_like_those_of_two(engine, count):
    rows = [{**row, "copy": row["zip"]} for row in ROWS]
    table = engine.loaded(rows, ["zip", "copy"], count=count)
    one, two = (parse_attributes(["zip:prefix1", f"{name}:prefix3", name], table.columns) for name in ("zip", "copy"))
    assert table.spectrum(one) == table.spectrum(two)
    assert table.spectrum(one[:2]) == table.spectrum(two[:2])
    assert table.histogram(one) == table.histogram(two)
