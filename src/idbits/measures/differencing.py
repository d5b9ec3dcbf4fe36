"""Geographical differencing: small groups that can be computed from two tables of counts over different zones.

Zones of two zonings are the nodes of a graph; the people in zone a of the first and zone b of the second are the arc
from a to b (an atom). The counts of all zones fix exactly the sums of atoms that are disjoint unions of directed cuts:
X is a set of zones such that no atom leads from a first zone outside X to a second zone inside X, and

    (first zones in X) - (second zones in X) = atoms from a first zone in X to a second zone outside X.

So the smallest group with an atom that can be computed is its smallest directed cut.

Implements: disclosure.md section 5 (a), amended in section 8. The tests compare it with linear algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.contraction import ContractedGraph, connected_parts, contract
from idbits.kernels.graph_blocks import blocks_of_edges, incident_edges
from idbits.kernels.minimum_cuts import CutSearch

__all__ = ["MOST_ZONES", "Differencing", "IsolatedGroup", "ZoneAtoms", "isolate"]

Integers = NDArray[np.int64]

MOST_ZONES = 2_000
"""Blocks of more zones than this, after contraction, are only searched for bridges."""


@dataclass(frozen=True, eq=False)
class ZoneAtoms:
    """The people by zone of both zonings.

    Attributes:
        first, second: for each atom, its zone in the first and in the second zoning, numbered from 0.
        people: the people of each atom, at least one.
        n_first, n_second: the number of zones of each zoning; all have people.
    """

    first: Integers
    second: Integers
    people: Integers
    n_first: int
    n_second: int

    @classmethod
    def of(cls, first: Integers, second: Integers, people: Integers) -> ZoneAtoms:
        """Combine rows of the same two zones, leave out those without people, and number the zones that are left.

        >>> atoms = ZoneAtoms.of(np.array([7, 7, 9]), np.array([0, 0, 4]), np.array([1, 2, 0]))
        >>> atoms.first.tolist(), atoms.people.tolist(), atoms.n_first
        ([0], [3], 1)
        """
        return cls.numbered(first, second, people)[0]

    @classmethod
    def numbered(
        cls, first: Integers, second: Integers, people: Integers
    ) -> tuple[ZoneAtoms, tuple[Integers, Integers]]:
        """Also return the original number of each zone that is left."""
        kept = people > 0
        width = int(second.max(initial=0)) + 1
        keys, atoms = np.unique(first[kept] * width + second[kept], return_inverse=True)
        total = np.zeros(len(keys), np.int64)
        np.add.at(total, atoms, people[kept])
        (firsts, of_first), (seconds, of_second) = (
            np.unique(codes, return_inverse=True) for codes in (keys // width, keys % width)
        )
        return cls(of_first, of_second, total, len(firsts), len(seconds)), (firsts, seconds)

    def __len__(self) -> int:
        return len(self.people)

    @cached_property
    def zone_people(self) -> tuple[Integers, Integers]:
        """The people of each zone of the first and of the second zoning."""
        return self._sums(self.first, self.n_first), self._sums(self.second, self.n_second)

    def _sums(self, zones: Integers, n_zones: int) -> Integers:
        total = np.zeros(n_zones, np.int64)
        np.add.at(total, zones, self.people)
        return total

    @property
    def smallest_zone(self) -> Integers:
        """For each atom, the people of the smaller of its two zones."""
        first, second = self.zone_people
        return np.minimum(first[self.first], second[self.second])

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """For each atom, its two zones as nodes of one graph: the second zones come after the first."""
        return self.first, self.second + self.n_first


@dataclass(frozen=True, slots=True)
class IsolatedGroup:
    """People whom differencing isolates: zones of one zoning, minus zones of the other.

    Attributes:
        people: their number.
        atoms: the atoms that they are, by index.
        adds_first: whether the zones added are of the first zoning, and those taken away of the second.
        added, taken: these zones.
    """

    people: int
    atoms: tuple[int, ...]
    adds_first: bool
    added: tuple[int, ...]
    taken: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Differencing:
    """What two tables of counts give away together.

    Attributes:
        atoms: the people by zone of both zonings.
        limit: groups of fewer people are small.
        n_components: the number of parts of the graph, between which nothing can be computed.
        groups: the small groups that differencing isolates, the smallest first. Each is the smallest one of at least
            one of its atoms, and smaller than both zones of that atom. Groups may overlap.
        unsearched: atoms of too large a block, which may belong to further small groups.
    """

    atoms: ZoneAtoms
    limit: int
    n_components: int
    groups: tuple[IsolatedGroup, ...]
    unsearched: Integers

    @cached_property
    def isolated_atoms(self) -> Integers:
        """The atoms of all groups, each once."""
        return np.array(sorted({atom for group in self.groups for atom in group.atoms}), np.int64)

    @property
    def isolated_people(self) -> int:
        """The people in the groups, each counted once."""
        return int(self.atoms.people[self.isolated_atoms].sum())

    @property
    def small_zones(self) -> int:
        """The number of zones that are themselves small."""
        return sum(int(np.count_nonzero(people < self.limit)) for people in self.atoms.zone_people)

    @property
    def people_in_small_zones(self) -> int:
        """The people in such zones, each counted once."""
        return int(self.atoms.people[self.atoms.smallest_zone < self.limit].sum())


def isolate(
    atoms: ZoneAtoms, limit: int, advance: Callable[[float], None] | None = None, most_zones: int = MOST_ZONES
) -> Differencing:
    """Find the small groups that differencing isolates.

    ``advance`` receives the share of the work that is done.

    >>> atoms = ZoneAtoms.of(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([50, 3, 40]))
    >>> [(group.people, group.added, group.taken) for group in isolate(atoms, limit=10).groups]
    [(3, (0,), (0,))]
    """
    tails, heads = atoms.ends
    n_zones = atoms.n_first + atoms.n_second
    n_components, _ = connected_parts(tails, heads, n_zones)
    graph = contract(tails, heads, atoms.people, n_zones, limit)
    search = _GroupSearch(atoms, graph, limit, most_zones)
    cuts = search.smallest_cuts(advance or (lambda _: None))
    groups = [search.group(people, cut) for cut, people in cuts.items()]
    groups.sort(key=lambda group: (group.people, group.atoms))
    return Differencing(atoms, limit, n_components, tuple(groups), search.unsearched)


class _GroupSearch:
    """The search for small groups in a contracted graph."""

    def __init__(self, atoms: ZoneAtoms, graph: ContractedGraph, limit: int, most_zones: int) -> None:
        self._atoms = atoms
        self._graph = graph
        self._limit = limit
        self._most_zones = most_zones
        self.unsearched = np.zeros(0, np.int64)
        # Only a cut below both zones of an atom tells more than the zones themselves.
        self._bound = np.zeros(len(graph.weights), np.int64)
        kept = graph.arc_of >= 0
        np.maximum.at(self._bound, graph.arc_of[kept], atoms.smallest_zone[kept])

    def smallest_cuts(self, advance: Callable[[float], None]) -> dict[tuple[int, ...], int]:
        """Return the arcs of each small cut that some atom needs, with its people."""
        blocks = blocks_of_edges(self._graph.tails, self._graph.heads, self._graph.n_nodes)
        sizes = np.bincount(blocks)
        promising = self._graph.weights < self._bound
        bridges = np.flatnonzero((sizes[blocks] == 1) & promising)
        cuts: dict[tuple[int, ...], int] = {(arc,): int(self._graph.weights[arc]) for arc in bridges.tolist()}
        order = np.argsort(blocks, kind="stable")
        ends = np.cumsum(sizes)
        for block in np.flatnonzero(sizes > 1).tolist():
            arcs = order[ends[block] - sizes[block] : ends[block]]
            cuts |= self._cuts_of_block(arcs, promising[arcs])
            advance(float(ends[block]) / len(order))
        return cuts

    def _cuts_of_block(self, arcs: Integers, promising: NDArray[np.bool_]) -> dict[tuple[int, ...], int]:
        nodes, local = np.unique((self._graph.tails[arcs], self._graph.heads[arcs]), return_inverse=True)
        if len(nodes) > self._most_zones:
            atoms = np.flatnonzero(np.isin(self._graph.arc_of, arcs[promising]))
            self.unsearched = np.concatenate((self.unsearched, atoms))
            return {}
        tails, heads = local.reshape(2, -1)
        search = CutSearch(tails, heads, self._graph.weights[arcs], len(nodes), self._limit)
        cuts: dict[tuple[int, ...], int] = {}
        for arc in np.flatnonzero(promising).tolist():
            cut = search.cut(arc)
            if cut is not None and cut[0] < self._bound[arcs[arc]]:
                cuts[tuple(arcs[cut[1]].tolist())] = cut[0]
        return cuts

    def group(self, people: int, cut: tuple[int, ...]) -> IsolatedGroup:
        """Return the group of a cut, with the zones of the smaller side of the cut."""
        atoms = np.concatenate([self._atoms_of_arc(arc) for arc in cut])
        removed = frozenset(cut)
        tail, head = int(self._graph.tails[cut[0]]), int(self._graph.heads[cut[0]])
        near, far = _Side(self, tail, removed), _Side(self, head, removed)
        side = near if near.cost <= far.cost else far
        while side.grow():
            side = near if near.cost <= far.cost else far
        zones = np.sort(np.concatenate([self.zones_of_node(node) for node in side.nodes]))
        n_first = self._atoms.n_first
        first, second = zones[zones < n_first].tolist(), (zones[zones >= n_first] - n_first).tolist()
        added, taken = (first, second) if side is near else (second, first)
        return IsolatedGroup(people, tuple(np.sort(atoms).tolist()), side is near, tuple(added), tuple(taken))

    def _atoms_of_arc(self, arc: int) -> Integers:
        starts, order = self._atom_order
        return order[starts[arc] : starts[arc + 1]]

    def zones_of_node(self, node: int) -> Integers:
        """Return the zones that became a node."""
        starts, order = self._zone_order
        return order[starts[node] : starts[node + 1]]

    @cached_property
    def _atom_order(self) -> tuple[Integers, Integers]:
        kept = np.flatnonzero(self._graph.arc_of >= 0)
        starts, order = _grouped(self._graph.arc_of[kept], len(self._graph.weights))
        return starts, kept[order]

    @cached_property
    def _zone_order(self) -> tuple[Integers, Integers]:
        return _grouped(self._graph.node_of, self._graph.n_nodes)

    @cached_property
    def node_costs(self) -> list[int]:
        """The zones of each node and their atoms: how much there is to look at, however zones were merged."""
        tails, heads = self._atoms.ends
        ends = np.concatenate((np.arange(len(self._graph.node_of)), tails, heads))
        costs: list[int] = np.bincount(self._graph.node_of[ends], minlength=self._graph.n_nodes).tolist()
        return costs

    @cached_property
    def edges(self) -> tuple[list[int], list[int], list[int]]:
        """Where the edges of each node start, their other ends and their numbers."""
        starts, others, edges = incident_edges(self._graph.tails, self._graph.heads, self._graph.n_nodes)
        return starts.tolist(), others.tolist(), edges.tolist()


def _grouped(numbers: Integers, n_groups: int) -> tuple[Integers, Integers]:
    """Return where each group of equal numbers starts, and the indices in the order of groups."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=n_groups))))
    return starts, np.argsort(numbers, kind="stable")


class _Side:
    """The nodes on one side of a cut, found edge by edge.

    Both sides of a smallest cut are connected: moving a part that is not connected to the rest would make it smaller.
    """

    def __init__(self, search: _GroupSearch, start: int, cut: frozenset[int]) -> None:
        self.nodes = {start}
        self.cost = search.node_costs[start]
        self._search = search
        self._cut = cut
        self._edges = self._walk(start)

    def grow(self) -> bool:
        """Follow one more edge; return False if there is none left."""
        return next(self._edges, False)

    def _walk(self, start: int) -> Iterator[bool]:
        starts, others, edges = self._search.edges
        waiting = [start]
        while waiting:
            node = waiting.pop()
            for index in range(starts[node], starts[node + 1]):
                other = others[index]
                if edges[index] not in self._cut and other not in self.nodes:
                    self.nodes.add(other)
                    self.cost += self._search.node_costs[other]
                    waiting.append(other)
                yield True
