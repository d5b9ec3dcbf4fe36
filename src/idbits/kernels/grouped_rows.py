"""Rows sorted by some columns, to count what two more columns make of their groups, for many pairs of columns.

Adding a column never joins two groups. So rows that are unique are only counted, small groups are split by comparing
their rows (``SmallGroups``), and the rows of the others are sorted again, a few groups at a time, in the cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns, packed_keys
from idbits.kernels.cohorts import CohortSizes
from idbits.kernels.partition import Partition, positions_of_runs, sorted_with_positions
from idbits.kernels.small_groups import SmallGroups
from idbits.kernels.sorting import sort_keys

__all__ = ["GroupedRows"]

Integers = NDArray[np.int64]
Codes = NDArray[np.unsignedinteger]
ColumnPair = tuple[int, int]

_KEY_BITS = 64
_MOST_MEMBERS = 8
_FEWEST_ROWS = 1 << 13
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRows:
    """Rows in groups that are equal in some columns, each row being one person.

    Attributes:
        rows: the rows of large groups, group by group.
        begins: where each large group begins, and the end.
        n_unique: the rows that are the only ones in their group.
        small: the small groups, by their size.
    """

    table: CodedColumns
    rows: Integers
    begins: Integers
    n_unique: int
    small: tuple[SmallGroups, ...]

    @classmethod
    def of(cls, table: CodedColumns, columns: Sequence[int]) -> GroupedRows:
        """Group all rows by some columns."""
        rows, begins, n_unique = _ordered(table, columns)
        lengths = np.diff(begins)
        sizes = np.minimum(lengths, _MOST_MEMBERS + 1).astype(np.uint8)
        n_groups = np.bincount(sizes, minlength=_MOST_MEMBERS + 1).tolist()
        small, is_large = [], sizes == _MOST_MEMBERS + 1
        for size in range(2, _MOST_MEMBERS + 1):
            chosen = sizes == size
            if n_groups[size] * size >= _FEWEST_ROWS:
                members = begins[np.flatnonzero(chosen)] + np.arange(size)[:, None]
                small.append(SmallGroups(table, rows[members]))
            else:
                is_large |= chosen
        large = np.flatnonzero(is_large)
        ends = np.cumsum(lengths[large])
        # Each group's rows follow those of the large group before it.
        moved = begins[large] - ends + lengths[large]
        rows = rows[np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(moved, lengths[large])]
        return cls(table, rows, np.concatenate(([0], ends)), n_unique + n_groups[1], tuple(small))

    def spectra(self, pairs: Sequence[ColumnPair]) -> list[Spectrum]:
        """Count the groups that each pair of columns makes.

        >>> table = CodedColumns(tuple(np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0]], np.uint8)), (2, 2, 2), None, 3)
        >>> [spectrum.pairs() for spectrum in GroupedRows.of(table, [0]).spectra([(1, 2)])]
        [[(1, 3)]]
        """
        tallies = [CohortSizes() for _ in pairs]
        for begin, end in self._blocks():
            self._count_block(begin, end, pairs, tallies)
        for pair, tally in zip(pairs, tallies, strict=True):
            tally.add_numbers([0, self.n_unique])
            for groups in self.small:
                tally.add_numbers(groups.n_by_size(pair))
        return [tally.spectrum() for tally in tallies]

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the first group and the end of the groups that stay in the cache together; a group is never cut."""
        begin, n_groups = 0, len(self.begins) - 1
        while begin < n_groups:
            fitting = int(np.searchsorted(self.begins, self.begins[begin] + _BLOCK, side="right")) - 1
            end = max(begin + 1, fitting)
            yield begin, end
            begin = end

    def _count_block(self, begin: int, end: int, pairs: Sequence[ColumnPair], tallies: Sequence[CohortSizes]) -> None:
        sizes = self.table.sizes
        most = (end - begin) * max(sizes[first] * sizes[last] for first, last in pairs)
        if most > 1 << _KEY_BITS and end - begin > 1:
            # Keys of fewer groups have fewer bits; those of one group always fit, as codes have at most 32.
            middle = (begin + end) // 2
            self._count_block(begin, middle, pairs, tallies)
            self._count_block(middle, end, pairs, tallies)
            return
        rows = self.rows[self.begins[begin] : self.begins[end]]
        codes = {column: self.table.codes[column][rows] for column in {column for pair in pairs for column in pair}}
        groups = np.repeat(np.arange(end - begin), np.diff(self.begins[begin : end + 1]))
        dtype: type[np.unsignedinteger] = np.uint32 if most <= 1 << 32 else np.uint64
        keys = np.empty(len(rows), dtype)
        for first, same_first in itertools.groupby(zip(pairs, tallies, strict=True), key=lambda item: item[0][0]):
            by_first = groups.astype(dtype)
            by_first *= dtype(sizes[first])
            np.add(by_first, codes[first], out=by_first)
            for (_, last), tally in same_first:
                np.multiply(by_first, dtype(sizes[last]), out=keys)
                np.add(keys, codes[last], out=keys)
                tally.add(_occurrences(keys, (end - begin) * sizes[first] * sizes[last]))


def _occurrences(keys: Codes, space: int) -> Integers:
    """Return how often each key below ``space`` occurs, maybe with zeros for those that do not; may sort the keys."""
    if 4 * space <= 3 * len(keys):
        # NumPy before 2.3 refuses to count uint64.
        return np.bincount(keys.astype(np.int64, copy=False), minlength=space)
    sort_keys(keys)
    changes = np.ones(len(keys) + 1, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=changes[1:-1])
    return np.diff(np.flatnonzero(changes))


def _ordered(table: CodedColumns, columns: Sequence[int]) -> tuple[Integers, Integers, int]:
    """Return rows by their group, where each group begins, and the end; then the number of unique rows left out."""
    if not columns:
        return np.arange(table.n_rows), np.array([0, table.n_rows]), 0
    if sum(map(table.bits, columns)) <= _KEY_BITS:
        keys, _ = packed_keys(table, list(columns))
        ordered, positions = sorted_with_positions(keys)
        rows, n_unique = positions.view(np.int64), 0
    else:
        partition = Partition.whole(table)
        for column in columns:
            partition = partition.refined(column)
        assert partition.rows is not None
        assert partition.sets is not None
        ordered, positions = sorted_with_positions(partition.sets)
        rows, n_unique = partition.rows[positions], table.n_rows - len(partition.rows)
    return rows, np.append(positions_of_runs(ordered), len(rows)), n_unique
