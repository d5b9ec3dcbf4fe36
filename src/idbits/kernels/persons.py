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
from idbits.kernels.run_lengths import run_borders, size_counts

__all__ = [
    "NullValues",
    "PairScan",
    "Pairs",
    "PersonFigures",
    "SortedPairs",
    "ValueBlock",
    "ValueSizes",
    "profile_entries",
    "rows_by_person",
    "scan_pairs",
]  # fmt: skip

Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]
ValueSizes = Callable[[Keys, Integers], Integers]
"""Returns the size of each value's group from the values and the numbers of people who have them."""

_BLOCK = 1 << 20
_NOBODY = np.iinfo(np.int64).max
# A table of counts may have this many cells per pair before sorting the pairs is faster.
_CELLS_PER_PAIR = 4


@dataclass(frozen=True, slots=True, eq=False)
class ValueBlock:
    """Distinct pairs of some values with all their people, ascending.

    Attributes:
        values: each value once.
        borders: where the people of each value begin, and the end.
        persons: the people of each value.
        rows: the number of rows of each pair; None if it is 1 for all.
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
    """Pairs in memory, as sorted keys.

    >>> pairs = SortedPairs.of(np.array([0b110, 0b101, 0b110], np.uint64), person_bits=1, n_codes=2)
    >>> [(block.values.tolist(), block.persons.tolist(), block.rows.tolist()) for block in pairs.blocks()]
    [([2, 3], [1, 0], [1, 2])]
    """

    def __init__(self, keys: Keys, rows: Integers | None, person_bits: int, n_codes: int) -> None:
        self._keys, self._rows = keys, rows
        self._bits = np.uint64(person_bits)
        self._low = np.uint64((1 << person_bits) - 1)
        self.n_codes = n_codes

    @classmethod
    def of(cls, keys: Keys, person_bits: int, n_codes: int) -> SortedPairs:
        """Sort keys, one per row, in place."""
        return cls(*distinct_keys(keys), person_bits, n_codes)

    def blocks(self) -> Iterator[ValueBlock]:
        """Yield the pairs by value, in blocks that stay small unless many people share a value."""
        start = 0
        while start < len(self._keys):
            end = self._end_of_value(min(start + _BLOCK, len(self._keys)))
            keys = self._keys[start:end]
            values = keys >> self._bits
            borders = run_borders(values)
            persons = (keys & self._low).astype(np.int64)
            rows = self._rows[start:end] if self._rows is not None else None
            yield ValueBlock(values[borders[:-1]], borders, persons, rows)
            start = end

    def _end_of_value(self, end: int) -> int:
        """Return where the value of the pair before ``end`` ends."""
        last = int(self._keys[end - 1] | self._low)
        return int(np.searchsorted(self._keys, np.uint64(last), side="right"))


def rows_by_person(pairs: Pairs) -> Integers:
    """Return the number of rows of each code of a person."""
    rows = np.zeros(pairs.n_codes, np.int64)
    for block in pairs.blocks():
        np.add.at(rows, block.persons, 1 if block.rows is None else block.rows)
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class PersonFigures:
    """What is known of each code of a person.

    Attributes:
        rows: the number of rows; 0 if the code does not occur.
        smallest: the size of the smallest group among the person's values.
        is_null: whether all values of the person are nulls.
        is_unique_by_null: whether all values with a group of one contain a null, and there are some.
    """

    rows: Integers
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
        records: (rows of the person, rows of the pair, group size) with the number of such pairs; if requested.
        missing_values: the number of values without a group.
        overfull_values: the number of values with more people than their group.
    """

    figures: PersonFigures
    records: tuple[tuple[int, int, int, int], ...]
    missing_values: int
    overfull_values: int


