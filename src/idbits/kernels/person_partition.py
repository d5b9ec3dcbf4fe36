"""Split the rows of people into values column by column, as three attackers see them, skipping what is settled.

Implements: SPEC page people.md, section 1. Adding a column splits values and joins none. So a value that one person has
stays theirs, however it is split, and somebody with a set of values of their own stays unique: their rows are settled,
and the next column is applied to the others only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, DrawnRecords, Integers, PeopleBySize, PeopleCounts, Spectrum
from idbits.kernels.coded import CodedColumns, ready
from idbits.kernels.ordering import CodedColumn, bits_of, lexical_order, pack
from idbits.kernels.person_sets import classes_of_sets
from idbits.kernels.persons import Flags, SortedPairs
from idbits.kernels.run_lengths import size_counts

__all__ = ["AllRecords", "DrawnRecord", "Knowledge", "OneRecord", "PersonColumns", "PersonPartition"]

_NOBODY = np.iinfo(np.int64).max
_KEY_BITS = 64


@dataclass(frozen=True, slots=True, eq=False)
class PersonColumns:
    """Coded rows in the order of their people.

    Attributes:
        columns: the codes.
        persons: the number of each row's person, from 0, ascending.
        rows_of_person: the number of rows of each person in the table.
    """

    columns: CodedColumns
    persons: Integers
    rows_of_person: Integers

    @classmethod
    def of(cls, codes: Sequence[NDArray[np.uint32]], sizes: Sequence[int], *, merged: bool) -> PersonColumns:
        """Order rows by their people, whose codes come last; with ``merged``, equal rows of a person become one.

        >>> codes = [np.array([5, 5, 5], np.uint32), np.array([3, 0, 3], np.uint32)]
        >>> people = PersonColumns.of(codes, [6, 4], merged=True)
        >>> people.persons.tolist(), people.rows_of_person.tolist()
        ([0, 1], [1, 2])
        """
        table = ready(CodedRows(tuple(codes), tuple(sizes)))
        *values, persons = (
            CodedColumn(column.astype(np.uint32), bits_of(size))
            for column, size in zip(table.codes, table.sizes, strict=True)
        )
        order, changes = lexical_order([persons, *values], table.n_rows)
        if merged:
            order = order[changes]
        columns = CodedColumns(tuple(column[order] for column in table.codes[:-1]), table.sizes[:-1], None, len(order))
        rows = np.bincount(table.codes[-1], minlength=table.sizes[-1])
        return cls(columns, table.codes[-1][order].astype(np.int64), rows)

    @property
    def n_people(self) -> int:
        """The number of people."""
        return len(self.rows_of_person)


@dataclass(frozen=True, slots=True, eq=False)
class ValuePairs:
    """The distinct pairs of value and person, by value.

    Attributes:
        persons: the person of each pair.
        values: the number of each pair's value, from 0.
        rows: the number of rows of each pair.
        sizes: the number of people who have each value.
    """

    persons: Integers
    values: Integers
    rows: Integers
    sizes: Integers

    @classmethod
    def of(cls, persons: Integers, changes: Flags) -> tuple[ValuePairs, Integers]:
        """Find the pairs of rows sorted by value and then by person; also return the value of each row.

        ``changes`` tells at which rows another value begins.
        """
        begins = changes.copy()
        begins[1:] |= persons[1:] != persons[:-1]
        # Short integers: adding them up takes an eighth of the time.
        values = np.cumsum(changes, dtype=np.uint32).astype(np.int64)
        values -= 1
        starts = np.flatnonzero(begins)
        of_pairs = values.take(starts)
        rows = np.diff(starts, append=len(persons))
        return cls(persons.take(starts), of_pairs, rows, np.bincount(of_pairs)), values

    def sizes_of_pairs(self) -> Integers:
        """Return the number of people who have the value of each pair."""
        return self.sizes.take(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class OpenRows:
    """What is not settled: some values, or some people; None if it does not matter."""

    values: Flags | None = None
    people: Flags | None = None

    def positions(self, values: Integers, persons: Integers) -> Integers:
        """Return the positions of the rows that are not settled."""
        flags = self.values.take(values) if self.values is not None else np.ones(len(values), np.bool_)
        return np.flatnonzero(flags if self.people is None else flags & self.people.take(persons))


class Knowledge(Protocol):
    """What an attacker knows of a person's records, and what is settled for them."""

    def look(self, people: PersonColumns, pairs: ValuePairs) -> tuple[Self, PeopleCounts, OpenRows]:
        """Return what is settled now, the counts, and what is not settled."""


