"""People by group and value: the packed histogram (group, value, count) that every disclosure figure follows from.

Implements: SPEC page disclosure.md, sections 1 and 8. Cells are sorted by group and value, so that one pass with
``reduceat`` gives a figure of every group; they are sorted by group and count once, for all figures about the most
frequent values of a group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Floats, Integers
from idbits.kernels.distinct import distinct_keys, distinct_rows, people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of, lexical_order, pack
from idbits.kernels.packed import Layout
from idbits.kernels.run_lengths import run_borders

__all__ = [
    "CountedRows", "GroupCells", "Regrouped", "cells_of_triples", "counted_keys", "counted_rows", "exact_integers",
]  # fmt: skip

Numbers = TypeVar("Numbers", Integers, Floats)

_ROOM = 2**62


def exact_integers(numbers: Integers, most: int) -> Integers:
    """Return whole numbers that can be computed with up to ``most``: as Python's integers if 64 bits are too few."""
    return numbers if most < _ROOM else numbers.astype(object)


@dataclass(frozen=True, eq=False)
class GroupCells:
    """People of each group by their value; only cells with people.

    Attributes:
        values: the number of each cell's value, ascending within a group.
        counts: the people of each cell.
        starts: the first cell of each group.
        n_values: the values are numbered from 0 to n_values - 1; some may not occur.
        times: how many equal groups each one stands for (see ``collapsed``); None if each stands for itself.

    >>> cells = GroupCells(np.array([0, 2, 1]), np.array([3, 1, 2]), np.array([0, 2]), 3)
    >>> cells.sizes.tolist(), cells.lengths.tolist(), cells.value_people.tolist()
    ([4, 2], [2, 1], [3, 2, 1])
    """

    values: Integers
    counts: Integers
    starts: Integers
    n_values: int
    times: Integers | None = None

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.starts)

    @property
    def n_cells(self) -> int:
        """The number of different pairs of a group and a value."""
        return len(self.values)

    @cached_property
    def n_people(self) -> int:
        """The number of people."""
        return int(self.group_people.sum())

    @cached_property
    def group_people(self) -> Integers:
        """The people of each group and of all groups equal to it."""
        return self.sizes if self.times is None else self.sizes * self.times

    @cached_property
    def cell_people(self) -> Integers:
        """The people of each cell and of all cells equal to it."""
        return self.counts if self.times is None else self.counts * np.repeat(self.times, self.lengths)

    @cached_property
    def lengths(self) -> Integers:
        """The number of different values of each group."""
        return np.diff(self.starts, append=self.n_cells)

    @cached_property
    def sizes(self) -> Integers:
        """The people of each group."""
        return self.group_sums(self.counts)

    @cached_property
    def cell_sizes(self) -> Integers:
        """The people of each cell's group."""
        return np.repeat(self.sizes, self.lengths)

    @cached_property
    def groups(self) -> Integers:
        """The number of each cell's group."""
        return np.repeat(np.arange(self.n_groups), self.lengths)

    @cached_property
    def value_people(self) -> Integers:
        """The people of each value."""
        return people_by_code(self.values, self.n_values, self.cell_people)

    @cached_property
    def descending(self) -> Integers:
        """The counts of each group, the largest first."""
        most = int(self.counts.max(initial=0))
        bits = most.bit_length()
        if bits + bits_of(self.n_groups) > 64:
            return self.counts[np.lexsort((-self.counts, self.groups))]
        keys = self.groups.astype(np.uint64)
        keys <<= np.uint64(bits)
        keys |= (most - self.counts).astype(np.uint64)
        keys.sort()
        keys &= np.uint64((1 << bits) - 1)
        return most - keys.astype(np.int64)

    @cached_property
    def _sums_before(self) -> Integers:
        return np.concatenate(([0], np.cumsum(self.descending)))

    def group_sums(self, numbers: Integers) -> Integers:
        """Return the sum of one number per cell over each group."""
        return np.add.reduceat(numbers, self.starts) if self.n_groups else np.zeros(0, np.int64)

    def group_maxima(self, numbers: Numbers) -> Numbers:
        """Return the largest of one number per cell in each group."""
        return np.maximum.reduceat(numbers, self.starts) if self.n_groups else numbers[:0]

    def largest(self, rank: int) -> Integers:
        """Return the rank-th largest count of each group, from 1; 0 if it has fewer values."""
        if rank == 1:
            return self.descending[self.starts]
        last = np.minimum(self.starts + rank - 1, self.n_cells - 1)
        return np.where(self.lengths >= rank, self.descending[last], 0)

    def sum_of_largest(self, number: int) -> Integers:
        """Return the sum of the largest counts of each group.

        >>> GroupCells(np.arange(3), np.array([1, 5, 2]), np.array([0]), 3).sum_of_largest(2).tolist()
        [7]
        """
        ends = self.starts + np.minimum(number, self.lengths)
        return self._sums_before[ends] - self._sums_before[self.starts]

    def sums_from_here(self) -> Integers:
        """Return, in the order of ``descending``, the sum of each count and all smaller ones of its group."""
        ends = np.repeat(self._sums_before[self.starts + self.lengths], self.lengths)
        sums: Integers = ends - self._sums_before[:-1]
        return sums

    def sums_up_to_here(self) -> Integers:
        """Return, in the order of values, the people of the group up to each value."""
        total = np.cumsum(self.counts)
        before = np.concatenate(([0], total))[self.starts]
        sums: Integers = total - np.repeat(before, self.lengths)
        return sums

    def with_cells(self, kept: NDArray[np.bool_]) -> tuple[GroupCells, Integers]:
        """Return some of the cells, and the numbers of the groups that have any."""
        groups = self.groups[kept]
        borders = run_borders(groups)[:-1]
        return GroupCells(self.values[kept], self.counts[kept], borders, self.n_values), groups[borders]

    def with_groups(self, kept: NDArray[np.bool_]) -> GroupCells:
        """Return some of the groups.

        >>> cells = GroupCells(np.array([0, 2, 1]), np.array([3, 1, 2]), np.array([0, 2]), 3)
        >>> cells.with_groups(np.array([False, True])).counts.tolist()
        [2]
        """
        cells, lengths = np.repeat(kept, self.lengths), self.lengths[kept]
        return GroupCells(self.values[cells], self.counts[cells], np.cumsum(lengths) - lengths, self.n_values)

    def collapsed(self) -> tuple[GroupCells, Integers]:
        """Return the cells with one group for all unique people who have the same value; their groups are equal.

        Also returns the numbers that the groups of several people, which come first, had before.

        >>> cells = GroupCells(np.array([1, 0, 2, 1]), np.array([1, 3, 1, 1]), np.array([0, 1, 3]), 3)
        >>> few, numbers = cells.collapsed()
        >>> few.values.tolist(), few.sizes.tolist(), few.times.tolist(), numbers.tolist()
        ([0, 2, 1], [4, 1], [1, 2], [1])
        """
        in_company = self.sizes > 1
        company = self.with_groups(in_company)
        people = np.bincount(self.values[self.starts[~in_company]], minlength=self.n_values)
        alone = np.flatnonzero(people)
        cells = GroupCells(
            np.concatenate((company.values, alone)),
            np.concatenate((company.counts, np.ones(len(alone), np.int64))),
            np.concatenate((company.starts, company.n_cells + np.arange(len(alone)))),
            self.n_values,
            np.concatenate((np.ones(company.n_groups, np.int64), people[alone])),
        )
        return cells, np.flatnonzero(in_company)

    def regrouped(self, numbers: Integers, n_values: int) -> Regrouped:
        """Give each value another number, by its present one; values that get the same number are merged.

        >>> cells = GroupCells(np.array([0, 1, 2]), np.array([3, 1, 2]), np.array([0]), 3)
        >>> merged = cells.regrouped(np.array([1, 0, 1]), 2).cells
        >>> merged.values.tolist(), merged.counts.tolist()
        ([0, 1], [1, 5])
        """
        renumbered = numbers[self.values]
        if np.all(numbers[1:] >= numbers[:-1]):
            # The order stays.
            changes = np.ones(self.n_cells, np.bool_)
            np.not_equal(renumbered[1:], renumbered[:-1], out=changes[1:])
            changes[self.starts] = True
            borders = np.flatnonzero(changes)
            starts = np.cumsum(changes)[self.starts] - 1
            return Regrouped(
                GroupCells(renumbered[borders], _sums_of_runs(self.counts, borders), starts, n_values),
                slice(None),
                borders,
            )
        columns = [
            CodedColumn(self.groups.astype(np.uint32), bits_of(self.n_groups)),
            CodedColumn(renumbered.astype(np.uint32), bits_of(n_values)),
        ]
        order, changes = lexical_order(columns, self.n_cells)
        borders = np.flatnonzero(changes)
        counts = _sums_of_runs(self.counts[order], borders)
        kept = order[borders]
        starts = run_borders(self.groups[kept])[:-1]
        return Regrouped(GroupCells(renumbered[kept], counts, starts, n_values), order, borders)

    def renumbered(self, numbers: Integers, n_values: int) -> GroupCells:
        """Give each value another number; values that get the same number are merged."""
        if np.all(np.diff(numbers) > 0):
            return GroupCells(numbers[self.values], self.counts, self.starts, n_values)
        return self.regrouped(numbers, n_values).cells


