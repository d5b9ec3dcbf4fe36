"""Releases without any link to the original: the same rows in random order, or moved along the rows as a whole.

Random order is a fair comparison if the order of rows is arbitrary. Rotating the whole release by a number of rows
preserves what neighbouring rows have in common, so it is also fair for columns whose rows resemble their neighbours.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHIFTS", "SHUFFLES", "Resampling", "evenly_spaced"]

Integers = NDArray[np.int64]

SHUFFLES = "shuffles"
SHIFTS = "shifts"


class Resampling:
    """Row orders of a release without any link, drawn one at a time; no shift is repeated."""

    def __init__(self, kind: str, n: int, seed: int, most: int) -> None:
        """Set the kind (``shuffles`` or ``shifts``), the number of rows, and how many orders may be drawn."""
        self.kind = kind
        self._rng = np.random.default_rng([seed, 1])
        self._n = n
        self._shifts = 1 + self._rng.permutation(n - 1)[:most] if kind == SHIFTS else None
        self.most = most if self._shifts is None else len(self._shifts)
        self._drawn = 0

    def pilot(self, many: int) -> Integers:
        """Return orders for learning the usual values; they do not count."""
        if self._shifts is None:
            return self._shuffled(many)
        return self._shifted(self._rng.integers(0, self._n, many))

    def draw(self, many: int) -> Integers:
        """Return further orders, one per row: fewer than requested, or none, if they run out."""
        many = min(many, self.most - self._drawn)
        self._drawn += many
        if self._shifts is None:
            return self._shuffled(many)
        return self._shifted(self._shifts[self._drawn - many : self._drawn])

    @property
    def least(self) -> float:
        """The smallest possible p-value."""
        return 1 / (self.most + 1)

    def _shuffled(self, many: int) -> Integers:
        orders = [self._rng.permutation(self._n) for _ in range(many)]
        return np.stack(orders) if orders else np.zeros((0, self._n), np.int64)

    def _shifted(self, shifts: Integers) -> Integers:
        return (np.arange(self._n) + shifts[:, None]) % self._n


def evenly_spaced(n: int, most: int) -> Integers:
    """Return all of n rows, or at most ``most`` evenly spaced ones, so that neighbours stay comparable.

    >>> evenly_spaced(10, 4).tolist()
    [0, 3, 6, 9]
    """
    return np.arange(0, n, max(1, math.ceil(n / most)))
