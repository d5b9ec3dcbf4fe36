"""Equal values by chance: the bound against every permutation, and what must and must not stand out."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from idbits.measures.coincidence import (
    count_equal,
    equal_at_shifts,
    equal_by_chance,
    probability_of_equal,
)


def test_the_bound_holds_for_every_permutation() -> None:
    rng = np.random.default_rng(0)
    tightest = 0.0
    for _ in range(60):
        n = int(rng.integers(2, 7))
        x, y = (rng.integers(0, rng.integers(1, 7), n) for _ in range(2))
        matches = Counter(int(np.sum(x == y[list(order)])) for order in itertools.permutations(range(n)))
        total = math.factorial(n)
        mean = sum(count * many for count, many in matches.items()) / total
        assert equal_by_chance(x, y) == pytest.approx(mean)
        pairs = sum(int(np.sum(y == value)) for value in x)
        for count in range(1, max(matches) + 1):
            exact = sum(many for found, many in matches.items() if found >= count) / total
            bound = probability_of_equal(count, pairs, n)
            smallest = min(
                math.prod((pairs - k) / ((n - k) * (count - k)) for k in range(r)) for r in range(1, count + 1)
            )
            assert bound == pytest.approx(min(1.0, smallest))
            assert bound >= exact * (1 - 1e-12)
            tightest = max(tightest, exact / bound)
    assert tightest == pytest.approx(1.0)


def test_the_bound_of_many_rows() -> None:
    # All of n different values in place: one order of n!.
    assert probability_of_equal(100, 100, 100) == pytest.approx(1 / math.factorial(100))
    assert probability_of_equal(10**6, 10**6, 10**6) == 1e-300
    # Half of the rows match in a column of two values, as chance gives.
    assert probability_of_equal(500, 500_000, 1_000) == 1.0


def test_shifts() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 4, (2, 50))
    shifts = np.arange(-50, 50)
    assert equal_at_shifts(x, y, shifts).tolist() == [int(np.sum(x == np.roll(y, -shift))) for shift in shifts]


def copied(rng: np.random.Generator, n: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = rng.permutation(n), n + rng.permutation(n)
    rows = rng.choice(n, many, replace=False)
    y[rows] = x[rows]
    return x, y


@pytest.mark.parametrize(("n", "many"), [(100, 10), (200, 30), (1_000, 5)])
def test_copies_stand_out(n: int, many: int) -> None:
    for seed in range(20):
        found = count_equal(*copied(np.random.default_rng(seed), n, many), seed)
        assert (found.count, found.null) == (many, "shuffles")
        assert found.by_chance == pytest.approx(many / n)
        assert found.exceeds(1e-6)


def persistent(rng: np.random.Generator, n: int) -> np.ndarray:
    """Labels that stay for ten rows on average."""
    labels, moves = rng.integers(0, 3, n), rng.random(n) < 0.1
    moves[0] = True
    return labels[np.maximum.accumulate(np.where(moves, np.arange(n), 0))]


def whole_walk(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.round(rng.normal(size=n).cumsum()).astype(np.int64) + 1_000


MAKERS = {
    "constant": lambda rng, n: np.zeros(n, np.int64),
    "two values": lambda rng, n: rng.integers(0, 2, n),
    "rare value": lambda rng, n: (rng.random(n) < 0.02).astype(np.int64),
    "persistent labels": persistent,
    "walk of whole numbers": whole_walk,
    "month of the year": lambda rng, n: (np.arange(n) + rng.integers(0, 12)) % 12,
    "wave of whole numbers": lambda rng, n: (
        np.round(4 * np.sin((np.arange(n) + rng.integers(0, 500)) / 5)).astype(int) + 9
    ),
    "sorted": lambda rng, n: np.sort(rng.integers(0, n, n)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_equal_by_chance_does_not_stand_out(name: str) -> None:
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 8])
        alarms += count_equal(MAKERS[name](rng, 400), MAKERS[name](rng, 400), seed).exceeds(0.01) is True
    # At 1% five alarms in 100 happen in fewer than 1 of 250 runs.
    assert alarms <= 4


def test_runs_are_compared_with_shifts() -> None:
    rng = np.random.default_rng(3)
    level = np.zeros(3_000)
    for row, step in enumerate(rng.normal(size=3_000)[1:], start=1):
        level[row] = 0.9 * level[row - 1] + step
    x, y = np.round(level[:1_500]).astype(np.int64) + 100, np.round(level[1_500:]).astype(np.int64) + 100
    rows = rng.choice(1_500, 450, replace=False)
    y[rows] = x[rows]
    partly = count_equal(x, y, 0)
    assert (partly.null, partly.exceeds(0.001)) == ("shifts", True)
    assert equal_at_shifts(x, y, np.arange(-10, 0)).max() <= partly.by_chance <= partly.count
    # A copy of few rows stands out as well.
    copy = count_equal(x[:100], x[:100], 0)
    assert copy.exceeds(1e-6)
