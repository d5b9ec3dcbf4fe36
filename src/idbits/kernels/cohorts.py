"""Cohorts: rows that are equal in all columns but one, in blocks that stay in the cache.

Implements: DESIGN section 5 (CIG). With the leave-one-out key in the high bits of an integer, the feature's own code
below it and the row's number lowest, one plain sort makes each cohort contiguous, without any look-up.

Cohorts of a few known columns are ranks of rows, with the count of each value of a feature in each cohort.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.kernels.distinct import DistinctRows, Keys, people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of, dense_ranks, index_bits_of, lexical_order, passes
from idbits.kernels.packed import Layout
from idbits.kernels.run_lengths import size_counts
from idbits.kernels.sorting import sort_keys

__all__ = [
    "CohortBlock", "CohortCells", "CohortGains", "CohortSizes", "LeaveOneOut", "Ranks", "cells_of", "direct_ranks",
    "pair_spectrum", "people_by_combination", "ranks_are_direct", "ranks_of", "spectrum_of",
]  # fmt: skip

_BLOCK = 1 << 17
_FEW_PASSES = 2
_SMALL = 4096
_DENSE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class CohortCells:
    """The values of a feature within cohorts.

    Attributes:
        codes: a value that occurs in a cohort, each once.
        people: the number of people in the cohort who have it; None if it is one each.
        starts: where each cohort begins.
    """

    codes: NDArray[np.uint32] | Integers
    people: Integers | None
    starts: NDArray[np.int64]

    def lengths(self) -> Integers:
        """Return how many values each cohort has."""
        return np.diff(self.starts, append=len(self.codes))

    def sizes(self) -> Integers:
        """Return the people of each cohort."""
        return self.lengths() if self.people is None else np.add.reduceat(self.people, self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class CohortGains:
    """The information gained in each cohort.

    Attributes:
        cig_bits: the gain of each person in the cohort.
        sizes: the people of each cohort.
        total: the gain summed over people, in units of 2^-50, exactly.
    """

    cig_bits: NDArray[np.float64]
    sizes: Integers
    total: int


class CohortSizes:
    """The number of cohorts of each size, counted block by block.

    >>> sizes = CohortSizes()
    >>> sizes.add(np.array([1, 5000, 1]))
    >>> sizes.spectrum().pairs()
    [(1, 2), (5000, 1)]
    """

    def __init__(self) -> None:
        self._small = np.zeros(_SMALL, np.int64)
        self._large: Counter[int] = Counter()

    def add(self, sizes: Integers) -> None:
        """Count the cohorts of one more block."""
        if len(sizes) and int(sizes.max()) >= _SMALL:
            large = sizes >= _SMALL
            distinct, numbers = np.unique(sizes[large], return_counts=True)
            self._large.update(dict(zip(distinct.tolist(), numbers.tolist(), strict=True)))
            sizes = sizes[~large]
        counts = np.bincount(sizes)
        self._small[: len(counts)] += counts

    def add_numbers(self, numbers: Sequence[int]) -> None:
        """Add the number of cohorts of size 0, 1, 2, and so on."""
        self._small[: len(numbers)] += numbers

    def spectrum(self) -> Spectrum:
        """Return the spectrum of the cohorts counted so far, except those of nobody."""
        seen = np.flatnonzero(self._small[1:]) + 1
        pairs = dict(zip(seen.tolist(), self._small[seen].tolist(), strict=True))
        return Spectrum.of(pairs | dict(self._large))


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


class LeaveOneOut:
    """The cohorts of each column of a table of distinct rows."""

    def __init__(self, rows: DistinctRows) -> None:
        self._rows = rows
        self._layout = Layout(rows.sizes)
        self._index_bits = index_bits_of(rows.n_rows)
        self._fits = rows.keys is not None and self._layout.total_bits + self._index_bits <= 64
        self._columns = [] if self._fits else rows.columns
        # Many passes per column would make the work grow with the square of the columns: rank both sides instead.
        many = len(passes(self._columns, rows.n_rows)) > _FEW_PASSES
        self._sides = _both_sides(self._columns, rows.n_rows) if many else []

    def blocks(self, index: int, room: Keys | None = None) -> Iterator[CohortBlock]:
        """Yield the cohorts of the column at ``index``; ``room`` is memory to sort in."""
        if self._fits and self._layout.shifts[index] == 0:
            return self._sorted_already(index)
        if self._fits:
            return self._packed(index, np.empty(self._rows.n_rows, np.uint64) if room is None else room)
        return self._ordered(index)

    def _packed(self, index: int, keys: Keys) -> Iterator[CohortBlock]:
        source = self._rows.keys
        assert source is not None
        bits, shift, index_bits = self._layout.bits[index], self._layout.shifts[index], self._index_bits
        _rearrange(source, keys, shift, bits, index_bits)
        sort_keys(keys)
        index_mask, code_mask = np.uint64((1 << index_bits) - 1), np.uint64((1 << bits) - 1)
        low = index_bits + bits
        for start, end, starts in _cut(len(keys), lambda a, b: _key_changes(keys[a:b], low)):
            block = keys[start:end]
            # Signed like indices: other integers would be converted at each use.
            rows = (block & index_mask).view(np.int64)
            codes = ((block >> np.uint64(index_bits)) & code_mask).view(np.int64)
            yield CohortBlock(rows, codes, starts)

    def _sorted_already(self, index: int) -> Iterator[CohortBlock]:
        """Yield the cohorts of the lowest column, which are contiguous because distinct rows are sorted by key."""
        keys, bits = self._rows.keys, self._layout.bits[index]
        assert keys is not None
        for start, end, starts in _cut(len(keys), lambda a, b: _key_changes(keys[a:b], bits)):
            codes = (keys[start:end] & np.uint64((1 << bits) - 1)).view(np.int64)
            yield CohortBlock(np.arange(start, end), codes, starts)

    def _ordered(self, index: int) -> Iterator[CohortBlock]:
        feature_codes = self._rows.codes[index]
        columns = self._columns
        others = self._sides[index] if self._sides else [*columns[:index], *columns[index + 1 :]]
        order, changes = lexical_order(others, self._rows.n_rows)
        for start, end, starts in _cut(len(order), lambda a, b: np.flatnonzero(changes[a + 1 : b]) + 1):
            rows = order[start:end].astype(np.int64)
            yield CohortBlock(rows, feature_codes[rows].astype(np.int64), starts)


def _rearrange(source: Keys, keys: Keys, shift: int, bits: int, index_bits: int) -> None:
    """Write each key with one column's bits moved to the low end and the row's number below them."""
    below = np.uint64((1 << shift) - 1)
    for start in range(0, len(source), _BLOCK):
        block = source[start : start + _BLOCK]
        made = keys[start : start + _BLOCK]
        # A shift by 64 bits is undefined; in that case there is nothing above.
        made[:] = (block >> np.uint64(shift + bits)) << np.uint64(shift) if shift + bits < 64 else np.uint64(0)
        made |= block & below
        made <<= np.uint64(bits)
        made |= (block >> np.uint64(shift)) & np.uint64((1 << bits) - 1) if shift < 64 else np.uint64(0)
        made <<= np.uint64(index_bits)
        made |= np.arange(start, start + len(block), dtype=np.uint64)


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


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The cohort of each row: rows with the same number are equal in some columns."""

    ranks: NDArray[np.uint32]
    number: int