def scan_pairs(
    pairs: Pairs, nulls: NullValues | None, *, records: bool = False, sizes: ValueSizes | None = None
) -> PairScan:
    """Find the smallest group of each person; a group consists of the people who have the value, unless given."""
    rows = rows_by_person(pairs)
    smallest = np.full(pairs.n_codes, _NOBODY, np.int64)
    is_null, has_full_unique = np.zeros(pairs.n_codes, np.bool_), np.zeros(pairs.n_codes, np.bool_)
    missing = overfull = 0
    # With given groups, those without one have to be known before the others' records are counted.
    tally = _RecordTally(rows) if records and sizes is None else None
    for block in pairs.blocks():
        lengths = block.lengths
        groups = lengths if sizes is None else sizes(block.values, lengths)
        missing += int(np.count_nonzero(groups == 0))
        overfull += int(np.count_nonzero((groups > 0) & (lengths > groups)))
        np.minimum.at(smallest, block.persons, np.repeat(groups, lengths))
        if nulls is not None:
            full_and_unique = (groups == 1) & ~nulls.some(block.values)
            has_full_unique[block.persons[np.repeat(full_and_unique, lengths)]] = True
            of_nulls = np.repeat(nulls.only(block.values), lengths)
            people = block.persons[of_nulls]
            is_null[people] = rows[people] == (1 if block.rows is None else block.rows[of_nulls])
        if tally is not None:
            tally.add(block, groups)
    if nulls is None:
        has_full_unique = smallest == 1
    figures = PersonFigures(rows, smallest, is_null, (smallest == 1) & ~has_full_unique)
    if records and sizes is not None:
        tally = _RecordTally(rows, figures.kept())
        for block in pairs.blocks():
            tally.add(block, sizes(block.values, block.lengths))
    return PairScan(figures, tally.total() if tally is not None else (), missing, overfull)


class _RecordTally:
    """Counts pairs by the rows of the person, the rows of the pair and the size of the group."""

    def __init__(self, rows: Integers, kept: Flags | None = None) -> None:
        self._rows, self._kept = rows, kept
        self._parts: list[NDArray[np.int64]] = []

    def add(self, block: ValueBlock, groups: Integers) -> None:
        """Add a block of pairs with the size of each value's group."""
        lengths, persons = block.lengths, block.persons
        sizes, rank = np.unique(groups, return_inverse=True)
        ranks = np.repeat(rank, lengths)
        of_pair = np.ones(len(persons), np.int64) if block.rows is None else block.rows
        if self._kept is not None:
            kept = self._kept[persons]
            persons, ranks, of_pair = persons[kept], ranks[kept], of_pair[kept]
        if not len(persons):
            return
        totals = self._rows[persons]
        widths = (int(totals.max()) + 1, int(of_pair.max()) + 1)
        cells = len(sizes) * widths[0] * widths[1]
        if cells <= _CELLS_PER_PAIR * len(persons) + 1024:
            counts = np.bincount((ranks * widths[0] + totals) * widths[1] + of_pair, minlength=cells)
            held = np.flatnonzero(counts)
            part = (held // widths[1] % widths[0], held % widths[1], sizes[held // widths[1] // widths[0]])
            self._parts.append(np.stack([*part, counts[held]]))
        else:
            self._parts.append(_counted(np.stack([totals, of_pair, sizes[ranks], np.ones(len(persons), np.int64)])))

    def total(self) -> tuple[tuple[int, int, int, int], ...]:
        if not self._parts:
            return ()
        columns = _counted(np.concatenate(self._parts, axis=1))
        return tuple(zip(*columns.tolist(), strict=True))


def _counted(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct columns of all rows but the last, ascending, with the sums of the last."""
    ordered = columns[:, np.lexsort(columns[-2::-1])]
    changes = np.any(ordered[:-1, 1:] != ordered[:-1, :-1], axis=0)
    starts = np.concatenate(([0], np.flatnonzero(changes) + 1))
    return np.concatenate([ordered[:-1, starts], np.add.reduceat(ordered[-1:], starts, axis=1)])


def profile_entries(
    pairs: Pairs, figures: PersonFigures, sizes: ValueSizes | None = None
) -> tuple[Integers, Integers, Integers]:
    """Return the group sizes and rows of all pairs by person, and where the entries of each kept person begin."""
    kept = figures.kept()
    numbers = np.cumsum(kept) - 1
    persons, groups, rows = [], [], []
    for block in pairs.blocks():
        lengths = block.lengths
        wanted = kept[block.persons]
        persons.append(numbers[block.persons[wanted]])
        groups.append(np.repeat(lengths if sizes is None else sizes(block.values, lengths), lengths)[wanted])
        rows.append(np.ones(int(wanted.sum()), np.int64) if block.rows is None else block.rows[wanted])
    if not persons:
        return np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    of_person = np.concatenate(persons)
    order = np.argsort(of_person, kind="stable")
    starts = np.zeros(int(kept.sum()) + 1, np.int64)
    np.cumsum(np.bincount(of_person, minlength=len(starts) - 1), out=starts[1:])
    return starts, np.concatenate(groups)[order], np.concatenate(rows)[order]


def people_by(numbers: Integers) -> tuple[tuple[int, int], ...]:
    """Return how many people have each number, ascending.

    >>> people_by(np.array([2, 1, 2]))
    ((1, 1), (2, 2))
    """
    return tuple(sorted(size_counts(numbers).items()))
