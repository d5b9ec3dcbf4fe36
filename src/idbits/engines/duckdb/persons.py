"""Counts people of a DuckDB table: one query packs the codes of a row, and the kernels sort them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Integers
from idbits.engines.backends.persons import PersonCounts, PersonMatch, PersonRequest, Persons, require_people
from idbits.engines.base import PersonRows, numbers_of
from idbits.engines.duckdb.matching import translated_joins
from idbits.engines.duckdb.person_keys import PersonKeys, count_person_rows
from idbits.engines.duckdb.stored_pairs import StoredPairs
from idbits.engines.local_persons import LocalPersonCounting
from idbits.engines.pair_counts import count_people, match_people
from idbits.engines.person_codes import PackedNulls, PairsInMemory, PersonCodes, PersonPairs, coded_people
from idbits.engines.person_match import match_by_text
from idbits.kernels.packed import Layout
from idbits.kernels.persons import Keys, SortedPairs
from idbits.kernels.threads import run_in_threads
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table
    from idbits.engines.duckdb.person_keys import DuckDBRows
    from idbits.reading import OpenOptions

__all__ = ["DuckDBPersonCounting"]

_COUNTING = "counting people"
# Keys, their copy while they are fetched, values, borders and rows.
_BYTES_PER_ROW = 64
# Each column takes as much memory as the pairs.
_MOST_AT_ONCE = 2


class DuckDBPersonCounting(LocalPersonCounting):
    """Counts people from keys that DuckDB packs."""

    remembered_pairs: RememberedPairs | None = None
    """The pairs that were counted last, if the memory is not limited."""

    def person_rows(self: DuckDBRows, column: str) -> PersonRows:
        """Count the rows and the people with several rows."""
        person = Attribute(column, self.columns[column])
        rows = count_person_rows(self, person)
        if rows is not None:
            return rows
        dictionary = self.dictionary(person)
        (repeated,) = self.connection.counts(
            f"SELECT count(*) FROM {dictionary.values} WHERE people > 1 AND value IS NOT NULL"
        )
        return PersonRows(self.n_people(), repeated, dictionary.null_people)

    def person_codes(
        self: DuckDBRows, persons: Persons | None, attributes: Sequence[Attribute], category: Attribute | None
    ) -> PersonCodes:
        """Return the rows as codes of value and person; without ``persons``, each row is a person."""
        query = PersonKeys.of(self, persons, attributes, category)
        return query.fetched() if query is not None else coded_people(self, persons, attributes, category)

    def person_pairs(
        self: DuckDBRows, persons: Persons, attributes: Sequence[Attribute], category: Attribute | None
    ) -> PersonPairs:
        """Return the distinct pairs of value and person, in memory or in DuckDB's temporary files."""
        known = self.remembered_pairs
        if known is not None and category is None and known.persons == persons and known.has(attributes):
            return known.narrowed(attributes)
        query = PersonKeys.of(self, persons, attributes, category, with_labels=True)
        if query is None:
            return coded_people(self, persons, attributes, category)
        found = _pairs(query)
        if category is not None or query.connection.memory is not None or not isinstance(found, PersonCodes):
            return found
        pairs = found.pairs()
        self.remembered_pairs = RememberedPairs(
            persons, tuple(attributes), query, pairs, found.n_codes, pairs.rows_of_people()
        )
        return self.remembered_pairs.narrowed(attributes)

    def person_counts_by_column(
        self: DuckDBRows,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> list[PersonCounts]:
        """Count people by each of the attributes alone, at the same time if no rows have to be read."""
        known = self.remembered_pairs
        if known is None or known.persons != persons or not known.has(attributes):
            return LocalPersonCounting.person_counts_by_column(self, persons, attributes, request, options)
        counts: dict[Attribute, PersonCounts] = {}
        run_in_threads(
            lambda attribute: count_people(known.narrowed((attribute,)), request),
            attributes,
            counts.__setitem__,
            min(options.threads or os.cpu_count() or 1, _MOST_AT_ONCE),
        )
        return [counts[attribute] for attribute in attributes]

    def person_match(
        self: DuckDBRows,
        persons: Persons,
        attributes: Sequence[Attribute],
        population: Table,
        population_persons: Persons | None,
        population_attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonMatch:
        """Compare people with a population, in DuckDB if it has both."""
        from idbits.engines.duckdb.table import DuckDBTable

        require_people(options.count is not None)
        query = PersonKeys.of(self, persons, attributes, None, by_dictionary=True)
        if query is None or not isinstance(population, DuckDBTable) or population.connection is not self.connection:
            return match_by_text(
                self, persons, attributes, population, population_persons, population_attributes, request
            )
        joins = translated_joins(self, attributes, population, population_attributes)
        values, people, n_population = _people_by_value(
            population, population_persons, query.value.replace(".code", ".ours"), joins
        )
        return match_people(_pairs(query), values, people, n_population, request)


@dataclass(frozen=True, slots=True, eq=False)
class RememberedPairs:
    """The pairs of some attributes in memory: those of fewer attributes can be counted without reading the rows."""

    persons: Persons
    attributes: tuple[Attribute, ...]
    query: PersonKeys
    pairs: SortedPairs
    n_codes: int
    rows: Integers

    def has(self, attributes: Sequence[Attribute]) -> bool:
        """Return whether these pairs suffice for some attributes."""
        return set(attributes) <= set(self.attributes)

    def narrowed(self, attributes: Sequence[Attribute]) -> PersonPairs:
        """Return the pairs of some of the attributes."""
        query = self.query
        if tuple(attributes) == self.attributes:
            return PairsInMemory(self.pairs, query.nulls, self.n_codes, self.rows)
        indices = [self.attributes.index(attribute) for attribute in attributes]
        layout = Layout([query.sizes[index] for index in indices])
        values = np.zeros(len(self.pairs.values), np.uint64)
        for index, shift in zip(indices, layout.shifts, strict=True):
            code = self.pairs.values >> np.uint64(query.layout.shifts[index])
            code &= np.uint64((1 << query.layout.bits[index]) - 1)
            values |= code << np.uint64(shift)
        nulls = PackedNulls.of(layout, [query.null_codes[index] for index in indices])
        return PairsInMemory(self.pairs.with_values(values, query.bits), nulls, self.n_codes, self.rows)


def _pairs(query: PersonKeys) -> PersonPairs:
    memory = query.connection.memory
    return query.fetched() if memory is None or _BYTES_PER_ROW * query.n_rows <= memory else StoredPairs(query)


def _people_by_value(
    population: DuckDBRows, persons: Persons | None, value: str, joins: str
) -> tuple[Keys, Integers, int]:
    """Return the values, ascending, with the people of a population who have them, and the number of all people."""
    source = f"FROM {population.relation} t {joins}"
    if persons is None:
        counted = f"SELECT {value} AS packed, {population.weight} AS people {source} GROUP BY packed"
        n_population = population.n_people()
    else:
        cell = population.cell(Attribute(persons.column, population.columns[persons.column]))
        people = f"count(person){' + coalesce(sum(n) FILTER (person IS NULL), 0)' if persons.null_is_own else ''}"
        grouped = "SELECT {}, t.{} AS person, count(*) AS n {} GROUP BY ALL"
        pairs = grouped.format(f"{value} AS packed", cell, source)
        counted = f"SELECT packed, {people} AS people FROM ({pairs}) GROUP BY packed"
        everyone = grouped.format("1", cell, f"FROM {population.relation} t")
        (n_population,) = population.connection.counts(f"SELECT {people} FROM ({everyone})", _COUNTING)
    found = population.connection.arrow(
        f"SELECT CAST(packed AS UBIGINT) AS packed, CAST(people AS BIGINT) AS people FROM ({counted}) WHERE people > 0 "
        "ORDER BY packed",
        _COUNTING,
    )
    return numbers_of(found.column("packed")), numbers_of(found.column("people")), n_population
