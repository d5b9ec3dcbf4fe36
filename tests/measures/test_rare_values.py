"""The chance that nobody is unique among very many rare values: against whole numbers and exact power series."""

import math
from fractions import Fraction

import numpy as np
import pytest

from idbits.measures import singleton_distribution
from idbits.measures.distribution import Distribution
from idbits.measures.singleton_distribution import exact_uniform_no_singleton, log_no_singleton


def logarithm(chance: Fraction) -> float:
    return math.log(chance.numerator) - math.log(chance.denominator)


@pytest.mark.parametrize("n_values", [10**3, 10**6, 10**12, 10**15, 10**30])
@pytest.mark.parametrize("k", [2, 20, 100])
def test_equally_likely_values_are_those_of_whole_numbers(
    n_values: int, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = logarithm(exact_uniform_no_singleton(k, n_values))
    monkeypatch.setattr(singleton_distribution, "_WHOLE_NUMBERS", 0)
    assert log_no_singleton(Distribution.uniform(n_values), k) == pytest.approx(exact, rel=1e-12)


def times(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    return [sum((first[i] * second[n - i] for i in range(n + 1)), Fraction(0)) for n in range(len(first))]


def without_one(p: Fraction, values: int, k: int) -> list[Fraction]:
    """Return the coefficients of (e^(p x) - p x)^values up to x^k."""
    power = [Fraction(int(n == 0)) for n in range(k + 1)]
    square = [p**n / math.factorial(n) if n != 1 else Fraction(0) for n in range(k + 1)]
    while values:
        power = times(power, square) if values % 2 else power
        square, values = times(square, square), values // 2
    return power


@pytest.mark.parametrize("rare", [10, 10**5, 10**12])
@pytest.mark.parametrize("k", [3, 8, 15])
def test_likely_and_rare_values_are_those_of_exact_power_series(rare: int, k: int) -> None:
    series = without_one(Fraction(1, 2), 1, k)
    for p, values in ((Fraction(1, 4), 1), (Fraction(1, 4 * rare), rare)):
        series = times(series, without_one(p, values, k))
    exact = logarithm(series[k] * math.factorial(k))
    found = Distribution(np.array([1 / (4 * rare), 0.25, 0.5]), np.array([float(rare), 1.0, 1.0]), rare + 2)
    assert log_no_singleton(found, k) == pytest.approx(exact, rel=1e-11)


def test_a_million_people_among_as_many_values_as_there_can_be() -> None:
    # It used to overflow.
    assert -math.inf < log_no_singleton(Distribution.uniform(10**30), 10**6) < -1e6
