"""Counts people who have several rows, and households, on this machine: the capability based on coded rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from idbits.counts import CodedRows
from idbits.engines.backends.persons import require_people
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.backends.gains import PeopleRows
    from idbits.engines.backends.persons import (
        HouseholdCounts,
        PersonCategories,
        PersonCounts,
        PersonMatch,
        PersonRecord,
        PersonRequest,
        Persons,
    )
    from idbits.engines.base import Table
    from idbits.engines.person_codes import PersonCodes, PersonPairs
    from idbits.reading import OpenOptions

    class LocalTable(Table, Protocol):
        """A table whose people are counted on this machine."""

        def person_codes(
            self, persons: Persons | None, attributes: Sequence[Attribute], category: Attribute | None
        ) -> PersonCodes: ...

        def person_pairs(
            self, persons: Persons, attributes: Sequence[Attribute], category: Attribute | None
        ) -> PersonPairs: ...


__all__ = ["LocalPersonCounting"]


class LocalPersonCounting:
    """Counts people from coded rows; an engine can provide codes and pairs in a faster way."""

    def person_codes(
        self: Table, persons: Persons | None, attributes: Sequence[Attribute], category: Attribute | None
    ) -> PersonCodes:
        """Return the rows as codes of value and person; without ``persons``, each row is a person."""
        from idbits.engines.person_codes import coded_people

        return coded_people(self, persons, attributes, category)

    def person_pairs(
        self: LocalTable, persons: Persons, attributes: Sequence[Attribute], category: Attribute | None
    ) -> PersonPairs:
        """Return the distinct pairs of value and person, in memory or not."""
        return self.person_codes(persons, attributes, category)

    def person_counts(
        self: LocalTable,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonCounts:
        """Count people by the values of their records."""
        from idbits.engines import pair_counts

        require_people(options.count is not None)
        return pair_counts.count_people(self.person_pairs(persons, attributes, None), request)

    def person_counts_by_column(
        self: Table,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> list[PersonCounts]:
        """Count people by each of the attributes alone."""
        return [self.person_counts(persons, (attribute,), request, options) for attribute in attributes]

    def person_categories(
        self: LocalTable,
        persons: Persons,
        by: Attribute,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
        *,
        at_least: int = 1,  # noqa: ARG002 (all labels are available anyway)
    ) -> PersonCategories:
        """Count people within each category."""
        from idbits.engines import pair_counts

        require_people(options.count is not None)
        pairs = self.person_pairs(persons, attributes, by)
        return pair_counts.count_categories(pairs, self.labels(by), request)

    def person_match(
        self: Table,
        persons: Persons,
        attributes: Sequence[Attribute],
        population: Table,
        population_persons: Persons | None,
        population_attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> PersonMatch:
        """Compare people with a population."""
        from idbits.engines.person_match import match_by_text

        require_people(options.count is not None)
        return match_by_text(self, persons, attributes, population, population_persons, population_attributes, request)

    def person_records(self: Table, persons: Persons, attributes: Sequence[Attribute]) -> Sequence[PersonRecord]:
        """Return the distinct records of each person."""
        from idbits.engines.pair_counts import records_of
        from idbits.engines.person_codes import null_code

        person = Attribute(persons.column, self.columns[persons.column])
        rows = self.coded_rows([person, *attributes])
        labels = [self.labels(attribute) for attribute in attributes]
        return records_of(rows, labels, null_code(self, person), null_is_own=persons.null_is_own)

    def people_rows(self: Table, persons: Persons, attributes: Sequence[Attribute]) -> PeopleRows:
        """Return the rows of people as codes."""
        from idbits.engines.backends.gains import PeopleRows
        from idbits.engines.person_codes import null_code, with_people

        person = Attribute(persons.column, self.columns[persons.column])
        rows = self.coded_rows([*attributes, person])
        kept = with_people(rows, null_code(self, person), null_is_own=persons.null_is_own)
        codes = CodedRows(kept.codes[:-1], kept.sizes[:-1], kept.people, kept.numbers)
        return PeopleRows(codes, kept.codes[-1].astype(np.int64), lambda column: self.labels(attributes[column]))

    def household_counts(
        self: LocalTable,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        by_set: bool = False,
    ) -> HouseholdCounts:
        """Count households."""
        from idbits.engines.pair_counts import count_households

        require_people(options.count is not None)
        column = Attribute(household, self.columns[household])
        return count_households(self.person_codes(persons, attributes, column), by_set=by_set)
