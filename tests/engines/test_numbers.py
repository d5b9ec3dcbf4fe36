"""Bands, rounding and caps: the decimal that people read is what counts, on text and on numbers alike."""

import math
import random
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal

import pyarrow
import pytest

from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.values.attributes import Kind, parse_attribute

WHOLE = [
    ("band5", {-6: "-10", -5: "-5", -1: "-5", 0: "0", 4: "0", 5: "5", 9: "5", 10: "10"}),
    ("band1", {-1: "-1", 0: "0", 7: "7"}),
    ("round10", {-16: "-20", -15: "-20", -14: "-10", -5: "-10", -4: "0", 4: "0", 5: "10", 14: "10", 25: "30"}),
    ("round5", {-3: "-5", -2: "0", 2: "0", 3: "5", 7: "5", 8: "10"}),
    ("round3", {-5: "-6", -4: "-3", 1: "0", 2: "3", 4: "3", 5: "6"}),
    ("cap90", {-91: "-91", 89: "89", 90: "90", 91: "90", 200: "90"}),
    ("cap0", {-1: "-1", 0: "0", 1: "0"}),
    ("cap90:band20", {19: "0", 89: "80", 90: "80", 100: "80"}),
    ("band20:cap50", {19: "0", 59: "40", 60: "50", 99: "50"}),
    ("band0.5", {-1: "-1", 3: "3"}),
    ("cap2.5", {2: "2", 3: "2.5"}),
    ("round0.3", {1: "0.9", -1: "-0.9", 3: "3"}),
]  # fmt: skip

DECIMALS = [
    ("band0.1", {0.3: "0.3", 0.7: "0.7", 1.1: "1.1", -0.3: "-0.3", -0.35: "-0.4", 0.29: "0.2", 2.3: "2.3"}),
    ("band0.01", {0.29: "0.29", 0.57: "0.57", 0.58: "0.58", 1.13: "1.13", 1.15: "1.15", 4.35: "4.35", -0.29: "-0.29"}),
    ("band0.001", {1.001: "1.001", 8.199: "8.199", 32.768: "32.768", 16.001: "16.001"}),
    ("band2.5", {-0.1: "-2.5", 2.4: "0", 2.5: "2.5", 7.6: "7.5"}),
    ("band0.3", {0.9: "0.9", 0.89: "0.6", 2.1: "2.1", -0.9: "-0.9"}),
    ("round1", {0.5: "1", 1.5: "2", 2.5: "3", -0.5: "-1", -1.5: "-2", 0.49999999999999994: "0", -0.4: "0"}),
    ("round0.1", {0.25: "0.3", 0.35: "0.4", -0.25: "-0.3", 1.45: "1.5", 0.15: "0.2"}),
    ("round0.01", {1.005: "1.01", 2.675: "2.68", 0.285: "0.29", 1.015: "1.02", -1.005: "-1.01", 1.0049: "1"}),
    ("cap1.5", {1.4: "1.4", 1.5: "1.5", 1.6: "1.5", -3.25: "-3.25"}),
    ("cap0.3", {0.30000000000000004: "0.3", 0.3: "0.3", 0.29: "0.29"}),
    ("round0.000000001", {1e-9: "1e-09", 5e-10: "1e-09"}),
    ("band5", {1e22: "1e+22", 1e16: "1e+16", -1e16: "-1e+16"}),
]  # fmt: skip

EXTREMES = [
    ("band0.1", {1e308: "1e+308", -1e308: "-1e+308", 5e-324: "0", -5e-324: "-0.1"}),
    ("round0.000000001", {1e300: "1e+300", 1e-9: "1e-09", 5e-10: "1e-09"}),
]

HUGE = [
    ("band5", 9007199254740999, "9007199254740995"),
    ("band10", 9007199254740999, "9007199254740990"),
    ("band1", 9007199254740993, "9007199254740993"),
    ("round10", 9007199254740995, "9007199254741000"),
    ("round10", -9007199254740995, "-9007199254741000"),
    ("cap999999999999999", 9007199254740993, "999999999999999"),
    ("cap0", -9007199254740993, "-9007199254740993"),
    ("band2", 2**63 - 1, "9223372036854775806"),
    ("band10", -(2**63), "-9223372036854775810"),
    ("round2", 2**63 - 1, "9223372036854775808"),
    ("band10", 2**64 - 1, "18446744073709551610"),
]


