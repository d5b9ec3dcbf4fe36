"""All cross tables that fit published sums: which groups of few people follow from them.

Every cell of the table is a number of people that nobody knows, 0 or more, and every published count is a sum of cells.
A group of people follows if all tables that fit the counts agree that it has somebody, and fewer people than the limit.
Whether one of them disagrees is a linear programme: the largest and the least number of people that the group can have.
Every table that is met on the way settles all groups at once that have nobody or enough people in it.

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
    """Return whether some group has 1 to limit - 1 people in all tables that fit; None where no table fits.

    Args:
        sums: one row per published count, 1 for each cell of the table that it adds up.
        people: the counts.
        groups: one row per group that is looked at.
        limit: the fewest people that may follow.

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
    """Return the groups of a table that are looked at, one row each: some values of every attribute.

    Of an attribute with few values these are all sets of them; of others all values from one to another, and all but
    one.
    """
    sides = [_value_sets(size) for size in shape]
    return np.array([_outer(chosen) for chosen in itertools.product(*sides)])


def group_number(shape: Iterable[int]) -> int:
    """Return how many groups of a table are looked at."""
    return math.prod(2**size - 1 if size <= _ALL_SUBSETS else size * (size + 3) // 2 - 2 for size in shape)


def _outer(sides: Sequence[Numbers]) -> Numbers:
    mask = np.ones(1)
    for side in sides:
        mask = np.multiply.outer(mask, side).ravel()
    return mask


def _value_sets(size: int) -> list[Numbers]:
    """Return sets of values of one attribute, single ones first."""
    if size <= _ALL_SUBSETS:
        chosen = [set(some) for number in range(1, size + 1) for some in itertools.combinations(range(size), number)]
    else:
        runs = [set(range(first, end)) for first in range(size) for end in range(first + 1, size + 1)]
        chosen = runs + [set(range(size)) - {value} for value in range(1, size - 1)]
    return [np.array([float(value in some) for value in range(size)]) for some in chosen]


class FittingTables:
    """All tables of numbers, 0 or more, that fit given sums: walked from corner to corner (the simplex method).

    Attributes:
        exist: whether there are any.
    """

    def __init__(self, sums: Numbers, people: Numbers) -> None:
        rows, self._cells = sums.shape
        self._tableau = np.hstack([sums, people.reshape(-1, 1)]).astype(float)
        # Cells from this number on stand for what a row still lacks.
        self._basis = list(range(self._cells, self._cells + rows))
        self.exist = self._fill()

    @property
    def vertex(self) -> Numbers:
        """The table that the walk has reached."""
        table = np.zeros(self._cells)
        table[self._basis] = self._tableau[:, -1]
        return table

    def can_reach(self, group: Numbers, people: float) -> bool:
        """Return whether a group has so many people in some table; the walk goes there."""
        return self._climb(group, people)

    def can_empty(self, group: Numbers) -> bool:
        """Return whether a group has nobody in some table; the walk goes there."""
        return self._climb(-group, 0.0)

    def _climb(self, group: Numbers, target: float) -> bool:
        """Make a group larger until it has reached a target; return whether it has."""
        for _ in range(_MOST_PIVOTS):
            basis_group = group[self._basis]
            if basis_group @ self._tableau[:, -1] >= target - _NOTHING:
                return True
            gains = group - basis_group @ self._tableau[:, :-1]
            # The first one that gains (Bland's rule): the walk never runs in circles.
            gaining = np.flatnonzero(gains > _NOTHING)
            if not len(gaining):
                return False
            if not self._enter(int(gaining[0])):
                return True
        return False

    def _fill(self) -> bool:
        """Find a first table: let cells take the place of what the rows lack."""
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
        """Put cells in the place of rows that lack nothing; a row that no cell is in says nothing new."""
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
        """Let a cell grow until the first other one is empty; return False where it can grow without end."""
        column, people = self._tableau[:, cell], self._tableau[:, -1]
        rows = np.flatnonzero(column > _NOTHING)
        if not len(rows):
            return False
        ratios = people[rows] / column[rows]
        least = ratios.min()
        # Of several that become empty at once the one with the least number leaves (Bland's rule).
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
