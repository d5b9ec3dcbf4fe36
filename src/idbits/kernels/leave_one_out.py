"""Cohorts of the strongest attacker: rows that are equal in all columns but one, in blocks that stay in the cache.

Implements: DESIGN section 5 (CIG). Rows are sorted by all columns, packed in a key. Moving the bits of one of the last
columns to the low end changes the order only within groups that are equal in the columns before it. So a few groups at
a time are sorted again, in the cache, with their positions in the lowest bits: cohorts are then contiguous without any
look-up. The first columns are treated in the same way, after one sort of all rows that puts them last.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.distinct import DistinctRows, Keys
from idbits.kernels.ordering import CodedColumn, bits_of, dense_ranks, index_bits_of, lexical_order, passes
from idbits.kernels.packed import Layout
from idbits.kernels.sorting import sort_keys

__all__ = ["CohortBlock", "GroupBlock", "KeyHalf", "LeaveOneOut"]

_BLOCK = 1 << 17
_GROUPED = 1 << 15
_FEW_PASSES = 2


@dataclass(frozen=True, slots=True, eq=False)
class CohortBlock:
    """Some complete cohorts.

    Attributes:
        rows: their rows; those of a cohort are contiguous.
        codes: the feature's own code of each.
        starts: where each cohort begins.
    """

    rows: Integers
    codes: Integers
    starts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GroupBlock:
    """Rows of some complete groups that are equal in the columns that are not attacked.

    Attributes:
        rows: their rows; a slice if these follow each other.
        keys: their keys, ascending.
    """

    rows: slice | Integers
    keys: Keys

    def cohorts(self, shift: int, bits: int) -> Iterator[CohortBlock]:
        """Yield the cohorts of the column in these bits of the keys; rows are positions in the block."""
        code_mask = np.uint64((1 << bits) - 1)
        if shift == 0:
            # These keys are sorted already.
            for start, end, starts in _cut(len(self.keys), lambda a, b: _key_changes(self.keys[a:b], bits)):
                codes = (self.keys[start:end] & code_mask).view(np.int64)
                yield CohortBlock(np.arange(start, end), codes, starts)
            return
        index_bits = index_bits_of(len(self.keys))
        keys = _rearranged(self.keys, shift, bits, index_bits)
        sort_keys(keys)
        index_mask, low = np.uint64((1 << index_bits) - 1), index_bits + bits
        for start, end, starts in _cut(len(keys), lambda a, b: _key_changes(keys[a:b], low)):
            block = keys[start:end]
            # Signed like indices: other integers would be converted at each use.
            rows = (block & index_mask).view(np.int64)
            block >>= np.uint64(index_bits)
            block &= code_mask
            yield CohortBlock(rows, block.view(np.int64), starts)


@dataclass(frozen=True, slots=True, eq=False)
class KeyHalf:
    """All rows, sorted by keys in which the columns that are attacked are lowest.

    Attributes:
        columns: the columns that are attacked, each with its lowest bit in the key and its number of bits.
        keys: the keys, with the numbers of the rows in their lowest bits.
        index_bits: the bits of those numbers; 0 if rows are numbered in the order of the keys.
    """

    columns: Sequence[tuple[int, int, int]]
    keys: Keys
    index_bits: int

    def borders(self) -> list[tuple[int, int]]:
        """Return where blocks begin and end; no group is cut."""
        n_rows, low = len(self.keys), self.index_bits + sum(bits for _, _, bits in self.columns)
        last = np.arange(_GROUPED, n_rows, _GROUPED) - 1
        ends = np.searchsorted(self.keys, self.keys[last] | np.uint64((1 << low) - 1), side="right")
        return list(itertools.pairwise(sorted({0, *ends.tolist(), n_rows})))

    def block(self, start: int, end: int) -> GroupBlock:
        """Return the rows of a block."""
        keys = self.keys[start:end]
        if not self.index_bits:
            return GroupBlock(slice(start, end), keys)
        rows = (keys & np.uint64((1 << self.index_bits) - 1)).view(np.int64)
        return GroupBlock(rows, keys >> np.uint64(self.index_bits))


class LeaveOneOut:
    """The cohorts of each column of a table of distinct rows."""

    def __init__(self, rows: DistinctRows) -> None:
        self._rows = rows
        self._layout = Layout(rows.sizes)
        self._index_bits = index_bits_of(rows.n_rows)
        self.is_packed = rows.keys is not None and self._layout.total_bits + self._index_bits <= 64
        self._columns = [] if self.is_packed else rows.columns
        # Many passes per column would make the work grow with the square of the columns: rank both sides instead.
        many = len(passes(self._columns, rows.n_rows)) > _FEW_PASSES
        self._sides = _both_sides(self._columns, rows.n_rows) if many else []

    @cached_property
    def _n_first(self) -> int:
        """The number of columns in the first half: both halves have about as many bits."""
        bits, n_columns = self._layout.bits, len(self._layout.bits)
        cuts = range(1, n_columns) if n_columns > 1 else range(1)
        return min(cuts, key=lambda cut: abs(2 * sum(bits[:cut]) - self._layout.total_bits))

    def first_half(self) -> KeyHalf:
        """Return rows sorted by the last columns, then by the first ones, which are attacked. Takes a sort."""
        keys, layout, n_first = self._rows.keys, self._layout, self._n_first
        assert keys is not None
        last_bits = sum(layout.bits[n_first:])
        columns = [(column, layout.shifts[column] - last_bits, layout.bits[column]) for column in range(n_first)]
        if not n_first:
            return KeyHalf([], np.zeros(0, np.uint64), self._index_bits)
        turned = _turned(keys, last_bits, sum(layout.bits[:n_first]), self._index_bits)
        sort_keys(turned)
        return KeyHalf(columns, turned, self._index_bits)

    def last_half(self) -> KeyHalf:
        """Return rows in their order, by the first columns and then by the last ones, which are attacked."""
        keys, layout = self._rows.keys, self._layout
        assert keys is not None
        columns = range(self._n_first, len(layout.bits))
        return KeyHalf([(column, layout.shifts[column], layout.bits[column]) for column in columns], keys, 0)

    def blocks(self, index: int) -> Iterator[CohortBlock]:
        """Yield the cohorts of the column at ``index``, if the rows are too wide for the halves."""
        feature_codes = self._rows.codes[index]
        columns = self._columns
        others = self._sides[index] if self._sides else [*columns[:index], *columns[index + 1 :]]
        order, changes = lexical_order(others, self._rows.n_rows)
        for start, end, starts in _cut(len(order), lambda a, b: np.flatnonzero(changes[a + 1 : b]) + 1):
            rows = order[start:end].astype(np.int64)
            yield CohortBlock(rows, feature_codes[rows].astype(np.int64), starts)


def _turned(source: Keys, low_bits: int, high_bits: int, index_bits: int) -> Keys:
    """Return keys with their low bits above their high ones, and the row's number below both."""
    made = np.empty(len(source), np.uint64)
    below = np.uint64((1 << low_bits) - 1)
    for start in range(0, len(source), _BLOCK):
        block, keys = source[start : start + _BLOCK], made[start : start + _BLOCK]
        np.bitwise_and(block, below, out=keys)
        keys <<= np.uint64(high_bits)
        keys |= block >> np.uint64(low_bits)
        keys <<= np.uint64(index_bits)
        keys |= np.arange(start, start + len(block), dtype=np.uint64)
    return made