def expected(cases: dict) -> dict[str, int]:
    people: dict[str, int] = {}
    for shown in cases.values():
        people[shown] = people.get(shown, 0) + 1
    return people


def side_by_side(cases, kind=None):
    """One table with a column for each case, its rows filled up with nulls; the attributes; and what they count."""
    length = max(len(values) for _, values in cases)
    columns = {}
    for position, (_, values) in enumerate(cases):
        texts = [repr(value) for value in values] if kind is None else list(values)
        columns[f"c{position}"] = texts + [None] * (length - len(texts))
    rows = [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]
    names = [[f"c{position}:{transform}"] for position, (transform, _) in enumerate(cases)]
    counts = [expected(values) | ({None: length - len(values)} if len(values) < length else {}) for _, values in cases]
    return rows, names, counts, dict.fromkeys(columns, kind or Kind.TEXT)


@pytest.mark.big
def test_whole_numbers_as_text(engine):
    rows, names, counts, _ = side_by_side(WHOLE)
    assert engine.count_each(rows, names) == counts


@pytest.mark.big
@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.NUMBER])
def test_whole_numbers(typed_engine, kind):
    rows, names, counts, kinds = side_by_side(WHOLE, kind)
    assert typed_engine.count_each(rows, names, kinds) == counts


@pytest.mark.parametrize("case", DECIMALS, ids=lambda case: case[0])
def test_decimals_as_text(engine, case):
    rows, names, counts, _ = side_by_side([case])
    assert engine.count_each(rows, names) == counts


@pytest.mark.parametrize("case", DECIMALS, ids=lambda case: case[0])
def test_decimals(typed_engine, case):
    rows, names, counts, kinds = side_by_side([case], Kind.NUMBER)
    assert typed_engine.count_each(rows, names, kinds) == counts


@pytest.mark.parametrize("case", EXTREMES, ids=lambda case: case[0])
def test_extreme_decimals(any_number_engine, case):
    rows, names, counts, kinds = side_by_side([case], Kind.NUMBER)
    assert any_number_engine.count_each(rows, names, kinds) == counts
    rows, names, counts, _ = side_by_side([case])
    assert any_number_engine.count_each(rows, names) == counts


@pytest.mark.parametrize("transform", ["band0.01", "round0.05", "band1.5"])
def test_all_cents_of_a_few_hundred(engine, transform):
    """Every amount that a price list can hold: floor and half-up in decimal arithmetic."""
    cents = random.Random(1).sample(range(-200_000, 200_000), 500)
    width = Decimal(transform.lstrip("bandrou"))
    rounding = ROUND_FLOOR if transform.startswith("band") else ROUND_HALF_UP
    people: dict[str, int] = {}
    for cent in cents:
        number = (Decimal(cent) / 1000 / width).to_integral_value(rounding) * width
        shown = f"{number.normalize() + 0:f}"
        people[shown] = people.get(shown, 0) + 1
    assert engine.count([{"n": str(Decimal(cent) / 1000)} for cent in cents], [f"n:{transform}"]) == people


def test_huge_whole_numbers(typed_engine):
    rows, names, counts, kinds = side_by_side([(word, {value: shown}) for word, value, shown in HUGE], Kind.INTEGER)
    assert typed_engine.count_each(rows, names, kinds) == counts


@pytest.mark.parametrize(
    "values", [("9007199254740993", "9007199254740992"), ("123456789012345678901", "123456789012345678902")]
)
def test_huge_whole_numbers_as_text_stay_apart(engine, values):
    assert engine.count([{"n": value} for value in values], ["n:band1"]) == dict.fromkeys(values, 1)


def test_huge_whole_numbers_as_text_fall_in_their_band(engine):
    found = engine.count([{"n": "9007199254740999"}, {"n": "9007199254740995"}], ["n:band5"])
    assert list(found.values()) == [2]


def test_text_is_read_as_a_number_only_for_transforms(engine):
    rows = [{"n": text} for text in ("1", "01", "1.0", " 1", "1 ", "+1", "1e0", "1.", "10e-1", None)]
    assert len(engine.count(rows, ["n"])) == 10
    assert engine.count(rows, ["n:band1"]) == {"1": 9, None: 1}


