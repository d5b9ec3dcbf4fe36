"""The exact search for one optimum: subtrees that cannot contain it are left out before they are counted.

A subtree is left out if its smallest loss without withholding is above the loss of a node that is known to meet the
goal, or if one, two or three columns alone, at the levels of all its nodes, already rule out the goal.

Implements: SPEC page advise.md, section 4 (ii).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.distinct import people_by_code
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice, Node, Walk, WalkStep
from idbits.measures.treatment.complete import Candidate, better
from idbits.measures.treatment.goal import Withheld
from idbits.measures.treatment.losses import TreatmentLoss
from idbits.measures.treatment.necessary import NecessaryLimits

__all__ = [
    "PrunedWalk", "SearchGoal", "climb", "evaluate", "find_optimum", "levels_ruled_out", "loss_floors", "most_saving",
    "neighbours",
]  # fmt: skip

_SLACK = 1e-12
_MOST_CELLS = 200_000
_MOST_COLUMNS = 3


class SearchGoal(Protocol):
    """A goal that a search tries to meet."""

    def withheld(self, groups: NodeGroups) -> Withheld:
        """Return who has to be withheld from a node."""

    def necessary(self, n_people: int) -> NecessaryLimits:
        """Return what the groups of some columns of a treatment that meets the goal must satisfy."""


def evaluate(groups: NodeGroups, goal: SearchGoal, loss: TreatmentLoss, *, above: float = np.inf) -> Candidate:
    """Return a node as a candidate; its loss is not computed if the goal is missed or it is above the limit anyway."""
    found = goal.withheld(groups)
    if not found.meets:
        return Candidate(groups.levels, found.people, loss.of(groups, None, 0), meets=False)
    plain = loss.of(groups, None, 0)
    if found.out is None or plain > above * (1 + _SLACK):
        return Candidate(groups.levels, found.people, plain)
    return Candidate(groups.levels, found.people, loss.of(groups, found.out, found.people))


def climb(
    lattice: Lattice, goal: SearchGoal, loss: TreatmentLoss, count: Callable[[Node], NodeGroups] | None = None
) -> Candidate:
    """Climb from the finest node to one that meets the goal, then step back to finer levels while the loss falls.

    Each step makes the column coarser that saves most withheld people for the loss it adds.
    """
    count = lattice.groups_at if count is None else count
    present = evaluate(count((0,) * len(lattice.columns)), goal, loss)
    while not present.meets:
        steps = [evaluate(count(node), goal, loss) for node in neighbours(present.node, lattice.n_levels, 1)]
        if not steps:
            return present
        finest = min((step for step in steps if step.meets), key=lambda step: step.rank, default=None)
        present = finest or most_saving(present, steps)
    while True:
        steps = [evaluate(count(node), goal, loss) for node in neighbours(present.node, lattice.n_levels, -1)]
        finer = min((step for step in steps if step.meets), key=lambda step: step.rank, default=None)
        if finer is None or not better(finer, present):
            return present
        present = finer


def most_saving(present: Candidate, steps: Sequence[Candidate]) -> Candidate:
    """Return the step that saves most withheld people for the loss it adds."""

    def saved(step: Candidate) -> tuple[float, float]:
        added, fewer = step.loss - present.loss, present.withheld - step.withheld
        return (fewer / added if added > 0 else np.inf if fewer > 0 else 0.0, -added)

    return max(steps, key=saved)


def neighbours(node: Node, n_levels: Node, change: int) -> list[Node]:
    """Return the nodes that differ by one level in one column."""
    return [
        (*node[:index], level + change, *node[index + 1 :])
        for index, level in enumerate(node)
        if 0 <= level + change < n_levels[index]
    ]


def loss_floors(lattice: Lattice, goal: SearchGoal, loss: TreatmentLoss) -> list[Floats]:
    """Return, for the levels of the first columns of a walk, the smallest loss that a node with them can have.

    It is infinite if no such node can meet the goal. The last entry has one number per node.
    """
    shape = [lattice.n_levels[index] for index in lattice.order]
    grid = np.zeros(shape)
    if loss.terms is not None:
        for axis, index in enumerate(lattice.order):
            grid = grid + np.asarray(loss.terms[index]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        grid = _finished(grid, loss)
    limits = goal.necessary(lattice.n_people)
    if not limits.say_nothing:
        grid = np.where(_excluded(lattice, limits), np.inf, grid)
    floors = [grid]
    for _ in range(len(shape) - 1):
        floors.append(floors[-1].min(axis=-1))
    return floors[::-1]


def _finished(grid: Floats, loss: TreatmentLoss) -> Floats:
    distinct, where = np.unique(grid, return_inverse=True)
    return np.array([loss.finished(float(total)) for total in distinct])[where.reshape(grid.shape)]


def _excluded(lattice: Lattice, limits: NecessaryLimits) -> NDArray[np.bool_]:
    """Return which nodes have up to three columns that alone rule out the goal."""
    shape = [lattice.n_levels[index] for index in lattice.order]
    excluded = np.zeros(shape, np.bool_)
    for n_columns in range(1, min(_MOST_COLUMNS, len(shape)) + 1):
        for axes in itertools.combinations(range(len(shape)), n_columns):
            out = levels_ruled_out(lattice, [lattice.order[axis] for axis in axes], limits)
            if out is None:
                continue
            excluded |= out.reshape([shape[axis] if axis in axes else 1 for axis in range(len(shape))])
    return excluded


def levels_ruled_out(lattice: Lattice, columns: Sequence[int], limits: NecessaryLimits) -> NDArray[np.bool_] | None:
    """Return the levels of some columns with which no treatment meets the goal; None if they have too many values."""
    table = _joint_people(lattice, columns)
    if table is None:
        return None
    out = np.zeros([lattice.n_levels[column] for column in columns], np.bool_)
    _mark(table, [lattice.columns[column].maps for column in columns], limits, out, ())
    return out


def _joint_people(lattice: Lattice, columns: Sequence[int]) -> Integers | None:
    """Return the people of each combination of values; None if there are too many combinations."""
    sizes = [lattice.columns[column].sizes[0] for column in columns]
    if prod(sizes) > _MOST_CELLS:
        return None
    codes = np.zeros(len(lattice.people), np.int64)
    for column, size in zip(columns, sizes, strict=True):
        codes = codes * size + lattice.codes[column]
    return people_by_code(codes, prod(sizes), lattice.people).reshape(sizes)


def _mark(
    table: Integers,
    maps: Sequence[Sequence[Integers]],
    limits: NecessaryLimits,
    out: NDArray[np.bool_],
    levels: tuple[int, ...],
) -> None:
    """Mark the combinations of levels that are not within the limits."""
    axis = len(levels)
    if axis == len(maps):
        out[levels] = not limits.allow(table)
        return
    for level, of_number in enumerate(maps[axis]):
        begins = np.flatnonzero(np.diff(of_number, prepend=-1))
        _mark(np.add.reduceat(table, begins, axis=axis), maps, limits, out, (*levels, level))


class PrunedWalk:
    """Decides which subtrees a walk leaves out, given the best node so far."""

    def __init__(
        self, goal: SearchGoal, loss: TreatmentLoss, start: Candidate, floors: list[Floats], n_people: int
    ) -> None:
        self.goal, self.loss, self.best, self.floors = goal, loss, start, floors
        self.limits = goal.necessary(n_people)
        self.n_counted = 0

    @property
    def limit(self) -> float:
        """A loss above this cannot be the optimum."""
        return self.best.loss * (1 + _SLACK) if self.best.meets else np.inf

    def enter(self, levels: tuple[int, ...]) -> WalkStep:
        """Leave out subtrees without a node that can be better, before they are counted."""
        floor = self.floors[len(levels) - 1][levels]
        # An infinite floor means that no node below can meet the goal.
        return WalkStep.SKIP if floor > self.limit or (floor == np.inf and self.best.meets) else WalkStep.VISIT

    def counted(self, levels: tuple[int, ...], sizes: Integers) -> bool:  # noqa: ARG002
        """Whether a subtree can have a better node, given the groups of its finest one."""
        return self.loss.least(sizes, self.limits) <= self.limit

    def visit(self, groups: NodeGroups) -> None:
        """Count a node."""
        self.n_counted += 1
        candidate = evaluate(groups, self.goal, self.loss, above=self.best.loss if self.best.meets else np.inf)
        if better(candidate, self.best):
            self.best = candidate


def find_optimum(
    lattice: Lattice, goal: SearchGoal, loss: TreatmentLoss, start: Candidate | None = None
) -> tuple[Candidate, int]:
    """Return the optimum and the number of nodes counted for it, besides those of the climb."""
    start = climb(lattice, goal, loss) if start is None else start
    search = PrunedWalk(goal, loss, start, loss_floors(lattice, goal, loss), lattice.n_people)
    lattice.walk(Walk(search.visit, search.enter, search.counted if loss.terms is None else None))
    return search.best, search.n_counted
