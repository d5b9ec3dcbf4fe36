"""Random small tables, linked by idbits and by a slow program that compares every record with every person."""

from dataclasses import asdict
from datetime import date, timedelta

import pyarrow
import pytest
import slow_links
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_links import classes_of, tables

import idbits

CELL = st.sampled_from(["a", "b", "c", None])
TABLE = st.lists(st.tuples(CELL, CELL), min_size=1, max_size=14)


def equal(column):
    return lambda a, b: None if a[column] is None else a[column] == b[column]


def truth_of(answer):
    return {name: value for name, value in asdict(answer.truth).items() if name not in ("precision", "recall")}


@settings(max_examples=30, deadline=None)
@given(first=TABLE, second=TABLE, ignore=st.booleans())
def test_equal_values_and_ignored_nulls(first, second, ignore):
    a, b = tables(first, second)
    expected = slow_links.link(a.to_pylist(), b.to_pylist(), [equal("x"), equal("y")], ignore_nulls=ignore, truth="id")
    answer = idbits.link(a, b, "x,y", truth="id", nulls="ignore" if ignore else "none")
    assert classes_of(answer) == {name: expected[name] for name in classes_of(answer)}
    assert truth_of(answer) == pytest.approx(expected["truth"], abs=1e-12)
    assert answer.records.nulls == (0 if ignore else sum(None in row for row in first))
    assert sum(classes_of(answer).values()) == len(first)


@settings(max_examples=20, deadline=None)
@given(first=TABLE, second=TABLE)
def test_swapping_the_tables_keeps_claims_and_the_most_that_can_be_right(first, second):
    a, b = tables(first, second)
    one, other = idbits.link(a, b, "x,y"), idbits.link(b, a, "x,y")
    assert (one.records.one_to_one, one.right.at_most) == (other.records.one_to_one, other.right.at_most)


DAYS = st.lists(st.integers(0, 25), min_size=1, max_size=12)


@settings(max_examples=20, deadline=None)
@given(first=DAYS, second=DAYS, width=st.integers(0, 4))
def test_dates_within_days(first, second, width):
    rows = [[{"born": date(2000, 1, 1) + timedelta(days=day), "id": i} for i, day in enumerate(days)]
            for days in (first, second)]  # fmt: skip
    a, b = (pyarrow.Table.from_pylist(each) for each in rows)

    def near(one, other):
        return abs((one["born"] - other["born"]).days) <= width

    expected = slow_links.link(*rows, [near], truth="id")
    answer = idbits.link(a, b, f"born~{width}d", truth="id")
    assert classes_of(answer) == {name: expected[name] for name in classes_of(answer)}
    assert truth_of(answer) == pytest.approx(expected["truth"], abs=1e-12)
    if width == 0:
        assert answer.records == idbits.link(a, b, "born").records


NUMBERS = st.lists(
    st.sampled_from([-21.0, -20.0, -1.0, 0.0, 0.1, 0.2, 0.3, 1.0, 19.0, 20.0, 21.0, 400.0]), min_size=1, max_size=9
)


@settings(max_examples=25, deadline=None)
@given(first=NUMBERS, second=NUMBERS, tolerance=st.sampled_from(["0", "0.1", "1", "5%", "50%"]))
def test_numbers_within_a_difference_or_a_share(first, second, tolerance):
    a, b = (pyarrow.table({"n": numbers}) for numbers in (first, second))

    def near(one, other):
        gap, most = abs(one["n"] - other["n"]), max(abs(one["n"]), abs(other["n"]))
        limit = float(tolerance[:-1]) / 100 * most if tolerance.endswith("%") else float(tolerance)
        return gap <= limit + 1e-9

    expected = slow_links.link(a.to_pylist(), b.to_pylist(), [near])
    assert classes_of(idbits.link(a, b, f"n~{tolerance}")) == {k: v for k, v in expected.items() if k != "even"}


WORDS = st.lists(
    st.sampled_from(["", "ana", "anna", "naa", "Ána", "bo", "ob", "ÉVA", "eva", "çelik"]), min_size=1, max_size=8
)


@settings(max_examples=25, deadline=None)
@given(first=WORDS, second=WORDS, most=st.integers(0, 2))
def test_texts_within_edits_by_characters(first, second, most):
    a, b = (pyarrow.table({"name": words}) for words in (first, second))
    expected = slow_links.link(
        a.to_pylist(), b.to_pylist(), [lambda one, other: slow_links.edits(one["name"], other["name"]) <= most]
    )
    assert classes_of(idbits.link(a, b, f"name~edit{most}")) == {k: v for k, v in expected.items() if k != "even"}


def test_places_within_kilometres():
    places = [
        (47.4979, 19.0402),
        (47.51, 19.05),
        (48.2082, 16.3738),
        (0.0, 179.99),
        (0.0, -179.99),
        (89.9, 0.0),
        (89.9, 180.0),
    ]
    a = pyarrow.table({"lat": [p[0] for p in places], "lon": [p[1] for p in places]})
    for limit in (1, 2, 3, 25, 300):
        expected = slow_links.link(
            a.to_pylist(), a.to_pylist(),
            [lambda x, y, most=limit: slow_links.kilometres((x["lat"], x["lon"]), (y["lat"], y["lon"])) <= most],
        )  # fmt: skip
        assert classes_of(idbits.link(a, a, f"lat+lon~{limit}km")) == {k: v for k, v in expected.items() if k != "even"}


def test_published_jaro_winkler_similarities():
    """Winkler (1990): MARTHA and MARHTA 0.961, DIXON and DICKSONX 0.813, DWAYNE and DUANE 0.840."""
    for one, other, similarity in (
        ("MARTHA", "MARHTA", 0.961),
        ("DIXON", "DICKSONX", 0.813),
        ("DWAYNE", "DUANE", 0.84),
    ):
        a, b = pyarrow.table({"n": [one]}), pyarrow.table({"n": [other]})
        assert idbits.link(a, b, f"n~jw{similarity - 0.001:.3f}").records.one_to_one == 1
        assert idbits.link(a, b, f"n~jw{similarity + 0.001:.3f}").records.one_to_one == 0
