"""One table being measured, quasi-identifier by quasi-identifier."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from idbits.engines.base import OpenOptions, Source, Table
from idbits.errors import DataError
from idbits.studies.measure.household import household_of
from idbits.studies.measure.parts import LEAST_SHOWN, LEFT_OUT, exposed_of, groups_of, suppression_of, values_of
from idbits.studies.measure.people import PersonStudy
from idbits.studies.measure.people_result import AddedColumn, Household, PeopleFigures
from idbits.studies.measure.question import (
    possible_values_of,
)
from idbits.studies.measure.reference import ReferencePopulation
from idbits.studies.measure.result import Groups, Measurement, Population
from idbits.studies.measure.surroundings import TriedSurroundings
from idbits.studies.shared.beside import NOTHING_BESIDE, ColumnsBeside
from idbits.studies.shared.default_columns import ChosenColumns
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.next_command import SMALL_GROUP, command_line, next_command, treatment_command
from idbits.studies.shared.persons import ALL_RECORDS, PersonOptions, require_other_columns, require_people
from idbits.studies.shared.treatments.identifiers import identifiers_among
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes

__all__ = ["MeasureStudy"]


class MeasureStudy:
    """A table being measured, with everything that its quasi-identifiers share."""

    def __init__(self, table: Table, options: OpenOptions, source: Source) -> None:
        self.table = table
        self.options = options
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.qids: list[tuple[Attribute, ...]] = []
        self.by: Attribute | None = None
        self.person = PersonOptions()
        self.people: PersonStudy | None = None
        self.surroundings: TriedSurroundings | None = None
        self.chosen: ChosenColumns | None = None
        self.population: ReferencePopulation | None = None
        self.loaded: frozenset[str] = frozenset()
        self.words: list[str] = []

    def prepare(
        self,
        qids: list[list[str]],
        by: str | None = None,
        person: PersonOptions | None = None,
        population: Source = None,
        population_count: str | None = None,
        population_table: str | None = None,
        population_person: str | None = None,
        also: Sequence[str] = (),
        counts_others: bool = False,
    ) -> None:
        """Resolve names, read the columns needed, and check that there is somebody to measure.

        A table is read once: ``also`` names columns that other studies will need; with ``counts_others`` they may need
        all of them.
        """
        known = self.table.columns
        self.person = person = person or PersonOptions()
        self.qids = [parse_attributes(names, known) for names in qids]
        self.by = parse_attribute(by, known) if by is not None else None
        used = [attribute.column for qid in self.qids for attribute in qid]
        require_other_columns(person.column, used, "--qid")
        used += [self.by.column] if self.by is not None else []
        declared = person.columns(known)
        tries = len(qids) == 1 and by is None and population is None
        self.surroundings = TriedSurroundings(self.table, self.options, used, declared, tries=tries)
        self.loaded = frozenset([*used, *declared, *also, *self.surroundings.columns])
        around = self.surroundings
        self.table.load(
            [*used, *declared, *also, *around.columns], around.sampled, around.sampled if counts_others else ()
        )
        require_people(self.table, self.options)
        if person.column is not None:
            self.people = PersonStudy(self.table, self.options, person)
        if population is not None:
            theirs = self.options.for_population(population_count, population_table)
            self.population = ReferencePopulation.open(self.table, population, theirs, self.qids, population_person)
        options_given = {
            "--by": by,
            "--population": population,
            "--population-count": population_count,
            "--population-table": population_table,
            "--population-person": population_person,
        }
        self.words = [
            f"{word} {shlex.quote(str(value))}" for word, value in options_given.items() if isinstance(value, str)
        ] + person.command_words()

    def measurement(
        self,
        qid: tuple[Attribute, ...],
        *,
        missing: str,
        values: bool,
        suppress: int | None,
        n_values: int | None,
        reveal: bool,
        advise: bool = True,
        tries: bool = True,
    ) -> Measurement:
        """Measure one quasi-identifier; with ``advise``, seek a next command; with ``tries``, try one more column."""
        table = self.table
        figures, people, population = self._figures(qid, missing, n_values)
        self._check_lists(values=values, suppress=suppress, reveal=reveal)
        of_columns = [figures] if len(qid) == 1 else self._column_figures(qid)
        columns = tuple((attribute.name, of_one) for attribute, of_one in zip(qid, of_columns, strict=True))
        notes = tuple(table.notes)
        spectrum = figures.spectrum
        listed = values_of(table, qid, spectrum, reveal=reveal) if values and spectrum is not None else None
        is_exposed = reveal and population is None and (self.people is None or self.people.rows_are_people)
        # Sums over a column, even without names, reveal how the people of the folded row are distributed.
        is_open = len(qid) == 1 or listed is None or not listed.folded_values
        return Measurement(
            qid=tuple(attribute.name for attribute in qid),
            source=self.source,
            figures=figures,
            columns=columns if is_open else (),
            nulls={attribute.name: table.null_people(attribute) for attribute in qid},
            n_other_columns=len(set(table.columns) - self._used()),
            beside=self._beside(),
            added=self._added(qid, figures) if tries else (),
            chosen=self.chosen,
            filtered=self.options.where is not None,
            narrowed=self.options.columns is not None,
            unit=self._unit(),
            people=people,
            household=self._household(qid),
            count=self.options.count,
            groups=self._groups(qid, reveal=reveal),
            values=listed,
            exposed=exposed_of(table, qid, spectrum) if is_exposed and spectrum is not None else None,
            suppression=suppression_of(figures, suppress) if suppress is not None else None,
            population=population,
            notes=notes if is_open else (*notes, LEFT_OUT),
            internal=reveal,
            next_command=self._next(qid, columns, figures) if advise else None,
        )

    def _figures(
        self, qid: tuple[Attribute, ...], missing: str, n_values: int | None
    ) -> tuple[Figures, PeopleFigures | None, Population | None]:
        people = self.people
        reference = self.population
        has_persons = reference is not None and reference.person is not None
        if people is not None and (has_persons or not people.rows_are_people):
            return self._figures_of_people(people, qid, missing)
        population = None
        if reference is None:
            spectrum = self.table.spectrum(qid)
        else:
            spectrum, population = reference.match(qid, missing)
        figures = Figures.of(spectrum, possible_values_of(n_values, spectrum))
        about = people.people(people.counts(qid), figures, population) if people is not None else None
        return figures, about, population

    def _figures_of_people(
        self, people: PersonStudy, qid: tuple[Attribute, ...], missing: str
    ) -> tuple[Figures, PeopleFigures, Population | None]:
        if self.population is None:
            counts = people.counts(qid)
            figures = people.figures(counts)
            return figures, people.people(counts, figures), None
        match, population = self.population.match_people(people, qid, missing, every_attacker=True)
        figures = people.figures(match.counts, n_population=match.n_population)
        return figures, people.people(match.counts, figures, population), population

    def _column_figures(self, qid: Sequence[Attribute]) -> list[Figures]:
        """Return the figures of each column alone."""
        people, population = self.people, self.population
        if people is not None and population is None:
            return people.column_figures(qid)
        if people is not None and population is not None and not people.rows_are_people:
            matches = [
                population.match_people(people, (attribute,), "unbounded", every_attacker=False)[0] for attribute in qid
            ]
            return [people.figures(match.counts, n_population=match.n_population) for match in matches]
        if population is None:
            return [Figures.of(self.table.spectrum((attribute,))) for attribute in qid]
        return [Figures.of(population.match((attribute,), "unbounded")[0]) for attribute in qid]

    def _groups(self, qid: tuple[Attribute, ...], *, reveal: bool) -> Groups | None:
        by = self.by
        if by is None:
            return None
        if self.people is not None and not self.people.rows_are_people:
            return self.people.groups(by, qid, reveal=reveal)
        spectra = self.table.group_spectra(by, qid, at_least=1 if reveal else LEAST_SHOWN)
        return groups_of(by, [(label, Figures.of(spectrum)) for label, spectrum in spectra], reveal=reveal)

    def _unit(self) -> Unit:
        """Return what is counted: a household consists of people, so its table has one row for each."""
        person = self.person
        is_about_people = person.column is not None or person.household is not None or person.rows_are_people
        return Unit.PEOPLE if is_about_people or self.options.count is not None else self._beside().unit

    def _beside(self) -> ColumnsBeside:
        return self.surroundings.beside if self.surroundings is not None else NOTHING_BESIDE

    def _added(self, qid: tuple[Attribute, ...], figures: Figures) -> tuple[AddedColumn, ...]:
        if self.surroundings is None or self.population is not None or len(self.qids) > 1 or self.by is not None:
            return ()
        return self.surroundings.added(qid, figures, self._trial)

    def _trial(self, qid: Sequence[Attribute]) -> Figures:
        people = self.people
        if people is not None and not people.rows_are_people:
            return people.trial_figures(qid)
        return Figures.of(self.table.spectrum(tuple(qid)))

    def _household(self, qid: tuple[Attribute, ...]) -> Household | None:
        column = self.person.household
        if column is None:
            return None
        persons = self.people.persons if self.people is not None else None
        by_set = self.person.knows == ALL_RECORDS
        return household_of(self.table, column, persons, qid, self.options, by_set=by_set)

    def _check_lists(self, *, values: bool, suppress: int | None, reveal: bool) -> None:
        """Refuse lists of values and withholding if rows are not people."""
        people = self.people
        if people is None or people.rows_are_people:
            return
        if values or (suppress is not None and not people.everyone_has_one_row):
            option = "--values" if values else "--suppress"
            raise DataError(
                f"{option} needs one row per person, and people in this table have several; leave out {option}"
                if not people.everyone_has_one_row
                else f"{option} cannot leave out rows without a person; filter them with --where"
            )
        if reveal and self.by is None:
            raise DataError("--reveal needs one row per person, and people in this table have several; leave it out")

    def close(self) -> None:
        """Close the population; the table belongs to its opener."""
        if self.population is not None:
            self.population.close()

    def _used(self) -> set[str | None]:
        measured = {attribute.column for qid in self.qids for attribute in qid}
        beside = (self.options.count, self.person.column, self.person.household)
        return {*measured, *beside, self.by.column if self.by is not None else None}

    def _next(
        self, qid: tuple[Attribute, ...], columns: tuple[tuple[str, Figures], ...], figures: Figures
    ) -> str | None:
        # With several quasi-identifiers, trying a coarser column would leave notes about a table nobody requested.
        person = self._beside().person
        if self._unit() is Unit.RECORDS and person is not None:
            names = [attribute.name for attribute in qid]
            if self.source is None:
                return f"idbits.measure(frame, {names!r}, person={person!r})"
            return command_line(names, self.source, self.options, *self.words, f"--person {shlex.quote(person)}")
        if len(self.qids) > 1:
            return command_line([a.name for a in qid], self.source, self.options, *self.words) if self.source else None
        withhold = self.people is None or self.people.everyone_has_one_row
        if withhold and self._can_be_treated(qid, figures):
            names = [attribute.name for attribute in qid]
            return treatment_command(names, self.source, self.options, self.person)
        asked = (self.table, qid, columns, self.source, self.options, figures, self.words)
        return next_command(*asked, can_withhold=withhold)

    def _can_be_treated(self, qid: tuple[Attribute, ...], figures: Figures) -> bool:
        """Whether people are in small groups, and idbits advise takes this table and these columns."""
        return (
            figures.people_below[str(SMALL_GROUP)] > 0
            and figures.n_people >= SMALL_GROUP
            and self.by is None
            and self.population is None
            and self.source != "-"
            and self.table.trials_are_cheap
            and len({attribute.column for attribute in qid}) == len(qid)
            and not identifiers_among(self.table, qid, self.options)
        )
