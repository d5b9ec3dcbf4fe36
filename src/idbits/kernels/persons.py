"""Counts people who have several rows: the distinct pairs of value and person, in the order of the values.

Implements: SPEC page people.md, section 1. A key has the value in its high bits and the person in the low ones, so one
plain sort puts the people of each value side by side: k is the length of a run. What is needed of each person is added
up in arrays by person, block by block, so the memory is that of the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.distinct import repeated_keys
from idbits.kernels.partition import sorted_with_positions
from idbits.kernels.run_lengths import run_borders, size_counts

__all__ = [
    "NullValues", "PairScan", "Pairs", "PersonFigures", "SortedPairs", "ValueBlock", "ValueSizes", "count_records",
    "people_by", "profile_entries", "scan_pairs", "values_of_people",
]  # fmt: skip

Keys = NDArray[np.uint64]
PackedKeys = NDArray[np.unsignedinteger]
Flags = NDArray[np.bool_]
ValueSizes = Callable[[Keys, Integers], Integers]
"""Returns the size of each value's group from the values and the numbers of people who have them."""

# Blocks stay in the cache while we take one step after another.
_BLOCK = 1 << 17
_KEY_BLOCK = 1 << 16
_NOBODY = np.iinfo(np.int64).max
# A table of counts may have this many cells, or as many as there are pairs.
_FEW_CELLS = 1 << 20
_SHORT_BITS = 32


@dataclass(frozen=True, slots=True, eq=False)
class ValueBlock:
    """Some values with all people who have them, ascending.

    Attributes:
        values: each value once.
        borders: where the people of each value begin, and the end.
        persons: the people of each value.
        repeated: the pairs of value and person with more than one row, ascending.
        times: the number of their rows.
    """

    values: Keys
    borders: Integers
    persons: Integers
    repeated: Integers
    times: Integers

    @property
    def lengths(self) -> Integers:
        """The number of people of each value."""
        return np.diff(self.borders)

    def rows(self) -> Integers:
        """Return the number of rows of each pair."""
        rows = np.ones(len(self.persons), np.int64)
        rows[self.repeated] = self.times
        return rows


class Pairs(Protocol):
    """Distinct pairs of value and person, which can be read several times."""

    @property
    def n_codes(self) -> int:
        """The number of codes of people; some may not occur."""

    def blocks(self) -> Iterator[ValueBlock]:
        """Yield the pairs by value, always in the same order."""


class NullValues(Protocol):
    """Tells which values have nulls."""

    def some(self, values: Keys) -> Flags:
        """Return whether each value contains a null."""

    def only(self, values: Keys) -> Flags:
        """Return whether each value consists of nulls."""


class SortedPairs:
    """Pairs in memory.

    Args:
        keys: one key per row, of 32 or 64 bits; they are sorted, and the people then take their place.
        person_bits: the number of bits of a person's code.
        n_codes: the number of codes of people.

    >>> pairs = SortedPairs(np.array([0b110, 0b101, 0b110], np.uint64), person_bits=1, n_codes=2)
    >>> [(block.values.tolist(), block.persons.tolist(), block.rows().tolist()) for block in pairs.blocks()]
    [([2, 3], [1, 0], [1, 2])]
    """

    def __init__(self, keys: PackedKeys, person_bits: int, n_codes: int) -> None:
        self.n_codes = n_codes
        distinct, self._repeated, self._times = repeated_keys(keys)
        bits, low = np.array([person_bits, (1 << person_bits) - 1], keys.dtype)
        values, borders = [], []
        last = None
        for start in range(0, len(distinct), _KEY_BLOCK):
            block = distinct[start : start + _KEY_BLOCK]
            value = block >> bits
            begins = np.flatnonzero(value[1:] != value[:-1]) + 1
            if value[0] != last:
                begins = np.concatenate(([0], begins))
            values.append(value[begins])
            borders.append(begins + start)
            last = value[-1]
            block &= low
        self._values = np.concatenate([np.zeros(0, np.uint64), *values])
        self._borders = np.concatenate([*borders, [len(distinct)]]).astype(np.int64)
        self._persons = distinct

    def blocks(self) -> Iterator[ValueBlock]:
        """Yield the pairs by value, in blocks that stay small unless many people share a value."""
        first = 0
        while first < len(self._values):
            begin = int(self._borders[first])
            last = int(np.searchsorted(self._borders, begin + _BLOCK))
            last = min(max(last, first + 1), len(self._values))
            end = int(self._borders[last])
            repeated = slice(*np.searchsorted(self._repeated, (begin, end)).tolist())
            yield ValueBlock(
                self._values[first:last],
                self._borders[first : last + 1] - begin,
                self._persons[begin:end].astype(np.int64),
                self._repeated[repeated] - begin,
                self._times[repeated],
            )
            first = last

    @property
    def values(self) -> Keys:
        """Each value once, ascending."""
        return self._values

    def rows_of_people(self) -> Integers:
        """Return the number of rows of each code of a person.

        >>> SortedPairs(np.array([0b110, 0b101, 0b110], np.uint64), person_bits=1, n_codes=2).rows_of_people().tolist()
        [2, 1]
        """
        rows = values_of_people(self)
        np.add.at(rows, self._persons[self._repeated], self._times - 1)
        return rows

    def with_values(self, values: Keys, person_bits: int) -> SortedPairs:
        """Return the pairs in which other values take the place of ``values``; several can become one.

        >>> pairs = SortedPairs(np.array([0b110, 0b101, 0b110], np.uint64), person_bits=1, n_codes=2)
        >>> [block.persons.tolist() for block in pairs.with_values(np.array([7, 7], np.uint64), 1).blocks()]
        [[0, 1]]
        """
        is_short = int(values.max(initial=0)).bit_length() + person_bits <= _SHORT_BITS
        n_pairs = len(self._persons)
        keys: PackedKeys = np.empty(n_pairs + int((self._times - 1).sum()), np.uint32 if is_short else np.uint64)
        high = (values << np.uint64(person_bits)).astype(keys.dtype)
        first_value = first_pair = 0
        for block in self.blocks():
            last_value, last_pair = first_value + len(block.values), first_pair + len(block.persons)
            keys[first_pair:last_pair] = np.repeat(high[first_value:last_value], block.lengths)
            keys[first_pair:last_pair] |= block.persons.astype(keys.dtype)
            first_value, first_pair = last_value, last_pair
        keys[n_pairs:] = np.repeat(keys[self._repeated], self._times - 1)
        return SortedPairs(keys, person_bits, self.n_codes)


