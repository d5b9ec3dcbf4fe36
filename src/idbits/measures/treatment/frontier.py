"""The frontier of risk and loss: the treatments that no other one beats in both.

Implements: SPEC page advise.md, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Integers
from idbits.kernels.lattice.walk import Node
from idbits.measures.treatment.complete import NodeTable

__all__ = ["FrontierPoint", "frontier_of", "frontier_rows"]


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """A node on the frontier; ``is_treated`` if the people that the goal withholds are withheld."""

    node: Node
    risk: float
    loss: float
    is_treated: bool


def frontier_rows(risk: Floats, loss: Floats, withheld: Integers) -> Integers:
    """Return the points that no other one beats: at most as high in both and lower in one. Lowest loss first.

    Of points with the same risk and loss, the one with fewest people withheld, then the first.

    >>> frontier_rows(np.array([3.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.5, 0.4, 0.4]), np.zeros(4, int)).tolist()
    [0, 3]
    """
    order = np.lexsort((np.arange(len(risk)), withheld, risk, loss))
    lowest = np.minimum.accumulate(np.concatenate(([np.inf], risk[order][:-1])))
    return order[risk[order] < lowest]


def frontier_of(table: NodeTable) -> list[FrontierPoint]:
    """Return the frontier of all nodes, as they are and with people withheld for the goal."""
    treated = np.flatnonzero(~np.isnan(table.treated_loss))
    risk = np.concatenate([table.risk, table.treated_risk[treated]])
    loss = np.concatenate([table.loss, table.treated_loss[treated]])
    withheld = np.concatenate([np.zeros(len(table.nodes), np.int64), table.withheld[treated]])
    rows = np.concatenate([np.arange(len(table.nodes)), treated])
    return [
        FrontierPoint(
            tuple(table.nodes[rows[index]].tolist()),
            float(risk[index]),
            float(loss[index]),
            bool(index >= len(table.nodes)),
        )
        for index in frontier_rows(risk, loss, withheld).tolist()
    ]
