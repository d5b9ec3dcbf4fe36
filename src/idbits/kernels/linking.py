"""Two tables with common codes: how often each combination of values occurs in the first and in the second.

Implements: SPEC page link.md, section 1. The rows of both tables are sorted together with one more bit for the table,
below all codes: a run of equal codes then has the rows of both, and the prefixes of the columns are counted from the
same sort (``kernels/subsets.py`` has the chains of prefixes that reach every subset).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, PairCounts
from idbits.kernels.ordering import CodedColumn, bits_of, dense_ranks, lexical_order, pack
from idbits.kernels.run_lengths import run_borders
from idbits.kernels.subsets import Chain

__all__ = ["LinkedGroups", "LinkedRows", "chain_pair_counts", "linked_groups", "pair_counts_of"]

_SMALL = 1 << 8
_KEY_BITS = 64
_SHORT_BITS = 32


@dataclass(frozen=True, slots=True, eq=False)
class LinkedRows:
    """The rows of two tables, those of the first before those of the second, with common codes.

    Attributes:
        codes: one array per column; equal codes are equal values, in whichever table.
        sizes: the number of codes of each column.
        nulls: the code of null in each column; None if it does not occur.
        n_first: the number of rows of the first table.
        weights: the number of people per row; None if it is one in each.
        numbers: the numbers of the rows of each table in its source; None if equal rows were combined.
        more: further columns, which only the first table has.
    """

    codes: tuple[NDArray[np.uint32], ...]
    sizes: tuple[int, ...]
    nulls: tuple[int | None, ...]
    n_first: int
    weights: Integers | None = None
    numbers: tuple[Integers | None, Integers | None] = (None, None)
    more: tuple[NDArray[np.uint32], ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows of both tables."""
        return len(self.codes[0])

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.codes)

    def column(self, index: int) -> CodedColumn:
        """Return a column as it is sorted."""
        return CodedColumn(self.codes[index], bits_of(self.sizes[index]))

    def with_nulls(self, columns: Sequence[int]) -> NDArray[np.bool_]:
        """Return which rows have a null in one of some columns."""
        found = np.zeros(self.n_rows, np.bool_)
        for index in columns:
            null = self.nulls[index]
            if null is not None:
                found |= self.codes[index] == null
        return found

    def only(self, columns: Sequence[int]) -> LinkedRows:
        """Return some of the columns."""
        return LinkedRows(
            tuple(self.codes[index] for index in columns), tuple(self.sizes[index] for index in columns),
            tuple(self.nulls[index] for index in columns), self.n_first, self.weights, self.numbers, self.more,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class LinkedGroups:
    """The group of each row: rows of both tables with the same values.

    Attributes:
        first, second: the number of each row's group, -1 if it has a null, which equals nothing.
        records, people: the people of each group in the first and in the second table.
    """

    first: Integers
    second: Integers
    records: Integers
    people: Integers


def linked_groups(rows: LinkedRows, *, null_is_value: bool = False) -> LinkedGroups:
    """Number the groups of all columns.

    >>> codes = np.array([0, 1, 1, 0, 2], np.uint32)
    >>> groups = linked_groups(LinkedRows((codes,), (3,), (2,), 2))
    >>> groups.first.tolist(), groups.second.tolist(), groups.records.tolist(), groups.people.tolist()
    ([0, 1], [1, 0, -1], [1, 1, 0], [1, 1, 0])
    """
    columns = [rows.column(index) for index in range(rows.n_columns)]
    ranks, n_groups = dense_ranks(columns, rows.n_rows)
    groups = ranks.astype(np.int64)
    if not null_is_value:
        groups[rows.with_nulls(range(rows.n_columns))] = -1
    first, second = groups[: rows.n_first], groups[rows.n_first :]
    weights = (None, None) if rows.weights is None else (rows.weights[: rows.n_first], rows.weights[rows.n_first :])
    return LinkedGroups(first, second, _sums(first, weights[0], n_groups), _sums(second, weights[1], n_groups))


def _sums(groups: Integers, weights: Integers | None, n_groups: int) -> Integers:
    known = groups >= 0
    if weights is None:
        return np.bincount(groups[known], minlength=n_groups).astype(np.int64)
    sums = np.zeros(n_groups, np.int64)
    np.add.at(sums, groups[known], weights[known])
    return sums


def chain_pair_counts(rows: LinkedRows, chain: Chain, *, null_is_value: bool = False) -> list[tuple[int, PairCounts]]:
    """Return each subset of a chain of columns, as a mask, with its pair counts; the largest subset first.

    >>> codes = (np.array([0, 1, 0, 0], np.uint32), np.array([0, 0, 0, 1], np.uint32))
    >>> rows = LinkedRows(codes, (2, 2), (None, None), 2)
    >>> [(mask, pairs.triples()) for mask, pairs in chain_pair_counts(rows, Chain((0, 1), 1))]
    [(3, [(0, 1, 1), (1, 0, 1), (1, 1, 1)]), (1, [(1, 0, 1), (1, 2, 1)])]
    """
    prefixes = _by_key(rows, chain) if _fits(rows, chain) else _by_order(rows, chain)
    counts = []
    for mask, (columns, records, people) in zip(reversed(chain.masks()), prefixes, strict=True):
        if not null_is_value:
            kept = np.ones(len(records), np.bool_)
            for index, codes in columns:
                null = rows.nulls[index]
                if null is not None:
                    kept &= codes() != null
            if not kept.all():
                records, people = records[kept], people[kept]
        counts.append((mask, pair_counts_of(records, people)))
    return counts


def pair_counts_of(records: Integers, people: Integers) -> PairCounts:
    """Count equal pairs of numbers.

    >>> pair_counts_of(np.array([1, 1, 0]), np.array([2, 2, 300])).triples()
    [(0, 300, 1), (1, 2, 2)]
    """
    small = (records < _SMALL) & (people < _SMALL)
    if small.all():
        table = np.bincount(records * _SMALL + people, minlength=1)
        table[:1] = 0
        found = np.flatnonzero(table)
        return PairCounts(found // _SMALL, found % _SMALL, table[found].astype(np.int64))
    few = pair_counts_of(records[small], people[small])
    large = np.stack((records[~small], people[~small]), axis=1)
    pairs, numbers = np.unique(large, axis=0, return_counts=True)
    return PairCounts.of(
        {(a, b): n for a, b, n in few.triples()}
        | {(int(a), int(b)): int(n) for (a, b), n in zip(pairs.tolist(), numbers.tolist(), strict=True)}
    )


_Codes = Sequence[tuple[int, "_LazyCodes"]]


class _LazyCodes:
    """The codes of groups in one column, computed when a null has to be left out."""

    def __init__(self, source: NDArray[np.unsignedinteger], shift: int, bits: int, index: Integers | None) -> None:
        self._source, self._shift, self._bits, self._index = source, shift, bits, index

    def __call__(self) -> NDArray[np.unsignedinteger]:
        if self._index is not None:
            of_rows: NDArray[np.unsignedinteger] = self._source[self._index]
            return of_rows
        integer = self._source.dtype.type
        codes: NDArray[np.unsignedinteger] = (self._source >> integer(self._shift)) & integer((1 << self._bits) - 1)
        return codes


def _fits(rows: LinkedRows, chain: Chain) -> bool:
    return rows.weights is None and sum(rows.column(index).bits for index in chain.order) < _KEY_BITS


def _by_key(rows: LinkedRows, chain: Chain) -> Iterator[tuple[_Codes, Integers, Integers]]:
    """Yield the groups of the longest prefix, then of shorter ones, from one sort of packed keys."""
    columns = [rows.column(index) for index in chain.order]
    side = np.zeros(rows.n_rows, np.uint8)
    side[rows.n_first :] = 1
    keys: NDArray[np.unsignedinteger] = pack([*columns, CodedColumn(side, 1)], rows.n_rows)
    if sum(column.bits for column in columns) < _SHORT_BITS:
        keys = keys.astype(np.uint32)
    keys.sort()
    integer = keys.dtype.type
    sides = (keys & integer(1)).astype(np.int64)
    keys >>= integer(1)
    records = people = np.zeros(0, np.int64)
    for length in range(len(columns), chain.first - 1, -1):
        borders = run_borders(keys)
        if length == len(columns):
            people = np.add.reduceat(sides, borders[:-1]) if len(keys) else people
            records = np.diff(borders) - people
        else:
            people, records = (np.add.reduceat(each, borders[:-1]) for each in (people, records))
        keys = keys[borders[:-1]]
        shift, codes = 0, []
        for position in range(length - 1, -1, -1):
            codes.append((chain.order[position], _LazyCodes(keys, shift, columns[position].bits, None)))
            shift += columns[position].bits
        yield codes, records, people
        keys = keys >> integer(columns[length - 1].bits)


def _by_order(rows: LinkedRows, chain: Chain) -> Iterator[tuple[_Codes, Integers, Integers]]:
    """Yield the same for counted rows, and for codes that do not fit in one key."""
    columns = [rows.column(index) for index in chain.order]
    order, changes = lexical_order(columns, rows.n_rows)
    weights = np.ones(rows.n_rows, np.int64) if rows.weights is None else rows.weights
    is_first = order < rows.n_first
    records, people = np.where(is_first, weights[order], 0), np.where(is_first, 0, weights[order])
    firsts = order.astype(np.int64)
    for length in range(len(columns), chain.first - 1, -1):
        if length < len(columns):
            changes = np.zeros(len(firsts), np.bool_)
            changes[:1] = True
            for column in columns[:length]:
                codes = column.codes[firsts]
                changes[1:] |= codes[1:] != codes[:-1]
        starts = np.flatnonzero(changes)
        records, people = (np.add.reduceat(each, starts) if len(starts) else each for each in (records, people))
        firsts = firsts[starts]
        yield [(chain.order[p], _LazyCodes(columns[p].codes, 0, 0, firsts)) for p in range(length)], records, people