@dataclass(frozen=True, slots=True, eq=False)
class PersonFigures:
    """What is known of each code of a person.

    Attributes:
        rows: the number of rows; 0 if the code does not occur.
        n_values: the number of values; None if it was not counted.
        smallest: the size of the smallest group among the person's values.
        is_null: whether all values of the person are nulls.
        is_unique_by_null: whether all values with a group of one contain a null, and there are some.
    """

    rows: Integers
    n_values: Integers | None
    smallest: Integers
    is_null: Flags
    is_unique_by_null: Flags

    def kept(self) -> Flags:
        """Return the people all of whose values have a group."""
        return (self.rows > 0) & (self.smallest > 0)


@dataclass(frozen=True, slots=True, eq=False)
class PairScan:
    """The result of one reading of the pairs.

    Attributes:
        figures: the figures of each person.
        group_sizes: the sizes of groups that occur, ascending.
        n_pairs: the number of pairs.
        missing_values: the number of values without a group.
        overfull_values: the number of values with more people than their group.
    """

    figures: PersonFigures
    group_sizes: Integers
    n_pairs: int
    missing_values: int
    overfull_values: int


def values_of_people(pairs: Pairs) -> Integers:
    """Return the number of values of each code of a person."""
    n_values = np.zeros(pairs.n_codes, np.int64)
    for block in pairs.blocks():
        np.add.at(n_values, block.persons, 1)
    return n_values


def scan_pairs(
    pairs: Pairs, nulls: NullValues | None, sizes: ValueSizes | None = None, *, rows: Integers | None = None
) -> PairScan:
    """Find the smallest group of each person; a group consists of the people who have the value, unless given.

    Unless the number of ``rows`` of each person is known, it is counted, and that of their values.
    """
    n_values, more_rows = (np.zeros(pairs.n_codes if rows is None else 0, np.int64) for _ in range(2))
    smallest = np.full(pairs.n_codes, _NOBODY, np.int64)
    has_full_unique, null_rows = np.zeros(pairs.n_codes, np.bool_), np.zeros(pairs.n_codes, np.int64)
    occurring: set[int] = set()
    n_pairs = missing = overfull = 0
    for block in pairs.blocks():
        lengths, persons = block.lengths, block.persons
        groups = lengths if sizes is None else sizes(block.values, lengths)
        occurring.update(np.unique(groups).tolist())
        n_pairs += len(persons)
        missing += int(np.count_nonzero(groups == 0))
        overfull += int(np.count_nonzero((groups > 0) & (lengths > groups)))
        np.minimum.at(smallest, persons, np.repeat(groups, lengths))
        if rows is None:
            np.add.at(n_values, persons, 1)
            np.add.at(more_rows, persons[block.repeated], block.times - 1)
        if nulls is not None:
            full_and_unique = (groups == 1) & ~nulls.some(block.values)
            has_full_unique[persons[np.repeat(full_and_unique, lengths)]] = True
            only_nulls = nulls.only(block.values)
            if only_nulls.any():
                of_nulls = np.repeat(only_nulls, lengths)
                null_rows[persons[of_nulls]] = block.rows()[of_nulls]
    of_people = n_values + more_rows if rows is None else rows
    is_unique = smallest == 1
    figures = PersonFigures(
        of_people,
        n_values if rows is None else None,
        smallest,
        (null_rows > 0) & (null_rows == of_people),
        is_unique & ~has_full_unique if nulls is not None else np.zeros(pairs.n_codes, np.bool_),
    )
    return PairScan(figures, np.array(sorted(occurring), np.int64), n_pairs, missing, overfull)


