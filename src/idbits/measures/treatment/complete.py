"""The complete search: every node of the lattice is counted, so the optimum and the frontier are exact.

Implements: SPEC page advise.md, section 4 (i) and the ties of (ii).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice, Node, Walk
from idbits.measures.treatment.goal import Goal, risk_of_sizes
from idbits.measures.treatment.losses import TreatmentLoss

__all__ = ["Candidate", "FrontierGroups", "NodeCounter", "NodeTable", "RiskAxis", "better", "count_all_nodes"]

_MOST_KEPT = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node with the people withheld from it for the goal, and its loss.

    Attributes:
        meets: whether the goal is met.
    """

    node: Node
    withheld: int
    loss: float
    meets: bool = True

    @property
    def rank(self) -> tuple[float, int, Node]:
        """Smaller is better: the loss, then the people withheld, then the node."""
        return (self.loss, self.withheld, self.node)


def better(candidate: Candidate, than: Candidate | None) -> bool:
    """Whether a candidate is better: one that meets the goal, then the smaller loss, then fewer people withheld.

    Among candidates that miss the goal, fewer people who would have to be withheld are better.
    """
    if than is None or candidate.meets != than.meets:
        return than is None or candidate.meets
    if candidate.meets:
        return candidate.rank < than.rank
    return (candidate.withheld, *candidate.rank) < (than.withheld, *than.rank)


@dataclass(frozen=True, slots=True)
class RiskAxis:
    """The risk of a frontier: ``people_below`` (a size), ``singletons``, ``mean_risk`` or ``entropy_bits``."""

    figure: str = "people_below"
    number: int | None = 5

    @property
    def key(self) -> str:
        """The name of the figure, such as ``people_below.5``."""
        return self.figure if self.number is None else f"{self.figure}.{self.number}"

    def of(self, sizes: Integers, n_people: int) -> float:
        """Return the risk of groups as a share of all people, or in bits."""
        return risk_of_sizes(sizes, self.figure, self.number, n_people)


@dataclass(frozen=True, eq=False)
class NodeTable:
    """What was counted of nodes, in lexicographic order.

    Attributes:
        nodes: the levels of each node, one row each.
        withheld: the people that the goal withholds.
        meets: whether the goal is met within the limit.
        loss, risk: if nobody is withheld.
        treated_loss, treated_risk: after withholding; NaN if the goal is not met or nobody is withheld.
    """

    nodes: Integers
    withheld: Integers
    meets: NDArray[np.bool_]
    loss: Floats
    risk: Floats
    treated_loss: Floats
    treated_risk: Floats

    @property
    def best(self) -> Candidate | None:
        """The node that meets the goal with the least loss; if none does, the one with fewest people to withhold."""
        if not len(self.nodes):
            return None
        losses = np.where(np.isnan(self.treated_loss), self.loss, self.treated_loss)
        if self.meets.any():
            rows = np.flatnonzero(self.meets)
            order = np.lexsort((rows, self.withheld[rows], losses[rows]))
        else:
            rows = np.arange(len(self.nodes))
            order = np.lexsort((rows, losses, self.withheld))
        row = int(rows[order[0]])
        node = tuple(self.nodes[row].tolist())
        return Candidate(node, int(self.withheld[row]), float(losses[row]), bool(self.meets[row]))


class FrontierGroups:
    """Keeps the groups of nodes that may be on the frontier, so that they need not be counted again.

    Args:
        most_rows: the most groups to keep; nodes beyond are counted again.
    """

    def __init__(self, most_rows: int) -> None:
        self._left = most_rows
        # Ascending losses with falling risks.
        self._losses: list[float] = []
        self._points: list[tuple[float, Node]] = []
        self._kept: dict[Node, NodeGroups] = {}

    def offer(self, groups: NodeGroups, points: Sequence[tuple[float, float]]) -> None:
        """Keep a node if one of its points (risk, loss) is not beaten, and forget those that it beats."""
        entered = [self._enters(risk, loss, groups.levels) for risk, loss in points]
        if not any(entered):
            return
        present = {node for _, node in self._points}
        for other in [node for node in self._kept if node not in present]:
            self._left += len(self._kept.pop(other).sizes)
        if groups.levels in present and len(groups.sizes) <= self._left:
            self._left -= len(groups.sizes)
            self._kept[groups.levels] = groups

    def _enters(self, risk: float, loss: float, node: Node) -> bool:
        place = bisect_right(self._losses, loss)
        if math.isnan(loss) or (place and self._points[place - 1][0] <= risk):
            return False
        begin = bisect_left(self._losses, loss)
        end = begin
        while end < len(self._points) and self._points[end][0] >= risk:
            end += 1
        self._losses[begin:end], self._points[begin:end] = [loss], [(risk, node)]
        return True

    def get(self, node: Node) -> NodeGroups | None:
        """Return the groups of a node; None if they were not kept."""
        return self._kept.get(node)


class NodeCounter:
    """Collects the figures of the nodes that a walk visits."""

    def __init__(self, lattice: Lattice, goal: Goal, loss: TreatmentLoss, risk: RiskAxis) -> None:
        self._lattice, self._goal, self._loss, self._risk = lattice, goal, loss, risk
        self.rows: list[tuple[Node, int, bool, float, float, float, float]] = []
        self.groups = FrontierGroups(_MOST_KEPT * len(lattice.people))

    def visit(self, groups: NodeGroups) -> Candidate:
        """Count a node and return it as a candidate."""
        n = self._lattice.n_people
        found = self._goal.withheld(groups)
        plain = self._loss.of(groups, None, 0)
        risk = self._risk.of(groups.sizes, n)
        treated_loss = treated_risk = np.nan
        if found.meets and found.out is not None:
            treated_loss = self._loss.of(groups, found.out, found.people)
            treated_risk = self._risk.of(groups.sizes[~found.out], n)
        self.rows.append((groups.levels, found.people, found.meets, plain, risk, treated_loss, treated_risk))
        loss = treated_loss if found.meets and found.out is not None else plain
        self.groups.offer(groups, [(risk, plain), (treated_risk, treated_loss)])
        return Candidate(groups.levels, found.people, loss, found.meets)

    def table(self) -> NodeTable:
        """Return what was counted, sorted by node."""
        rows = sorted(self.rows)
        columns = list(zip(*rows, strict=True)) if rows else [()] * 7
        nodes, withheld, meets, *floats = columns
        shape = (len(rows), len(self._lattice.columns))
        return NodeTable(
            np.array(nodes, np.int64).reshape(shape),
            np.array(withheld, np.int64),
            np.array(meets, np.bool_),
            *(np.array(column, np.float64) for column in floats),
        )


def count_all_nodes(lattice: Lattice, goal: Goal, loss: TreatmentLoss, risk: RiskAxis) -> NodeTable:
    """Count every node."""
    counter = NodeCounter(lattice, goal, loss, risk)
    lattice.walk(Walk(counter.visit))
    return counter.table()
