"""Quantiles of counted values, and Pearson's correlation, against lists written out and against fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from idbits.measures.quantiles import counted_quantiles, pearson_correlation

LEVELS = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0]
COUNTED = st.dictionaries(st.integers(-50, 10**6), st.integers(1, 30), min_size=1, max_size=8)
POINTS = st.lists(st.tuples(st.integers(1, 10**7), st.integers(1, 10**4)), min_size=2, max_size=15)


def quantiles_of(counted: dict[int, int] | dict[float, int], levels: list[float]) -> list[float]:
    values, counts = zip(*sorted(counted.items()), strict=True)
    return counted_quantiles(np.array(values), np.array(counts), levels)


def exact_quantile(counted: dict[int, int], level: Fraction) -> Fraction:
    """Interpolate linearly between the two people next to position level * (n - 1), counted from 0."""
    position = level * (sum(counted.values()) - 1)
    below = math.floor(position)

    def person(number: int) -> int:
        for value, count in sorted(counted.items()):
            if number < count:
                return value
            number -= count
        return max(counted)

    return person(below) + (person(below + 1) - person(below)) * (position - below)


@given(COUNTED, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_quantiles_are_those_of_numpy_on_the_list_written_out(counted: dict[int, int], levels: list[float]) -> None:
    written_out = np.repeat(sorted(counted), [counted[value] for value in sorted(counted)])
    assert quantiles_of(counted, levels) == pytest.approx(np.quantile(written_out, levels).tolist(), rel=1e-9)


@given(COUNTED)
def test_quantiles_are_exact_interpolations(counted: dict[int, int]) -> None:
    expected = [float(exact_quantile(counted, Fraction(str(level)))) for level in LEVELS]
    assert quantiles_of(counted, LEVELS) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.05, 0.95])
@pytest.mark.parametrize("n", [10**6 + 8, 10**9, 10**12])
def test_quantiles_of_very_many_people_interpolate_between_the_right_two(n: int, level: float) -> None:
    # The step from 0 to 40 lies exactly where the quantile falls between two people.
    few = math.floor(Fraction(str(level)) * (n - 1)) + 1
    counted = {0: few, 40: n - few}
    expected = float(exact_quantile(counted, Fraction(str(level))))
    assert quantiles_of(counted, [level]) == [pytest.approx(expected, rel=1e-9)]


@pytest.mark.parametrize("n", [10**9, 10**12])
def test_quartiles_of_very_many_people(n: int) -> None:
    for level in (0.25, 0.5, 0.75):
        few = math.floor(Fraction(level) * (n - 1)) + 1
        counted = {0: few, 40: n - few}
        assert quantiles_of(counted, [level]) == [float(exact_quantile(counted, Fraction(level)))]


@given(COUNTED)
def test_quantiles_rise_and_end_at_the_extremes(counted: dict[int, int]) -> None:
    quantiles = quantiles_of(counted, LEVELS)
    assert quantiles == sorted(quantiles)
    assert (quantiles[0], quantiles[-1]) == (min(counted), max(counted))


@given(st.floats(-1e9, 1e9), st.integers(1, 10**12))
def test_one_value_is_every_quantile(value: float, count: int) -> None:
    assert quantiles_of({value: count}, LEVELS) == [value] * len(LEVELS)


def test_quantiles_are_plain_floats() -> None:
    assert {type(quantile) for quantile in quantiles_of({1: 2, 3: 1}, LEVELS)} == {float}


@given(POINTS)
def test_correlation_is_that_of_exact_fractions(points: list[tuple[int, int]]) -> None:
    x, y = zip(*points, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    mean_x, mean_y = Fraction(sum(x), len(x)), Fraction(sum(y), len(y))
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in points)
    spread = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    squared = float(covariance**2 / spread)
    # Means are rounded to a double, so a correlation of about 0 is known to so many digits only.
    assert pearson_correlation(x, y) == pytest.approx(math.copysign(math.sqrt(squared), covariance), abs=1e-9)


@given(POINTS, st.integers(1, 9), st.integers(-9, 9))
def test_correlation_does_not_know_units(points: list[tuple[int, int]], scale: int, offset: int) -> None:
    x, y = zip(*points, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    turned = pearson_correlation([scale * a + offset for a in x], [-b for b in y])
    assert turned == pytest.approx(-(pearson_correlation(x, y) or 0), abs=1e-9)
    assert pearson_correlation(y, x) == pytest.approx(pearson_correlation(x, y), abs=1e-12)


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=20, unique=True))
def test_points_on_a_line_correlate_fully_and_never_more(x: list[int]) -> None:
    correlation = pearson_correlation(x, [3 * a + 1 for a in x])
    assert correlation == pytest.approx(1)
    assert correlation is not None
    assert correlation <= 1


@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0.1, 0.1, 0.1])],
    ids=["no point", "one point", "constant x", "constant y"],
)
def test_no_correlation_is_none(x: list[float], y: list[float]) -> None:
    assert pearson_correlation(x, y) is None
