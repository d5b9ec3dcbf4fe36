"""Counts people and households in a database, which returns only counts and, for categories, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
from idbits.engines.base import Row
from idbits.engines.person_match import match_by_text
from idbits.engines.sql.household_queries import HouseholdQueries
from idbits.engines.sql.person_queries import PersonQueries, n_people_of, people_by_value, records_query
from idbits.engines.sql.queries import Query
from idbits.errors import EngineError
from idbits.values.attributes import Attribute
from idbits.values.labels import OTHER_VALUES

if TYPE_CHECKING:
    from idbits.engines.base import Table
    from idbits.engines.sql.connection import DatabaseConnection
    from idbits.engines.sql.queries import Queries
    from idbits.reading import OpenOptions

    class DatabaseTable(Table, Protocol):
        """A table of a database."""

        connection: DatabaseConnection
        queries: Queries

        def decide(self, attributes: Iterable[Attribute]) -> None: ...

        def note(self, note: str) -> None: ...

        def label_of(self, value: object, attribute: Attribute) -> Value: ...

        def labels_of(self, row: Any, attributes: Sequence[Attribute]) -> tuple[Value, ...]: ...


__all__ = ["SqlPersonCounting"]

_CUT = (
    "the database cuts long lists, so it cannot compare all records of a person; raise its max_allowed_packet, "
    "or export the table to Parquet and measure that file"
)
_COUNTING = "counting people"


class SqlPersonCounting:
    """Counts people where the rows are."""

    def person_counts(
        self: DatabaseTable,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonCounts:
        """Count people by the values of their records."""
        require_people(options.count is not None)
        self.decide(attributes)
        queries = PersonQueries(self.queries, persons, attributes)
        return _counts(self.connection, queries, request, is_split=False)[None].counts

    def person_categories(
        self: DatabaseTable,
        persons: Persons,
        by: Attribute,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
        *,
        at_least: int = 1,
    ) -> PersonCategories:
        """Count people within each category."""
        require_people(options.count is not None)
        self.decide([by, *attributes])
        queries = PersonQueries(self.queries, persons, attributes, by)
        counts = _counts(self.connection, queries, request, is_split=True)
        shown = {
            int(number): OTHER_VALUES if merged else self.label_of(value, by)
            for number, merged, value in self.connection.rows(queries.labels(at_least), f"counting by {by.name}")
        }
        (several,) = self.connection.counts(queries.people_in_several(), f"counting by {by.name}")
        return PersonCategories(tuple((shown[number], of.counts) for number, of in counts.items() if number), several)

    def person_match(
        self: DatabaseTable,
        persons: Persons,
        attributes: Sequence[Attribute],
        population: Table,
        population_persons: Persons | None,
        population_attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonMatch:
        """Compare people with a population, in the database if it has both."""
        from idbits.engines.sql.table import SQLTable

        require_people(options.count is not None)
        kinds = zip(attributes, population_attributes, strict=True)
        are_alike = all(ours.result_kind is theirs.result_kind for ours, theirs in kinds)
        if are_alike and isinstance(population, SQLTable) and population.connection is self.connection:
            self.decide(attributes)
            population.decide(population_attributes)
            held = people_by_value(population.queries, population_persons, population_attributes)
            queries = PersonQueries(self.queries, persons, attributes, population=held)
            n_population = (
                population.n_people()
                if population_persons is None
                else self.connection.counts(n_people_of(population.queries, population_persons), _COUNTING)[0]
            )
            return _match(self.connection, queries, n_population, request)
        self.note(
            "the distinct records were fetched from the database, with numbers instead of the names of people, to "
            "compare them with the population, which is elsewhere"
        )
        return match_by_text(self, persons, attributes, population, population_persons, population_attributes, request)

    def person_records(self: DatabaseTable, persons: Persons, attributes: Sequence[Attribute]) -> list[PersonRecord]:
        """Return the distinct records of each person; the names of people stay in the database."""
        self.decide(attributes)
        query = records_query(self.queries, persons, attributes)
        names = [column.name for column in query.selected_columns]
        records: list[PersonRecord] = []
        for cells in self.connection.rows(query, "fetching records"):
            row = dict(zip(names, cells, strict=True))
            value, rows = self.labels_of(row, attributes), int(row["people"])
            if row["person"] is not None:
                records.append((int(row["person"]), value, rows))
            elif persons.null_is_own:
                # Numbers of people in the database begin with 1.
                records += [(-len(records) - index, value, 1) for index in range(rows)]
        return records

    def household_counts(
        self: DatabaseTable,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        by_set: bool = False,
    ) -> HouseholdCounts:
        """Count households."""
        require_people(options.count is not None)
        self.decide(attributes)
        queries = HouseholdQueries(self.queries, household, persons, attributes, by_set=by_set)
        label = "counting households"
        several, without = self.connection.counts(queries.check(), label)
        if several:
            return HouseholdCounts((), 0, several, (), 0, 0, 0, ())
        self.connection.prepare(self.connection.dialect.list_settings())
        compositions = [tuple(map(int, row)) for row in self.connection.rows(queries.compositions(), label)]
        _must_be_whole(cut for *_, cut in compositions)
        return _households(
            self.connection.rows(queries.risks(), label), [tuple(row) for *row, _ in compositions], without
        )


def _by_category(
    connection: DatabaseConnection, query: Query, *, is_split: bool
) -> dict[int | None, list[tuple[Any, ...]]]:
    """Return the rows of a query by the number of their category."""
    rows: dict[int | None, list[tuple[Any, ...]]] = {} if is_split else {None: []}
    for row in connection.rows(query, _COUNTING):
        category, cells = (int(row[0]), row[1:]) if is_split else (None, row)
        rows.setdefault(category, []).append(tuple(cells))
    return rows


@dataclass(frozen=True, slots=True)
class _Counted:
    """People, and the number of those with a value that the population does not have."""

    counts: PersonCounts
    missing_people: int


def _counts(
    connection: DatabaseConnection, queries: PersonQueries, request: PersonRequest, *, is_split: bool
) -> dict[int | None, _Counted]:
    """Count people, by category if they are split."""
    if request.needs_lists:
        connection.prepare(connection.dialect.list_settings())
    found = {
        name: _by_category(connection, query, is_split=is_split) for name, query in queries.requested(request).items()
    }
    return {
        category: _with_people(
            PersonCounts(
                rows=(),
                smallest=(),
                records=_sorted_records(found["records"].get(category, [])) if request.records else (),
                profiles=_profiles(found["profiles"].get(category, [])) if request.profiles else None,
                sets=_spectrum(found["sets"].get(category, [])) if request.sets else None,
                multisets=_spectrum(found["multisets"].get(category, [])) if request.multisets else None,
            ),
            rows,
        )
        for category, rows in found["people"].items()
    }


def _with_people(counts: PersonCounts, people: Iterable[tuple[Any, ...]]) -> _Counted:
    """Add what is known of people: (rows, smallest group, unique only by nulls, nothing but nulls, people)."""
    of_rows: Counter[int] = Counter()
    of_groups: Counter[int] = Counter()
    nulls = by_null = 0
    for row in people:
        n_rows, size, is_by_null, is_null, number = map(int, row)
        of_groups[size] += number
        of_rows[n_rows] += number if size else 0
        by_null += number if is_by_null else 0
        nulls += number if is_null and size else 0
    missing = of_groups.pop(0, 0)
    counts = replace(
        counts,
        rows=tuple(sorted((+of_rows).items())),
        smallest=tuple(sorted(of_groups.items())),
        null_people=nulls,
        unique_by_null_people=by_null,
    )
    return _Counted(counts, missing)


def _sorted_records(rows: Iterable[tuple[Any, ...]]) -> tuple[tuple[int, int, int, int], ...]:
    made = [tuple(map(int, row)) for row in rows]
    return tuple((total, of_pair, size, number) for total, of_pair, size, number in sorted(made))


def _spectrum(rows: Sequence[tuple[Any, ...]]) -> Spectrum:
    _must_be_whole(cut for *_, cut in rows)
    return Spectrum.of((int(size), int(sets)) for size, sets, _ in rows)


def _must_be_whole(cuts: Iterable[Any]) -> None:
    if any(int(cut) for cut in cuts):
        raise EngineError(_CUT)


def _items(listed: Any) -> list[tuple[int, int]]:
    """Return the pairs of numbers in a list."""
    text = listed.decode() if isinstance(listed, bytes) else str(listed)
    pairs = (item.split(":") for item in text.split(","))
    return [(int(first), int(second)) for first, second in pairs]


def _profiles(rows: Sequence[tuple[Any, ...]]) -> RecordProfiles:
    _must_be_whole(cut for *_, cut in rows)
    profiles = [_items(listed) for listed, _, _ in rows]
    entries = np.array([entry for profile in profiles for entry in profile], np.int64).reshape(-1, 2)
    return RecordProfiles(
        np.cumsum([0, *map(len, profiles)], dtype=np.int64),
        entries[:, 0],
        entries[:, 1],
        np.array([int(people) for _, people, _ in rows], np.int64),
    )


def _match(
    connection: DatabaseConnection, queries: PersonQueries, n_population: int, request: PersonRequest
) -> PersonMatch:
    found = _counts(connection, queries, replace(request, sets=False, multisets=False), is_split=False)[None]
    missing_values, overfull_values = connection.counts(queries.values(), _COUNTING)
    return PersonMatch(found.counts, n_population, missing_values, found.missing_people, overfull_values)


def _households(risks: Sequence[Row], compositions: Sequence[tuple[int, ...]], without: int) -> HouseholdCounts:
    """Put together what is known of households: (sizes of the members' groups, is distinct, households, was cut)."""
    _must_be_whole(cut for *_, cut in risks)
    sizes: Counter[int] = Counter()
    of_members: Counter[tuple[int, ...]] = Counter()
    distinct_households = distinct_people = 0
    for listed, is_distinct, households, _ in risks:
        members = tuple(sorted(size for size, number in _items(listed) for _ in range(number)))
        number = int(households)
        sizes[len(members)] += number
        of_members[members] += number
        distinct_households += number if is_distinct else 0
        distinct_people += len(members) * number if is_distinct else 0
    return HouseholdCounts(
        sizes=tuple(sorted(sizes.items())),
        people_without=without,
        people_in_several=0,
        risks=tuple(sorted(of_members.items())),
        people_with_unique_member=sum(len(of) * number for of, number in of_members.items() if of[0] == 1),
        distinct_households=distinct_households,
        distinct_people=distinct_people,
        compositions=tuple((households, members, groups) for households, members, groups in sorted(compositions)),
    )
