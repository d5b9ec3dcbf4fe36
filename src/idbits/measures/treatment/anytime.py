"""The anytime search for lattices that are too large to be searched completely: it can stop at any moment.

It descends from the coarsest, the finest and the middle node by the best change of one level, and then starts again
from the best node with three columns changed at random.

Implements: SPEC page advise.md, section 4 (iii).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from idbits.kernels.lattice.hashed import HashedNodes
from idbits.kernels.lattice.walk import Lattice, Node
from idbits.measures.treatment.complete import Candidate, NodeCounter, RiskAxis, better
from idbits.measures.treatment.goal import Goal
from idbits.measures.treatment.losses import TreatmentLoss
from idbits.measures.treatment.pruned import most_saving, neighbours

__all__ = ["AnytimeSearch"]

_CHANGED = 3
_FRUITLESS_STARTS = 300


@dataclass(eq=False)
class AnytimeSearch:
    """A search that keeps the best node so far.

    Attributes:
        is_over: tells when time is up; asked before each node.
        best: the best node so far.
        stopped: whether time was up before the search ended by itself.
    """

    lattice: Lattice
    goal: Goal
    loss: TreatmentLoss
    risk: RiskAxis
    seed: int
    is_over: Callable[[], bool]
    best: Candidate | None = None
    stopped: bool = False
    _known: dict[Node, Candidate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._nodes = HashedNodes(self.lattice, self.seed)
        self.counter = NodeCounter(self.lattice, self.goal, self.loss, self.risk)

    def run(self) -> None:
        """Search until no start has improved the best node for a while, or until time is up."""
        try:
            self._search()
        except _OverError:
            self.stopped = True

    def _search(self) -> None:
        n_levels = self.lattice.n_levels
        for start in ([n - 1 for n in n_levels], [0] * len(n_levels), [(n - 1) // 2 for n in n_levels]):
            self._descend(tuple(start))
        random = np.random.default_rng(self.seed)
        fruitless = 0
        while fruitless < _FRUITLESS_STARTS:
            assert self.best is not None
            node = list(self.best.node)
            for column in random.permutation(len(node))[:_CHANGED]:
                node[column] = int(random.integers(n_levels[column]))
            before = self.best
            self._descend(tuple(node))
            fruitless = fruitless + 1 if self.best is before else 0

    def _descend(self, start: Node) -> None:
        present = self._at(start)
        while True:
            changes = [
                self._at(node) for way in (-1, 1) for node in neighbours(present.node, self.lattice.n_levels, way)
            ]
            if present.meets:
                best = min((step for step in changes if step.meets), key=lambda step: step.rank, default=None)
                if best is None or not better(best, present):
                    return
                present = best
                continue
            coarser = [step for step in changes if sum(step.node) > sum(present.node)]
            if not coarser:
                return
            met = min((step for step in coarser if step.meets), key=lambda step: step.rank, default=None)
            present = met or most_saving(present, coarser)

    def _at(self, node: Node) -> Candidate:
        if node not in self._known:
            if self.best is not None and self.is_over():
                raise _OverError
            candidate = self.counter.visit(self._nodes.groups_at(node))
            self._known[node] = candidate
            if better(candidate, self.best):
                self.best = candidate
        return self._known[node]


class _OverError(Exception):
    """Time is up."""
