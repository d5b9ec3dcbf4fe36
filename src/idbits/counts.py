"""Counts: all that an engine returns, and all that a measure needs.

Implements: SPEC section 1 (the anonymity spectrum), DESIGN section 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.errors import DataError

__all__ = [
    "CodedRows", "DrawnRecords", "GroupSizes", "Histogram", "PairCounts", "PeopleBySize", "PeopleCounts", "Spectrum",
    "Value",
]  # fmt: skip

Value = str | None
"""A value as text, or None for null."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_PEOPLE = 2**63 - 1


class GroupSizes(Protocol):
    """People by the size of their group: what most figures about people follow from."""

    @property
    def sizes(self) -> Integers:
        """The group sizes k that occur, ascending."""

    @property
    def people(self) -> Integers | Floats:
        """The number of people of each size; with decimals if it is an expectation."""

    @property
    def n_people(self) -> int:
        """The number of people measured."""

    @property
    def n_reference(self) -> int:
        """The number of people in the reference (N)."""

    @property
    def is_own_reference(self) -> bool:
        """Whether the table is measured against itself, not against a population."""


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """The number of anonymity sets (groups) of each size, and the people in them.

    In a table measured against itself, people = size * sets for each size, and the reference is the table. Against a
    population (SPEC section 1, population reference), sizes are those of the population, and sets and people those of
    the release.

    Attributes:
        sizes: the set sizes k that occur, ascending.
        sets: the number of sets of each size.
        people: the number of people in them.
        n_reference: the number of people in the reference (N).
        n_values: the number of possible values, including those that nobody has.
        is_own_reference: whether the table is measured against itself, not against a population.

    >>> spectrum = Spectrum.of({1: 2, 3: 1})
    >>> spectrum.n_people, spectrum.n_sets
    (5, 3)
    """

    sizes: Integers
    sets: Integers
    people: Integers
    n_reference: int
    n_values: int
    is_own_reference: bool = True

    @classmethod
    def of(cls, sets_by_size: Iterable[tuple[int, int]] | dict[int, int], n_values: int | None = None) -> Spectrum:
        """Build the spectrum of a table from (size, number of sets) pairs; size 0 adds possible values only."""
        pairs = list(sets_by_size.items() if isinstance(sets_by_size, dict) else sets_by_size)
        if sum(size * sets for size, sets in pairs) > _MOST_PEOPLE:
            raise DataError("the table has more than 2^63 people, which is too many to count")
        ordered = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        nobody = int(ordered[ordered[:, 0] == 0, 1].sum())
        sizes, sets = ordered[ordered[:, 0] != 0].T
        people = sizes * sets
        observed = int(sets.sum()) + nobody
        return cls(sizes, sets, people, int(people.sum()), observed if n_values is None else n_values)

    @classmethod
    def against(cls, rows: Iterable[tuple[int, int, int]], n_reference: int, n_values: int) -> Spectrum:
        """Build the spectrum of a release from (size in the population, sets, people) rows."""
        ordered = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3)
        sizes, sets, people = ordered.T
        return cls(sizes, sets, people, n_reference, n_values, is_own_reference=False)

    def __post_init__(self) -> None:
        if len(self.sizes) and (self.sizes[0] < 1 or self.sets.min() < 1 or np.any(np.diff(self.sizes) < 1)):
            raise AssertionError("a spectrum has distinct sizes, each with at least one set")
        if self.n_values < self.n_sets:
            raise AssertionError("there are at least as many possible values as sets")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spectrum):
            return NotImplemented
        return (
            np.array_equal(self.sizes, other.sizes)
            and np.array_equal(self.sets, other.sets)
            and np.array_equal(self.people, other.people)
            and (self.n_reference, self.n_values, self.is_own_reference)
            == (other.n_reference, other.n_values, other.is_own_reference)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_people(self) -> int:
        """The number of people measured."""
        return int(self.people.sum())

    @property
    def n_sets(self) -> int:
        """The number of anonymity sets."""
        return int(self.sets.sum())

    def pairs(self) -> list[tuple[int, int]]:
        """Return the spectrum as (size, number of sets) pairs of plain integers."""
        return list(zip(self.sizes.tolist(), self.sets.tolist(), strict=True))

    def with_sizes_from(self, least: int) -> Spectrum:
        """Return the spectrum that is left when everyone in a set below ``least`` is withheld."""
        keep = self.sizes >= least
        people = self.people[keep]
        reference = int(people.sum()) if self.is_own_reference else self.n_reference
        sets = self.sets[keep]
        return Spectrum(self.sizes[keep], sets, people, reference, int(sets.sum()), self.is_own_reference)

    @staticmethod
    def merged(spectra: Iterable[Spectrum]) -> Spectrum:
        """Return the spectrum of several tables together; no set spans two of them."""
        spectra = list(spectra)
        sizes = np.concatenate([s.sizes for s in spectra]) if spectra else np.zeros(0, np.int64)
        sets = np.concatenate([s.sets for s in spectra]) if spectra else np.zeros(0, np.int64)
        distinct, where = np.unique(sizes, return_inverse=True)
        totals = np.zeros(len(distinct), np.int64)
        np.add.at(totals, where, sets)
        pairs = zip(distinct.tolist(), totals.tolist(), strict=True)
        return Spectrum.of(pairs, n_values=sum(s.n_values for s in spectra))


@dataclass(frozen=True, slots=True, eq=False)
class PeopleBySize:
    """People by the size of their group if groups overlap, because people have several records (people.md section 1).

    Attributes:
        sizes: the group sizes k that occur, ascending.
        people: the people of each size; with decimals if one of their records is drawn.
        n_people: the number of people.
        n_reference: the number of people in the reference (N).
        is_own_reference: whether the table is measured against itself, not against a population.

    >>> PeopleBySize.of([(3, 2), (1, 1)], n_reference=3).pairs()
    [(1, 1), (3, 2)]
    """

    sizes: Integers
    people: Integers | Floats
    n_people: int
    n_reference: int
    is_own_reference: bool = True

    @classmethod
    def of(
        cls, people_by_size: Iterable[tuple[int, int]], n_reference: int, *, is_own_reference: bool = True
    ) -> PeopleBySize:
        """Build it from (size, number of people) pairs."""
        ordered = np.array(sorted(people_by_size), dtype=np.int64).reshape(-1, 2)
        sizes, people = ordered.T
        return cls(sizes, people, int(people.sum()), n_reference, is_own_reference)

    @classmethod
    def merged(cls, parts: Iterable[GroupSizes]) -> PeopleBySize:
        """Return the people of several tables together; no group spans two of them."""
        parts = list(parts)
        sizes, where = np.unique(np.concatenate([part.sizes for part in parts]), return_inverse=True)
        people = np.concatenate([part.people for part in parts])
        totals = np.zeros(len(sizes), people.dtype)
        np.add.at(totals, where, people)
        return cls(sizes, totals, sum(part.n_people for part in parts), sum(part.n_reference for part in parts))

    def pairs(self) -> list[tuple[int, int | float]]:
        """Return it as (size, people) pairs of plain numbers."""
        return list(zip(self.sizes.tolist(), self.people.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRecords:
    """Rows by the size of their group, for an attacker who knows one row drawn from a person's rows.

    Attributes:
        sizes: the number of people who have the values of the row.
        rows_of_person: the number of rows of the person.
        rows: the number of such rows.
        n_people: the number of people.

    >>> DrawnRecords.of({(2, 1): 3}, n_people=3).triples()
    [(2, 1, 3)]
    """

    sizes: Integers
    rows_of_person: Integers
    rows: Integers
    n_people: int

    @classmethod
    def of(cls, rows_by: Mapping[tuple[int, int], int], n_people: int) -> DrawnRecords:
        """Build it from the number of rows by (size of the group, rows of the person)."""
        ordered = np.array([(*key, rows) for key, rows in sorted(rows_by.items())], dtype=np.int64).reshape(-1, 3)
        sizes, rows_of_person, rows = ordered.T
        return cls(sizes, rows_of_person, rows, n_people)

    @classmethod
    def of_pairs(cls, records: Iterable[tuple[int, int, int, int]], n_people: int) -> DrawnRecords:
        """Build it from (rows of a person, rows with a value, size of its group, number of such pairs).

        >>> DrawnRecords.of_pairs([(3, 1, 5, 2), (3, 2, 5, 1)], n_people=9).triples()
        [(5, 3, 4)]
        """
        rows_by: Counter[tuple[int, int]] = Counter()
        for rows_of_person, rows, size, pairs in records:
            rows_by[size, rows_of_person] += rows * pairs
        return cls.of(rows_by, n_people)

    def triples(self) -> list[tuple[int, int, int]]:
        """Return (size, rows of the person, number of rows), ascending."""
        return sorted(zip(self.sizes.tolist(), self.rows_of_person.tolist(), self.rows.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DrawnRecords):
            return NotImplemented
        return (self.n_people, self.triples()) == (other.n_people, other.triples())

    __hash__ = None  # type: ignore[assignment]


PeopleCounts = Spectrum | PeopleBySize | DrawnRecords
"""People by the size of their group, for an attacker who knows all records, the most telling one, or a drawn one."""


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """The values of two tables by how often they occur in each, without the values.

    Attributes:
        records: the number of rows of the first table that have a value.
        people: the number of rows of the second table that have it; not both are 0.
        values: the number of values with these two numbers. Pairs are distinct and in ascending order.

    >>> PairCounts.of({(1, 2): 3, (1, 0): 1}).triples()
    [(1, 0, 1), (1, 2, 3)]
    """

    records: Integers
    people: Integers
    values: Integers

    @classmethod
    def of(cls, values_by_pair: Mapping[tuple[int, int], int]) -> PairCounts:
        """Build it from the number of values by (records, people); values that neither table has are left out."""
        rows = sorted((*pair, number) for pair, number in values_by_pair.items() if any(pair) and number)
        records, people, values = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return cls(records, people, values)

    @property
    def n_records(self) -> int:
        """The number of rows of the first table."""
        return int((self.records * self.values).sum())

    @property
    def n_people(self) -> int:
        """The number of rows of the second table."""
        return int((self.people * self.values).sum())

    def triples(self) -> list[tuple[int, int, int]]:
        """Return (records, people, values), ascending."""
        return list(zip(self.records.tolist(), self.people.tolist(), self.values.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        return self.triples() == other.triples() if isinstance(other, PairCounts) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distinct values of some attributes with the number of people who have them, most frequent first.

    Attributes:
        values: one tuple of values per row.
        people: the number of people of each row.
        rest_values: the number of values left out because too few people have them.
        rest_people: the number of people who have those.
    """

    values: tuple[tuple[Value, ...], ...]
    people: tuple[int, ...]
    rest_values: int = 0
    rest_people: int = 0

    @classmethod
    def of(cls, rows: list[tuple[tuple[Value, ...], int]], spectrum: Spectrum, *, ranked: bool) -> Histogram:
        """Build the histogram of some of a table's values; unless ``ranked``, sort the most frequent first."""
        if not ranked:
            rows = sorted(rows, key=lambda item: (-item[1], [(text is not None, text or "") for text in item[0]]))
        people = tuple(number for _, number in rows)
        rest = (spectrum.n_sets - len(rows), spectrum.n_people - sum(people))
        return cls(tuple(value for value, _ in rows), people, *rest)


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """Rows as small integers: in each column, equal codes stand for equal values and mean nothing else.

    Attributes:
        codes: one array per column, with one code per row.
        sizes: the number of codes of each column: they run from 0 to size - 1, and some may not occur.
        people: the number of people per row, or None if each row is one person.
        numbers: the number of each row in the source, from 1, or None if the engine has combined equal rows.
    """

    codes: tuple[NDArray[np.uint32], ...]
    sizes: tuple[int, ...]
    people: Integers | None = None
    numbers: Integers | None = None

    def __post_init__(self) -> None:
        lengths = {len(array) for array in (*self.codes, self.people, self.numbers) if array is not None}
        if len(lengths) > 1 or len(self.codes) != len(self.sizes):
            raise AssertionError("all columns have one code per row")

    @property
    def n_rows(self) -> int:
        """The number of rows, not of people."""
        return len(self.codes[0])

    @property
    def n_people(self) -> int:
        """The number of people."""
        return self.n_rows if self.people is None else int(self.people.sum())
