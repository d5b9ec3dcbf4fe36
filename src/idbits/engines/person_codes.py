"""Rows as codes of value and person, packed in one integer, for the kernels that count people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers
from idbits.engines.backends.persons import Persons
from idbits.kernels.ordering import CodedColumn, bits_of, dense_ranks, pack
from idbits.kernels.packed import Layout
from idbits.kernels.partition import sorted_with_positions
from idbits.kernels.persons import Flags, Keys, NullValues, Pairs, SortedPairs
from idbits.kernels.run_lengths import run_borders
from idbits.kernels.sorting import distinct_sorted
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = [
    "CategoryPairs", "PackedNulls", "PairsInMemory", "PersonCodes", "PersonPairs", "coded_people", "null_code",
    "number_people", "with_people",
]  # fmt: skip

Codes = NDArray[np.uint32]


class PersonPairs(Protocol):
    """The distinct pairs of value and person of a table."""

    @property
    def nulls(self) -> NullValues | None:
        """Which values have nulls; None if no attribute has any."""

    @property
    def n_codes(self) -> int:
        """The number of codes of people in the table; some may not occur."""

    @property
    def rows(self) -> Integers | None:
        """The number of rows of each code of a person, if it is known."""

    def pairs(self) -> Pairs:
        """Return all pairs."""

    def pairs_by_category(self) -> Iterator[CategoryPairs]:
        """Yield the pairs of each category."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoryPairs:
    """The pairs of one category.

    Attributes:
        category: the code of the category.
        pairs: the pairs, in which people may have other codes than in the table.
        people: the codes in the table by the codes in the pairs.
    """

    category: int
    pairs: Pairs
    people: Integers


