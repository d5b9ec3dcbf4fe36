"""Distinct rows with their people, and what becomes of them when a column is made coarser: the roll-up.

Implements: SPEC page advise.md, section 4 (i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.packing import PackedColumn

__all__ = [
    "KeyReader",
    "NodeGroups",
    "PackedReader",
    "SortedRows",
    "count_sorted",
    "merge_sorted",
    "sort_rows",
]


_SHORT_RUN = 8


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows:
    """Distinct keys, ascending, with their people."""

    keys: Integers
    people: Integers


def _begins(keys: Integers) -> Integers:
    """Return where each run of equal keys begins."""
    changes = np.empty(len(keys), np.bool_)
    changes[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=changes[1:])
    return np.flatnonzero(changes)


def merge_sorted(keys: Integers, people: Integers) -> SortedRows:
    """Merge equal keys that are neighbours."""
    begins = _begins(keys)
    if len(begins) == len(keys):
        return SortedRows(keys, people)
    merged = keys[begins]
    if len(people) > _SHORT_RUN * len(begins):
        return SortedRows(merged, np.add.reduceat(people, begins))
    totals = np.empty(len(people) + 1, np.int64)
    np.cumsum(people, out=totals[1:])
    return SortedRows(merged, _run_sums(totals, begins))


def _run_sums(totals: Integers, begins: Integers) -> Integers:
    """Return the people of each run from running totals, which takes half the time of adding up short runs.

    The first total is set to 0, and ``begins`` becomes the result: for millions of rows, new memory costs as much time
    as the work itself.

    >>> _run_sums(np.array([0, 1, 3, 6]), np.array([0, 2])).tolist()
    [3, 3]
    """
    totals[0] = 0
    before = totals[begins]
    np.subtract(before[1:], before[:-1], out=begins[:-1])
    begins[-1:] = totals[-1] - before[-1:]
    return begins


def count_sorted(keys: Integers) -> SortedRows:
    """Merge equal keys that are neighbours, with one person each.

    >>> count_sorted(np.array([3, 7, 7])).people.tolist()
    [1, 2]
    """
    begins = _begins(keys)
    ends = np.empty(len(begins), np.int64)
    ends[:-1] = begins[1:]
    ends[-1:] = len(keys)
    return SortedRows(keys[begins], np.subtract(ends, begins, out=ends))


def sort_rows(keys: Integers, people: Integers, key_bits: int, people_bits: int) -> SortedRows:
    """Sort keys with their people and merge equal ones; a plain sort of both together if 63 bits are enough.

    ``keys`` is overwritten.

    >>> rows = sort_rows(np.array([7, 3, 7]), np.array([1, 5, 2]), 3, 4)
    >>> rows.keys.tolist(), rows.people.tolist()
    ([3, 7], [5, 3])
    """
    if key_bits + people_bits > 63:
        order = np.argsort(keys, kind="stable")
        return merge_sorted(keys[order], people[order])
    keys <<= people_bits
    keys |= people
    keys.sort()
    totals = np.empty(len(keys) + 1, np.int64)
    people = np.bitwise_and(keys, (1 << people_bits) - 1, out=totals[1:])
    keys >>= people_bits
    begins = _begins(keys)
    if len(begins) == len(keys):
        return SortedRows(keys, people)
    np.cumsum(people, out=people)
    return SortedRows(keys[begins], _run_sums(totals, begins))


class KeyReader(Protocol):
    """Reads the values of columns from the keys of groups."""

    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:
        """Return, for each column at its level, the value of each key."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedReader:
    """Reads packed keys.

    Attributes:
        packed: the columns of the table; None for those that are not in the key.
        prefix: for the latter, their values by the highest part of the key.
        prefix_shift: where that part begins.
    """

    packed: Sequence[PackedColumn | None]
    prefix: Sequence[Integers | None]
    prefix_shift: int

    def values(self, keys: Integers, levels: tuple[int, ...]) -> list[Integers]:
        """Return, for each column at its level, the value of each key."""
        made: list[Integers] = []
        for column, of_prefix, level in zip(self.packed, self.prefix, levels, strict=True):
            if column is not None:
                made.append(column.numbers(level)[(keys >> column.shift) & column.mask])
            else:
                assert of_prefix is not None
                made.append(of_prefix[keys >> self.prefix_shift])
        return made


@dataclass(frozen=True, slots=True, eq=False)
class NodeGroups:
    """The groups of a node.

    Attributes:
        levels: the level of each column.
        keys: the key of each group.
        sizes: the people of each group.
        cells: the cells of each sensitive column.
        reader: reads the keys.
    """

    levels: tuple[int, ...]
    keys: Integers
    sizes: Integers
    cells: tuple[GroupCells, ...]
    reader: KeyReader

    def values(self, selected: NDArray[np.bool_] | Integers | slice = slice(None)) -> list[Integers]:
        """Return the value of each column, at its level, of some groups."""
        return self.reader.values(self.keys[selected], self.levels)
