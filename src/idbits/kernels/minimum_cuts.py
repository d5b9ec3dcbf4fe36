"""Smallest directed cuts below a limit through the arcs of a small graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["LARGEST_LIMIT", "CutSearch"]

Integers = NDArray[np.int64]

LARGEST_LIMIT = 10**9
"""SciPy's capacities are 32-bit integers, and what is left of two opposite ones can be twice the limit."""


@dataclass(eq=False)
class CutSearch:
    """A graph whose arcs all weigh less than a limit, searched for smallest directed cuts.

    Attributes:
        tails, heads, weights: the arcs, each pair of nodes once, in one direction.
        n_nodes: the number of nodes.
        limit: cuts of at least this weight do not matter.
    """

    tails: Integers
    heads: Integers
    weights: Integers
    n_nodes: int
    limit: int

    def cut(self, arc: int) -> tuple[int, NDArray[np.bool_]] | None:
        """Return the weight and the arcs of the smallest directed cut with an arc; None if none is below the limit.

        Of several smallest cuts, return the one nearest the tail of the arc.
        """
        from scipy.sparse.csgraph import breadth_first_order, maximum_flow

        inlet, capacities = self.n_nodes, self._capacities
        # The limit enters at the tail of the arc and at no other node, so that no flow exceeds it.
        entry = int(capacities.indptr[inlet]) + int(self.tails[arc])
        capacities.data[entry] = self.limit
        found = maximum_flow(capacities, inlet, int(self.heads[arc]))
        weight = int(found.flow_value)
        near = np.zeros(self.n_nodes + 1, np.bool_)
        if weight < self.limit:
            residual = capacities - found.flow
            residual.eliminate_zeros()
            near[breadth_first_order(residual, inlet, return_predecessors=False)] = True
        capacities.data[entry] = 0
        return (weight, near[self.tails] & ~near[self.heads]) if weight < self.limit else None

    @cached_property
    def _capacities(self) -> csr_array:
        """Forward the weight of an arc; backward the limit, because an arc against the direction forbids the cut.

        The last node is an inlet, connected with every other one.
        """
        from scipy.sparse import coo_array

        nodes, inlet = np.arange(self.n_nodes), np.full(self.n_nodes, self.n_nodes)
        tails = np.concatenate((self.tails, self.heads, inlet, nodes))
        heads = np.concatenate((self.heads, self.tails, nodes, inlet))
        capacities = np.zeros(len(tails), np.int32)
        capacities[: len(self.weights)] = self.weights
        capacities[len(self.weights) : 2 * len(self.weights)] = self.limit
        matrix = coo_array((capacities, (tails, heads)), shape=(self.n_nodes + 1, self.n_nodes + 1)).tocsr()
        matrix.sort_indices()
        return matrix
