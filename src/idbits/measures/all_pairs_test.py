"""One test for all pairs of columns: does any released column depend on any original one?

Implements: Westfall and Young, Resampling-Based Multiple Testing (1993): the whole release is shuffled or shifted at
once, and a pair is compared with the largest statistic among all pairs. So the chance of a false alarm among all pairs
is as stated, whatever the columns have in common. A pair's statistic is its rank correlation or the mutual information
of four cells a side, whichever is further from what a first set of shuffles shows for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.dependence import average_ranks, equal_cells, root_of_normal_information, standardised, x_log_x
from idbits.measures.resampling import Resampling

__all__ = ["PairTest", "judge_all_pairs"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

_CELLS = 4
_PILOT = 50
_BATCH = 10
_ENOUGH_ABOVE = 20
# Statistics have a spread of about 0.4 / sqrt(n); for a rare value, a first set of shuffles may show none.
_LEAST_SPREAD = 0.1


@dataclass(frozen=True, slots=True)
class PairTest:
    """The result of the test for all pairs; rows are original columns, columns are released ones.

    Attributes:
        strength: how far a pair is above its value under shuffling, in units of the spread of the shuffles.
        p_value: how often the largest of all pairs is as far above; 1 for pairs that were not compared.
        least: the smallest possible p-value.
    """

    strength: Floats
    p_value: Floats
    least: float


def judge_all_pairs(
    originals: Sequence[Integers],
    released: Sequence[Integers],
    compared: Booleans,
    error: float,
    seed: int,
    kind: str,
    done: Callable[[float], None] = lambda _: None,
) -> PairTest:
    """Judge the pairs of columns (dense codes, the same rows) that ``compared`` marks.

    >>> rng = np.random.default_rng(0)
    >>> first, second = (rng.permutation(60) for _ in range(2))
    >>> test = judge_all_pairs([first, second], [second, first], ~np.eye(2, dtype=bool), 0.01, 0, "shuffles")
    >>> bool(test.p_value[0, 1] <= 0.01), float(test.p_value[0, 0])
    (True, 1.0)
    """
    n = len(originals[0])
    resampling = Resampling(kind, n, seed, math.ceil(1 / error))
    statistics = _Statistics(originals, released)
    pilot = np.stack([statistics.of(order) for order in resampling.pilot(_PILOT)])
    mean, spread = pilot.mean(axis=0), np.maximum(pilot.std(axis=0), _LEAST_SPREAD / math.sqrt(n))

    def furthest(order: Integers) -> Floats:
        return np.asarray(((statistics.of(order) - mean) / spread).max(axis=0), np.float64)

    strength = furthest(np.arange(n))
    top = float(strength[compared].max())
    largest: list[float] = []
    above = 0
    while above < _ENOUGH_ABOVE and len(largest) < resampling.most:
        orders = resampling.draw(_BATCH)
        largest += [float(furthest(order)[compared].max()) for order in orders]
        above = sum(value >= top - 1e-9 for value in largest)
        done(len(largest) / resampling.most)
    reached = np.sort(np.array(largest))
    as_far = len(reached) - np.searchsorted(reached, strength - 1e-9, side="left")
    p_value = np.where(compared, (as_far + 1) / (len(reached) + 1), 1.0)
    return PairTest(strength, p_value, resampling.least)


class _Statistics:
    """The statistics of all pairs for any order of the release."""

    def __init__(self, originals: Sequence[Integers], released: Sequence[Integers]) -> None:
        self._ranks = [np.stack([_rank_vector(codes) for codes in side]) for side in (originals, released)]
        self._cells = [np.stack([_cells(codes) for codes in side]) for side in (originals, released)]
        n = self._cells[0].shape[1]
        self._x_log_x = x_log_x(np.arange(n + 1))
        sums = [np.array([self._x_log_x[np.bincount(row)].sum() for row in side]) for side in self._cells]
        self._margins = sums[0][:, None] + sums[1][None, :] - n * math.log(n)

    def of(self, order: Integers) -> Floats:
        """Return both statistics of each pair, on a common scale."""
        # The linear algebra library is slow here on a busy machine, because its threads wait for each other.
        correlation = np.einsum("ik,jk->ij", self._ranks[0], self._ranks[1][:, order])
        linear = root_of_normal_information(correlation**2)
        information = np.maximum(self._together(order) - self._margins, 0.0) / len(order)
        return np.stack([linear, np.sqrt(information)])

    def _together(self, order: Integers) -> Floats:
        """Return the sum of x log x over the cells of each pair's table."""
        originals, released = self._cells
        many, size = len(released), _CELLS**2
        moved = released[:, order] + (np.arange(many) * size)[:, None]
        return np.stack(
            [
                self._x_log_x[np.bincount((moved + row * _CELLS).ravel(), minlength=many * size)]
                .reshape(many, size)
                .sum(axis=1)
                for row in originals
            ]
        )


def _rank_vector(codes: Integers) -> Floats:
    vector = standardised(average_ranks(codes))
    return vector if vector is not None else np.zeros(len(codes))


def _cells(codes: Integers) -> Integers:
    """Return the values if there are few, otherwise cells with about equal numbers of rows."""
    return codes if int(codes.max()) < _CELLS else equal_cells(codes, _CELLS)
