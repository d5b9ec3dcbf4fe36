"""The complete search: every node of the lattice is counted, so the optimum and the frontier are exact.

Implements: SPEC page advise.md, section 4 (i) and the ties of (ii).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice, Node, Walk
from idbits.measures.treatment.goal import Goal, risk_of_sizes
from idbits.measures.treatment.losses import TreatmentLoss

__all__ = ["Candidate", "NodeCounter", "NodeTable", "RiskAxis", "better", "count_all_nodes"]


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


class NodeCounter:
    """Collects the figures of the nodes that a walk visits."""

    def __init__(self, lattice: Lattice, goal: Goal, loss: TreatmentLoss, risk: RiskAxis) -> None:
        self._lattice, self._goal, self._loss, self._risk = lattice, goal, loss, risk
        self.rows: list[tuple[Node, int, bool, float, float, float, float]] = []

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
