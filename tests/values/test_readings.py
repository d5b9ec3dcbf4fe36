"""Patterns of numbers and dates: however long a cell is, finding out that it has none of them takes no time."""

import re
import time

import pytest

from idbits.values import dates, readings

PATTERNS = [
    readings.NUMBER_PATTERN,
    readings.COMMA_NUMBER_PATTERN,
    readings.SURE_COMMA_PATTERN,
    readings.COUNT_PATTERN,
    *(form.pattern for form in dates.DATE_FORMS),
    *(pattern for form in dates.DATE_FORMS for pattern in form.possible.values()),
    *dates.CLOCK_PATTERNS,
]
LONG = 100_000
CELLS = [
    "1" * LONG + "x",
    "." + "1" * LONG + "x",
    "1." + "0" * LONG + "x",
    "1," + "1" * LONG + "x",
    " " * LONG + "x",
    "1" + " " * LONG + "x",
    *(f"{day} {at}{' ' * LONG}x" for day in ("2001-02-03", "03.02.2001") for at in ("10:00", "10:00:00", "10:00Z")),
    f"2001-02-03 10:00:00.{'1' * LONG}x",
    f"2001-02-03{' ' * LONG}x",
    f"1 Apr 2019 {' ' * LONG}x",
    f"20190401T000234.{'1' * LONG}x",
    f"01/02/03 10:00:00,{'1' * LONG}x",
    "a" * LONG,
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_long_cells_take_linear_time(pattern: str) -> None:
    """With a square of the length in it, the first of these cells took minutes, which nothing could stop."""
    start = time.process_time()
    for cell in CELLS:
        assert re.fullmatch(pattern, cell, flags=re.ASCII) is None
    assert time.process_time() - start < 2


@pytest.mark.parametrize("text", ["1", "12.", "12.5", ".5", " -1.5e10 ", "+7E-3", "0."])
def test_numbers(text: str) -> None:
    assert re.fullmatch(readings.NUMBER_PATTERN, text, flags=re.ASCII)


@pytest.mark.parametrize("text", ["", ".", "1..", "1.5.5", "e5", "1e", "1e1234", "1 2", "--1"])
def test_texts_that_are_no_numbers(text: str) -> None:
    assert re.fullmatch(readings.NUMBER_PATTERN, text, flags=re.ASCII) is None
