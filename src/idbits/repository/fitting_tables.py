"""All cross tables that fit published sums, and the small groups that they reveal.

Every cell of a table is an unknown number of people, 0 or more, and every published count is a sum of cells. A group is
revealed if all fitting tables agree that it has at least one person and fewer than the limit. Two linear programmes
decide this: the largest and the smallest number of people that the group can have. Every table visited on the way rules
out all groups that are empty or large enough in it.

Implements: SPEC section 6; S2 7.2.1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["FittingTables", "group_masks", "group_number", "leaves_few"]

Numbers = NDArray[np.float64]

_ALL_SUBSETS = 4
_MOST_PIVOTS = 2000
_NOTHING = 1e-7


def leaves_few(sums: Numbers, people: Numbers, groups: Numbers, limit: int) -> bool | None:
    """Return whether some group has 1 to limit - 1 people in all fitting tables; None if no table fits.

    Args:
        sums: one row per published count, with 1 for each cell that it includes.
        people: the published counts.
        groups: one row per group to check.
        limit: the smallest group that may be revealed.

    >>> both, women = [1.0, 1.0], [1.0, 0.0]
    >>> groups = group_masks((2,))
    >>> leaves_few(np.array([both, women]), np.array([100.0, 91.0]), groups, 10)
    True
    >>> leaves_few(np.array([both]), np.array([100.0]), groups, 10)
    False
    """
    tables = FittingTables(sums, people)
    if not tables.exist:
        return None
    is_open = np.ones(len(groups), dtype=bool)
    while True:
        sizes = groups @ tables.vertex
        is_open &= (sizes > _NOTHING) & (sizes < limit - _NOTHING)
        if not is_open.any():
            return False
        index = int(np.argmax(is_open))
        if not (tables.can_empty(groups[index]) or tables.can_reach(groups[index], limit)):
            return True
        is_open[index] = False


@lru_cache(maxsize=64)
def group_masks(shape: tuple[int, ...]) -> Numbers:
    """Return the groups of a table to check, one row each: some values of every attribute.

    For an attribute with few values these are all sets of values; for others, all consecutive values, and all values
    except one.
    """
    sides = [_value_sets(size) for size in shape]
    return np.array([_outer(chosen) for chosen in itertools.product(*sides)])


def group_number(shape: Iterable[int]) -> int:
    """Return the number of groups of a table to check."""
    return math.prod(2**size - 1 if size <= _ALL_SUBSETS else size * (size + 3) // 2 - 2 for size in shape)


def _outer(sides: Sequence[Numbers]) -> Numbers:
    mask = np.ones(1)
    for side in sides:
        mask = np.multiply.outer(mask, side).ravel()
    return mask


def _value_sets(size: int) -> list[Numbers]:
    """Return the sets of values of one attribute to check."""
    if size <= _ALL_SUBSETS:
        chosen = [set(some) for number in range(1, size + 1) for some in itertools.combinations(range(size), number)]
    else:
        runs = [set(range(first, end)) for first in range(size) for end in range(first + 1, size + 1)]
        chosen = runs + [set(range(size)) - {value} for value in range(1, size - 1)]
    return [np.array([float(value in some) for value in range(size)]) for some in chosen]


class FittingTables:
    """All tables of non-negative numbers that fit given sums, explored from vertex to vertex (simplex method).

    Attributes:
        exist: whether any table fits.
    """

    def __init__(self, sums: Numbers, people: Numbers) -> None:
        rows, self._cells = sums.shape
        self._tableau = np.hstack([sums, people.reshape(-1, 1)]).astype(float)
        # Indices from this one on are artificial cells: the amounts that the rows still lack.
        self._basis = list(range(self._cells, self._cells + rows))
        self.exist = self._fill()

    @property
    def vertex(self) -> Numbers:
        """The table at the current vertex."""
        table = np.zeros(self._cells)
        table[self._basis] = self._tableau[:, -1]
        return table

    def can_reach(self, group: Numbers, people: float) -> bool:
        """Return whether a group has at least this many people in some table, and move to that table."""
        return self._climb(group, people)

    def can_empty(self, group: Numbers) -> bool:
        """Return whether a group is empty in some table, and move to that table."""
        return self._climb(-group, 0.0)

    def _climb(self, group: Numbers, target: float) -> bool:
        """Move to tables with more people in a group until it reaches a target; return whether it does."""
        for _ in range(_MOST_PIVOTS):
            basis_group = group[self._basis]
            if basis_group @ self._tableau[:, -1] >= target - _NOTHING:
                return True
            gains = group - basis_group @ self._tableau[:, :-1]
            # Taking the first cell that gains (Bland's rule) prevents cycles.
            gaining = np.flatnonzero(gains > _NOTHING)
            if not len(gaining):
                return False
            if not self._enter(int(gaining[0])):
                return True
        return False

    def _fill(self) -> bool:
        """Find a first table by replacing artificial cells with real ones; return whether any table fits."""
        tableau = self._tableau
        for _ in range(_MOST_PIVOTS):
            lacking = [row for row, cell in enumerate(self._basis) if cell >= self._cells]
            missing = tableau[lacking, -1].sum() if lacking else 0.0
            if missing <= _NOTHING * max(1.0, tableau[:, -1].max(initial=0.0)):
                return self._drop_lacking()
            gains = tableau[lacking, :-1].sum(axis=0)
            gaining = np.flatnonzero(gains > _NOTHING)
            if not len(gaining):
                return False
            self._enter(int(gaining[0]))
        return False

    def _drop_lacking(self) -> bool:
        """Replace the remaining artificial cells, which are 0; drop redundant rows."""
        kept = []
        for row, cell in enumerate(self._basis):
            if cell >= self._cells:
                columns = np.flatnonzero(np.abs(self._tableau[row, :-1]) > _NOTHING)
                if not len(columns):
                    continue
                self._pivot(row, int(columns[0]))
            kept.append(row)
        self._tableau = self._tableau[kept]
        self._basis = [self._basis[row] for row in kept]
        return True

    def _enter(self, cell: int) -> bool:
        """Increase a cell until another cell becomes empty; return False if it can grow without limit."""
        column, people = self._tableau[:, cell], self._tableau[:, -1]
        rows = np.flatnonzero(column > _NOTHING)
        if not len(rows):
            return False
        ratios = people[rows] / column[rows]
        least = ratios.min()
        # If several become empty at once, the one with the smallest index leaves (Bland's rule).
        leaving = min(rows[ratios <= least + _NOTHING], key=lambda row: self._basis[row])
        self._pivot(int(leaving), cell)
        return True

    def _pivot(self, row: int, cell: int) -> None:
        tableau = self._tableau
        tableau[row] /= tableau[row, cell]
        factors = tableau[:, cell].copy()
        factors[row] = 0.0
        tableau -= np.multiply.outer(factors, tableau[row])
        np.clip(tableau[:, -1], 0.0, None, out=tableau[:, -1])
        self._basis[row] = cell
