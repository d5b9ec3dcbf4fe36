"""Local recoding: the best node for everyone, then the best node for those it withholds, and so on.

A group of a later pass can never have the values of an earlier one: all people with these values are in the earlier
group, or in neither. So the groups of all passes together are those of the whole output.

Implements: SPEC page advise.md, section 4 (iv).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from idbits.counts import Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice, Node
from idbits.measures.treatment.goal import Goal
from idbits.measures.treatment.losses import CellLoss, ColumnTotals
from idbits.measures.treatment.pruned import find_optimum
from idbits.measures.treatment.regional import RegionalTreatment, people_by_number, view_cells

__all__ = ["groups_of_rows", "recode_in_passes", "recode_locally"]

_TotalLoss = Callable[[Sequence[float]], float]


def recode_locally(
    lattice: Lattice, goal: Goal, weights: Sequence[float], passes: int, *, geometric: bool
) -> RegionalTreatment | None:
    """Treat everyone by the best node, then those it withholds by theirs, and so on; None if the goal is missed.

    A pass may withhold whom it wants, because the next one treats them. After each pass, the rest is also treated by a
    last one that keeps to the limit; the best of these ends is returned.
    """
    best: RegionalTreatment | None = None
    total = partial(_total_loss, weights=weights, geometric=geometric)
    output = _TreatedParts(lattice, np.arange(len(lattice.people)))
    for _ in range(passes):
        part = _part(lattice, output.rows)
        loss = CellLoss(ColumnTotals(part.columns, people_by_number(part), importance=weights), geometric=geometric)
        last, _ = find_optimum(part, goal, loss)
        if last.meets:
            best = _better(best, output.plus(part, goal, last.node).treatment(), total)
        free = replace(goal, most_withheld=part.n_people)
        found, _ = find_optimum(part, free, loss)
        if not found.meets:
            break
        output = output.plus(part, free, found.node)
        if output.withheld <= goal.most_withheld:
            best = _better(best, output.treatment(), total)
        if not len(output.rows):
            break
    return best


def _total_loss(column_losses: Sequence[float], weights: Sequence[float], *, geometric: bool) -> float:
    return math.fsum(
        weight * (math.log1p(loss) if geometric else loss) for weight, loss in zip(weights, column_losses, strict=True)
    )


def _better(best: RegionalTreatment | None, other: RegionalTreatment, total: _TotalLoss) -> RegionalTreatment:
    return other if best is None or total(other.column_losses) < total(best.column_losses) else best


def recode_in_passes(lattice: Lattice, goal: Goal, nodes: Sequence[Node]) -> RegionalTreatment:
    """Treat everyone by the first node, those who break the goal there by the next one, and so on.

    The people who break it in the last pass are withheld, whatever their number.
    """
    output = _TreatedParts(lattice, np.arange(len(lattice.people)))
    free = replace(goal, most_withheld=lattice.n_people)
    for node in nodes:
        if not len(output.rows):
            break
        output = output.plus(_part(lattice, output.rows), free, node)
    return output.treatment()


@dataclass(frozen=True, eq=False)
class _TreatedParts:
    """What the passes so far have treated, and the rows that are left."""

    lattice: Lattice
    rows: Integers
    sizes: tuple[Integers, ...] = ()
    cells: tuple[tuple[GroupCells, ...], ...] = ()
    nodes: tuple[Node, ...] = ()
    hidden: tuple[int, ...] = ()
    written: tuple[tuple[Integers, ...], ...] = ()
    numbers: Integers | None = None
    rest: NodeGroups | None = None

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
        of_rows = groups_of_rows(part, groups)
        is_kept = kept[of_rows]
        numbers = np.full(len(self.lattice.people), -1) if self.numbers is None else self.numbers.copy()
        numbers[self.rows[is_kept]] = sum(map(len, self.sizes)) + (np.cumsum(kept) - 1)[of_rows[is_kept]]
        written = tuple(view_cells(level, values) for level, values in zip(node, groups.values(kept), strict=True))
        return _TreatedParts(
            self.lattice,
            self.rows[~is_kept],
            (*self.sizes, groups.sizes[kept]),
            (*self.cells, tuple(of_column.with_groups(kept) for of_column in groups.cells)),
            (*self.nodes, node),
            tuple(hidden),
            (*self.written, written),
            numbers,
            groups,
        )

    def treatment(self) -> RegionalTreatment:
        losses = tuple(_column_loss(self.lattice, column, n, self.withheld) for column, n in enumerate(self.hidden))
        assert self.numbers is not None
        return RegionalTreatment(
            np.concatenate(self.sizes),
            _joined(self.cells),
            self.withheld,
            losses,
            self.numbers,
            tuple(np.concatenate(of_column) for of_column in zip(*self.written, strict=True)),
            self.nodes,
            self.rest,
        )


def _part(lattice: Lattice, rows: Integers) -> Lattice:
    if len(rows) == len(lattice.people):
        return lattice
    codes = [column[rows] for column in lattice.codes]
    sensitive = [(values[rows], size) for values, size in lattice.sensitive]
    return Lattice(lattice.columns, codes, lattice.people[rows], sensitive)


def groups_of_rows(part: Lattice, groups: NodeGroups) -> Integers:
    """Return the index of the group that each row is in, by the values of its columns at the node."""
    numbers, mine = np.zeros(len(part.people), np.int64), np.zeros(len(groups.sizes), np.int64)
    for column, (level, values) in enumerate(zip(groups.levels, groups.values(), strict=True)):
        size = part.columns[column].sizes[level]
        of_rows = part.columns[column].maps[level][part.codes[column]]
        both = np.concatenate([numbers * size + of_rows, mine * size + values])
        _, ranks = np.unique(both, return_inverse=True)
        numbers, mine = ranks[: len(numbers)], ranks[len(numbers) :]
    of_rank = np.zeros(int(mine.max(initial=0)) + 1, np.int64)
    of_rank[mine] = np.arange(len(mine))
    found: Integers = of_rank[numbers]
    return found


def _column_loss(lattice: Lattice, column: int, hidden: int, withheld: int) -> float:
    n, d = lattice.n_people, lattice.columns[column].n_raw
    return max(0, hidden + withheld * d - n) / (n * d - n) if d > 1 else 0.0


def _joined(parts: Sequence[tuple[GroupCells, ...]]) -> tuple[GroupCells, ...]:
    """Return the cells of several tables, one after the other."""
    made = []
    for of_column in zip(*parts, strict=True):
        ends = np.cumsum([0, *(len(cells.values) for cells in of_column)])
        made.append(
            GroupCells(
                np.concatenate([cells.values for cells in of_column]),
                np.concatenate([cells.counts for cells in of_column]),
                np.concatenate([cells.starts + end for cells, end in zip(of_column, ends, strict=False)]),
                of_column[0].n_values,
            )
        )
    return tuple(made)
