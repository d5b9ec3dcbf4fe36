"""Nodes of a lattice by hashes: for tables whose codes do not fit into one integer.

A row's key is the sum of one random number per column, level and value, so that changing one level is one addition.
Different rows have the same key with a chance of about n^2 / 2^(64 - bits of n); the winner of a search is recounted.

Implements: SPEC page advise.md, section 4 (iii).
"""

from __future__ import annotations

import numpy as np

from idbits.counts import Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.rolled import NodeGroups, merge_sorted
from idbits.kernels.lattice.walk import Lattice, Node

__all__ = ["HashedNodes"]


class HashedNodes:
    """Counts any node of a lattice from the node counted before it."""

    def __init__(self, lattice: Lattice, seed: int) -> None:
        self._lattice = lattice
        random = np.random.default_rng(seed)
        self._numbers = [
            [random.integers(0, 2**64, size, dtype=np.uint64) for size in column.sizes] for column in lattice.columns
        ]
        self._index_bits = np.uint64(max(1, len(lattice.people) - 1).bit_length())
        self._indices = np.arange(len(lattice.people), dtype=np.uint64)
        self._node: Node = (0,) * len(lattice.columns)
        self._keys = np.zeros(len(lattice.people), np.uint64)
        for column, codes in enumerate(lattice.codes):
            self._keys += self._numbers[column][0][codes]

    def groups_at(self, node: Node) -> NodeGroups:
        """Count a node."""
        lattice = self._lattice
        keys = self._keys.copy() if node != self._node else self._keys
        for column, (level, present) in enumerate(zip(node, self._node, strict=True)):
            if level != present:
                maps, numbers = lattice.columns[column].maps, self._numbers[column]
                change = numbers[level][maps[level]] - numbers[present][maps[present]]
                keys += change[lattice.codes[column]]
        self._node, self._keys = node, keys
        ordered = ((keys >> self._index_bits) << self._index_bits) | self._indices
        ordered.sort()
        rows = (ordered & np.uint64((1 << int(self._index_bits)) - 1)).astype(np.int64)
        ordered >>= self._index_bits
        starts = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
        people = lattice.people[rows]
        cells = tuple(self._cells(rows, starts, values, size) for values, size in lattice.sensitive)
        return NodeGroups(node, rows[starts], np.add.reduceat(people, starts), cells, self)

    def _cells(self, rows: Integers, starts: Integers, values: Integers, size: int) -> GroupCells:
        bits = max(0, (size - 1).bit_length())
        groups = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(rows)))
        keys = (groups << bits) | values[rows]
        order = np.argsort(keys, kind="stable")
        merged = merge_sorted(keys[order], self._lattice.people[rows][order])
        of_cells = merged.keys >> bits
        borders = np.concatenate(([0], np.flatnonzero(of_cells[1:] != of_cells[:-1]) + 1))
        return GroupCells(merged.keys & ((1 << bits) - 1), merged.people, borders, size)

    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:
        """Return, for each column at its level, the value of the rows that represent groups."""
        lattice = self._lattice
        return [
            column.maps[level][codes[keys]]
            for column, codes, level in zip(lattice.columns, lattice.codes, levels, strict=True)
        ]