def test_minus_zero_is_zero(typed_engine):
    rows = [{"n": value} for value in (-0.0, 0.0)]
    for transform in ("", ":band5", ":cap3", ":round1", ":cap0", ":band0.1"):
        assert typed_engine.count(rows, [f"n{transform}"], {"n": Kind.NUMBER}) == {"0": 2}


def test_minus_zero_as_text_is_zero_once_it_is_a_number(engine):
    rows = [{"n": "-0"}, {"n": "0"}, {"n": "-0.0"}]
    for transform in ("band5", "cap3", "round1"):
        assert engine.count(rows, [f"n:{transform}"]) == {"0": 3}
    assert engine.count(rows, ["n"]) == {"-0": 1, "0": 1, "-0.0": 1}


def test_nan_is_null(typed_engine):
    rows = [{"n": value} for value in (math.nan, None, 1.0, -math.nan, math.nan)]
    assert typed_engine.count(rows, ["n"], {"n": Kind.NUMBER}) == {None: 4, "1": 1}
    assert typed_engine.count(rows, ["n:band1"], {"n": Kind.NUMBER}) == {None: 4, "1": 1}
    assert typed_engine.count(rows, ["n:top1"], {"n": Kind.NUMBER}) == {None: 4, "1": 1}


def test_infinities_are_values_that_no_band_takes(any_number_engine):
    rows = [{"n": value} for value in (math.inf, -math.inf, math.inf, 1.0)]
    kinds = {"n": Kind.NUMBER}
    assert any_number_engine.count(rows, ["n"], kinds) == {"inf": 2, "-inf": 1, "1": 1}
    assert any_number_engine.count(rows, ["n:top1"], kinds) == {"inf": 2, "(other values)": 2}
    for transform in ("band5", "cap9", "round1"):
        assert any_number_engine.refuses(rows, f"n:{transform}", 3, kinds)


NO_NUMBERS = [" ", "x", "1 000", "0x10", "1_000", "nan", "inf", "1e400", "--1", "1-", "٣", "１", "½", "1\n2"]


def test_text_that_is_no_number_is_an_error_with_its_number(engine):
    for text in NO_NUMBERS:
        assert engine.refuses([{"n": text}, {"n": "5"}, {"n": None}, {"n": text}], "n:band5", 2), text


@pytest.mark.parametrize("transform", ["cap9", "round1", "band5"])
def test_empty_text_is_no_number_where_it_is_no_null(typed_engine, transform):
    assert typed_engine.refuses([{"n": ""}, {"n": "5"}, {"n": None}, {"n": ""}], f"n:{transform}", 2)


def test_a_decimal_comma_is_read_when_it_is_sure(engine):
    rows = [{"n": text} for text in ("3,5", "3", "-0,25", "1,234", None)]
    assert engine.count(rows, ["n:band0.5"]) == {"3.5": 1, "3": 1, "-0.5": 1, "1": 1, None: 1}
    assert engine.refuses([{"n": "1,234"}, {"n": "3"}], "n:band1", 1)
    assert engine.refuses([{"n": "1,25"}, {"n": "3.5"}], "n:band1", 1)


def test_decimal_columns_are_exact():
    values = [Decimal("0.29"), Decimal("0.30"), Decimal("-0.05")]
    table = open_table(pyarrow.table({"n": pyarrow.array(values, pyarrow.decimal128(20, 2))}))
    table.load(["n"])
    for name, shown in {"n": ["-0.05", "0.29", "0.3"], "n:band0.01": ["-0.05", "0.29", "0.3"]}.items():
        found = table.histogram([parse_attribute(name, table.columns)])
        assert [value for (value,) in found.values] == shown


@pytest.mark.parametrize("word", ["band0", "band-5", "round0", "cap", "band", "band5x", "year", "prefix2", "top0", "x"])
def test_unfit_transforms_are_refused(typed_engine, word):
    with pytest.raises(InputError, match=r"use one of top20, band5, cap90, round10|top"):
        parse_attribute(f"n:{word}", typed_engine([{"n": 1.0}], {"n": Kind.NUMBER}).columns)