@dataclass(frozen=True, slots=True, eq=False)
class PersonCodes:
    """Rows in memory. Each of the methods sorts ``keys``, so only one of them can be called, once.

    Attributes:
        keys: one integer per row, with the code of the value in the high bits and that of the person in the low ones.
        person_bits: the number of bits of a person's code.
        n_codes: the number of codes of people; some may not occur.
        categories: another code of each row, if requested; ``n_categories`` and ``null_category`` describe them.
        nulls: which values have nulls; None if no attribute has any.
    """

    keys: Keys
    person_bits: int
    n_codes: int
    nulls: NullValues | None
    categories: Codes | None = None
    n_categories: int = 0
    null_category: int | None = None
    rows: Integers | None = None

    def pairs(self) -> SortedPairs:
        """Return all pairs."""
        return SortedPairs(self.keys, self.person_bits, self.n_codes)

    def pairs_by_category(self) -> Iterator[CategoryPairs]:
        """Yield the pairs of each category, with codes from 0 for its people: categories can be many and small."""
        assert self.categories is not None
        ordered, rows = sorted_with_positions(self.categories)
        borders = run_borders(ordered)
        low = np.uint64((1 << self.person_bits) - 1)
        new_codes = np.zeros(self.n_codes, np.uint64)
        for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
            keys = self.keys[rows[begin:end]]
            persons = keys & low
            people = distinct_sorted(persons)
            new_codes[people] = np.arange(len(people), dtype=np.uint64)
            keys ^= persons ^ new_codes[persons]
            pairs = SortedPairs(keys, self.person_bits, len(people))
            yield CategoryPairs(int(ordered[begin]), pairs, people.astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class PairsInMemory:
    """Pairs that are sorted already, without categories."""

    sorted_pairs: SortedPairs
    nulls: NullValues | None
    n_codes: int
    rows: Integers | None

    def pairs(self) -> SortedPairs:
        """Return all pairs."""
        return self.sorted_pairs

    def pairs_by_category(self) -> Iterator[CategoryPairs]:
        """Refuse: categories have to be requested with the pairs."""
        raise AssertionError("these pairs have no categories")


@dataclass(frozen=True, slots=True, eq=False)
class PackedNulls:
    """Nulls in values that consist of several codes.

    Attributes:
        fields: the shift, the bits and the code of null of each column of the value, None if it has no nulls.
    """

    fields: Sequence[tuple[int, int, int | None]]

    def _is_null(self, values: Keys) -> list[Flags]:
        return [
            (values >> np.uint64(shift)) & np.uint64((1 << bits) - 1) == np.uint64(code)
            for shift, bits, code in self.fields
            if code is not None
        ]

    def some(self, values: Keys) -> Flags:
        """Return whether each value contains a null."""
        some: Flags = np.logical_or.reduce(self._is_null(values))
        return some

    def only(self, values: Keys) -> Flags:
        """Return whether each value consists of nulls."""
        if any(code is None for _, _, code in self.fields):
            return np.zeros(len(values), np.bool_)
        only: Flags = np.logical_and.reduce(self._is_null(values))
        return only

    @classmethod
    def of(cls, layout: Layout, codes: Sequence[int | None]) -> PackedNulls | None:
        """Return the nulls of values with a layout; None if there are none."""
        if all(code is None for code in codes):
            return None
        return cls(list(zip(layout.shifts, layout.bits, codes, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class _NumberedNulls:
    """Nulls in values that are numbered."""

    with_some: Flags
    with_only: Flags

    def some(self, values: Keys) -> Flags:
        return self.with_some[values]

    def only(self, values: Keys) -> Flags:
        return self.with_only[values]


def number_people(
    keys: Keys, categories: Codes | None, null: int | None, *, bits: int, size: int, null_is_own: bool
) -> tuple[Keys, Codes | None, int]:
    """Leave out the rows whose person is ``null``, or give each the code of a new person; return the number of codes.

    ``bits`` must suffice for a new code per such row.
    """
    if null is None:
        return keys, categories, size
    nobody = np.flatnonzero((keys & np.uint64((1 << bits) - 1)) == np.uint64(null))
    if null_is_own:
        keys[nobody] += np.arange(size - null, size - null + len(nobody), dtype=np.uint64)
        return keys, categories, size + len(nobody)
    named = np.ones(len(keys), np.bool_)
    named[nobody] = False
    return keys[named], categories[named] if categories is not None else None, size


def null_code(table: Table, attribute: Attribute) -> int | None:
    """Return the code of null of an attribute whose codes were requested."""
    return table.labels(attribute).index(None) if table.null_people(attribute) else None


def with_people(rows: CodedRows, null: int | None, *, null_is_own: bool) -> CodedRows:
    """Return rows, whose people come last, without those of nobody; or each person of such a row is a new one.

    >>> rows = CodedRows((np.array([5, 6, 7], np.uint32), np.array([1, 0, 1], np.uint32)), (8, 2))
    >>> [codes.tolist() for codes in with_people(rows, 1, null_is_own=False).codes]
    [[6], [0]]
    >>> [codes.tolist() for codes in with_people(rows, 1, null_is_own=True).codes]
    [[5, 6, 7], [2, 0, 3]]
    """
    nobody = np.flatnonzero(rows.codes[-1] == null) if null is not None else np.zeros(0, np.int64)
    if not len(nobody):
        return rows
    named = np.flatnonzero(rows.codes[-1] != null)
    if not null_is_own:
        return _taken(rows, named, rows.codes[-1].take(named), rows.sizes[-1])
    positions = np.arange(rows.n_rows)
    if rows.people is not None:
        # Equal rows of nobody were combined; each is a person.
        times = np.where(rows.codes[-1] == null, rows.people, 1)
        positions = np.repeat(positions, times)
    persons = rows.codes[-1].take(positions).astype(np.uint32)
    new = np.flatnonzero(persons == null)
    persons[new] = rows.sizes[-1] + np.arange(len(new), dtype=np.uint32)
    people = None if rows.people is None else np.where(persons < rows.sizes[-1], rows.people.take(positions), 1)
    return _taken(rows, positions, persons, rows.sizes[-1] + len(new), people)


def _taken(
    rows: CodedRows, positions: Integers, persons: Codes, n_persons: int, people: Integers | None = None
) -> CodedRows:
    """Return some rows with other people."""
    if people is None and rows.people is not None:
        people = rows.people.take(positions)
    numbers = rows.numbers.take(positions) if rows.numbers is not None else None
    codes = (*(column.take(positions) for column in rows.codes[:-1]), persons)
    return CodedRows(codes, (*rows.sizes[:-1], n_persons), people, numbers)


def coded_people(
    table: Table, persons: Persons | None, attributes: Sequence[Attribute], category: Attribute | None
) -> PersonCodes:
    """Pack the codes of any table; if they do not fit in 64 bits, the values are numbered first."""
    person = [Attribute(persons.column, table.columns[persons.column])] if persons is not None else []
    rows = table.coded_rows([*attributes, *person, *([category] if category is not None else [])])
    columns, sizes, n_rows = list(rows.codes), list(rows.sizes), rows.n_rows
    if rows.people is not None:
        columns = [np.repeat(codes, rows.people) for codes in columns]
        n_rows = len(columns[0])
    categories = columns.pop() if category is not None else None
    null = null_code(table, person[0]) if person else None
    size = sizes[len(attributes)] if person else n_rows
    people = columns.pop() if person else np.arange(n_rows, dtype=np.uint32)
    n_nobody = int(np.count_nonzero(people == null)) if null is not None else 0
    bits = bits_of(size + n_nobody)
    layout = Layout(sizes[: len(attributes)])
    codes = [null_code(table, attribute) for attribute in attributes]
    values, nulls = _values(columns, layout, codes, room=64 - bits)
    values <<= np.uint64(bits)
    values |= people.astype(np.uint64)
    null_is_own = persons is not None and persons.null_is_own
    keys, categories, n_codes = number_people(values, categories, null, bits=bits, size=size, null_is_own=null_is_own)
    null_category = null_code(table, category) if category is not None else None
    return PersonCodes(keys, bits, n_codes, nulls, categories, sizes[-1] if category is not None else 0, null_category)


def _values(
    columns: Sequence[Codes], layout: Layout, nulls: Sequence[int | None], room: int
) -> tuple[Keys, NullValues | None]:
    n_rows = len(columns[0])
    coded = [CodedColumn(codes, bits) for codes, bits in zip(columns, layout.bits, strict=True)]
    if layout.total_bits <= room:
        return pack(coded, n_rows), PackedNulls.of(layout, nulls)
    numbers, n_values = dense_ranks(coded, n_rows)
    is_null = [codes == code for codes, code in zip(columns, nulls, strict=True) if code is not None]
    if not is_null:
        return numbers.astype(np.uint64), None
    some, only = np.zeros(n_values, np.bool_), np.zeros(n_values, np.bool_)
    some[numbers[np.logical_or.reduce(is_null)]] = True
    if len(is_null) == len(columns):
        only[numbers[np.logical_and.reduce(is_null)]] = True
    return numbers.astype(np.uint64), _NumberedNulls(some, only)
