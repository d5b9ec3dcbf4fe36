"""Nearest records in columns of numbers and categories, with all ties.

The distance of two records is the sum over columns of |difference| / range for numbers, and of 0 or 1 for categories.
Two nulls are 0 apart, a null and a value 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MixedColumn", "Neighbours", "nearest_records"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Sums of the same distances in another order may differ by rounding.
_EQUAL = 1e-9
_MOST_REMEMBERED, _REMEMBERED_BYTES = 256, 1 << 27


@dataclass(frozen=True, slots=True, eq=False)
class MixedColumn:
    """A column of two tables.

    Attributes:
        is_number: whether differences count; otherwise values are equal or not.
        base: the values of the records that are searched; NaN is null.
        targets: the values of the records whose neighbours are searched. Categories are numbers, too.
    """

    is_number: bool
    base: Floats
    targets: Floats

    @property
    def range(self) -> float:
        """The difference between the largest and the smallest value of both tables; 0 without any."""
        both = np.concatenate([self.base, self.targets])
        known = both[~np.isnan(both)]
        return float(known.max() - known.min()) if len(known) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The nearest records of a target.

    Attributes:
        sure: the records nearer than the last one.
        tied: the records as near as the last one.
        n_drawn: how many of the tied ones are neighbours.
    """

    sure: Integers
    tied: Integers
    n_drawn: int


def nearest_records(columns: Sequence[MixedColumn], n_targets: int, k: int) -> Iterator[Neighbours]:
    """Yield the k nearest records of each target.

    >>> column = MixedColumn(True, np.array([1.0, 2.0, 2.0, 9.0]), np.array([2.0]))
    >>> next(nearest_records([column], 1, 1)).tied.tolist()
    [1, 2]
    """
    distances = [_ColumnDistances(column) for column in columns]
    total = np.empty(len(columns[0].base))
    for index in range(n_targets):
        total[:] = 0.0
        for column in distances:
            total += column.of(index)
        if k == 1:
            tied = np.flatnonzero(total <= total.min() + _EQUAL)
            yield Neighbours(np.zeros(0, np.int64), tied, 1)
            continue
        last = np.partition(total, k - 1)[k - 1]
        sure = np.flatnonzero(total < last - _EQUAL)
        yield Neighbours(sure, np.flatnonzero(np.abs(total - last) <= _EQUAL), k - len(sure))


class _ColumnDistances:
    """The distances of a column; those of frequent values are remembered."""

    def __init__(self, column: MixedColumn) -> None:
        self._column = column
        self._range = column.range
        self._base_null = np.isnan(column.base)
        self._has_null = bool(self._base_null.any())
        few = len(np.unique(column.targets)) <= _MOST_REMEMBERED
        room = len(column.base) * 8 * _MOST_REMEMBERED <= _REMEMBERED_BYTES
        self._known: dict[float, Floats] | None = {} if few and room else None

    def of(self, index: int) -> Floats:
        """Return the distances of all records to a target."""
        value = float(self._column.targets[index])
        if self._known is None or np.isnan(value):
            return self._computed(value)
        if value not in self._known:
            self._known[value] = self._computed(value)
        return self._known[value]

    def _computed(self, value: float) -> Floats:
        if np.isnan(value):
            return np.where(self._base_null, 0.0, 1.0)
        if not self._column.is_number:
            # A null differs from every value.
            return np.where(self._column.base != value, 1.0, 0.0)
        if self._range == 0:
            return self._base_null.astype(np.float64)
        distances: Floats = np.abs(self._column.base - value)
        distances /= self._range
        if self._has_null:
            distances[self._base_null] = 1.0
        return distances
