"""Groups of similar people, each with its own ranges, lists or common ancestors of values (Mondrian).

Two groups can end up with the same values in all columns, if these are common ancestors: they are one group then.

Implements: SPEC page advise.md, section 4 (v), and section 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.splitting import SplitTable, split_groups
from idbits.kernels.lattice.walk import Lattice, Node
from idbits.kernels.sorting import distinct_sorted
from idbits.measures.treatment.goal import Goal

__all__ = ["LISTED", "RANGE", "VIEW", "RegionalTreatment", "people_by_number", "split_into_groups", "view_cells"]

LISTED, RANGE, VIEW = range(3)
"""What a cell of a group is: one to three values, the range between two values, or a value of a coarser level."""

LONGEST_LIST = 3
"""A group's values are listed up to this number."""


@dataclass(frozen=True, eq=False)
class RegionalTreatment:
    """What a treatment leaves.

    Attributes:
        sizes: the people of each kept group.
        cells: the cells of each sensitive column in the kept groups.
        withheld: the people withheld.
        column_losses: for each column, the share of its detail that is lost.
        numbers: the group of each row of the lattice; -1 if it is withheld.
        written: for each column, what is written for each group, as four whole numbers: ``LISTED`` and three numbers of
            values, of which the last ones may be equal; ``RANGE``, the lowest and the highest number, 0; or ``VIEW``,
            a level, its value, 0.
        nodes: the node of each pass of ``local``.
        rest: the groups of the last pass of ``local``.
    """

    sizes: Integers
    cells: tuple[GroupCells, ...]
    withheld: int
    column_losses: tuple[float, ...]
    numbers: Integers
    written: tuple[Integers, ...]
    nodes: tuple[Node, ...] = ()
    rest: NodeGroups | None = None


def people_by_number(lattice: Lattice) -> list[Integers]:
    """Return, for each column, the people of each of its numbers."""
    made = []
    for column, codes in zip(lattice.columns, lattice.codes, strict=True):
        counts = np.zeros(column.sizes[0], np.int64)
        np.add.at(counts, codes, lattice.people)
        made.append(counts)
    return made


def split_into_groups(
    lattice: Lattice, goal: Goal, is_ordered: Sequence[bool], weights: Sequence[float]
) -> RegionalTreatment:
    """Split the table into groups of similar people that all satisfy the rules about groups."""

    def broken(sizes: Integers, cells: tuple[GroupCells, ...]) -> NDArray[np.bool_]:
        return goal.broken(NodeGroups((), sizes, sizes, cells, _NO_KEYS))

    table = SplitTable(
        lattice.codes,
        [column.sizes[0] for column in lattice.columns],
        lattice.people,
        weights,
        lattice.sensitive,
        broken,
        goal.least_size,
    )
    numbers = split_groups(table)
    n_groups = int(numbers.max()) + 1
    sizes, cells = _counted(table, numbers, n_groups)
    if n_groups == 1 and bool(broken(sizes, cells)[0]):
        # The whole table breaks a rule: there is nothing to split.
        nobody = tuple(np.zeros((0, 4), np.int64) for _ in lattice.columns)
        lost = tuple(1.0 for _ in lattice.columns)
        return RegionalTreatment(sizes[:0], (), lattice.n_people, lost, np.full(len(numbers), -1), nobody)
    made = [
        _cells_of_groups(column, codes, numbers, n_groups, ranges=ordered)
        for column, codes, ordered in zip(lattice.columns, lattice.codes, is_ordered, strict=True)
    ]
    losses = tuple(float(np.dot(lost, sizes) / sizes.sum()) for _, lost in made)
    _, first, merged = np.unique(
        np.concatenate([written for written, _ in made], axis=1), axis=0, return_index=True, return_inverse=True
    )
    numbers = merged.reshape(-1)[numbers]
    sizes, cells = _counted(table, numbers, len(first))
    return RegionalTreatment(sizes, cells, 0, losses, numbers, tuple(written[first] for written, _ in made))


def _counted(table: SplitTable, numbers: Integers, n_groups: int) -> tuple[Integers, tuple[GroupCells, ...]]:
    """Return the people of each group, and the cells of sensitive columns."""
    sizes = np.zeros(n_groups, np.int64)
    np.add.at(sizes, numbers, table.people)
    return sizes, table.cells(np.arange(len(numbers)), numbers, n_groups)


class _NoKeys:
    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:  # noqa: ARG002
        return []


_NO_KEYS = _NoKeys()


def view_cells(level: int, values: Integers) -> Integers:
    """Return what is written for groups that have these values at a level.

    >>> view_cells(2, np.array([7])).tolist(), view_cells(0, np.array([7])).tolist()
    ([[2, 2, 7, 0]], [[0, 7, 7, 7]])
    """
    zero = np.zeros_like(values)
    columns = [zero + VIEW, zero + level, values, zero] if level else [zero + LISTED, values, values, values]
    return np.stack(columns, axis=1)


def _cells_of_groups(
    column: ColumnLevels, codes: Integers, numbers: Integers, n_groups: int, *, ranges: bool
) -> tuple[Integers, Floats]:
    """Return what is written for each group, and the share of the column's detail that it hides."""
    d = column.sizes[0]
    pairs = distinct_sorted(numbers * d + codes)
    starts = np.searchsorted(pairs, np.arange(n_groups) * d)
    n_values = np.diff(starts, append=len(pairs))
    values = pairs % d
    low, high = values[starts], values[starts + n_values - 1]
    second = values[starts + np.minimum(1, n_values - 1)]
    zero = np.zeros_like(low)
    one_value = np.stack([zero + LISTED, low, low, low], axis=1)
    if d <= 1:
        return one_value, np.zeros(n_groups)
    if ranges:
        written, lost = np.stack([zero + RANGE, low, high, zero], axis=1), (high - low) / (d - 1)
    else:
        level, value, lost = _ancestors(column, low, high)
        written = np.stack([zero + VIEW, level, value, zero], axis=1)
        listed = (n_values - 1) / (d - 1)
        is_list = (n_values <= LONGEST_LIST) & (listed < lost)
        written = np.where(is_list[:, None], np.stack([zero + LISTED, low, second, high], axis=1), written)
        lost = np.where(is_list, listed, lost)
    return np.where((n_values == 1)[:, None], one_value, written), np.where(n_values == 1, 0.0, lost)


def _ancestors(column: ColumnLevels, low: Integers, high: Integers) -> tuple[Integers, Integers, Floats]:
    """Return the finest value that two numbers have in common, as level and value, and (share - 1/D) / (1 - 1/D)."""
    levels, values, lost = np.full(len(low), column.n_levels - 1), np.zeros(len(low), np.int64), np.ones(len(low))
    for level in reversed(range(column.n_levels)):
        maps, shares = column.maps[level], column.shares[level]
        common = maps[low] == maps[high]
        share = (shares[maps[low]] - 1 / column.n_raw) / (1 - 1 / column.n_raw) if column.n_raw > 1 else 0.0
        levels, values = np.where(common, level, levels), np.where(common, maps[low], values)
        lost = np.where(common, share, lost)
    return levels, values, np.clip(lost, 0.0, 1.0)