def ranks_of(columns: Sequence[CodedColumn], sizes: Sequence[int], n_rows: int) -> Ranks:
    """Return the cohorts of the columns; some cohort numbers may be unused.

    >>> ranks_of([CodedColumn(np.array([1, 0, 1], np.uint32), 1)], [2], 3).ranks.tolist()
    [1, 0, 1]
    """
    if not ranks_are_direct(sizes, n_rows):
        return Ranks(*dense_ranks(columns, n_rows))
    return direct_ranks([column.codes for column in columns], sizes, n_rows)


def ranks_are_direct(sizes: Sequence[int], n_rows: int) -> bool:
    """Return whether there is room for all combinations of codes, so that each row's number follows from its codes."""
    return math.prod(max(1, size) for size in sizes) <= max(_DENSE, n_rows)


def direct_ranks(codes: Sequence[NDArray[np.unsignedinteger]], sizes: Sequence[int], n_rows: int) -> Ranks:
    """Return the number of each row among all combinations of codes; without columns, all rows are equal.

    >>> direct_ranks([np.array([1, 0], np.uint8), np.array([2, 1], np.uint32)], [2, 3], 2).ranks.tolist()
    [5, 1]
    >>> direct_ranks([], [], 2).ranks.tolist()
    [0, 0]
    """
    ranks = np.zeros(n_rows, np.uint32)
    for column, size in zip(codes, sizes, strict=True):
        ranks *= np.uint32(max(1, size))
        ranks += column
    return Ranks(ranks, math.prod(max(1, size) for size in sizes))


