"""The capability to count people who have several rows, and households.

Implements: SPEC page people.md, sections 1 and 2. V_p is the set of distinct values (combinations of the attributes)
that person p has; k_v is the number of distinct people who have value v. Engines return whole numbers; the measures add
them in a fixed order, so that every engine gives the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from idbits.counts import Integers, Spectrum, Value
from idbits.errors import InputError
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = [
    "HouseholdCounts", "PersonCategories", "PersonCounting", "PersonCounts", "PersonMatch", "PersonRecord",
    "PersonRequest", "Persons", "RecordProfiles", "require_people",
]  # fmt: skip

PersonRecord = tuple[int, tuple[Value, ...], int]
"""The number of a person, one of their values as text, and the number of their rows with it."""


@dataclass(frozen=True, slots=True)
class Persons:
    """Who is a person.

    Attributes:
        column: the column that identifies people.
        null_is_own: whether each row without a person is a person of its own; otherwise such rows are left out.
    """

    column: str
    null_is_own: bool = False


@dataclass(frozen=True, slots=True)
class PersonRequest:
    """What to count about people.

    Attributes:
        records: whether an attacker may know one record drawn from a person's rows (``PersonCounts.records``).
        profiles: whether each person's mean over such records is needed (``PersonCounts.profiles``).
        sets: whether an attacker may know all records of a person (``PersonCounts.sets``).
        multisets: whether equal records of a person count, too (``PersonCounts.multisets``).
    """

    records: bool = False
    profiles: bool = False
    sets: bool = False
    multisets: bool = False

    @property
    def needs_lists(self) -> bool:
        """Whether all records of a person are compared."""
        return self.profiles or self.sets or self.multisets


@dataclass(frozen=True, slots=True, eq=False)
class RecordProfiles:
    """People by the sizes of the groups of their records.

    Profile i consists of the entries ``starts[i]`` to ``starts[i + 1]`` of ``sizes`` and ``rows``: the person has
    ``rows`` rows whose values are shared by ``sizes`` people. ``people[i]`` people have it. Profiles and entries can be
    in any order, and equal ones need not be combined.
    """

    starts: Integers
    sizes: Integers
    rows: Integers
    people: Integers

    def by_entries(self) -> dict[tuple[tuple[int, int], ...], int]:
        """Return the number of people of each profile, which is its sorted (size, rows) entries."""
        entries = list(zip(self.sizes.tolist(), self.rows.tolist(), strict=True))
        borders = self.starts.tolist()
        people: Counter[tuple[tuple[int, int], ...]] = Counter()
        for begin, end, number in zip(borders[:-1], borders[1:], self.people.tolist(), strict=True):
            people[tuple(sorted(entries[begin:end]))] += number
        return dict(people)

    def __eq__(self, other: object) -> bool:
        return self.by_entries() == other.by_entries() if isinstance(other, RecordProfiles) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class PersonCounts:
    """The people of a table by how many people share the values of their records.

    Attributes:
        rows: (rows of a person, number of such people), ascending.
        smallest: (k, people), ascending: the smallest group among a person's values.
        records: (rows of a person, those with one value, k of that value, number of such pairs of person and value),
            ascending; empty unless requested.
        profiles: the same by person, if requested.
        sets: the spectrum of people by their set of values, if requested.
        multisets: the spectrum of people by their values with the number of rows of each, if requested.
        null_people: people whose attributes are all null, in every row.
        unique_by_null_people: people who are unique (k = 1) and whose unique values all contain a null.
    """

    rows: tuple[tuple[int, int], ...]
    smallest: tuple[tuple[int, int], ...]
    records: tuple[tuple[int, int, int, int], ...] = ()
    profiles: RecordProfiles | None = None
    sets: Spectrum | None = None
    multisets: Spectrum | None = None
    null_people: int = 0
    unique_by_null_people: int = 0

    @property
    def n_people(self) -> int:
        """The number of people."""
        return sum(people for _, people in self.rows)

    @property
    def n_rows(self) -> int:
        """The number of rows of these people."""
        return sum(rows * people for rows, people in self.rows)


@dataclass(frozen=True, slots=True)
class PersonCategories:
    """The people of each category; a person counts in every category where they have rows.

    Attributes:
        categories: (label, counts); values, groups and rows are those within the category. The label of a category
            with fewer people than requested may be None.
        people_in_several: people with rows in more than one category.
    """

    categories: tuple[tuple[Value, PersonCounts], ...]
    people_in_several: int


@dataclass(frozen=True, slots=True)
class PersonMatch:
    """People of a release compared with a population: group sizes are numbers of people in the population.

    Attributes:
        counts: the people of the release whose values all occur in the population; sets and multisets are None.
        n_population: the number of people in the population.
        missing_values: values of the release that the population does not have.
        missing_people: people of the release with at least one such value.
        overfull_values: values that more people have in the release than in the population.
    """

    counts: PersonCounts
    n_population: int
    missing_values: int
    missing_people: int
    overfull_values: int


@dataclass(frozen=True, slots=True)
class HouseholdCounts:
    """People who are found together.

    Attributes:
        sizes: (members in the table, households), ascending; somebody without a household is one of their own.
        people_without: people without a household.
        people_in_several: people whose rows name more than one household; if there are any, all else is empty or 0.
        risks: (sizes of the groups of the members, ascending, number of such households), sorted; one size per member.
        people_with_unique_member: people whose household has a member with k = 1.
        distinct_households, distinct_people: households with a value that no other household has, and their members;
            by sets of values, the set of a member.
        compositions: (households with the same composition, members per household, number of such groups of
            households), ascending; the composition is the multiset of the members' sets of values.
    """

    sizes: tuple[tuple[int, int], ...]
    people_without: int
    people_in_several: int
    risks: tuple[tuple[tuple[int, ...], int], ...]
    people_with_unique_member: int
    distinct_households: int
    distinct_people: int
    compositions: tuple[tuple[int, int, int], ...]


class PersonCounting(Protocol):
    """A table that counts people who may have several rows.

    The columns of people and households are loaded like others. Counted tables (``--count``) have no people to count.
    """

    def person_counts(
        self, persons: Persons, attributes: Sequence[Attribute], request: PersonRequest, options: OpenOptions
    ) -> PersonCounts:
        """Count people by the values of their records."""

    def person_counts_by_column(
        self, persons: Persons, attributes: Sequence[Attribute], request: PersonRequest, options: OpenOptions
    ) -> list[PersonCounts]:
        """Count people by each of the attributes alone."""

    def person_categories(
        self,
        persons: Persons,
        by: Attribute,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
        *,
        at_least: int = 1,
    ) -> PersonCategories:
        """Count people within each category of ``by``; labels below ``at_least`` people are not needed."""

    def person_match(
        self,
        persons: Persons,
        attributes: Sequence[Attribute],
        population: Table,
        population_persons: Persons | None,
        population_attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonMatch:
        """Compare people with a population; without ``population_persons``, each of its rows is a person."""

    def person_records(self, persons: Persons, attributes: Sequence[Attribute]) -> Sequence[PersonRecord]:
        """Return the distinct records of each person, to compare them with a population that another engine has."""

    def household_counts(
        self,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        by_set: bool = False,
    ) -> HouseholdCounts:
        """Count households; without ``persons``, each row is a person.

        The group of a member is the smallest among their values or, with ``by_set``, that of their set of values.
        """


def require_people(is_counted: bool) -> None:
    """Raise an error if the rows of a table are not single people's."""
    if is_counted:
        raise InputError("a table with --count has no rows of single people; leave out --count to count by person")