def _sums_of_runs(numbers: Integers, borders: Integers) -> Integers:
    return np.add.reduceat(numbers, borders) if len(borders) else numbers


@dataclass(frozen=True, slots=True, eq=False)
class Regrouped:
    """Cells with other values.

    Attributes:
        cells: the merged cells.
        order: the old cells in the order of the new ones.
        borders: where the old cells of each new one begin in that order.
    """

    cells: GroupCells
    order: NDArray[np.uint32] | slice
    borders: Integers


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows counted by group and value.

    Attributes:
        cells: the people.
        indices: the cell of each row; None unless requested.
        group_codes: returns the codes of each group in the columns that form it.
    """

    cells: GroupCells
    group_codes: Callable[[], tuple[NDArray[np.uint32], ...]]
    indices: Integers | None = None


def counted_keys(keys: NDArray[np.uint64] | NDArray[np.uint32], layout: Layout, n_values: int) -> CountedRows:
    """Count keys in which the codes of a row are packed, the value lowest. Sorts ``keys`` in place.

    >>> counted = counted_keys(np.array([5, 1, 5, 4], np.uint64), Layout([3, 2]), 2)
    >>> cells = counted.cells
    >>> cells.values.tolist(), cells.counts.tolist(), cells.starts.tolist(), counted.group_codes()[0].tolist()
    ([1, 0, 1], [1, 1, 2], [0, 1], [0, 2])
    """
    distinct, people = distinct_keys(keys)  # type: ignore[arg-type]
    return _of_distinct(distinct, people, layout, n_values)


def _of_distinct(
    keys: NDArray[np.uint64], people: Integers | None, layout: Layout, n_values: int, indices: Integers | None = None
) -> CountedRows:
    integer = keys.dtype.type
    value_bits = layout.bits[-1]
    values = (keys & integer((1 << value_bits) - 1)).astype(np.int64)
    starts = run_borders(keys >> integer(value_bits))[:-1]
    firsts = keys[starts]
    cells = GroupCells(values, np.ones(len(keys), np.int64) if people is None else people, starts, n_values)

    def group_codes() -> tuple[NDArray[np.uint32], ...]:
        parts = zip(layout.shifts[:-1], layout.bits[:-1], strict=True)
        return tuple(((firsts >> integer(shift)) & integer((1 << bits) - 1)).astype(np.uint32) for shift, bits in parts)

    return CountedRows(cells, group_codes, indices)


def counted_rows(rows: CodedRows, *, with_indices: bool = False, threads: int = 1) -> CountedRows:
    """Count rows by group (all columns but the last) and value (the last); rows of 0 people are left out.

    With ``with_indices`` also find the cell of each row; all rows must then have people.

    >>> rows = CodedRows((np.array([1, 0, 1], np.uint32), np.array([0, 0, 1], np.uint32)), (2, 2))
    >>> counted = counted_rows(rows, with_indices=True)
    >>> counted.cells.values.tolist(), counted.cells.starts.tolist(), counted.indices.tolist()
    ([0, 0, 1], [0, 1], [1, 0, 2])
    """
    layout = Layout(rows.sizes)
    if rows.people is None and layout.fits and not with_indices:
        columns = [CodedColumn(codes, bits) for codes, bits in zip(rows.codes, layout.bits, strict=True)]
        return counted_keys(pack(columns, rows.n_rows, threads=threads), layout, rows.sizes[-1])
    distinct = distinct_rows(rows, with_indices=with_indices)
    indices = distinct.indices.astype(np.int64) if distinct.indices is not None else None
    if distinct.keys is not None:
        return _of_distinct(distinct.keys, distinct.people, layout, rows.sizes[-1], indices)
    changes = np.zeros(distinct.n_rows, np.bool_)
    changes[:1] = True
    for codes in distinct.codes[:-1]:
        changes[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(changes)
    cells = GroupCells(distinct.codes[-1].astype(np.int64), distinct.cohorts(), starts, rows.sizes[-1])
    return CountedRows(cells, lambda: tuple(codes[starts] for codes in distinct.codes[:-1]), indices)


def cells_of_triples(
    groups: Integers, values: Integers, counts: Integers, n_values: int
) -> tuple[GroupCells, Integers]:
    """Return the cells of (group, value, people) triples in any order, as a database returns them, and their groups."""
    held = np.flatnonzero(counts)
    groups, values, counts = groups[held], values[held], counts[held]
    order = np.lexsort((values, groups))
    starts = run_borders(groups[order])[:-1]
    return GroupCells(values[order], counts[order], starts, n_values), groups[order][starts]
