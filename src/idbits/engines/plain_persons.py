"""People in plain Python: dictionaries and Counters, the reference for every other engine.

Implements: SPEC page people.md, sections 1 and 2, word by word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from idbits.counts import Spectrum, Value
from idbits.engines.backends.persons import (
    HouseholdCounts,
    PersonCategories,
    PersonCounts,
    PersonMatch,
    PersonRecord,
    PersonRequest,
    Persons,
    RecordProfiles,
    require_people,
)
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.backends.subsets import PersonSubsetCounts
    from idbits.engines.base import Table
    from idbits.reading import OpenOptions

    class PlainRows(Table, Protocol):
        """A table whose values are in memory."""

        @property
        def is_counted(self) -> bool: ...

        def value_rows(self, attributes: Sequence[Attribute]) -> list[tuple[object, ...]]: ...

        def shown(self, value: object, attribute: Attribute) -> Value: ...


__all__ = ["PlainPersonCounting", "count_people", "match_records"]

Records = Mapping[Any, Counter[Any]]
"""The rows of each person by their value."""


class PlainPersonCounting:
    """Counts the people of a plain table."""

    def person_counts(
        self: PlainRows,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,  # noqa: ARG002 (the rows are in memory)
    ) -> PersonCounts:
        """Count people by the values of their records."""
        return count_people(_records(self, persons, attributes), request)

    def person_subset_counts(
        self: PlainRows,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonSubsetCounts:
        """Count people in each combination of columns by itself."""
        from idbits.engines.person_subset_queries import PersonSubsetQueries

        return PersonSubsetQueries(self, persons, attributes, request, options)

    def person_categories(
        self: PlainRows,
        persons: Persons,
        by: Attribute,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,  # noqa: ARG002 (the rows are in memory)
        *,
        at_least: int = 1,  # noqa: ARG002 (the labels are here anyway)
    ) -> PersonCategories:
        """Count people within each category."""
        categories: dict[object, dict[Hashable, Counter[tuple[object, ...]]]] = {}
        held: dict[Hashable, set[object]] = {}
        for person, (category, *value) in _person_rows(self, persons, [by, *attributes]):
            categories.setdefault(category, {}).setdefault(person, Counter())[tuple(value)] += 1
            held.setdefault(person, set()).add(category)
        return PersonCategories(
            tuple((self.shown(category, by), count_people(of, request)) for category, of in categories.items()),
            sum(len(of_person) > 1 for of_person in held.values()),
        )

    def person_match(
        self: PlainRows,
        persons: Persons,
        attributes: Sequence[Attribute],
        population: Table,
        population_persons: Persons | None,
        population_attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,  # noqa: ARG002 (the rows are in memory)
    ) -> PersonMatch:
        """Compare people with a population."""
        from idbits.engines.person_match import match_by_text

        return match_by_text(self, persons, attributes, population, population_persons, population_attributes, request)

    def person_records(self: PlainRows, persons: Persons, attributes: Sequence[Attribute]) -> list[PersonRecord]:
        """Return the distinct records of each person."""
        return [
            (number, tuple(map(self.shown, value, attributes)), rows)
            for number, values in enumerate(_records(self, persons, attributes).values())
            for value, rows in values.items()
        ]

    def household_counts(
        self: PlainRows,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        options: OpenOptions,  # noqa: ARG002 (the rows are in memory)
        *,
        by_set: bool = False,
    ) -> HouseholdCounts:
        """Count households."""
        column = Attribute(household, self.columns[household])
        values: dict[Hashable, set[tuple[object, ...]]] = {}
        named: dict[Hashable, set[object]] = {}
        for person, (home, *value) in _person_rows(self, persons, [column, *attributes]):
            values.setdefault(person, set()).add(tuple(value))
            named.setdefault(person, set()).update([] if home is None else [home])
        several = sum(len(homes) > 1 for homes in named.values())
        if several:
            return HouseholdCounts((), 0, several, (), 0, 0, 0, ())
        members: dict[Hashable, list[Hashable]] = {}
        for person, homes in named.items():
            members.setdefault(("home", *homes) if homes else ("own", person), []).append(person)
        without = sum(not homes for homes in named.values())
        return _count_households(list(members.values()), values, without, by_set=by_set)


def _person_rows(
    table: PlainRows, persons: Persons | None, attributes: Sequence[Attribute]
) -> Iterable[tuple[Hashable, tuple[object, ...]]]:
    """Yield the person and the values of each row; rows without a person are left out, or people of their own."""
    require_people(table.is_counted)
    numbers = count()
    rows = table.value_rows(attributes)
    if persons is None:
        yield from ((("row", next(numbers)), value) for value in rows)
        return
    column = Attribute(persons.column, table.columns[persons.column])
    for (person,), value in zip(table.value_rows([column]), rows, strict=True):
        if person is not None:
            yield ("person", person), value
        elif persons.null_is_own:
            yield ("row", next(numbers)), value


def _records(table: PlainRows, persons: Persons, attributes: Sequence[Attribute]) -> Records:
    records: dict[Hashable, Counter[tuple[object, ...]]] = {}
    for person, value in _person_rows(table, persons, attributes):
        records.setdefault(person, Counter())[value] += 1
    return records


def people_by_value(records: Records) -> Counter[Any]:
    """Count the people who have each value."""
    return Counter(value for values in records.values() for value in values)


def count_people(records: Records, request: PersonRequest, sizes: Mapping[Any, int] | None = None) -> PersonCounts:
    """Count people by their records; a group has the people who have its value, unless its size is given."""
    k = people_by_value(records) if sizes is None else sizes
    rows = {person: values.total() for person, values in records.items()}
    smallest = {person: min(k[value] for value in values) for person, values in records.items()}
    pairs = Counter(
        (rows[person], number, k[value]) for person, values in records.items() for value, number in values.items()
    )
    own = sizes is None
    return PersonCounts(
        rows=_ascending(Counter(rows.values())),
        smallest=_ascending(Counter(smallest.values())),
        records=tuple((*key, number) for key, number in sorted(pairs.items())) if request.records else (),
        profiles=_profiles(records, k) if request.profiles else None,
        sets=_spectrum(frozenset(values) for values in records.values()) if request.sets and own else None,
        multisets=(
            _spectrum(frozenset(values.items()) for values in records.values()) if request.multisets and own else None
        ),
        null_people=sum(all(cell is None for value in values for cell in value) for values in records.values()),
        unique_by_null_people=sum(
            smallest[person] == 1 and all(None in value for value in values if k[value] == 1)
            for person, values in records.items()
        ),
    )


def _profiles(records: Records, k: Mapping[Any, int]) -> RecordProfiles:
    profiles = Counter(tuple(sorted((k[value], rows) for value, rows in values.items())) for values in records.values())
    entries = [entry for profile in profiles for entry in profile]
    return RecordProfiles(
        np.cumsum([0, *map(len, profiles)], dtype=np.int64),
        np.array([size for size, _ in entries], np.int64),
        np.array([rows for _, rows in entries], np.int64),
        np.array(list(profiles.values()), np.int64),
    )


def _spectrum(of_people: Iterable[Hashable]) -> Spectrum:
    return Spectrum.of(Counter(Counter(of_people).values()))


def _ascending(counts: Counter[int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(counts.items()))


def match_records(records: Records, sizes: Mapping[Any, int], n_population: int, request: PersonRequest) -> PersonMatch:
    """Compare the records of people with the group sizes of a population."""
    people = people_by_value(records)
    held = {person: values for person, values in records.items() if all(value in sizes for value in values)}
    return PersonMatch(
        counts=count_people(held, request, sizes),
        n_population=n_population,
        missing_values=sum(value not in sizes for value in people),
        missing_people=len(records) - len(held),
        overfull_values=sum(value in sizes and number > sizes[value] for value, number in people.items()),
    )


def _count_households(
    households: list[list[Hashable]],
    values: Mapping[Hashable, set[tuple[object, ...]]],
    without: int,
    *,
    by_set: bool,
) -> HouseholdCounts:
    known: dict[Hashable, set[Hashable]] = {
        person: {frozenset(of)} if by_set else set(of) for person, of in values.items()
    }
    k = Counter(value for of in known.values() for value in of)
    size = {person: min(k[value] for value in of) for person, of in known.items()}
    # The values of all members of one household.
    held = [{value for person in members for value in known[person]} for members in households]
    having = Counter(value for of in held for value in of)
    distinct = [members for members, of in zip(households, held, strict=True) if any(having[v] == 1 for v in of)]
    risks = Counter(tuple(sorted(size[person] for person in members)) for members in households)
    compositions = Counter(
        (len(members), frozenset(Counter(frozenset(values[person]) for person in members).items()))
        for members in households
    )
    alike = Counter((number, members) for (members, _), number in compositions.items())
    return HouseholdCounts(
        sizes=_ascending(Counter(map(len, households))),
        people_without=without,
        people_in_several=0,
        risks=tuple(sorted(risks.items())),
        people_with_unique_member=sum(len(sizes) * number for sizes, number in risks.items() if sizes[0] == 1),
        distinct_households=len(distinct),
        distinct_people=sum(map(len, distinct)),
        compositions=tuple((*key, number) for key, number in sorted(alike.items())),
    )
