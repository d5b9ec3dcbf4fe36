"""Treatments whose coarseness differs between groups of people: ranges per group, or one node after the other.

``sets``   groups of similar people, each with its own ranges (Mondrian)
``local``  the best node for everyone, then the best node for those it withholds, and so on

Implements: SPEC page advise.md, section 4 (iv) and (v), and section 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups, SensitiveCells
from idbits.kernels.lattice.splitting import SplitTable, split_groups
from idbits.kernels.lattice.walk import Lattice, Node
from idbits.measures.treatment.goal import Goal
from idbits.measures.treatment.losses import CellLoss, ColumnTotals
from idbits.measures.treatment.pruned import find_optimum

__all__ = ["RegionalTreatment", "people_by_number", "recode_locally", "rows_in_groups", "split_into_groups"]

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
        nodes: the node of each pass of ``local``.
    """

    sizes: Integers
    cells: tuple[SensitiveCells, ...]
    withheld: int
    column_losses: tuple[float, ...]
    nodes: tuple[Node, ...] = ()


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

    def broken(sizes: Integers, cells: tuple[SensitiveCells, ...]) -> NDArray[np.bool_]:
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
    sizes = np.zeros(n_groups, np.int64)
    np.add.at(sizes, numbers, lattice.people)
    cells = table.cells(np.arange(len(numbers)), numbers, n_groups)
    if n_groups == 1 and bool(broken(sizes, cells)[0]):
        # The whole table breaks a rule: there is nothing to split.
        return RegionalTreatment(sizes[:0], (), lattice.n_people, tuple(1.0 for _ in lattice.columns))
    losses = tuple(
        _mean_loss(column, codes, numbers, sizes, ranges=ordered)
        for column, codes, ordered in zip(lattice.columns, lattice.codes, is_ordered, strict=True)
    )
    return RegionalTreatment(sizes, cells, 0, losses)


class _NoKeys:
    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:  # noqa: ARG002
        return []


_NO_KEYS = _NoKeys()