def people_by_combination(
    codes: Sequence[NDArray[np.unsignedinteger]], sizes: Sequence[int], people: NDArray[np.integer]
) -> Integers:
    """Count the people of each combination of codes, some rows at a time; ``direct_ranks`` numbers the combinations.

    >>> codes = [np.array([1, 0, 1], np.uint8), np.array([2, 1, 2], np.uint8)]
    >>> people_by_combination(codes, [2, 3], np.array([4, 1, 2])).tolist()
    [0, 1, 0, 0, 0, 6]
    """
    totals = np.zeros(math.prod(max(1, size) for size in sizes), np.int64)
    for start in range(0, len(people), _BLOCK):
        part = people[start : start + _BLOCK]
        ranks = direct_ranks([column[start : start + _BLOCK] for column in codes], sizes, len(part)).ranks
        if len(totals) <= _BLOCK:
            totals += people_by_code(ranks, len(totals), part)
        else:
            # Narrower integers would take many times as long.
            np.add.at(totals, ranks, part.astype(np.int64))
    return totals


def cells_of(
    ranks: Ranks, codes: NDArray[np.uint32], size: int, people: Integers | None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Integers]:
    """Return (cohort, code, people) of each value that occurs in a cohort, sorted by cohort.

    >>> known = Ranks(np.array([0, 0, 1], np.uint32), 2)
    >>> [array.tolist() for array in cells_of(known, np.array([1, 1, 0], np.uint32), 2, None)]
    [[0, 1], [1, 0], [2, 1]]
    """
    room = ranks.number * size
    if room <= max(_DENSE, 2 * len(codes)):
        keys = ranks.ranks.astype(np.int64) * size + codes
        counted = people_by_code(keys, room, people)
        cohort, code = np.nonzero(counted.reshape(ranks.number, size))
        return cohort.astype(np.uint32), code.astype(np.uint32), counted[counted > 0]
    columns = [CodedColumn(ranks.ranks, bits_of(ranks.number)), CodedColumn(codes, bits_of(size))]
    order, changes = lexical_order(columns, len(codes))
    borders = np.flatnonzero(changes)
    kept = order[borders]
    weights = np.diff(borders, append=len(codes)) if people is None else np.add.reduceat(people[order], borders)
    return ranks.ranks[kept], codes[kept], weights


def spectrum_of(people: Integers) -> Spectrum:
    """Return the spectrum of values from the number of people of each; values with 0 people are left out.

    >>> spectrum_of(np.array([1, 0, 2, 1])).pairs()
    [(1, 2), (2, 1)]
    """
    return Spectrum.of(size_counts(people))


def pair_spectrum(
    first: NDArray[np.uint32], first_size: int, second: NDArray[np.uint32], second_size: int, people: Integers | None
) -> Spectrum:
    """Return the spectrum of two columns together.

    >>> pair_spectrum(np.array([0, 0, 1], np.uint32), 2, np.array([1, 1, 1], np.uint32), 2, None).pairs()
    [(1, 1), (2, 1)]
    """
    return spectrum_of(cells_of(Ranks(first, first_size), second, second_size, people)[2])
