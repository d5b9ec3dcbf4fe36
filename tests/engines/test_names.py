"""Names of columns may hold anything, and there may be many columns."""

import pytest

from idbits.engines.base import OpenOptions
from idbits.errors import ColumnNotFoundError
from idbits.values.attributes import Kind, parse_attribute, parse_attributes

NAMES = [
    'six" pipe', "it's", "income, yearly", "a:year", "birth:date:prefix2", "x; DROP TABLE people; --", "<b>bold</b>",
    "two\nlines", "tab\there", " padded ", "select", "raw", "value", "people", "code", "other", "c0", "g0", "k0", "t",
    "nothing", "count(*)", "*", "%", "\\", "é", "e\u0301", "\U0001f600", "`back`", "[brackets]", "{braces}",
    "$1", "?", "1",
    "a.b", "filename", "rowid", "a=b", "=1+1", "x" * 300,
]  # fmt: skip
ROWS = [{name: f"{position}-{row % 2}" for position, name in enumerate(NAMES)} for row in range(3)]


def test_every_name_is_a_column_as_it_stands(any_name_engine):
    table = any_name_engine.loaded(ROWS, NAMES)
    assert list(table.columns) == NAMES
    for position, name in enumerate(NAMES):
        histogram = table.histogram(parse_attributes([name], table.columns))
        assert histogram.values == ((f"{position}-0",), (f"{position}-1",)), name
        assert histogram.people == (2, 1)
    assert table.spectrum(parse_attributes(NAMES[:20], table.columns)).pairs() == [(1, 1), (2, 1)]


def test_a_name_with_colons_can_be_coarsened(engine):
    rows = [{"a:year": "1985-05-01", "a": "x"}, {"a:year": "1985-06-01", "a": "y"}]
    assert engine.count_each(rows, [["a:year"], ["a:year:year"], ["a"]]) == [
        {"1985-05-01": 1, "1985-06-01": 1}, {"1985": 2}, {"x": 1, "y": 1},
    ]  # fmt: skip


@pytest.mark.parametrize("names", [("a", "A"), ("Zip", "ZIP", "zip"), ("é", "É"), ("a_1", "A", "a"), ("ß", "ẞ")])
def test_names_that_differ_in_case_are_different_columns(any_name_engine, names):
    rows = [{name: f"{name}{row // (position + 1)}" for position, name in enumerate(names)} for row in range(6)]
    expected = [{f"{name}{row}": 0 for row in range(0)} for name in names]
    for counts, name in zip(expected, names, strict=True):
        for row in rows:
            counts[row[name]] = counts.get(row[name], 0) + 1
    table = any_name_engine(rows)
    assert list(table.columns) == list(names)
    assert any_name_engine.count_each(rows, [[name] for name in names]) == expected


def test_the_count_column_may_be_called_people(engine):
    rows = [{"people": "3", "value": "x", "code": "1"}, {"people": "4", "value": "x", "code": "2"}]
    assert engine.count_each(rows, [["value"], ["value", "code"], ["people"]], count="people") == [
        {"x": 7}, {("x", "1"): 3, ("x", "2"): 4}, {"3": 3, "4": 4},
    ]  # fmt: skip


def test_a_near_name_is_offered(engine):
    with pytest.raises(ColumnNotFoundError, match="zip"):
        parse_attribute("zpi:prefix2", engine([{"zip": "1"}]).columns)


@pytest.mark.big
def test_ten_thousand_columns(any_name_engine):
    names = [f"column {position}" for position in range(10_000)]
    rows = [dict.fromkeys(names, "x") | {"column 9999": str(row), "column 5000": str(row // 2)} for row in range(4)]
    table = any_name_engine(rows, dict.fromkeys(names, Kind.TEXT), OpenOptions(where="\"column 9999\" <> '3'"))
    assert list(table.columns) == names
    qid = parse_attributes(["column 9999:prefix1", "column 5000", "column 0"], table.columns)
    table.load(attribute.column for attribute in qid)
    assert table.spectrum(qid).pairs() == [(1, 3)]
    assert table.spectrum(qid[1:]).pairs() == [(1, 1), (2, 1)]
