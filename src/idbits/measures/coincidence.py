"""How many positions of two columns would hold equal values by chance, and how likely are as many as there are?

Implements: for a release in random order, P(M >= m) <= (S)_r / ((n)_r (m)_r) for every r <= m, where S is the number of
pairs of an original and a released row with equal values, and (x)_r = x (x-1) .. (x-r+1). Proof: r positions that match
are r pairs of equal values without a row in common. There are at most (S)_r / r! such choices, each has probability
1 / (n)_r, so E[C(M, r)] <= (S)_r / (r! (n)_r); and M >= m means C(M, r) >= C(m, r) (Markov). The best r is taken.

Where neighbouring rows resemble each other in both columns, equal values come in runs. That shows when the release is
moved by a few rows: then the count must stand out from all such shifts, and from the largest of the nearest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.resampling import evenly_spaced

__all__ = ["Coincidence", "count_equal", "equal_at_shifts", "equal_by_chance", "probability_of_equal"]

Integers = NDArray[np.int64]

# No probability is 0; this one is as good as any that a float can hold.
_LEAST_PROBABILITY = 1e-300
_NEAREST = 10
_MOST_SHIFTS = 9_999
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Equal values in the same positions.

    Attributes:
        count: how many positions hold equal values.
        by_chance: how many would, if the release were not linked to the original: the mean in random order, or with
            ``shifts`` the largest number when the release is moved by up to 10 rows.
        probability: at most so often chance would give as many.
        null: what chance was taken to be: ``shuffles`` or ``shifts`` of the release.
        least: the smallest probability that this comparison can give.
    """

    count: int
    by_chance: float
    probability: float
    null: str
    least: float

    def exceeds(self, level: float) -> bool | None:
        """Whether there are more than chance gives; None if there are too few shifts to say so."""
        if self.probability <= level:
            return True
        return None if level < self.least and self.probability <= self.least else False


def count_equal(original: Integers, released: Integers, seed: int) -> Coincidence:
    """Count equal codes in the same positions, and say how likely as many are by chance.

    >>> copied = np.arange(100)
    >>> copied[10:] += 100
    >>> found = count_equal(np.arange(100), copied, seed=0)
    >>> found.count, found.by_chance, found.probability < 1e-19
    (10, 0.1, True)
    """
    n = len(original)
    count = int(np.sum(original == released))
    pairs, variance = _pairs_of_equal(original, released)
    by_chance = pairs / n
    if count <= by_chance:
        return Coincidence(count, by_chance, 1.0, "shuffles", _LEAST_PROBABILITY)
    near = min(_NEAREST, n // 4)
    nearest = equal_at_shifts(original, released, np.array([*range(-near, 0), *range(1, near + 1)], np.int64))
    usual = len(nearest) * by_chance + 2 * math.sqrt(len(nearest) * variance) + 1
    if nearest.sum() <= usual:
        return Coincidence(count, by_chance, probability_of_equal(count, pairs, n), "shuffles", _LEAST_PROBABILITY)
    local = max(by_chance, float(nearest.max()))
    shifted, least = _probability_by_shifts(original, released, seed)
    probability = max(shifted, probability_of_equal(count, round(local * n), n))
    return Coincidence(count, local, probability, "shifts", least)


def equal_by_chance(original: Integers, released: Integers) -> float:
    """Return how many positions hold equal codes on average, when the release is in random order.

    >>> equal_by_chance(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 2]))
    1.75
    """
    return _pairs_of_equal(original, released)[0] / len(original)


def _pairs_of_equal(original: Integers, released: Integers) -> tuple[int, float]:
    """Return the pairs of rows with equal codes, and the variance of the matches in random order."""
    n, width = len(original), max(int(original.max()), int(released.max())) + 1
    one, other = (np.bincount(side, minlength=width) for side in (original, released))
    shared = (one > 0) & (other > 0)
    one, other = one[shared].astype(np.float64), other[shared].astype(np.float64)
    pairs = math.fsum((one * other).tolist())
    mean = pairs / n
    if n < 2:
        return int(pairs), 0.0
    # E[M (M - 1)] + E[M] - E[M]^2, with what cancels taken out.
    together = math.fsum((one * other * (1 - one - other)).tolist()) / (n * (n - 1))
    return int(pairs), max(0.0, mean + mean**2 / (n - 1) + together)


def probability_of_equal(count: int, pairs: int, n: int) -> float:
    """Return a bound of the chance of at least ``count`` matches in ``n`` rows with so many pairs of equal values.

    >>> probability_of_equal(3, 3, 3) * 6
    1.0
    >>> probability_of_equal(4, 16, 4)
    1.0
    """
    # (n - k)(m - k) - (S - k) is convex in k, above 0 at k = 0, not above at k = m: up to its root factors are below 1.
    linear, constant = n + count - 1, float(n) * count - pairs
    if count <= 0 or constant <= 0:
        return 1.0
    if pairs < count:
        return _LEAST_PROBABILITY
    root = 2 * constant / (linear + math.sqrt(max(0.0, linear**2 - 4 * constant)))
    steps = np.arange(min(count, math.ceil(root)), dtype=np.float64)
    logarithm = float(np.sum(np.log(pairs - steps) - np.log(n - steps) - np.log(count - steps)))
    return min(1.0, max(_LEAST_PROBABILITY, math.exp(max(logarithm, -700.0))))


def equal_at_shifts(original: Integers, released: Integers, shifts: Integers) -> Integers:
    """Return how many positions hold equal codes when the release is moved along the rows, its end put first.

    >>> equal_at_shifts(np.array([1, 2, 3, 4]), np.array([2, 3, 4, 1]), np.array([0, 1, -1])).tolist()
    [0, 0, 4]
    """
    n = len(original)
    fixed, twice = original.astype(np.int32), np.concatenate([released, released]).astype(np.int32)
    starts = (shifts % n).tolist()
    return np.array([np.count_nonzero(fixed == twice[start : start + n]) for start in starts], np.int64)


def _probability_by_shifts(original: Integers, released: Integers, seed: int) -> tuple[float, float]:
    """Return how often a shifted release has as many matches, and the least that could be."""
    rows = evenly_spaced(len(original), _MOST_ROWS)
    original, released = original[rows], released[rows]
    rng = np.random.default_rng([seed, 5])
    shifts = 1 + rng.permutation(len(rows) - 1)[:_MOST_SHIFTS]
    count = int(np.sum(original == released))
    above = int(np.sum(equal_at_shifts(original, released, shifts) >= count))
    return (above + 1) / (len(shifts) + 1), 1 / (len(shifts) + 1)
