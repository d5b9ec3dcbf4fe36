"""Shapes of values: the same for Python and for the engines' regular expressions."""

from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.values.value_shapes import SHAPES, WHOLE_NUMBER, count_shapes, has_shape, shapes_of_figures

EXAMPLES = {
    "emails": (
        ["jan@example.org", "o'neil+x@mail.example.co.uk"], ["jan@localhost", "a b@example.org", "@example.org", "jan"],
    ),
    "phones": (
        ["+31 6 12345678", "06-12345678", "(312) 555-0198", "312-555-0198", "0036 1 234 5678", "1-312-555-0198"],
        ["12345678", "2020-01-31", "1,234", "3.14159"],
    ),
    "urls": (["https://example.org/a?b=c", "www.example.org", "HTTP://EXAMPLE.ORG"], ["example.org", "http://", "a b"]),
    "ips": (["10.0.0.1", "fe80::1:2:3:4", "2001:db8:0:0:0:ff00:42:8329", "aa:bb:cc:dd:ee:ff", "00-1B-44-11-3A-B7"],
            ["12:30:45", "1.2.3", "10.0.0"]),
    "uuids": (["0b2c1f6e-8b7e-4d2a-9a6b-2f8f7d1c3b5a", "d41d8cd98f00b204e9800998ecf8427e"], ["0b2c1f6e", "12345678"]),
    "clocks": (["14:35", "2:05 pm", "23:59:59", "07:00:00.123"], ["25:00", "12:60", "12", "14:35h"]),
    "moments": (
        ["2020-01-31", "31.12.2020", "1/31/2020 11:30:00 PM", "2020-01-31T10:00:00Z", "Dec-2015", "12 March 2020",
         "Mar 5, 2020", "2019Q3", "2020-03", "07/2021", "2020-W05", "15-Jan-20"],
        ["999-12-3456", "10.0.0.1", "job 12", "1234", "45.99.2020", "P-2020"],
    ),
    "compact_dates": (["20200131", "19991231"], ["20201331", "20200132", "2020013", "31122020"]),
    "clocked": (
        ["970106 12:30:11", "Tue Apr 03 18:00:09 +0000 2012", "Tue, 03 Apr 2012 18:00:09 GMT",
         "[10/Oct/2000:13:55:36 -0700]", "3 Mar 2020 4:05 PM"],
        ["12:30", "room 4 at 12:30", "1234 5678", "12 25:00"],
    ),
    "compact_months": (["202001", "199912"], ["202013", "12345", "20200131"]),
    "compact_stamps": (["202001312359", "20200131235959"], ["20200131", "202013312359", "202001312460"]),
    "digit_dates": (["12312019", "31122019", "01021985"], ["20191231", "13322019", "12312519"]),
    "short_dates": (["970131", "310197", "013197"], ["971331", "990099", "12345"]),
    "streets": (
        ["12 Main Street", "Musterstraße 12", "12 rue de la Paix", "Calle Mayor, 5", "Keizersgracht 174",
         "Kossuth utca 3.", "742 Evergreen Terrace, Springfield"],
        ["Main Street", "Ward 3", "12", "Product 17", "Group 5", "Street"],
    ),
    "mixed_codes": (["A1", "XK-0042", "4f2a9b"], ["ABC", "1234", "A 1"]),
    "with_digits": (["3rd", "a1b", "12"], ["abc", ""]),
    "point_zeros": (["12.0", "-3.0"], ["12", "12.5", "12.00"]),
    "listed_names": (
        ["Smith, John", "SMITH, JOHN A.", "Garcia Lopez, Maria"],
        ["Springfield, IL", "Smith John", "smith, john", "12, Main"],
    ),
    "phrases": (
        ["Kovács János", "SMITH, JOHN", "O'Brien-Smith, Anna M."],
        ["word", "job 12", "a[b c", "one two three four five six"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str) -> None:
    fitting, others = EXAMPLES[shape]
    assert [text for text in fitting if not has_shape(text, shape)] == []
    assert [text for text in others if has_shape(text, shape)] == []


TEXTS = st.one_of(
    st.text(alphabet="0123456789-:./ ,@AaBbMmNnOoRrVvxX()+#_T", max_size=25),
    st.sampled_from([text for pair in EXAMPLES.values() for texts in pair for text in texts]),
)


@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_duckdb_reads_the_patterns_alike(texts: list[str]) -> None:
    for shape, pattern in SHAPES.items():
        rows = duckdb.execute(
            "SELECT regexp_full_match(t, $p) FROM unnest($t) x(t)", {"p": pattern, "t": texts}
        ).fetchall()
        assert [bool(found) for (found,) in rows] == [has_shape(text, shape) for text in texts]


def test_a_shape_is_found_in_linear_time() -> None:
    for shape in SHAPES:
        for text in ("1" * 100_000, "a " * 50_000, "a@" * 50_000, "-" * 100_000, "0.0." * 25_000):
            has_shape(text, shape)


def test_counting_shapes() -> None:
    counts = count_shapes(["a@example.org", "b@example.org", "12.0", "none"])
    assert counts.values == 4
    assert counts.share("emails") == 0.5
    assert counts.shapes["point_zeros"] == 1
    assert count_shapes([]).share("emails") == 0.0


def test_floats_are_recognised_without_their_tail() -> None:
    assert count_shapes(["20200131.0", "20210228.0"]).shapes == {"compact_dates": 2, "with_digits": 2, "point_zeros": 2}


def test_shapes_of_an_engine_that_counts_none() -> None:
    assert shapes_of_figures({"distinct": 3}) is None
    assert shapes_of_figures({"distinct": 3, "emails": 2, "urls": 0}).shapes == {"emails": 2}


@pytest.mark.parametrize(
    ("text", "digits"), [("12", "12"), ("-7", "-7"), ("12.0", "12"), ("12.00", "12"), ("1.5", None)]
)
def test_whole_numbers(text: str, digits: str | None) -> None:
    match = re.fullmatch(WHOLE_NUMBER, text)
    assert (match[1] if match else None) == digits
