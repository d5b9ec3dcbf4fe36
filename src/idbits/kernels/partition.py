"""Split people into sets column by column, skipping those who are already unique.

Adding a column never joins two sets (SPEC section 2: monotone). So a set of a single row is settled, and the next
column is applied only to the rows of larger sets.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns
from idbits.kernels.run_lengths import size_counts
from idbits.kernels.sorting import sort_keys

__all__ = ["Partition", "positions_of_runs", "sorted_with_positions"]

Array = NDArray[np.generic]
Integers = NDArray[np.int64]
Codes = NDArray[np.unsignedinteger]

_EXACT_FLOAT = 2**53
_SMALL_SPACE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """People split into sets by some columns.

    Attributes:
        table: the columns.
        rows: the rows of sets with more than one row, ascending; None for all rows.
        sets: the index of each such row's set, from 0.
        n_sets: the number of such sets.
        settled: the number of single-row sets of each size; they cannot be split.
        alone: the rows that the last column settled.
    """

    table: CodedColumns
    rows: Integers | None
    sets: NDArray[np.uint32] | None
    n_sets: int
    settled: Counter[int]
    alone: Integers

    @classmethod
    def whole(cls, table: CodedColumns) -> Partition:
        """Return all people in one set."""
        return cls(table, None, None, 1, Counter(), np.zeros(0, np.int64))

    @classmethod
    def of_sorted(cls, table: CodedColumns, ordered: Codes, positions: Codes) -> Partition:
        """Return the sets of equal keys, given sorted and with their rows; each row is one person."""
        repeats = np.zeros(len(ordered) + 1, np.bool_)
        np.equal(ordered[1:], ordered[:-1], out=repeats[1:-1])
        shared = np.flatnonzero(repeats[1:] | repeats[:-1])
        sets = np.cumsum(~repeats[shared], dtype=np.uint32)
        rows = positions[shared].astype(np.int64)
        order = np.argsort(rows)
        n_sets = int(sets[-1]) if len(sets) else 0
        settled = Counter({1: len(ordered) - len(shared)}) if len(shared) < len(ordered) else Counter()
        return cls(table, rows[order], (sets - np.uint32(1))[order], n_sets, settled, np.zeros(0, np.int64))

    def spectrum(self) -> Spectrum:
        """Count the sets of each size.

        >>> table = CodedColumns((np.array([0, 1, 1, 2], np.uint8),), (3,), None, 4)
        >>> Partition.whole(table).refined(0).spectrum().pairs()
        [(1, 2), (2, 1)]
        """
        if self.sets is None:
            return Spectrum.of({self.table.n_people: 1})
        sizes = self.settled.copy()
        if len(self.sets):
            sizes.update(size_counts(self._people_by(self.sets, self.n_sets)))
        return Spectrum.of(sizes)

    def people_of_rows(self) -> Integers:
        """Return, for each row of a set with more than one row, the people of its set."""
        if self.sets is None or not len(self.sets):
            return np.zeros(0, np.int64)
        return self._people_by(self.sets, self.n_sets)[self.sets]

    def refined(self, column: int) -> Partition:
        """Split the sets by one more column."""
        keys, space = self._keys(column)
        sets, n_sets = _numbers_of_shared(keys, space)
        together = sets >= 0
        rows = np.arange(len(keys), dtype=np.int64) if self.rows is None else self.rows
        alone = rows[~together]
        settled = self.settled.copy()
        if len(alone):
            people = self.table.people
            settled.update({1: len(alone)} if people is None else size_counts(people[alone]))
        return Partition(self.table, rows[together], sets[together].view(np.uint32), n_sets, settled, alone)

    def refined_spectrum(self, column: int) -> Spectrum:
        """Count the sets that one more column would make, without changing the partition."""
        keys, space = self._keys(column)
        sizes = self.settled.copy()
        if not len(keys):
            return Spectrum.of(sizes)
        if self.table.people is not None:
            sizes.update(size_counts(self._people_by(keys, space)))
        elif space <= len(keys):
            sizes.update(size_counts(np.bincount(keys, minlength=space)))
        else:
            sort_keys(keys)
            sizes.update(size_counts(np.diff(positions_of_runs(keys), append=len(keys))))
        return Spectrum.of(sizes)

    def _keys(self, column: int) -> tuple[Codes, int]:
        codes, bits = self.table.codes[column], self.table.bits(column)
        space = self.n_sets << bits
        dtype: type[np.unsignedinteger] = np.uint32 if space <= 1 << 32 else np.uint64
        if self.sets is None:
            return codes.astype(dtype), space
        keys: Codes = self.sets.astype(dtype)
        keys <<= dtype(bits)
        keys |= codes[self.rows].astype(dtype, copy=False)
        return keys, space

    def _people_by(self, keys: Codes, space: int) -> Integers:
        """Return the people of each key."""
        people = self.table.people
        if people is None:
            return np.bincount(keys, minlength=space)
        weights = people if self.rows is None else people[self.rows]
        # bincount adds floats, which are exact only for whole numbers up to 2^53.
        if space <= max(1 << 16, 4 * len(keys)) and self.table.n_people < _EXACT_FLOAT:
            return np.bincount(keys, weights=weights, minlength=space).astype(np.int64)
        ordered, positions = sorted_with_positions(keys)
        return np.add.reduceat(weights[positions], positions_of_runs(ordered))


def _numbers_of_shared(keys: Codes, space: int) -> tuple[NDArray[np.int32], int]:
    """Number the keys that several rows have, ascending; return the number of each row, -1 if its key is unique.

    >>> _numbers_of_shared(np.array([5, 2, 5, 0, 2], np.uint32), 6)[0].tolist()
    [1, 0, 1, -1, 0]
    """
    if space > max(_SMALL_SPACE, 4 * len(keys)):
        ordered, positions = sorted_with_positions(keys)
        lengths = np.diff(positions_of_runs(ordered), append=len(ordered))
        of_runs, n_shared = _numbers_where(lengths > 1)
        numbers = np.empty(len(keys), np.int32)
        numbers[positions] = np.repeat(of_runs, lengths)
        return numbers, n_shared
    if space <= _SMALL_SPACE:
        table, n_shared = _numbers_where(np.bincount(keys, minlength=space) > 1)
    else:
        # Counting in a large table misses the cache at each row, a sort does not.
        ordered = keys.copy()
        sort_keys(ordered)
        repeats = np.flatnonzero(ordered[1:] == ordered[:-1])
        shared = ordered[repeats[np.diff(repeats, prepend=-2) > 1]]
        n_shared = len(shared)
        table = np.full(space, -1, np.int32)
        table[shared] = np.arange(n_shared, dtype=np.int32)
    return table[keys], n_shared


def _numbers_where(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    """Return the number of each chosen position among them, -1 for the others, and how many there are."""
    numbers = np.cumsum(chosen, dtype=np.int32)
    n_chosen = int(numbers[-1]) if len(numbers) else 0
    numbers -= np.int32(1)
    numbers[~chosen] = -1
    return numbers, n_chosen


def sorted_with_positions(keys: Codes) -> tuple[Codes, Codes]:
    """Return sorted keys and their original positions.

    >>> sorted_with_positions(np.array([9, 3], np.uint32))
    (array([3, 9], dtype=uint64), array([1, 0], dtype=uint64))
    """
    place_bits = max(1, (len(keys) - 1).bit_length())
    if len(keys) and int(keys.max()).bit_length() + place_bits <= 64:
        # One plain sort of key and position packed together; argsort takes six times as long.
        both = keys.astype(np.uint64)
        both <<= np.uint64(place_bits)
        both |= np.arange(len(keys), dtype=np.uint64)
        sort_keys(both)
        return both >> np.uint64(place_bits), both & np.uint64((1 << place_bits) - 1)
    positions = np.argsort(keys, kind="stable").astype(np.uint64)
    return keys[positions], positions


def positions_of_runs(ordered: Array) -> Integers:
    """Return where each run of equal keys begins."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    return np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
