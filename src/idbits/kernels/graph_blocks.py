"""Blocks of a graph: edges that lie on a common cycle. A block of one edge is a bridge.

Implements: Hopcroft and Tarjan (1973), Algorithm 447, without recursion; linear in the number of edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["blocks_of_edges", "incident_edges"]

Integers = NDArray[np.int64]


def incident_edges(tails: Integers, heads: Integers, n_nodes: int) -> tuple[Integers, Integers, Integers]:
    """Return where the edges of each node start, then the other ends and the numbers of these edges.

    >>> starts, others, edges = incident_edges(np.array([0, 0]), np.array([1, 2]), 3)
    >>> starts.tolist(), others.tolist(), edges.tolist()
    ([0, 2, 3, 4], [1, 2, 0, 0], [0, 1, 0, 1])
    """
    n_edges = len(tails)
    ends = np.concatenate((tails, heads))
    order = np.argsort(ends, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=n_nodes))))
    return starts, np.concatenate((heads, tails))[order], order % max(n_edges, 1)


def blocks_of_edges(tails: Integers, heads: Integers, n_nodes: int) -> Integers:
    """Return the number of the block of each edge of a graph without loops.

    >>> tails, heads = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3])
    >>> blocks_of_edges(tails, heads, 4).tolist()
    [1, 1, 1, 0]
    """
    starts, others, edges = (part.tolist() for part in incident_edges(tails, heads, n_nodes))
    block = [-1] * len(tails)
    n_blocks = 0
    # The order in which nodes are reached, and the earliest node that their subtree reaches by one more edge.
    reached = [-1] * n_nodes
    lowest = [0] * n_nodes
    following = starts[:-1]
    clock = 0
    for root in range(n_nodes):
        if reached[root] >= 0:
            continue
        reached[root] = lowest[root] = clock
        clock += 1
        path, path_edges, open_edges = [root], [-1], list[int]()
        while path:
            node = path[-1]
            index = following[node]
            if index < starts[node + 1]:
                following[node] = index + 1
                other, edge = others[index], edges[index]
                if reached[other] < 0:
                    reached[other] = lowest[other] = clock
                    clock += 1
                    path.append(other)
                    path_edges.append(edge)
                    open_edges.append(edge)
                elif edge != path_edges[-1] and reached[other] < reached[node]:
                    open_edges.append(edge)
                    lowest[node] = min(lowest[node], reached[other])
                continue
            path.pop()
            last = path_edges.pop()
            if not path:
                break
            parent = path[-1]
            lowest[parent] = min(lowest[parent], lowest[node])
            if lowest[node] >= reached[parent]:
                while block[last] < 0:
                    block[open_edges.pop()] = n_blocks
                n_blocks += 1
    return np.array(block, np.int64)