def count_records(
    pairs: Pairs, scan: PairScan, sizes: ValueSizes | None = None
) -> tuple[tuple[int, int, int, int], ...]:
    """Count pairs by the rows of the person, the rows of the pair and the size of the group, for kept people."""
    kept = scan.figures.kept()
    rows, row_ranks = np.unique(scan.figures.rows, return_inverse=True)
    tally = _RecordTally(scan.group_sizes, rows, scan.n_pairs)
    for block in pairs.blocks():
        lengths, persons = block.lengths, block.persons
        groups = lengths if sizes is None else sizes(block.values, lengths)
        size_ranks = np.repeat(np.searchsorted(scan.group_sizes, groups), lengths)
        if sizes is None:
            tally.add(row_ranks[persons], size_ranks, block.repeated, block.times)
        else:
            wanted = np.flatnonzero(kept[persons])
            of_pair = block.rows()[wanted]
            repeated = np.flatnonzero(of_pair > 1)
            tally.add(row_ranks[persons[wanted]], size_ranks[wanted], repeated, of_pair[repeated])
    return tally.total()


class _RecordTally:
    """Counts pairs in a table by the ranks of the group size and of the person's rows, and by the rows of the pair.

    Pairs whose rows would make the table too large are put aside and sorted: all of them if need be.
    """

    def __init__(self, sizes: Integers, rows: Integers, n_pairs: int) -> None:
        self._sizes, self._rows = sizes, rows
        room = max(_FEW_CELLS, n_pairs) // max(1, len(sizes) * len(rows))
        # The last column is for the pairs that are put aside.
        self._most = min(room, max(2, int(rows.max(initial=0)) + 1)) if room >= 2 else 0
        self._table = np.zeros(len(sizes) * len(rows) * self._most, np.int64)
        self._aside: list[Keys] = [np.zeros(0, np.uint64)]

    def add(self, row_ranks: Integers, size_ranks: Integers, repeated: Integers, times: Integers) -> None:
        """Add some pairs, of which some have several rows of their own."""
        cells = size_ranks * len(self._rows) + row_ranks
        if not self._most:
            of_pair = np.ones(len(cells), np.int64)
            of_pair[repeated] = times
            self._put_aside(cells, of_pair)
            return
        many = times >= self._most
        self._put_aside(cells[repeated[many]], times[many])
        cells *= self._most
        cells[repeated] += np.minimum(times, self._most) - 1
        np.add.at(self._table, cells, 1)

    def _put_aside(self, cells: Integers, of_pair: Integers) -> None:
        self._aside.append((cells.astype(np.uint64) << np.uint64(32)) | of_pair.astype(np.uint64))

    def total(self) -> tuple[tuple[int, int, int, int], ...]:
        """Return (rows of the person, rows of the pair, group size, number of pairs), ascending."""
        keys, repeated, times = repeated_keys(np.concatenate(self._aside))
        number = np.ones(len(keys), np.int64)
        number[repeated] = times
        cells, of_pair = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        if self._most:
            table = self._table.reshape(-1, self._most)[:, :-1]
            in_table = np.nonzero(table)
            cells, of_pair = np.concatenate([cells, in_table[0]]), np.concatenate([of_pair, in_table[1] + 1])
            number = np.concatenate([number, table[in_table]])
        rows, sizes = self._rows[cells % len(self._rows)], self._sizes[cells // len(self._rows)]
        return tuple(sorted(zip(rows.tolist(), of_pair.tolist(), sizes.tolist(), number.tolist(), strict=True)))


def profile_entries(
    pairs: Pairs, figures: PersonFigures, sizes: ValueSizes | None = None
) -> tuple[Integers, Integers, Integers]:
    """Return where the entries of each kept person begin, and the group sizes and rows of their pairs."""
    kept = figures.kept()
    keeps_all = bool(kept[figures.rows > 0].all())
    n_values = values_of_people(pairs) if figures.n_values is None else figures.n_values
    lengths = np.where(kept, n_values, 0)
    # The next free entry of each person; values arrive one after another, each with different people.
    free = np.cumsum(lengths) - lengths
    starts = np.concatenate([free[kept], [int(lengths.sum())]])
    groups, rows = np.empty(starts[-1], np.int64), np.ones(starts[-1], np.int64)
    for block in pairs.blocks():
        of_value = np.repeat(block.lengths if sizes is None else sizes(block.values, block.lengths), block.lengths)
        ordered, positions = sorted_with_positions(block.persons.astype(np.uint64))
        persons, order = ordered.astype(np.int64), positions.astype(np.int64)
        if not keeps_all:
            persons, order = persons[kept[persons]], order[kept[persons]]
        borders = run_borders(persons)
        runs = np.diff(borders)
        entries = free[persons] + np.arange(len(persons)) - np.repeat(borders[:-1], runs)
        groups[entries] = of_value[order]
        if len(block.repeated):
            rows[entries] = block.rows()[order]
        free[persons[borders[:-1]]] += runs
    return starts, groups, rows


def people_by(numbers: Integers) -> tuple[tuple[int, int], ...]:
    """Return how many people have each number, ascending.

    >>> people_by(np.array([2, 1, 2]))
    ((1, 1), (2, 2))
    """
    return tuple(sorted(size_counts(numbers).items()))
