"""People with several rows: their figures under three attackers, by category, and against a population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idbits.counts import GroupSizes, PeopleBySize
from idbits.engines.backends.persons import PersonCounts, PersonMatch, PersonRequest, Persons
from idbits.engines.base import Table
from idbits.measures.persons import drawn_record_bits_quantiles, drawn_record_sizes, rows_per_person
from idbits.reading import OpenOptions
from idbits.studies.measure.parts import LEAST_SHOWN, groups_of
from idbits.studies.measure.people_result import PeopleFigures, PersonAttacker
from idbits.studies.measure.result import Groups, Population
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.persons import (
    ALL_RECORDS,
    ANY_RECORD,
    ATTACKERS,
    NO_SETS,
    PersonOptions,
    TablePeople,
    require_several_people,
)
from idbits.values.attributes import Attribute

__all__ = ["PersonStudy", "every_attacker"]


def every_attacker(person: PersonOptions) -> PersonRequest:
    """Return what to count to compare all attackers."""
    return PersonRequest(records=True, profiles=person.knows == ANY_RECORD, sets=True, multisets=person.multiset)


class PersonStudy:
    """The people of a table that names them in a column."""

    def __init__(self, table: Table, options: OpenOptions, person: PersonOptions) -> None:
        self._table = table
        self._options = options
        self._person = person
        people = TablePeople.of(table, person)
        self._rows, self._request = people.rows, people.request
        self.persons = people.persons
        self.everyone_has_one_row = people.everyone_has_one_row
        """Whether nobody has several rows."""
        self.rows_are_people = people.rows_are_people
        """Whether the rows of the table are exactly its people."""

    def counts(self, qid: Sequence[Attribute]) -> PersonCounts:
        """Count people by the values of their records, for all attackers."""
        request = every_attacker(self._person)
        if self.everyone_has_one_row:
            request = replace(request, records=False, profiles=False)
        counts = self._table.person_counts(self.persons, qid, request, self._options)
        require_several_people(self.persons.column, counts.n_people, counts.n_rows)
        return counts

    def column_figures(self, attributes: Sequence[Attribute]) -> list[Figures]:
        """Return the figures of each single column for the chosen attacker."""
        if self.rows_are_people:
            return [Figures.of(self._table.spectrum((attribute,))) for attribute in attributes]
        counted = self._table.person_counts_by_column(self.persons, attributes, self._request, self._options)
        return [self.figures(counts) for counts in counted]

    def trial_figures(self, qid: Sequence[Attribute]) -> Figures:
        """Return the figures of other columns for the chosen attacker."""
        return self.figures(self._table.person_counts(self.persons, qid, self._request, self._options))

    def groups(self, by: Attribute, qid: Sequence[Attribute], *, reveal: bool) -> Groups:
        """Measure people within each category; a person counts in every category where they have rows."""
        least = 1 if reveal else LEAST_SHOWN
        request = replace(self._request, profiles=self._request.records)
        found = self._table.person_categories(self.persons, by, qid, request, self._options, at_least=least)
        measured = [(label, self.figures(counts)) for label, counts in found.categories]
        return groups_of(by, measured, reveal=reveal, people_in_several=found.people_in_several)

    def figures(
        self,
        counts: PersonCounts,
        knows: str | None = None,
        *,
        n_population: int | None = None,
    ) -> Figures:
        """Return the figures for an attacker; group sizes are those of a population of ``n_population``, if given."""
        knows = self._person.knows if knows is None else knows
        n_reference = counts.n_people if n_population is None else n_population
        bits_quantiles: dict[str, float] | None = None
        own = n_population is None
        if own and (knows == ALL_RECORDS or self.everyone_has_one_row):
            sizes: GroupSizes | None = counts.multisets if self._person.multiset else counts.sets
        elif knows == ANY_RECORD:
            sizes = drawn_record_sizes(counts.records, counts.n_people, n_reference, is_own_reference=own)
            profiles = counts.profiles
            if profiles is not None:
                bits_quantiles = drawn_record_bits_quantiles(
                    profiles.starts, profiles.sizes, profiles.rows, profiles.people, n_reference
                )
        else:
            sizes = PeopleBySize.of(counts.smallest, n_reference, is_own_reference=own)
        assert sizes is not None
        return Figures.of(sizes, n_rows=counts.n_rows, bits_quantiles=bits_quantiles)

    def people(self, counts: PersonCounts, chosen: Figures, population: Population | None = None) -> PeopleFigures:
        """Return what the table says about its people, with the three attackers side by side."""
        return PeopleFigures(
            person=self.persons.column,
            knows=self._person.knows,
            multiset=self._person.multiset,
            rows_per_person=rows_per_person(counts.rows),
            attackers=tuple(self._attacker(knows, counts, chosen, population) for knows in ATTACKERS),
            null_people=counts.null_people,
            unique_by_null_people=counts.unique_by_null_people,
            rows_without_person=self._rows.rows_without_person,
            null_person=self._person.null_person,
        )

    def _attacker(
        self, knows: str, counts: PersonCounts, chosen: Figures, population: Population | None
    ) -> PersonAttacker:
        if knows == self._person.knows or self.rows_are_people:
            return PersonAttacker.of(knows, chosen)
        if population is None:
            return PersonAttacker.of(knows, self.figures(counts, knows))
        if knows == ALL_RECORDS:
            return PersonAttacker.unknown(knows, NO_SETS)
        return PersonAttacker.of(knows, self.figures(counts, knows, n_population=population.n_people))

    def match(
        self,
        qid: Sequence[Attribute],
        population: Table,
        population_person: str | None,
        population_qid: Sequence[Attribute],
        *,
        every_attacker: bool,
    ) -> PersonMatch:
        """Compare people with a population."""
        theirs = Persons(population_person) if population_person is not None else None
        is_drawn = self._person.knows == ANY_RECORD
        request = PersonRequest(records=every_attacker or is_drawn, profiles=every_attacker and is_drawn)
        return self._table.person_match(self.persons, qid, population, theirs, population_qid, request, self._options)