def _rearranged(source: Keys, shift: int, bits: int, index_bits: int) -> Keys:
    """Return keys with one column's bits moved to the low end and the positions below them."""
    # A shift by 64 bits is undefined; in that case there is nothing above.
    if shift + bits < 64:
        made = source >> np.uint64(shift + bits)
        made <<= np.uint64(shift)
    else:
        made = np.zeros(len(source), np.uint64)
    made |= source & np.uint64((1 << shift) - 1)
    made <<= np.uint64(bits)
    if bits:
        made |= (source >> np.uint64(shift)) & np.uint64((1 << bits) - 1)
    made <<= np.uint64(index_bits)
    made |= np.arange(len(source), dtype=np.uint64)
    return made


def _key_changes(keys: Keys, low: int) -> NDArray[np.int64]:
    high = keys >> np.uint64(low) if low < 64 else np.zeros(len(keys), np.uint64)
    return np.flatnonzero(high[1:] != high[:-1]) + 1


def _cut(
    n_rows: int, changes_between: Callable[[int, int], NDArray[np.int64]]
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield (start, end, starts of cohorts relative to start) of blocks that end where a cohort ends."""
    start = 0
    while start < n_rows:
        width = _BLOCK
        while True:
            # One row beyond the block shows whether its last cohort continues.
            end = min(n_rows, start + width)
            changes = changes_between(start, min(n_rows, end + 1))
            if end == n_rows or len(changes):
                break
            width *= 2
        if end < n_rows:
            end = start + int(changes[-1])
            changes = changes[:-1]
        yield start, end, np.concatenate((np.zeros(1, np.int64), changes))
        start = end


def _both_sides(columns: list[CodedColumn], n_rows: int) -> list[list[CodedColumn]]:
    """Return two columns for each column: the rank of all columns before it and the rank of all after it."""
    before, after = _running_ranks(columns, n_rows), _running_ranks(columns[::-1], n_rows)[::-1]
    return [[left, right] for left, right in zip(before, after, strict=True)]


def _running_ranks(columns: list[CodedColumn], n_rows: int) -> list[CodedColumn]:
    so_far = CodedColumn(np.zeros(n_rows, np.uint32), 0)
    ranks = []
    for column in columns:
        ranks.append(so_far)
        made, number = dense_ranks([so_far, column], n_rows)
        so_far = CodedColumn(made, bits_of(number))
    return ranks
