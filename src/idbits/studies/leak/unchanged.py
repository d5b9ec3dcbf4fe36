"""The part of ``idbits leak`` that counts what is unchanged: values, whole rows, rows in a different order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.coincidence import Coincidence, count_equal, same_counts_are_rarer_than
from idbits.studies.leak.paired_tables import ColumnPair

__all__ = ["Rearrangement", "UnchangedValues", "count_unchanged", "find_rearrangement"]

Integers = NDArray[np.int64]

# If chance gives the same counts of values less often than this, the table was rearranged.
_BY_CHANCE = 1e-6


@dataclass(frozen=True, slots=True)
class UnchangedValues:
    """What is unchanged, and how much would be unchanged by chance.

    Attributes:
        rows: whole rows; None if a column has another kind in the release, or the tables have no name in common.
        columns: the values of each column; None if the kinds differ.
        level: a count exceeds chance if its probability by chance is at most this.
    """

    rows: Coincidence | None
    columns: tuple[Coincidence | None, ...]
    level: float

    @property
    def rows_leak(self) -> bool:
        """Whether more rows are unchanged than by chance."""
        return self.rows is not None and self.rows.exceeds(self.level)

    def column_leaks(self, index: int) -> bool:
        """Return whether more values of a column are unchanged than by chance."""
        equal = self.columns[index]
        return equal is not None and equal.exceeds(self.level)


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """Whether the rows of the release are the original rows reordered, and how many columns are reordered."""

    rows: bool
    columns: int


def count_unchanged(pairs: Sequence[ColumnPair], error: float, seed: int) -> UnchangedValues:
    """Count what is equal in the same positions; ``error`` is the overall chance of a false alarm."""
    columns = tuple(count_equal(*pair.shared, seed) if pair.shared is not None else None for pair in pairs)
    if len(pairs) == 1:
        return UnchangedValues(columns[0], columns, error)
    rows = _row_codes(pairs)
    return UnchangedValues(count_equal(*rows, seed) if rows is not None else None, columns, error / (len(pairs) + 1))


def find_rearrangement(pairs: Sequence[ColumnPair]) -> Rearrangement:
    """Find out whether the release contains the rows, or the values of a column, in a different order."""
    moved = sum(pair.shared is not None and _moved(*pair.shared) for pair in pairs)
    rows = _row_codes(pairs)
    return Rearrangement(rows is not None and _moved(*rows), moved)


def _row_codes(pairs: Sequence[ColumnPair]) -> tuple[Integers, Integers] | None:
    """Return a code per row of both tables, equal if all values are equal; None if a column cannot be compared."""
    rows: tuple[Integers, Integers] | None = None
    for pair in pairs:
        if pair.shared is None:
            return None
        if rows is None:
            rows = pair.shared
            continue
        before, after = pair.shared
        width = max(int(before.max()), int(after.max())) + 1
        keys = np.concatenate([rows[0] * width + before, rows[1] * width + after])
        codes = np.unique(keys, return_inverse=True)[1]
        rows = (codes[: len(before)], codes[len(before) :])
    return rows


def _moved(before: Integers, after: Integers) -> bool:
    """Return whether both have the same values equally often in a different order, which is unlikely by chance."""
    if np.array_equal(before, after):
        return False
    width = max(int(before.max()), int(after.max())) + 1
    counts = np.bincount(before, minlength=width)
    if not np.array_equal(counts, np.bincount(after, minlength=width)):
        return False
    return same_counts_are_rarer_than(_BY_CHANCE, counts)