@dataclass(frozen=True, slots=True, eq=False)
class OneRecord:
    """The attacker knows the most telling record: the smallest group among a person's values.

    Attributes:
        unique: the people who have a value that nobody else has.
    """

    unique: Flags

    def look(self, people: PersonColumns, pairs: ValuePairs) -> tuple[OneRecord, PeopleBySize, OpenRows]:
        """Count people by the smallest group among their values; values that one person has are settled."""
        smallest = np.full(people.n_people, _NOBODY, np.int64)
        smallest[self.unique] = 1
        np.minimum.at(smallest, pairs.persons, pairs.sizes_of_pairs())
        counts = PeopleBySize.of(size_counts(smallest).items(), people.n_people)
        return OneRecord(smallest == 1), counts, OpenRows(values=pairs.sizes > 1)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRecord:
    """The attacker knows one record, drawn from a person's rows.

    Attributes:
        settled: rows with a value that nobody else has, by the rows of the person.
    """

    settled: Counter[int]

    def look(self, people: PersonColumns, pairs: ValuePairs) -> tuple[DrawnRecord, DrawnRecords, OpenRows]:
        """Count rows by the group of their value; values that one person has are settled."""
        numbers, rank_of_number = np.unique(people.rows_of_person, return_inverse=True)
        sizes, rank_of_size = np.unique(pairs.sizes, return_inverse=True)
        cells = (rank_of_size * len(numbers)).take(pairs.values)
        cells += rank_of_number.take(pairs.persons)
        # Floats are exact up to 2^53, far beyond the rows of one machine.
        counted = np.bincount(cells, weights=pairs.rows, minlength=len(sizes) * len(numbers)).astype(np.int64)
        held = np.flatnonzero(counted)
        keys = zip(sizes[held // len(numbers)].tolist(), numbers[held % len(numbers)].tolist(), strict=True)
        rows = dict(zip(keys, counted[held].tolist(), strict=True))
        settled = self.settled + Counter({number: found for (size, number), found in rows.items() if size == 1})
        rows |= {(1, number): found for number, found in settled.items()}
        return DrawnRecord(settled), DrawnRecords.of(rows, people.n_people), OpenRows(values=pairs.sizes > 1)


@dataclass(frozen=True, slots=True, eq=False)
class AllRecords:
    """The attacker knows all records: people are compared by their sets of values.

    Attributes:
        n_unique: the people with a set that nobody else has.
    """

    n_unique: int = 0

    def look(self, people: PersonColumns, pairs: ValuePairs) -> tuple[AllRecords, Spectrum, OpenRows]:
        """Count people by their sets of values; people with a set of their own are settled."""
        is_open = np.zeros(people.n_people, np.bool_)
        is_open[pairs.persons] = True
        n_compared = int(np.count_nonzero(is_open))
        # Somebody with a value of their own is unique: only the others have to be compared.
        is_open[pairs.persons.take(np.flatnonzero(pairs.sizes_of_pairs() == 1))] = False
        wanted = np.flatnonzero(is_open.take(pairs.persons))
        bits = bits_of(people.n_people)
        keys = pairs.values.take(wanted).astype(np.uint64) << np.uint64(bits)
        keys |= pairs.persons.take(wanted).astype(np.uint64)
        classes, sizes = classes_of_sets(SortedPairs(keys, bits, people.n_people))
        compared = np.flatnonzero(is_open)
        is_open[compared] = sizes[classes[compared]] > 1
        n_unique = self.n_unique + n_compared - int(np.count_nonzero(is_open))
        shared = size_counts(sizes[sizes > 1])
        counts = Spectrum.of({1: n_unique, **shared} if n_unique else shared)
        return AllRecords(n_unique), counts, OpenRows(people=is_open)


@dataclass(frozen=True, slots=True, eq=False)
class PersonPartition:
    """The rows of people by their values in some columns.

    Attributes:
        people: the table.
        known: what the attacker knows, and what is settled.
        counts: the people by the size of their group; None without any column.
        rows: the rows that are not settled, by value and then by person; None for all rows.
        persons: their people.
        values: the number of each such row's value.
        n_values: the number of values.
    """

    people: PersonColumns
    known: Knowledge
    counts: PeopleCounts | None
    rows: Integers | None
    persons: Integers
    values: NDArray[np.uint32]
    n_values: int

    @classmethod
    def whole(cls, people: PersonColumns, known: Knowledge) -> PersonPartition:
        """Return all rows with one value."""
        return cls(people, known, None, None, people.persons, np.zeros(len(people.persons), np.uint32), 1)

    def refined(self, column: int) -> PersonPartition:
        """Split the values by one more column.

        >>> codes = [np.array([0, 1, 0], np.uint32), np.array([0, 0, 1], np.uint32)]
        >>> people = PersonColumns.of(codes, [2, 2], merged=True)
        >>> PersonPartition.whole(people, OneRecord(np.zeros(2, bool))).refined(0).counts.pairs()
        [(1, 1), (2, 1)]
        """
        if not len(self.persons):
            return self
        order, changes = lexical_order(self._value_columns(column), len(self.persons))
        positions = order.astype(np.int64)
        persons = self.persons.take(positions)
        pairs, values = ValuePairs.of(persons, changes)
        known, counts, is_open = self.known.look(self.people, pairs)
        left = is_open.positions(values, persons)
        positions = positions.take(left)
        return PersonPartition(
            self.people,
            known,
            counts,
            positions if self.rows is None else self.rows.take(positions),
            persons.take(left),
            values.take(left).astype(np.uint32),
            len(pairs.sizes),
        )

    def refined_counts(self, column: int) -> PeopleCounts:
        """Count the people as one more column would split them, which is faster than splitting them."""
        person_bits = bits_of(self.people.n_people)
        columns = self._value_columns(column)
        if not len(self.persons) or sum(part.bits for part in columns) + person_bits > _KEY_BITS:
            counts = self.refined(column).counts
            assert counts is not None
            return counts
        keys = pack(columns, len(self.persons))
        keys <<= np.uint64(person_bits)
        keys |= self.persons.view(np.uint64)
        keys.sort()
        persons = (keys & np.uint64((1 << person_bits) - 1)).view(np.int64)
        keys >>= np.uint64(person_bits)
        changes = np.ones(len(keys), np.bool_)
        changes[1:] = keys[1:] != keys[:-1]
        return self.known.look(self.people, ValuePairs.of(persons, changes)[0])[1]

    def _value_columns(self, column: int) -> list[CodedColumn]:
        columns = self.people.columns
        codes = columns.codes[column] if self.rows is None else columns.codes[column].take(self.rows)
        return [
            CodedColumn(self.values, bits_of(self.n_values)),
            CodedColumn(codes.astype(np.uint32, copy=False), columns.bits(column)),
        ]
