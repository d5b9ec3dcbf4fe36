"""Blocks, contraction and smallest cuts of graphs, against slow definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.kernels.contraction import connected_parts, contract
from idbits.kernels.graph_blocks import blocks_of_edges
from idbits.kernels.minimum_cuts import CutSearch

Edges = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    n_nodes = draw(st.integers(2, 8))
    pairs = [(tail, head) for tail in range(n_nodes) for head in range(tail + 1, n_nodes)]
    return n_nodes, draw(st.lists(st.sampled_from(pairs), unique=True, max_size=14))


def arrays(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    columns = np.array(edges, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def same_block(n_nodes: int, edges: Edges, one: int, other: int) -> bool:
    """Whether two edges lie on a common cycle: whichever node is removed, their other ends stay connected."""
    for removed in range(n_nodes):
        kept = [edge for edge in edges if removed not in edge]
        _, part = connected_parts(*arrays(kept), n_nodes)
        sides = [{part[end] for end in edges[index] if end != removed} for index in (one, other)]
        if not sides[0] & sides[1]:
            return False
    return True


@given(graphs())
def test_edges_are_in_one_block_if_no_node_separates_them(graph: tuple[int, Edges]) -> None:
    n_nodes, edges = graph
    block = blocks_of_edges(*arrays(edges), n_nodes)
    for one in range(len(edges)):
        for other in range(one):
            assert (block[one] == block[other]) == same_block(n_nodes, edges, one, other)


@given(graphs())
def test_a_block_of_one_edge_is_a_bridge(graph: tuple[int, Edges]) -> None:
    n_nodes, edges = graph
    block = blocks_of_edges(*arrays(edges), n_nodes)
    sizes = np.bincount(block, minlength=1)
    whole, _ = connected_parts(*arrays(edges), n_nodes)
    for index in range(len(edges)):
        without, _ = connected_parts(*arrays(edges[:index] + edges[index + 1 :]), n_nodes)
        assert (sizes[block[index]] == 1) == (without > whole)


def test_a_long_path_needs_no_recursion() -> None:
    nodes = np.arange(100_000)
    assert len(set(blocks_of_edges(nodes[:-1], nodes[1:], len(nodes)).tolist())) == len(nodes) - 1


@settings(max_examples=50)
@given(graphs(), st.data())
def test_contraction_keeps_every_small_directed_cut(graph: tuple[int, Edges], data: st.DataObject) -> None:
    n_nodes, edges = graph
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(edges), max_size=len(edges)))
    limit = data.draw(st.integers(1, 12))
    tails, heads = arrays(edges)
    contracted = contract(tails, heads, np.array(weights, np.int64), n_nodes, limit)
    assert contracted.weights.sum() == sum(weights[index] for index in np.flatnonzero(contracted.arc_of >= 0))
    for chosen in range(2**n_nodes):
        inside = [bool(chosen >> node & 1) for node in range(n_nodes)]
        if any(inside[head] and not inside[tail] for tail, head in edges):
            continue
        people = sum(weight for (tail, head), weight in zip(edges, weights, strict=True) if inside[tail] > inside[head])
        if people < limit:
            for node, other in enumerate(contracted.node_of):
                assert all(inside[node] == inside[same] for same in np.flatnonzero(contracted.node_of == other))


def test_the_cut_nearest_the_tail_is_chosen() -> None:
    # 0 -> 1 -> 3 and 0 -> 2 -> 3, with 0 -> 3: two smallest cuts of 3, {01, 02, 03} and {13, 23, 03}.
    search = CutSearch(np.array([0, 0, 1, 2, 0]), np.array([1, 2, 3, 3, 3]), np.ones(5, np.int64), 4, limit=10)
    weight, arcs = search.cut(4) or (0, np.zeros(0))
    assert weight == 3
    assert np.flatnonzero(arcs).tolist() == [0, 1, 4]


@pytest.mark.parametrize("limit", [3, 10**9])
def test_a_cut_of_at_least_the_limit_is_no_cut(limit: int) -> None:
    weights = np.array([limit - 1, limit - 1, limit - 1])
    search = CutSearch(np.array([0, 0, 1]), np.array([1, 2, 2]), weights, 3, limit)
    assert search.cut(0) is None
    assert search.cut(1) is None
