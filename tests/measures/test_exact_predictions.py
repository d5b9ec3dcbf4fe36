"""Exact predictions against rational arithmetic: uniqueness, no singleton, moments, the whole distribution."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.measures import contour, singleton_distribution
from idbits.measures.birthday import log_uniform_uniqueness, log_uniqueness
from idbits.measures.distribution import Distribution
from idbits.measures.singleton_distribution import exact_uniform_no_singleton, log_no_singleton
from idbits.measures.singletons import mean_sets, mean_singletons, variance_singletons

Shares = tuple[Fraction, ...]


def counted_shares(counts: tuple[int, ...]) -> Shares:
    return tuple(Fraction(count, sum(counts)) for count in counts)


@functools.cache
def exact_chances(shares: Shares, k: int) -> list[Fraction]:
    """Chances of 0 to k singletons, by adding one value after the other in fractions."""
    held = {(0, 0): Fraction(1)}
    for share in shares:
        after: dict[tuple[int, int], Fraction] = {}
        for (people, alone), weight in held.items():
            for here in range(k - people + 1):
                key = (people + here, alone + (here == 1))
                after[key] = after.get(key, Fraction(0)) + weight * share**here / math.factorial(here)
        held = after
    return [held.get((k, alone), Fraction(0)) * math.factorial(k) for alone in range(k + 1)]


def floats(shares: Shares) -> Distribution:
    return Distribution.of([float(share) for share in shares])


CASES = [
    ((1, 1), 2),
    ((1, 1), 7),
    ((1, 2, 3), 4),
    ((60, 30, 5, 4, 1), 6),
    ((1000, 1, 1, 1, 1), 5),
    ((1000, 1, 1, 1, 1), 9),
    ((7, 7, 7, 2, 2, 1, 1, 1), 8),
    ((1, 2, 4, 8, 16, 32), 12),
    ((3, 0, 2), 3),
    ((1, 10**6), 5),
    (tuple(range(1, 13)), 11),
    ((1,) * 12, 12),
]


@pytest.mark.parametrize(("counts", "k"), CASES)
def test_all_figures_equal_those_of_rational_arithmetic(counts: tuple[int, ...], k: int) -> None:
    shares, distribution = counted_shares(counts), floats(counted_shares(counts))
    chances = exact_chances(shares, k)
    mean = sum(alone * chance for alone, chance in enumerate(chances))
    variance = sum(alone**2 * chance for alone, chance in enumerate(chances)) - mean**2
    assert math.exp(log_uniqueness(distribution, k)) == pytest.approx(float(chances[k]), rel=1e-12, abs=0)
    assert math.exp(log_no_singleton(distribution, k)) == pytest.approx(float(chances[0]), rel=1e-12, abs=0)
    assert mean_singletons(distribution, k) == pytest.approx(float(mean), rel=1e-13)
    assert variance_singletons(distribution, k) == pytest.approx(float(variance), rel=1e-11, abs=1e-14)
    found = singleton_distribution.singleton_distribution(distribution, k)
    assert found is not None
    assert found.first == 0
    assert found.chances == pytest.approx([float(chance) for chance in chances], rel=0, abs=1e-13)


def test_the_fractions_themselves_equal_a_listing_of_all_outcomes() -> None:
    shares = counted_shares((1, 2, 3))
    listed = [Fraction(0)] * 5
    for outcome in itertools.product(range(3), repeat=4):
        listed[sum(outcome.count(value) == 1 for value in outcome)] += math.prod(shares[value] for value in outcome)
    assert listed == exact_chances(shares, 4)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 200), min_size=2, max_size=7).filter(lambda counts: sum(counts) > 0), st.integers(1, 8))
def test_any_small_distribution(counts: list[int], k: int) -> None:
    shares, distribution = counted_shares(tuple(counts)), floats(counted_shares(tuple(counts)))
    chances = exact_chances(shares, k)
    assert math.exp(log_uniqueness(distribution, k)) == pytest.approx(float(chances[k]), rel=1e-10)
    assert math.exp(log_no_singleton(distribution, k)) == pytest.approx(float(chances[0]), rel=1e-10)
    found = singleton_distribution.singleton_distribution(distribution, k)
    assert found is not None
    padded = np.zeros(k + 1)
    padded[found.people] = found.chances
    assert padded == pytest.approx([float(chance) for chance in chances], abs=1e-10)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_sets_of_a_size(size: int) -> None:
    shares, k = counted_shares((5, 3, 1, 1)), 8
    exact = math.comb(k, size) * sum(share**size * (1 - share) ** (k - size) for share in shares)
    assert mean_sets(floats(shares), k, size) == pytest.approx(float(exact), rel=1e-13)


def test_sets_of_all_sizes_hold_everyone() -> None:
    distribution = Distribution.of(np.random.default_rng(3).dirichlet(np.ones(40)))
    assert sum(size * mean_sets(distribution, 300, size) for size in range(1, 301)) == pytest.approx(300, rel=1e-12)
    assert mean_sets(distribution, 300, 301) == 0.0


@functools.cache
def zeta_by_recursion(k: int, n_values: int) -> Fraction:
    """S2 5.4.1, as printed."""
    if k == 0:
        return Fraction(1)
    if k == 1:
        return Fraction(0)
    if n_values == 1:
        return Fraction(1)
    one = Fraction(1, n_values)
    return sum(
        (
            math.comb(k - 1, j) * one**j * (1 - one) ** (k - 1 - j) * zeta_by_recursion(k - 1 - j, n_values - 1)
            for j in range(1, k)
        ),
        start=Fraction(0),
    )


@pytest.mark.parametrize("n_values", range(1, 21))
def test_zeta_equals_the_recursion_in_fractions(n_values: int) -> None:
    for k in range(1, 51):
        exact = zeta_by_recursion(k, n_values)
        assert exact_uniform_no_singleton(k, n_values) == exact
        assert math.exp(log_no_singleton(Distribution.uniform(n_values), k)) == pytest.approx(float(exact), rel=1e-13)
        if k > 1 and n_values > 1:
            circle = singleton_distribution._on_circle(Distribution.uniform(n_values), k)
            assert math.exp(circle) == pytest.approx(float(exact), rel=1e-12)


def test_published_polynomials_of_zeta() -> None:
    for n in range(1, 12):
        assert exact_uniform_no_singleton(4, n) == Fraction(3 * n - 2, n**3)
        assert exact_uniform_no_singleton(5, n) == Fraction(10 * n - 9, n**4)
        assert exact_uniform_no_singleton(6, n) == Fraction(15 * n**2 - 20 * n + 6, n**5)
        assert exact_uniform_no_singleton(7, n) == Fraction(105 * n**2 - 259 * n + 155, n**6)
    for k in range(3, 40):
        assert exact_uniform_no_singleton(k, 2) == 1 - Fraction(k, 2 ** (k - 1))
    table = {(4, 3): 0.259, (10, 5): 0.171, (20, 10): 0.030, (30, 12): 0.046, (50, 20): 0.006, (50, 10): 0.738}
    for (k, n), printed in table.items():
        assert float(exact_uniform_no_singleton(k, n)) == pytest.approx(printed, abs=6e-4), (k, n)


def test_zeta_of_a_thousand_people_and_values() -> None:
    exact = exact_uniform_no_singleton(1000, 1000)
    assert singleton_distribution._on_circle(Distribution.uniform(1000), 1000) == pytest.approx(
        math.log(exact.numerator) - math.log(exact.denominator), rel=1e-12
    )


def test_equally_likely_values_in_every_way_of_computing() -> None:
    assert math.exp(log_uniform_uniqueness(95, 29)) == pytest.approx(0.0084, abs=5e-5)
    assert math.exp(log_uniform_uniqueness(190, 41)) == pytest.approx(0.0095, abs=5e-5)
    for n, k in [(10**6, 2_500), (10**7, 400_000), (10**12, 900_000)]:
        terms = math.fsum(math.log1p(-i / n) for i in range(k))
        assert log_uniform_uniqueness(n, k) == pytest.approx(terms, rel=1e-12)
    n, k = 10**15, 3_000_000
    terms = -math.fsum([k * (k - 1) / 2 / n, (k - 1) * k * (2 * k - 1) / 6 / (2 * n**2)])
    assert log_uniform_uniqueness(n, k) == pytest.approx(terms, rel=1e-12)
    # Across the border from terms to lgamma: each further person multiplies by (N - k) / N.
    step = log_uniform_uniqueness(2_000_000, 1_000_001) - log_uniform_uniqueness(2_000_000, 1_000_000)
    assert step == pytest.approx(math.log(0.5), abs=1e-6)
    assert log_uniform_uniqueness(5, 6) == -math.inf


def test_nearly_equal_values_give_nearly_the_same_on_the_circle() -> None:
    for n, k in [(50, 20), (50, 49), (1000, 900), (200, 199)]:
        tilted = np.full(n, 1.0)
        tilted[0] += 1e-9
        assert log_uniqueness(Distribution.of(tilted / tilted.sum()), k) == pytest.approx(
            log_uniform_uniqueness(n, k), rel=1e-9
        )


def test_more_people_than_values_is_not_an_error() -> None:
    assert log_uniqueness(Distribution.of([0.5, 0.5, 0.0]), 3) == -math.inf
    assert log_uniqueness(Distribution.uniform(3), 4) == -math.inf


def test_a_small_variance_beside_a_large_mean_keeps_its_digits() -> None:
    n, k = 10**15, 10**6
    # One pair is all that can be expected: 2 people, with chance k^2 / 2N.
    assert variance_singletons(Distribution.uniform(n), k) == pytest.approx(2 * k * (k - 1) / n, rel=1e-6)


def pairwise_variance(p: np.ndarray, k: int) -> float:
    mean = k * float(np.sum(p * (1 - p) ** (k - 1)))
    both = k * (k - 1) * np.outer(p, p) * (1 - p[:, None] - p) ** (k - 2)
    return mean + float(both.sum() - np.trace(both)) - mean**2


@pytest.mark.parametrize("k", [2, 3, 10, 60, 199, 201, 3000])
@pytest.mark.parametrize("kind", ["even", "uneven", "outlier"])
def test_the_variance_equals_the_table_of_pairs(kind: str, k: int) -> None:
    random = np.random.default_rng(5)
    p = {"even": np.ones(300), "uneven": random.exponential(size=300), "outlier": np.r_[200.0, np.ones(299)]}[kind]
    p = p / p.sum()
    assert variance_singletons(Distribution.of(p), k) == pytest.approx(pairwise_variance(p, k), rel=1e-8)


@pytest.mark.big
@pytest.mark.parametrize("k", [50, 700])
def test_condensed_probabilities_change_nothing(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    p = np.concatenate([random.lognormal(0, 2, 6_000), [400.0, 800.0]])
    distribution = Distribution.of(p / p.sum())
    quick = log_uniqueness(distribution, k), log_no_singleton(distribution, k)
    quick_chances = singleton_distribution.singleton_distribution(distribution, k)
    monkeypatch.setattr(contour, "_LARGEST_EXACT", 10**9)
    assert quick == pytest.approx((log_uniqueness(distribution, k), log_no_singleton(distribution, k)), rel=1e-11)
    slow_chances = singleton_distribution.singleton_distribution(distribution, k)
    assert quick_chances is not None
    assert slow_chances is not None
    assert np.abs(quick_chances.chances - slow_chances.chances).max() < 1e-11


def test_leaving_out_negligible_nodes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(8)
    p = np.concatenate([random.exponential(size=200), [50.0]])
    for k in (100, 1500):
        distribution = Distribution.of(p / p.sum())
        full = singleton_distribution.singleton_distribution(distribution, k)
        monkeypatch.setattr(singleton_distribution, "_EVERY_NODE", 0)
        pruned = singleton_distribution.singleton_distribution(distribution, k)
        monkeypatch.undo()
        assert full is not None
        assert pruned is not None
        assert np.abs(full.chances - pruned.chances).max() < 1e-12


def test_the_ends_of_the_distribution_are_the_chances_computed_apart() -> None:
    distribution = Distribution.of(np.random.default_rng(9).dirichlet(np.full(95, 3.0)))
    for k in (10, 60, 250):
        found = singleton_distribution.singleton_distribution(distribution, k)
        assert found is not None
        padded = np.zeros(k + 1)
        padded[found.people] = found.chances
        assert padded[0] == pytest.approx(math.exp(log_no_singleton(distribution, k)), abs=1e-13)
        assert padded[k] == pytest.approx(math.exp(log_uniqueness(distribution, k)), abs=1e-13)


def test_what_is_out_of_reach_is_none() -> None:
    assert singleton_distribution.singleton_distribution(Distribution.uniform(10**6), 10**6) is None


def test_a_value_of_very_many_people_warns_nobody() -> None:
    # The far side of the circle overflows there, where nothing is left of the sum; warnings are errors in tests.
    k, n = 1430, 100
    found = log_no_singleton(Distribution.of([0.5, *[0.5 / n] * n]), k)
    # However many of them fall on the rare values (715, give or take 19), those are equally likely.
    exact = sum(math.comb(k, m) * exact_uniform_no_singleton(m, n) for m in range(565, 866)) / Fraction(2) ** k
    assert found == pytest.approx(math.log(exact), rel=1e-9)
    assert log_no_singleton(Distribution.of([0.51, 0.49]), 3000) == 0.0
