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
from idbits.kernels.distinct import distinct_keys
from idbits.kernels.partition import sorted_with_positions
from idbits.kernels.run_lengths import run_borders, size_counts

__all__ = [
    "NullValues", "PairScan", "Pairs", "PersonFigures", "SortedPairs", "ValueBlock", "ValueSizes", "count_records",
    "people_by", "profile_entries", "scan_pairs",
]  # fmt: skip

Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]
ValueSizes = Callable[[Keys, Integers], Integers]
"""Returns the size of each value's group from the values and the numbers of people who have them."""

# Blocks stay in the cache while we take one step after another.
_BLOCK = 1 << 17
_KEY_BLOCK = 1 << 16
_NOBODY = np.iinfo(np.int64).max
# The sizes that a table of counts may have: larger ones are slower than sorting the pairs.
_CELLS_PER_PAIR, _FEW_CELLS = 1, 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class ValueBlock:
    """Some values with all people who have them, ascending.

    Attributes:
        values: each value once.
        borders: where the people of each value begin, and the end.
        persons: the people of each value.
        rows: the number of rows of each pair of value and person; None if it is 1 for all.
    """

    values: Keys
    borders: Integers
    persons: Integers
    rows: Integers | None

    @property
    def lengths(self) -> Integers:
        """The number of people of each value."""
        return np.diff(self.borders)


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
        keys: one key per row; they are sorted, and the people then take their place.
        person_bits: the number of bits of a person's code.
        n_codes: the number of codes of people.

    >>> pairs = SortedPairs(np.array([0b110, 0b101, 0b110], np.uint64), person_bits=1, n_codes=2)
    >>> [(block.values.tolist(), block.persons.tolist(), block.rows.tolist()) for block in pairs.blocks()]
    [([2, 3], [1, 0], [1, 2])]
    """

    def __init__(self, keys: Keys, person_bits: int, n_codes: int) -> None:
        self.n_codes = n_codes
        distinct, self._rows = distinct_keys(keys)
        bits, low = np.uint64(person_bits), np.uint64((1 << person_bits) - 1)
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
        self._persons = distinct.view(np.int64)

    def blocks(self) -> Iterator[ValueBlock]:
        """Yield the pairs by value, in blocks that stay small unless many people share a value."""
        first = 0
        while first < len(self._values):
            begin = int(self._borders[first])
            last = int(np.searchsorted(self._borders, begin + _BLOCK))
            last = min(max(last, first + 1), len(self._values))
            pairs = slice(begin, int(self._borders[last]))
            yield ValueBlock(
                self._values[first:last],
                self._borders[first : last + 1] - begin,
                self._persons[pairs],
                self._rows[pairs] if self._rows is not None else None,
            )
            first = last


@dataclass(frozen=True, slots=True, eq=False)
class PersonFigures:
    """What is known of each code of a person.

    Attributes:
        rows: the number of rows; 0 if the code does not occur.
        n_values: the number of values.
        smallest: the size of the smallest group among the person's values.
        is_null: whether all values of the person are nulls.
        is_unique_by_null: whether all values with a group of one contain a null, and there are some.
    """

    rows: Integers
    n_values: Integers
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


def scan_pairs(pairs: Pairs, nulls: NullValues | None, sizes: ValueSizes | None = None) -> PairScan:
    """Find the smallest group of each person; a group consists of the people who have the value, unless given."""
    n_values, more_rows = np.zeros(pairs.n_codes, np.int64), np.zeros(pairs.n_codes, np.int64)
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
        np.add.at(n_values, persons, 1)
        if block.rows is not None:
            again = np.flatnonzero(block.rows > 1)
            np.add.at(more_rows, persons[again], block.rows[again] - 1)
        if nulls is not None:
            full_and_unique = (groups == 1) & ~nulls.some(block.values)
            has_full_unique[persons[np.repeat(full_and_unique, lengths)]] = True
            of_nulls = np.repeat(nulls.only(block.values), lengths)
            null_rows[persons[of_nulls]] = 1 if block.rows is None else block.rows[of_nulls]
    rows = n_values + more_rows
    is_unique = smallest == 1
    figures = PersonFigures(
        rows,
        n_values,
        smallest,
        (null_rows > 0) & (null_rows == rows),
        is_unique & ~has_full_unique if nulls is not None else np.zeros(pairs.n_codes, np.bool_),
    )
    return PairScan(figures, np.array(sorted(occurring), np.int64), n_pairs, missing, overfull)


def count_records(
    pairs: Pairs, scan: PairScan, sizes: ValueSizes | None = None
) -> tuple[tuple[int, int, int, int], ...]:
    """Count pairs by the rows of the person, the rows of the pair and the size of the group, for kept people."""
    rows, kept = scan.figures.rows, None if sizes is None else scan.figures.kept()
    width = int(rows.max(initial=0)) + 1
    tally = _CellTally(scan.group_sizes, width, scan.n_pairs)
    for block in pairs.blocks():
        lengths, persons = block.lengths, block.persons
        groups = lengths if sizes is None else sizes(block.values, lengths)
        ranks = np.repeat(np.searchsorted(scan.group_sizes, groups), lengths)
        of_pair = block.rows
        if kept is not None:
            wanted = kept[persons]
            persons, ranks = persons[wanted], ranks[wanted]
            of_pair = of_pair[wanted] if of_pair is not None else None
        tally.add(rows[persons], of_pair, ranks)
    return tally.total()


class _CellTally:
    """Counts pairs in a table by rank of the group size, rows of the person and rows of the pair.

    The first cells, for pairs of few rows, are counted at once; the others are put aside and sorted.
    """

    def __init__(self, sizes: Integers, width: int, n_pairs: int) -> None:
        self._sizes, self._width = sizes, width
        room = max(_FEW_CELLS, _CELLS_PER_PAIR * n_pairs) // max(1, width * len(sizes))
        self._most = min(width - 1, room)
        self._cells = np.zeros(len(sizes) * width * self._most, np.int64)
        self._others: list[NDArray[np.int64]] = []

    def add(self, rows: Integers, of_pair: Integers | None, ranks: Integers) -> None:
        """Add some pairs."""
        if of_pair is None:
            of_pair = np.ones(len(rows), np.int64)
        if self._most < self._width - 1:
            many = np.flatnonzero(of_pair > self._most)
            if len(many):
                self._others.append(np.stack([rows[many], of_pair[many], self._sizes[ranks[many]]]))
                few = np.flatnonzero(of_pair <= self._most)
                rows, of_pair, ranks = rows[few], of_pair[few], ranks[few]
        cells = ranks * self._width
        cells += rows
        cells *= self._most
        cells += of_pair
        cells -= 1
        np.add.at(self._cells, cells, 1)

    def total(self) -> tuple[tuple[int, int, int, int], ...]:
        held = np.flatnonzero(self._cells)
        most = max(1, self._most)
        rows, of_pair = held // most % self._width, held % most + 1
        counted = np.stack([rows, of_pair, self._sizes[held // most // self._width], self._cells[held]])
        if self._others:
            others = np.concatenate(self._others, axis=1)
            distinct, number = np.unique(others, axis=1, return_counts=True)
            counted = np.concatenate([counted, np.concatenate([distinct, number[None]])], axis=1)
        return tuple(sorted(zip(*counted.tolist(), strict=True)))


def profile_entries(
    pairs: Pairs, figures: PersonFigures, sizes: ValueSizes | None = None
) -> tuple[Integers, Integers, Integers]:
    """Return where the entries of each kept person begin, and the group sizes and rows of their pairs."""
    kept = figures.kept()
    keeps_all = bool(kept[figures.rows > 0].all())
    lengths = np.where(kept, figures.n_values, 0)
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
        if block.rows is not None:
            rows[entries] = block.rows[order]
        free[persons[borders[:-1]]] += runs
    return starts, groups, rows


def people_by(numbers: Integers) -> tuple[tuple[int, int], ...]:
    """Return how many people have each number, ascending.

    >>> people_by(np.array([2, 1, 2]))
    ((1, 1), (2, 2))
    """
    return tuple(sorted(size_counts(numbers).items()))
