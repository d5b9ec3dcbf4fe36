"""Contraction of a directed graph: nodes that no directed cut of less than a limit separates become one.

A directed cut is the set of arcs that leave a set of nodes which no arc enters. Below the limit it cannot contain an
arc of at least the limit, separate nodes on a directed cycle, or separate nodes that every undirected cut below the
limit leaves together. What is left is a small graph without directed cycles that has the same cuts below the limit.

Implements: for the last kind, the scan of Nagamochi and Ibaraki (1992), with attachments capped at the limit as in
Henzinger, Noe, Schulz and Strash (2018), Practical minimum cut algorithms, section 3.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.graph_blocks import incident_edges

__all__ = ["ContractedGraph", "connected_parts", "contract"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ContractedGraph:
    """What is left of a graph.

    Attributes:
        n_nodes: the number of nodes left.
        node_of: for each original node, the node that it became part of.
        tails, heads, weights: the arcs between different nodes, each pair of nodes once.
        arc_of: for each original arc, the arc that it became part of; -1 if both of its ends became one node.
    """

    n_nodes: int
    node_of: Integers
    tails: Integers
    heads: Integers
    weights: Integers
    arc_of: Integers


def contract(tails: Integers, heads: Integers, weights: Integers, n_nodes: int, limit: int) -> ContractedGraph:
    """Contract a graph with positive weights until only cuts below the limit may separate two nodes.

    >>> graph = contract(np.array([0, 0, 1]), np.array([2, 3, 3]), np.array([50, 3, 40]), 4, limit=10)
    >>> graph.node_of.tolist(), graph.tails.tolist(), graph.heads.tolist(), graph.weights.tolist()
    ([1, 0, 1, 0], [1], [0], [3])
    """
    graph = _merged(tails, heads, weights, np.arange(n_nodes, dtype=np.int64), n_nodes)
    while len(graph.tails):
        n_labels, labels = _cycles(graph, limit)
        if n_labels == graph.n_nodes:
            n_labels, labels = _attached(graph, limit)
        if n_labels == graph.n_nodes:
            break
        graph = _combined(graph, _merged(graph.tails, graph.heads, graph.weights, labels, n_labels))
    return graph


def _merged(tails: Integers, heads: Integers, weights: Integers, node_of: Integers, n_nodes: int) -> ContractedGraph:
    """Merge nodes, then arcs between the same nodes."""
    ends = node_of[tails], node_of[heads]
    between = np.flatnonzero(ends[0] != ends[1])
    keys, arcs = np.unique(ends[0][between] * n_nodes + ends[1][between], return_inverse=True)
    arc_of = np.full(len(tails), -1, np.int64)
    arc_of[between] = arcs
    total = np.zeros(len(keys), np.int64)
    np.add.at(total, arcs, weights[between])
    return ContractedGraph(n_nodes, node_of, keys // n_nodes, keys % n_nodes, total, arc_of)


def _combined(first: ContractedGraph, then: ContractedGraph) -> ContractedGraph:
    """Return two contractions as one."""
    arc_of = np.append(then.arc_of, -1)[first.arc_of]
    return ContractedGraph(then.n_nodes, then.node_of[first.node_of], then.tails, then.heads, then.weights, arc_of)


def _cycles(graph: ContractedGraph, limit: int) -> tuple[int, Integers]:
    """Merge nodes on directed cycles; an arc of at least the limit is one in both directions."""
    heavy = graph.weights >= limit
    tails = np.concatenate((graph.tails, graph.heads[heavy]))
    heads = np.concatenate((graph.heads, graph.tails[heavy]))
    return connected_parts(tails, heads, graph.n_nodes, "strong")


def _attached(graph: ContractedGraph, limit: int) -> tuple[int, Integers]:
    """Merge nodes that no undirected cut of less than the limit separates, as far as one scan shows it."""
    starts, others, edges = incident_edges(graph.tails, graph.heads, graph.n_nodes)
    first, neighbours, weights = starts.tolist(), others.tolist(), graph.weights[edges].tolist()
    attachment = [0] * graph.n_nodes
    visited = [False] * graph.n_nodes
    pairs: list[tuple[int, int]] = []
    for root in range(graph.n_nodes):
        queue = [] if visited[root] else [(0, root)]
        while queue:
            _, node = heapq.heappop(queue)
            if visited[node]:
                continue
            visited[node] = True
            for index in range(first[node], first[node + 1]):
                other = neighbours[index]
                if visited[other]:
                    continue
                before = attachment[other]
                after = attachment[other] = before + weights[index]
                if after >= limit:
                    pairs.append((node, other))
                if before < limit:
                    heapq.heappush(queue, (-min(after, limit), other))
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    return connected_parts(ends[:, 0], ends[:, 1], graph.n_nodes, "weak")


def connected_parts(tails: Integers, heads: Integers, n_nodes: int, connection: str = "weak") -> tuple[int, Integers]:
    """Return the number of connected parts of a graph, and the part of each node.

    >>> connected_parts(np.array([0]), np.array([2]), 3)[1].tolist()
    [0, 1, 0]
    """
    # SciPy takes long to import.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    arcs = coo_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(n_nodes, n_nodes))
    n_labels, labels = connected_components(arcs, directed=True, connection=connection)
    return int(n_labels), labels.astype(np.int64)
