"""The number of positions with equal values in two columns, and its probability by chance.

Implements: for a release in random order, P(M >= m) <= (S)_r / ((n)_r (m)_r) for every r <= m, where S is the number of
pairs of an original and a released row with equal values, and (x)_r = x (x-1) .. (x-r+1). Proof: r positions that match
are r pairs of equal values without a row in common. There are at most (S)_r / r! such choices, each has probability
1 / (n)_r, so E[C(M, r)] <= (S)_r / (r! (n)_r); and M >= m means C(M, r) >= C(m, r) (Markov). The best r is taken.

If neighbouring rows resemble each other in both columns, or both repeat themselves, equal values come in runs. Moving
the release along the rows shows this: some shifts have far more matches than others. If so, the count must be larger
than at all shifts, which happens by chance once in n times, and by more than random order adds to the largest.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.resampling import SHIFTS, SHUFFLES, evenly_spaced

__all__ = [
    "Coincidence", "count_equal", "equal_at_shifts", "equal_by_chance", "probability_of_equal",
    "same_counts_are_rarer_than",
]  # fmt: skip

Integers = NDArray[np.int64]

# No probability is 0; this is a very small one that a float can represent.
_LEAST_PROBABILITY = 1e-300
_NEAREST = 10
_MOST_SHIFTS = 9_999
_SHIFTS_TO_LOOK_AT = 999
_FAR = 4.0
_WORTH_A_LOOK = 0.05
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Equal values in the same positions.

    Attributes:
        count: the number of positions with equal values.
        by_chance: their number if the release were not linked to the original: the mean in random order, or with
            ``shifts`` the largest number at any of 1,000 shifts and the nearest 20.
        probability: of at least as many by chance: a bound for ``shuffles``, an estimate for ``shifts``.
        null: what chance means: ``shuffles`` or ``shifts`` of the release.
    """

    count: int
    by_chance: float
    probability: float
    null: str

    def exceeds(self, level: float) -> bool:
        """Return whether there are more than by chance."""
        return self.probability <= level


def count_equal(original: Integers, released: Integers, seed: int) -> Coincidence:
    """Count equal codes in the same positions, and compute the probability of as many by chance.

    >>> copied = np.arange(100)
    >>> copied[10:] += 100
    >>> found = count_equal(np.arange(100), copied, seed=0)
    >>> found.count, found.by_chance, found.probability < 1e-19
    (10, 0.1, True)
    """
    n = len(original)
    count = int(np.sum(original == released))
    pairs = _pairs_of_equal(original, released)[0]
    by_chance, probability = pairs / n, probability_of_equal(count, pairs, n)
    in_random_order = Coincidence(count, by_chance, probability, SHUFFLES)
    # If random order explains the count, shifts are not needed.
    if probability > _WORTH_A_LOOK:
        return in_random_order
    moved = _ShiftedMatches.of(original, released, seed)
    if not moved.in_runs():
        return in_random_order
    most = max(by_chance, moved.most)
    beyond = probability_of_equal(count, round(most * n), n)
    return Coincidence(count, most, max(beyond, _probability_by_shifts(original, released, seed)), SHIFTS)