def _mean_loss(column: ColumnLevels, codes: Integers, numbers: Integers, sizes: Integers, *, ranges: bool) -> float:
    """Return the mean over people of what their group's range, list or common ancestor hides."""
    d = column.sizes[0]
    if d <= 1:
        return 0.0
    order = np.argsort(numbers, kind="stable")
    starts = np.searchsorted(numbers[order], np.arange(len(sizes)))
    low, high = (way.reduceat(codes[order], starts) for way in (np.minimum, np.maximum))
    if ranges:
        lost = (high - low) / (d - 1)
    else:
        lost = _ancestor_loss(column, low, high)
        n_values = np.bincount(np.unique(numbers * d + codes) // d, minlength=len(sizes))
        listed = (n_values - 1) / (d - 1)
        lost = np.where(n_values <= LONGEST_LIST, np.minimum(lost, listed), lost)
    return float(np.dot(lost, sizes) / sizes.sum())


def _ancestor_loss(column: ColumnLevels, low: Integers, high: Integers) -> Floats:
    """Return (share - 1/D) / (1 - 1/D) of the finest value that two numbers have in common."""
    lost = np.ones(len(low))
    for level in reversed(range(column.n_levels)):
        maps, shares = column.maps[level], column.shares[level]
        common = maps[low] == maps[high]
        share = (shares[maps[low]] - 1 / column.n_raw) / (1 - 1 / column.n_raw) if column.n_raw > 1 else 0.0
        lost = np.where(common, share, lost)
    return np.clip(lost, 0.0, 1.0)


def recode_locally(
    lattice: Lattice, goal: Goal, weights: Sequence[float], passes: int, *, geometric: bool
) -> RegionalTreatment | None:
    """Treat everyone by the best node, then those it withholds by theirs, and so on; None if the goal is missed.

    A pass may withhold whom it wants, because the next one treats them. After each pass, the rest is also treated by a
    last one that keeps to the limit; the best of these ends is returned.
    """
    best: RegionalTreatment | None = None
    output = _TreatedParts(lattice, np.arange(len(lattice.people)))
    for _ in range(passes):
        part = _part(lattice, output.rows)
        loss = CellLoss(ColumnTotals(part.columns, people_by_number(part), importance=weights), geometric=geometric)
        last, _ = find_optimum(part, goal, loss)
        if last.meets:
            best = _better(best, output.plus(part, goal, last.node).treatment())
        free = replace(goal, most_withheld=part.n_people)
        found, _ = find_optimum(part, free, loss)
        if not found.meets:
            break
        output = output.plus(part, free, found.node)
        if output.withheld <= goal.most_withheld:
            best = _better(best, output.treatment())
        if not len(output.rows):
            break
    return best


def _better(best: RegionalTreatment | None, other: RegionalTreatment) -> RegionalTreatment:
    return other if best is None or sum(other.column_losses) < sum(best.column_losses) else best


@dataclass(frozen=True, eq=False)
class _TreatedParts:
    """What the passes so far have treated, and the rows that are left."""

    lattice: Lattice
    rows: Integers
    sizes: tuple[Integers, ...] = ()
    cells: tuple[tuple[SensitiveCells, ...], ...] = ()
    nodes: tuple[Node, ...] = ()
    hidden: tuple[int, ...] = ()

    @property
    def withheld(self) -> int:
        return int(self.lattice.people[self.rows].sum())

    def plus(self, part: Lattice, goal: Goal, node: Node) -> _TreatedParts:
        """Return the output after the rows that are left are treated by a node."""
        groups = part.groups_at(node)
        out = goal.withheld(groups).out
        kept = np.ones(len(groups.sizes), np.bool_) if out is None else ~out
        hidden = list(self.hidden or [0] * len(node))
        for column, values in enumerate(groups.values(kept)):
            raw = self.lattice.columns[column].raw_values[node[column]][values]
            hidden[column] += int(np.dot(raw, groups.sizes[kept]))
        return _TreatedParts(
            self.lattice,
            self.rows[rows_in_groups(part, groups, ~kept)],
            (*self.sizes, groups.sizes[kept]),
            (*self.cells, tuple(of_column.only(kept) for of_column in groups.cells)),
            (*self.nodes, node),
            tuple(hidden),
        )

    def treatment(self) -> RegionalTreatment:
        losses = tuple(_column_loss(self.lattice, column, n, self.withheld) for column, n in enumerate(self.hidden))
        return RegionalTreatment(np.concatenate(self.sizes), _joined(self.cells), self.withheld, losses, self.nodes)


def _part(lattice: Lattice, rows: Integers) -> Lattice:
    if len(rows) == len(lattice.people):
        return lattice
    codes = [column[rows] for column in lattice.codes]
    sensitive = [(values[rows], size) for values, size in lattice.sensitive]
    return Lattice(lattice.columns, codes, lattice.people[rows], sensitive)


def rows_in_groups(part: Lattice, groups: NodeGroups, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are in some of the groups, by the values of their columns at the node."""
    numbers, mine = np.zeros(len(part.people), np.int64), np.zeros(len(groups.sizes), np.int64)
    for column, (level, values) in enumerate(zip(groups.levels, groups.values(), strict=True)):
        size = part.columns[column].sizes[level]
        of_rows = part.columns[column].maps[level][part.codes[column]]
        both = np.concatenate([numbers * size + of_rows, mine * size + values])
        _, ranks = np.unique(both, return_inverse=True)
        numbers, mine = ranks[: len(numbers)], ranks[len(numbers) :]
    is_chosen = np.zeros(int(mine.max(initial=0)) + 1, np.bool_)
    is_chosen[mine] = chosen
    return is_chosen[numbers]


def _column_loss(lattice: Lattice, column: int, hidden: int, withheld: int) -> float:
    n, d = lattice.n_people, lattice.columns[column].n_raw
    return max(0, hidden + withheld * d - n) / (n * d - n) if d > 1 else 0.0


def _joined(parts: Sequence[tuple[SensitiveCells, ...]]) -> tuple[SensitiveCells, ...]:
    """Return the cells of several tables, one after the other."""
    made = []
    for of_column in zip(*parts, strict=True):
        ends = np.cumsum([0, *(len(cells.values) for cells in of_column)])
        made.append(
            SensitiveCells(
                np.concatenate([cells.values for cells in of_column]),
                np.concatenate([cells.people for cells in of_column]),
                np.concatenate([cells.starts + end for cells, end in zip(of_column, ends, strict=False)]),
            )
        )
    return tuple(made)
