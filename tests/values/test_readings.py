"""Patterns of numbers and dates: however long a cell is, finding out that it has none of them takes no time."""

import re
import time

import pytest

from idbits.values import readings

PATTERNS = [
    readings.NUMBER_PATTERN,
    readings.COMMA_NUMBER_PATTERN,
    readings.SURE_COMMA_PATTERN,
    readings.COUNT_PATTERN,
    *(pattern for patterns in readings.DATE_PATTERNS.values() for pattern, _ in patterns),
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


@pytest.mark.parametrize("end", ["", "Z", " Z", "+01", " +01:00", "-0130", " ", "Z  "])
def test_times_of_day_with_and_without_a_zone(end: str) -> None:
    (pattern, groups), _ = readings.DATE_PATTERNS["ymd"]
    match = re.fullmatch(pattern, f"2001-02-03 10:00:00.5{end}", flags=re.ASCII)
    assert match is not None
    assert [match[group] for group in groups] == ["2001", "02", "03"]