@dataclass(frozen=True, slots=True)
class _ShiftedMatches:
    """Matches of a release that is moved along the rows: by a few rows, and by any number."""

    nearest: Integers
    anywhere: Integers
    by_chance: float
    variance: float
    scale: float

    @classmethod
    def of(cls, original: Integers, released: Integers, seed: int) -> _ShiftedMatches:
        rows = evenly_spaced(len(original), _MOST_ROWS)
        x, y = original[rows], released[rows]
        near = min(_NEAREST, len(rows) // 4)
        nearest = equal_at_shifts(x, y, np.array([*range(-near, 0), *range(1, near + 1)], np.int64))
        pairs, variance = _pairs_of_equal(x, y)
        anywhere = _matches_at_shifts(x, y, seed, _SHIFTS_TO_LOOK_AT)
        return cls(nearest, anywhere, pairs / len(rows), variance, len(original) / len(rows))

    def in_runs(self) -> bool:
        """Return whether the nearest shifts, or some of the others, have more matches than random order."""
        near = len(self.nearest)
        if self.nearest.sum() > near * self.by_chance + 2 * math.sqrt(near * self.variance) + 1:
            return True
        if len(self.anywhere) == 0 or self.variance == 0:
            return False
        # Matches in random order are nearly Poisson, whose squared deviation varies by 2 + 1 / variance.
        dispersion = float(np.mean((self.anywhere - self.by_chance) ** 2)) / self.variance
        return dispersion > 1 + _FAR * math.sqrt((2 + 1 / self.variance) / len(self.anywhere))

    @property
    def most(self) -> float:
        """The most matches at any of the shifts, on the scale of all rows."""
        return self.scale * float(max(self.nearest.max(initial=0), self.anywhere.max(initial=0)))


def equal_by_chance(original: Integers, released: Integers) -> float:
    """Return the mean number of positions with equal codes when the release is in random order.

    >>> equal_by_chance(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 2]))
    1.75
    """
    return _pairs_of_equal(original, released)[0] / len(original)


def _pairs_of_equal(original: Integers, released: Integers) -> tuple[int, float]:
    """Return the pairs of rows with equal codes, and the variance of the matches in random order."""
    n, width = len(original), max(int(original.max()), int(released.max())) + 1
    in_original, in_release = (np.bincount(side, minlength=width) for side in (original, released))
    shared = (in_original > 0) & (in_release > 0)
    in_original, in_release = in_original[shared].astype(np.float64), in_release[shared].astype(np.float64)
    pairs = math.fsum((in_original * in_release).tolist())
    mean = pairs / n
    if n < 2:
        return int(pairs), 0.0
    # E[M (M - 1)] + E[M] - E[M]^2, without the terms that cancel.
    together = math.fsum((in_original * in_release * (1 - in_original - in_release)).tolist()) / (n * (n - 1))
    return int(pairs), max(0.0, mean + mean**2 / (n - 1) + together)


def probability_of_equal(count: int, pairs: int, n: int) -> float:
    """Return an upper bound for the chance of at least ``count`` matches in ``n`` rows with ``pairs`` equal pairs.

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


def same_counts_are_rarer_than(chance: float, counts: Integers) -> bool:
    """Return whether n draws with these frequencies repeat exactly these counts with less than this chance.

    That chance is multinomial, n! prod (k/n)^k / k!, over the values that occur.

    >>> [same_counts_are_rarer_than(chance, np.array([1, 0, 1])) for chance in (0.49, 0.51)]
    [False, True]
    """
    n = int(counts.sum())
    sizes, times = (part.tolist() for part in np.unique(counts[counts > 0], return_counts=True))
    terms = [k * math.log(k / n) - math.lgamma(k + 1) for k in sizes]
    each = itertools.chain.from_iterable(map(itertools.repeat, terms, times))
    log_chance = math.lgamma(n + 1) + math.fsum(each)
    return log_chance < math.log(chance)


def equal_at_shifts(original: Integers, released: Integers, shifts: Integers) -> Integers:
    """Return the number of positions with equal codes when the release is rotated along the rows.

    >>> equal_at_shifts(np.array([1, 2, 3, 4]), np.array([2, 3, 4, 1]), np.array([0, 1, -1])).tolist()
    [0, 0, 4]
    """
    n = len(original)
    fixed, twice = original.astype(np.int32), np.concatenate([released, released]).astype(np.int32)
    starts = (shifts % n).tolist()
    return np.array([np.count_nonzero(fixed == twice[start : start + n]) for start in starts], np.int64)


def _probability_by_shifts(original: Integers, released: Integers, seed: int) -> float:
    """Return how often a shifted release has as many matches; 0 if none has."""
    rows = evenly_spaced(len(original), _MOST_ROWS)
    matches = _matches_at_shifts(original, released, seed, _MOST_SHIFTS)
    above = int(np.sum(matches >= np.sum(original[rows] == released[rows])))
    return (above + 1) / (len(matches) + 1) if above else 0.0


def _matches_at_shifts(original: Integers, released: Integers, seed: int, most: int) -> Integers:
    """Return the matches at all shifts or at a random sample of them; very many rows are thinned evenly."""
    rows = evenly_spaced(len(original), _MOST_ROWS)
    shifts = 1 + np.random.default_rng([seed, 5]).permutation(len(rows) - 1)[:most]
    return equal_at_shifts(original[rows], released[rows], shifts)
