"""Shapes: what an error may show of a value."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.values.shapes import LONGEST_SHAPE, shape_of


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("04/01/2019 12:02:34 AM", "99/99/9999 99:99:99 AA"), ("1 Apr 2019", "9 AAA 9999"), ("", ""),
        ("Ödön", "AAAA"), ("東京 1", "AA 9"), ("a\tb\n", "AAAA"), ("x<script>", "A?AAAAAA?"), ("１２", "AA"),
        ("9" * 50, "9" * 40 + "..."), ("O'Neill-Smith", "A'AAAAA-AAAAA"), ("a@b.hu", "A?A.AA"), ("😀", "A"),
    ],
)  # fmt: skip
def test_shapes(text: str, shape: str) -> None:
    assert shape_of(text) == shape


@given(st.text())
def test_a_shape_has_no_letter_or_digit_of_its_own(text: str) -> None:
    shape = shape_of(text)
    assert re.fullmatch(r"[9A /.:,+()_'?-]*(\.\.\.)?", shape)
    assert len(shape) <= LONGEST_SHAPE + len("...")
