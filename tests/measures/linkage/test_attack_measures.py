"""Rates of attacks: published values of anonymeter, and chances against enumeration."""

import random
from itertools import combinations

import numpy as np
import pytest

from idbits.measures.linkage.attack_chances import (
    chance_of_shared_neighbour,
    random_shared_neighbour,
    scaled_control_successes,
    singled_out_in_samples,
)
from idbits.measures.linkage.success_rates import Rate, residual_rate, success_rate


@pytest.mark.parametrize(("successes", "value", "error"), [(850, 0.849, 0.022), (0, 0.002, 0.002)])
def test_published_success_rates(successes: int, value: float, error: float) -> None:
    rate = success_rate(successes, 1000)
    assert (rate.value, rate.error) == (pytest.approx(value, abs=5e-4), pytest.approx(error, abs=5e-4))


def test_published_residual_rate() -> None:
    residual = residual_rate(Rate(0.9, 0.02), Rate(0.85, 0.02))
    assert residual is not None
    assert (residual.value, residual.error) == (pytest.approx(0.333, abs=5e-4), pytest.approx(0.160, abs=5e-4))
    assert residual_rate(Rate(0.9, 0.02), Rate(1.0, 0.02)) is None


def test_published_cut() -> None:
    risk = Rate(-0.1, 0.2).bounded()
    assert (risk.value, risk.low, risk.high) == (0, 0, pytest.approx(0.1))


def _neighbours(draw: random.Random, n: int) -> tuple[np.ndarray, np.ndarray, int]:
    records = draw.sample(range(n), draw.randrange(1, n + 1))
    sure = draw.randrange(len(records))
    tied = records[sure:]
    return np.array(sorted(records[:sure]), np.int64), np.array(sorted(tied)), draw.randrange(1, len(tied) + 1)


def test_shared_neighbours_by_enumeration() -> None:
    draw = random.Random(5)
    for _ in range(150):
        sides = [_neighbours(draw, 6), _neighbours(draw, 6)]
        drawn = [
            [set(sure.tolist()) | set(some) for some in combinations(tied.tolist(), number)]
            for sure, tied, number in sides
        ]
        shared = [bool(one & other) for one in drawn[0] for other in drawn[1]]
        assert chance_of_shared_neighbour(*sides) == pytest.approx(sum(shared) / len(shared))


def test_random_neighbours_by_enumeration() -> None:
    drawn = [set(some) for some in combinations(range(7), 2)]
    shared = [bool(one & other) for one in drawn for other in drawn]
    assert random_shared_neighbour(7, 2) == pytest.approx(sum(shared) / len(shared))
    assert random_shared_neighbour(7, 4) == 1.0


def test_singled_out_in_samples_by_enumeration() -> None:
    # Predicates that match the first 0, 1, 2 and 4 of 6 records.
    matches = [0, 1, 2, 4]
    for size in (1, 3, 5, 6):
        samples = list(combinations(range(6), size))
        mean = sum(sum(each < number for each in some) == 1 for some in samples for number in matches) / len(samples)
        assert singled_out_in_samples(np.array(matches), 6, size) == pytest.approx(mean)


def test_scaling_a_smaller_control_finds_what_a_larger_one_shows() -> None:
    # Predicates with uniform weights up to 4/10,000: their successes are known for every size of the control.
    generator = np.random.default_rng(3)
    weights = generator.uniform(0, 4e-4, 4_000)
    matches = generator.binomial(4_000, weights)
    expected = np.sum(10_000 * weights * (1 - weights) ** 9_999)
    scaled = scaled_control_successes(matches, 4_000, 10_000)
    assert scaled == pytest.approx(expected, rel=0.08)
    assert scaled_control_successes(matches, 4_000, 4_000) == np.count_nonzero(matches == 1)
    # Without scaling, the control would be off by far more.
    assert abs(np.count_nonzero(matches == 1) / expected - 1) > 0.15
