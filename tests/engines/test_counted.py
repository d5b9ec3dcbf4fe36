"""A count column: every figure is over people, rows of nobody stay as possible values."""

import math
from decimal import Decimal

import pyarrow
import pytest

from idbits.counts import Histogram, Spectrum
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, DataError
from idbits.values.attributes import Kind, parse_attributes

TOWNS = [
    {"zip": "1", "sex": "F", "n": "36372.0"},
    {"zip": "1", "sex": "M", "n": "  36372"},
    {"zip": "2", "sex": "F", "n": "+5 "},
    {"zip": "2", "sex": "F", "n": "2."},
    {"zip": "3", "sex": "M", "n": "0"},
    {"zip": None, "sex": "M", "n": "007"},
    {"zip": None, "sex": None, "n": "0.000"},
]


def test_people_are_counted_not_rows(engine):
    assert engine.count_each(TOWNS, [["zip", "sex"], ["zip"], ["sex"]], count="n") == [
        {("1", "F"): 36372, ("1", "M"): 36372, ("2", "F"): 7, (None, "M"): 7},
        {"1": 72744, "2": 7, None: 7},
        {"F": 36379, "M": 36379},
    ]


def test_rows_of_nobody_stay_as_possible_values(engine):
    table = engine.loaded(TOWNS, ["zip", "sex"], count="n")
    qid = parse_attributes(["zip", "sex"], table.columns)
    assert table.n_people() == 72758
    assert table.spectrum(qid) == Spectrum.of({36372: 2, 7: 2, 0: 2})
    assert table.spectrum(qid).n_values == 6
    assert table.spectrum(qid[:1]) == Spectrum.of({72744: 1, 7: 2, 0: 1})
    assert table.null_people(qid[0]) == 7
    assert table.null_people(qid[1]) == 0
    assert table.histogram(qid, most=1) == Histogram(((None, "M"),), (7,), 3, 72751)
    assert dict(table.group_spectra(*[qid[0], qid[1:]])) == {
        "1": Spectrum.of({36372: 2}), "2": Spectrum.of({7: 1}), None: Spectrum.of({7: 1, 0: 1}),
    }  # fmt: skip


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER])
def test_counts_that_are_numbers(typed_engine, kind):
    rows = [{"a": "x", "n": 2}, {"a": "y", "n": 0}, {"a": "x", "n": 36372}]
    assert typed_engine.count(rows, ["a"], {"a": Kind.TEXT, "n": kind}, count="n") == {"x": 36374}


def test_counts_near_the_limit_are_exact(engine):
    rows = [{"a": "x", "n": str(2**62)}, {"a": "x", "n": "1"}, {"a": "y", "n": str(2**53 + 1)}]
    assert engine.count(rows, ["a"], count="n") == {"x": 2**62 + 1, "y": 2**53 + 1}


def test_the_filter_comes_before_the_count(engine):
    rows = [{"a": "x", "n": "2"}, {"a": "bad", "n": "many"}]
    assert engine.count(rows, ["a"], count="n", where="a <> 'bad'") == {"x": 2}


def opened(engine, rows, kinds=None, count="n"):
    table = engine(rows, kinds, OpenOptions(count=count))
    table.load(["a"])
    return table


@pytest.mark.parametrize("text", ["-1", "-0", "1.5", "1.01", None, "x", "1e3", "1,000", "1 2", "٣", "nan", "inf", "."])
def test_texts_that_are_no_count_are_errors(engine, text):
    with pytest.raises(DataError) as refusal:
        opened(engine, [{"a": "x", "n": text}, {"a": "y", "n": "1"}, {"a": "z", "n": text}])
    assert engine.name == "plain" or " 2 rows" in str(refusal.value)
    assert text is None or engine.name == "plain" or f" {text} " not in str(refusal.value)


@pytest.mark.parametrize("y", [2**62 - 2, 2**62 - 1, 2**63 - 1])
def test_people_that_64_bits_cannot_count_are_an_error(engine, y):
    rows = [{"a": "x", "n": str(2**62)}, {"a": "y", "n": str(y)}, {"a": "z", "n": "1"}]
    if 2**62 + y + 1 < 2**63:
        assert engine.count(rows, ["a"], count="n") == {"x": 2**62, "y": y, "z": 1}
    else:
        with pytest.raises(DataError, match=r"more than 2\^63 people"):
            engine.count(rows, ["a"], count="n")


@pytest.mark.parametrize("number", [math.inf, -math.inf])
def test_infinite_numbers_are_no_count(any_number_engine, number):
    with pytest.raises(DataError):
        opened(any_number_engine, [{"a": "x", "n": number}], {"a": Kind.TEXT, "n": Kind.NUMBER})


@pytest.mark.parametrize("number", [-1.0, 0.5, None, math.nan])
def test_numbers_that_are_no_count_are_errors(typed_engine, number):
    with pytest.raises(DataError):
        opened(typed_engine, [{"a": "x", "n": number}], {"a": Kind.TEXT, "n": Kind.NUMBER})


@pytest.mark.parametrize("number", [-1, None])
def test_whole_numbers_that_are_no_count_are_errors(typed_engine, number):
    with pytest.raises(DataError):
        opened(typed_engine, [{"a": "x", "n": number}], {"a": Kind.TEXT, "n": Kind.INTEGER})


def test_a_count_column_that_is_not_there(engine):
    with pytest.raises(ColumnNotFoundError):
        opened(engine, [{"a": "x", "n": "1"}], count="N")


@pytest.mark.parametrize("text", ["3.00000000000000000001", "0.00000000000000000001"])
def test_a_decimal_with_a_tiny_fraction_is_no_count(text):
    column = pyarrow.array([Decimal(text)], pyarrow.decimal128(38, 20))
    table = open_table(pyarrow.table({"a": ["x"], "n": column}), OpenOptions(count="n"))
    with pytest.raises(DataError):
        table.load(["a"])


@pytest.mark.parametrize(("name", "text"), [("a:year", "no date"), ("a:band5", "no number")])
def test_a_value_of_nobody_must_fit_as_well(engine, name, text):
    """It stays as a possible value: it cannot turn into null, and the engine cannot fail on it."""
    good = "1985-05-01" if name == "a:year" else "5"
    assert engine.refuses([{"a": good, "n": "3"}, {"a": text, "n": "0"}], name, 1, count="n")


def test_the_number_of_unfit_values_is_not_the_number_of_people(engine):
    rows = [{"a": "5", "n": "3"}, {"a": "x", "n": "400"}, {"a": "y", "n": "600"}]
    assert engine.refuses(rows, "a:band5", 2, count="n")


def test_a_value_of_nobody_settles_the_order_of_dates(engine):
    rows = [{"a": "03/04/1985", "n": "5"}, {"a": "31/12/1985", "n": "0"}]
    assert engine.count(rows, ["a:month"], count="n") == {"1985-04": 5}
