"""Columns described in numbers: the same on every engine."""

from dataclasses import replace
from datetime import date, datetime

import pytest

from idbits.values.attributes import Kind
from idbits.values.common_words import WORD_SHAPES

TEXTS = [
    "jan@example.org", "+31 6 12345678", "https://example.org/x", "10.0.0.1", "0b2c1f6e-8b7e-4d2a-9a6b-2f8f7d1c3b5a",
    "14:35", "2020-01-31", "31.12.2020 10:00", "Dec-2015", "20200131", "A1", "12.0", "-4", "3.25", "007", "Anna Bolyai",
    "  x ", "NA", "NA", None, "ünïcode wörds", "a[b c", "x\\y z",
]  # fmt: skip
NUMBERS = [5, 5, -3, 20200131, 99, None, 10_000_000_000]


def compared(profile):
    """Leave out what engines that look at all values or at none cannot have in common."""
    shapes = profile.shapes
    counts = {shape: number for shape, number in shapes.shapes.items() if shape not in WORD_SHAPES} if shapes else {}
    return replace(profile, span=0, shapes=None), shapes and (shapes.values, counts)


def test_texts(engine):
    rows = [{"t": text} for text in TEXTS]
    table, reference = engine.loaded(rows, ["t"]), engine.reference(rows)
    assert compared(table.profile("t")) == compared(reference.profile("t"))


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        (Kind.INTEGER, NUMBERS),
        (Kind.NUMBER, [1.5, -2.25, 1e6, None, 3.0]),
        (Kind.DATE, [date(2020, 1, 31), date(1999, 12, 31), None]),
        (Kind.TIMESTAMP, [datetime(2020, 1, 31, 10, 5), None]),
        (Kind.BOOLEAN, [True, False, None]),
    ],
)
def test_typed_columns(typed_engine, kind, cells):
    rows = [{"c": cell} for cell in cells]
    table, reference = typed_engine.loaded(rows, ["c"], {"c": kind}), typed_engine.reference(rows, {"c": kind})
    ours, theirs = table.profile("c"), reference.profile("c")
    for figure in ("people", "null_people", "distinct", "unique_people", "numbers", "fractions", "negatives", "dates"):
        assert getattr(ours, figure) == getattr(theirs, figure), figure


@pytest.mark.parametrize("cells", [[], [None, None], ["x"]])
def test_little(engine, cells):
    rows = [{"t": cell} for cell in cells]
    table = engine.loaded(rows, ["t"], {"t": Kind.TEXT})
    profile = table.profile("t")
    assert profile.known == len([cell for cell in cells if cell is not None])
