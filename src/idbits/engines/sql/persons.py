"""Counts people and households in a database, which returns only counts and, for categories, labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from idbits.counts import Value
from idbits.engines.backends.persons import (
    HouseholdCounts,
    PersonCategories,
    PersonCounts,
    PersonMatch,
    PersonRecord,
    PersonRequest,
    Persons,
    require_people,
)
from idbits.engines.base import Row
from idbits.engines.counted_people import CountedPeople, counted_households, counted_people
from idbits.engines.person_match import match_by_text
from idbits.engines.sql.household_queries import HouseholdQueries
from idbits.engines.sql.person_queries import PersonQueries, n_people_of, people_by_value, records_query
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
        compositions = _uncut(self.connection.rows(queries.compositions(), label))
        return counted_households(_uncut(self.connection.rows(queries.risks(), label)), compositions, without)


def _counts(
    connection: DatabaseConnection, queries: PersonQueries, request: PersonRequest, *, is_split: bool
) -> dict[int | None, CountedPeople]:
    """Count people, by the number of their category if they are split."""
    if request.needs_lists:
        connection.prepare(connection.dialect.list_settings())
    found: dict[int | None, dict[str, list[Row]]] = {} if is_split else {None: {}}
    for name, query in queries.requested(request).items():
        rows = connection.rows(query, _COUNTING)
        if name in ("profiles", "sets", "multisets"):
            rows = _uncut(rows)
        for row in rows:
            category, cells = (int(row[0]), row[1:]) if is_split else (None, row)
            found.setdefault(category, {}).setdefault(name, []).append(cells)
    return {category: counted_people(rows, request) for category, rows in found.items()}


def _uncut(rows: Sequence[Row]) -> list[Row]:
    """Return rows without their last cell, which says whether a list was cut; raise an error if one was."""
    if any(int(is_cut) for *_, is_cut in rows):
        raise EngineError(_CUT)
    return [row[:-1] for row in rows]


def _match(
    connection: DatabaseConnection, queries: PersonQueries, n_population: int, request: PersonRequest
) -> PersonMatch:
    found = _counts(connection, queries, replace(request, sets=False, multisets=False), is_split=False)[None]
    missing_values, overfull_values = connection.counts(queries.values(), _COUNTING)
    return PersonMatch(found.counts, n_population, missing_values, found.missing_people, overfull_values)
