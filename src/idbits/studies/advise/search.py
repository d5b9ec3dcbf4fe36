"""Chooses how a lattice is searched: completely, exactly with pruning, or as long as time allows."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from idbits.kernels.lattice.hashed import HashedNodes
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Walk
from idbits.measures.treatment.anytime import AnytimeSearch
from idbits.measures.treatment.bounds import least_loss
from idbits.measures.treatment.complete import Candidate, FrontierGroups, NodeCounter, NodeTable, better
from idbits.measures.treatment.losses import TreatmentLoss
from idbits.measures.treatment.pruned import PrunedWalk, climb, evaluate, loss_floors
from idbits.progress import INTERRUPTED, Count, Progress, TimeIsUpError
from idbits.studies.shared.treatments.problem import TreatmentProblem

__all__ = ["MOST_EXACT_NODES", "SearchOutcome", "search"]

MOST_ROLLED = 10**10
# Nodes that are counted from a finer one cost far less than those counted from all rows.
_ROLLED = 10
MOST_EXACT_NODES = 2_000_000
_DEFAULT_SECONDS = 60.0
# Most of them are left out by pruning: a few seconds.
_BOUND_ROWS = 2 * 10**9
_INTERRUPTED = "it was stopped with Ctrl-C"
_OVER = "the time limit was reached"
_ENOUGH = "the limit on the number of treatments was reached"
# A climb counts the neighbours of a few dozen nodes: as many nodes are rather counted completely.
_FEW_NODES = 200
_MOST_VISITS = 3_000


@dataclass(frozen=True, eq=False)
class SearchOutcome:
    """What a search found.

    Attributes:
        nodes: all nodes that were counted.
        groups: the groups of some of them, exactly counted.
        best: the best node.
        is_optimal: whether no other node can be better.
        is_complete: whether every node was counted.
        lower_bound: no node has a smaller loss.
        stopped: why the search ended early, or None.
        interrupted: whether Ctrl-C ended it.
    """

    nodes: NodeTable
    groups: FrontierGroups
    best: Candidate
    is_optimal: bool
    is_complete: bool
    lower_bound: float
    stopped: str | None = None
    interrupted: bool = False


def search(
    problem: TreatmentProblem, loss: TreatmentLoss, progress: Progress, *, with_bound: bool = True
) -> SearchOutcome:
    """Search the lattice of a problem; without a bound, the lower bound of a search that is not complete is 0."""
    return _LatticeSearch(problem, loss, progress).run(with_bound=with_bound)


class _LatticeSearch:
    def __init__(self, problem: TreatmentProblem, loss: TreatmentLoss, progress: Progress) -> None:
        self.problem, self.loss, self.progress = problem, loss, progress
        self.lattice, self.goal, self.question = problem.lattice, problem.goal, problem.question
        n = self.lattice.n_nodes
        rows, most_rows = len(self.lattice.people), self.question.effort.max_rows
        self._most_visits = None if most_rows is None else min(_MOST_VISITS, max(_FEW_NODES, most_rows // rows))
        is_cheap = n * rows <= MOST_ROLLED if most_rows is None else n <= _FEW_NODES or n * rows <= _ROLLED * most_rows
        is_small = n <= self.question.max_nodes and is_cheap
        # Without a bound, every node has to be counted.
        can_prune = n <= MOST_EXACT_NODES and loss.name != "mutual"
        self.way = "complete" if is_small else "exact" if can_prune else "anytime"
        limit = self.question.max_seconds
        is_limited = is_small or self._most_visits is not None
        seconds = limit if limit is not None else None if is_limited else _DEFAULT_SECONDS
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self.counter = NodeCounter(self.lattice, self.goal, loss, self.question.risk)
        self.best: Candidate | None = None
        self.count = Count(max(1, n))

    def run(self, *, with_bound: bool) -> SearchOutcome:
        stopped, interrupted = None, False
        ways = {"complete": self._count_all, "exact": self._exactly, "anytime": self._anytime}
        with self.progress.step("trying treatments", self.count):
            try:
                ways[self.way]()
            except TimeIsUpError:
                stopped = _OVER if self._is_late() else _ENOUGH
            except KeyboardInterrupt:
                if self.best is None or self._deadline is None:
                    raise
                INTERRUPTED.clear()
                stopped, interrupted = _INTERRUPTED, True
        assert self.best is not None
        ended = stopped is None and self.way != "anytime"
        return SearchOutcome(
            self.counter.table(),
            # The anytime search counts by hashes, so its groups are counted again.
            FrontierGroups(0) if self.way == "anytime" else self.counter.groups,
            self.best,
            is_optimal=ended,
            is_complete=ended and self.way == "complete",
            lower_bound=self._lower_bound(ended=ended, interrupted=interrupted) if with_bound or ended else 0.0,
            stopped=stopped,
            interrupted=interrupted,
        )

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _is_over(self) -> bool:
        too_many = self._most_visits is not None and len(self.counter.rows) >= self._most_visits
        return self._is_late() or (too_many and self.way != "complete")

    def _visit(self, groups: NodeGroups) -> None:
        candidate = self.counter.visit(groups)
        self.count.done += 1
        if better(candidate, self.best):
            self.best = candidate
        if self._is_over():
            raise TimeIsUpError

    def _count_all(self) -> None:
        if self._deadline is not None:
            self._first_candidate()
        self.lattice.walk(Walk(self._visit))

    def _first_candidate(self) -> Candidate:
        """Climb to a node that meets the goal, so that there is one if time is up."""
        hashed = HashedNodes(self.lattice, self.question.seed)
        self.best = evaluate(hashed.groups_at((0,) * len(self.lattice.columns)), self.goal, self.loss)
        start = climb(self.lattice, self.goal, self.loss, hashed.groups_at)
        # Recounted: two groups may have the same hash.
        self.best = evaluate(self.lattice.groups_at(start.node), self.goal, self.loss)
        return self.best

    def _exactly(self) -> None:
        start, floors = self._first_candidate(), loss_floors(self.lattice, self.goal, self.loss)
        walk = PrunedWalk(self.goal, self.loss, start, floors, self.lattice.n_people)

        def visit(groups: NodeGroups) -> None:
            self._visit(groups)
            assert self.best is not None
            walk.best = self.best

        self.lattice.walk(Walk(visit, walk.enter, walk.counted if self.loss.terms is None else None))

    def _anytime(self) -> None:
        run = AnytimeSearch(self.lattice, self.goal, self.loss, self.question.risk, self.question.seed, self._is_over)
        self.counter = run.counter
        try:
            run.run()
        finally:
            if run.best is not None:
                self.best = evaluate(self.lattice.groups_at(run.best.node), self.goal, self.loss)
        if run.stopped:
            raise TimeIsUpError

    def _lower_bound(self, *, ended: bool, interrupted: bool) -> float:
        """Return a loss that no node meeting the goal is below: that of the optimum, or the best bound known."""
        assert self.best is not None
        if ended and self.best.meets:
            return self.best.loss
        bounds = [0.0]
        if self.lattice.n_nodes <= MOST_EXACT_NODES:
            bounds.append(float(loss_floors(self.lattice, self.goal, self.loss)[0].min()))
        if not ended:
            bounds.append(least_loss(self.lattice, self.goal, self.loss, 0 if interrupted else self._bound_rows()))
        return max(bound for bound in bounds if np.isfinite(bound))

    def _bound_rows(self) -> int:
        """Return how many rows to visit for the bound: a small part of what the search itself may take."""
        most, seconds = self.question.effort.max_rows, self.question.max_seconds
        part = 1.0 if seconds is None else min(1.0, seconds / _DEFAULT_SECONDS)
        return int(part * _BOUND_ROWS) if most is None else min(_BOUND_ROWS, most)
