"""The walk through a lattice: every node once, each counted from a finer one that differs in one column.

Columns are nested loops; the one with most levels is innermost, in the lowest bits of the key, so that its levels need
no sort. Columns for which a key has no room come first, outermost; their values are numbered anew whenever one of them
changes its level.

Implements: SPEC page advise.md, section 4 (i).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.packing import BITS, PackedColumn, pack_columns
from idbits.kernels.lattice.rolled import (
    NodeGroups,
    PackedReader,
    SortedRows,
    count_sorted,
    merge_sorted,
    sort_rows,
)

__all__ = ["Lattice", "Node", "Walk", "WalkStep"]

Node = tuple[int, ...]
"""One level per column."""

Codes = Integers | NDArray[np.uint32]


class WalkStep(Enum):
    """Whether a subtree is visited; ``STOP`` also leaves out all coarser levels of its column."""

    VISIT = 1
    SKIP = 2
    STOP = 3


@dataclass(frozen=True, eq=False)
class Walk:
    """What a walk does.

    Attributes:
        visit: receives the groups of each node.
        enter: decides about the nodes that have these levels in the columns of the outer loops, before they are
            counted; the other columns are at least at level 0.
        counted: decides about the same nodes after the finest of them is counted, from its sorted rows.
    """

    visit: Callable[[NodeGroups], object]
    enter: Callable[[tuple[int, ...]], WalkStep] | None = None
    counted: Callable[[tuple[int, ...], Integers], bool] | None = None


class Lattice:
    """The rows of a table with the levels of its columns.

    Args:
        columns: the levels of each column.
        codes: for each column, the number of its value (in path order) per row.
        people: the people per row; None for one each.
        sensitive: the codes of sensitive columns, with their numbers of values.
        merge: whether ``codes`` are those of the source, of rows that may be equal; equal rows are then merged, if
            there is room for all columns in one key and at most one sensitive column.
    """

    def __init__(
        self,
        columns: Sequence[ColumnLevels],
        codes: Sequence[Codes],
        people: Integers | None = None,
        sensitive: Sequence[tuple[Integers, int]] = (),
        *,
        merge: bool = False,
    ) -> None:
        self.columns = tuple(columns)
        self.sensitive = tuple(sensitive)
        self.n_people = len(codes[0]) if people is None else int(people.sum())
        self.n_levels: Node = tuple(column.n_levels for column in columns)
        self.n_nodes = prod(self.n_levels)
        self.order = sorted(range(len(columns)), key=lambda index: (self.n_levels[index], columns[index].sizes[0]))
        self.people_bits = self.n_people.bit_length()
        self._codes, self._people, self._are_raw = tuple(codes), people, merge
        self._place_columns()
        self._base = self._packed_rows()
        self._is_merged = False
        if not self.n_prefix:
            self._rows = tuple(self._sorted(self._base, bits, values) for bits, (values, _) in self._tables())
            self._base = np.zeros(0, np.int64)
            if merge and len(sensitive) <= 1:
                self._keep_merged()

    def _keep_merged(self) -> None:
        """Let the sorted keys, which have every row once, take the place of the rows."""
        (rows,), (bits,) = self._rows, self.table_bits
        self._is_merged, self._people = True, rows.people
        self.sensitive = tuple((rows.keys & ((1 << bits) - 1), size) for _, size in self.sensitive)

    @cached_property
    def people(self) -> Integers:
        """The people per row."""
        return np.ones(len(self._codes[0]), np.int64) if self._people is None else self._people

    @cached_property
    def codes(self) -> tuple[Integers, ...]:
        """For each column, the number of its value per row."""
        if self._is_merged:
            keys = self._rows[0].keys >> self.table_bits[0]
            return tuple(self._reader([None] * len(self.columns)).values(keys, (0,) * len(self.columns)))
        if self._are_raw:
            return tuple(column.ranks[codes] for column, codes in zip(self.columns, self._codes, strict=True))
        return tuple(codes.astype(np.int64, copy=False) for codes in self._codes)

    def _place_columns(self) -> None:
        """Choose which columns are in the key: the innermost ones, as many as fit beside a sensitive value."""
        self.value_bits = [max(0, (size - 1).bit_length()) for _, size in self.sensitive]
        widest = max(self.value_bits, default=0)
        row_bits = max(1, len(self._codes[0])).bit_length()
        for n_prefix in range(len(self.order) + 1):
            inner = [self.columns[index] for index in self.order[n_prefix:]]
            rank_bits = row_bits if n_prefix else 0
            for spare in (self.people_bits, 0):
                packed = pack_columns(inner, BITS - widest - rank_bits - spare)
                if packed is not None:
                    break
            if packed is not None:
                break
        assert packed is not None
        self.n_prefix = n_prefix
        self.packed: list[PackedColumn | None] = [None] * len(self.order)
        for index, column in zip(self.order[n_prefix:], packed, strict=True):
            self.packed[index] = column
        self.inner_bits = sum(column.bits for column in packed)
        self.key_bits = self.inner_bits + (row_bits if n_prefix else 0)

    def _packed_rows(self) -> Integers:
        """Return the key of each row, without the columns that come first."""
        keys = np.zeros(len(self._codes[0]), np.int64)
        for index in self.order[self.n_prefix :]:
            placed = self.packed[index]
            assert placed is not None
            of_code = placed.codes[self.columns[index].ranks] if self._are_raw else placed.codes
            keys |= (of_code << placed.shift)[self._codes[index]]
        return keys

    def _tables(self) -> list[tuple[int, tuple[Integers | int, int]]]:
        """Return the bits and the codes of each sensitive column; one table without any if there is none."""
        return list(zip(self.value_bits, self.sensitive, strict=True)) or [(0, (0, 1))]

    def _sorted(self, keys: Integers, bits: int, values: Integers | int) -> SortedRows:
        keys = (keys << bits) | values if bits else keys
        if self._people is None:
            return count_sorted(np.sort(keys))
        return sort_rows(keys if bits else keys.copy(), self._people, self.key_bits + bits, self.people_bits)

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes in lexicographic order."""
        return itertools.product(*(range(n) for n in self.n_levels))

    def groups_at(self, node: Node) -> NodeGroups:
        """Count one node directly from the rows."""
        start = self._start(node)
        inner = self.order[self.n_prefix :]
        if not any(node[index] for index in inner):
            return start.groups(node)
        tables = []
        for rows, bits in zip(start.tables, self.table_bits, strict=True):
            # Rows that differ in the lowest column only are neighbours already.
            merged = merge_sorted(self._at(rows.keys, node, bits), rows.people)
            if bits or any(node[index] for index in inner[:-1]):
                merged = sort_rows(merged.keys, merged.people, self.key_bits + bits, self.people_bits)
            tables.append(merged)
        return replace(start, tables=tuple(tables)).groups(node)

    def _at(self, keys: Integers, node: Node, bits: int) -> Integers:
        for index in self.order[self.n_prefix :]:
            column = self.packed[index]
            assert column is not None
            if node[index]:
                keys = replace(column, shift=column.shift + bits).at_level(keys, node[index], 0)
        return keys

    @property
    def table_bits(self) -> list[int]:
        """The bits of the sensitive value in the keys of each table."""
        return self.value_bits or [0]

    def _start(self, node: Node) -> _Start:
        """Return the rows with the outer columns at their levels and the inner ones at level 0."""
        prefix: list[Integers | None] = [None] * len(self.order)
        if not self.n_prefix:
            return _Start(self, self._rows, self._reader(prefix))
        outer = [self.columns[index].maps[node[index]][self.codes[index]] for index in self.order[: self.n_prefix]]
        ranks = np.zeros(len(self.people), np.int64)
        for index, values in zip(self.order, outer, strict=False):
            size = self.columns[index].sizes[node[index]]
            _, ranks = np.unique(ranks * size + values, return_inverse=True)
        rows = np.zeros(int(ranks.max()) + 1, np.int64)
        rows[ranks] = np.arange(len(ranks))
        for index, values in zip(self.order, outer, strict=False):
            prefix[index] = values[rows]
        keys = (ranks << self.inner_bits) | self._base
        tables = tuple(self._sorted(keys, bits, values) for bits, (values, _) in self._tables())
        return _Start(self, tables, self._reader(prefix))

    def _reader(self, prefix: Sequence[Integers | None]) -> PackedReader:
        return PackedReader(self.packed, prefix, self.inner_bits)

    def walk(self, plan: Walk) -> None:
        """Visit the nodes, finest first in each loop."""
        outer = self.order[: self.n_prefix]
        levels = [0] * len(self.order)
        if not outer:
            self._descend(plan, 0, levels, self._start(tuple(levels)))
            return

        def loop(depth: int) -> None:
            if depth == len(outer):
                self._descend(plan, depth, levels, self._start(tuple(levels)))
                return
            for level in range(self.n_levels[outer[depth]]):
                levels[outer[depth]] = level
                step = self._enter(plan, depth, levels)
                if step is WalkStep.STOP:
                    break
                if step is WalkStep.VISIT:
                    loop(depth + 1)
            levels[outer[depth]] = 0

        loop(0)

    def _enter(self, plan: Walk, depth: int, levels: list[int]) -> WalkStep:
        if plan.enter is None:
            return WalkStep.VISIT
        return plan.enter(tuple(levels[index] for index in self.order[: depth + 1]))

    def _descend(self, plan: Walk, depth: int, levels: list[int], start: _Start) -> None:
        if depth == len(self.order):
            plan.visit(start.groups(tuple(levels)))
            return
        index = self.order[depth]
        is_last = depth == len(self.order) - 1
        present = 0
        for level in range(self.n_levels[index]):
            levels[index] = level
            step = self._enter(plan, depth, levels)
            if step is WalkStep.STOP:
                break
            if step is WalkStep.SKIP:
                continue
            if level > present:
                start, present = start.coarser(index, level, present, is_last=is_last), level
            if is_last:
                plan.visit(start.groups(tuple(levels)))
                continue
            if plan.counted is not None:
                outer = tuple(levels[column] for column in self.order[: depth + 1])
                if not plan.counted(outer, start.groups(tuple(levels)).sizes):
                    continue
            self._descend(plan, depth + 1, levels, start)
        levels[index] = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """The rows of a node, one table per sensitive column."""

    lattice: Lattice
    tables: tuple[SortedRows, ...]
    reader: PackedReader

    def coarser(self, index: int, level: int, present: int, *, is_last: bool) -> _Start:
        """Return the rows with one column at a coarser level."""
        lattice = self.lattice
        column = lattice.packed[index]
        assert column is not None
        tables = []
        for rows, bits in zip(self.tables, lattice.table_bits, strict=True):
            keys = (replace(column, shift=column.shift + bits) if bits else column).at_level(rows.keys, level, present)
            if is_last and not bits:
                tables.append(merge_sorted(keys, rows.people))
            else:
                tables.append(sort_rows(keys, rows.people, lattice.key_bits + bits, lattice.people_bits))
        return _Start(lattice, tuple(tables), self.reader)

    def groups(self, node: Node) -> NodeGroups:
        """Return the groups of a node whose rows these are."""
        lattice = self.lattice
        if not lattice.sensitive:
            (rows,) = self.tables
            return NodeGroups(node, rows.keys, rows.people, (), self.reader)
        made = []
        keys = sizes = np.zeros(0, np.int64)
        for rows, bits, (_, size) in zip(self.tables, lattice.value_bits, lattice.sensitive, strict=True):
            of_cells = rows.keys >> bits
            starts = np.concatenate(([0], np.flatnonzero(of_cells[1:] != of_cells[:-1]) + 1))
            made.append(GroupCells(rows.keys & ((1 << bits) - 1), rows.people, starts, size))
            if not len(keys):
                keys, sizes = of_cells[starts], made[0].sizes
        return NodeGroups(node, keys, sizes, tuple(made), self.reader)
