"""The population that a release is measured against: opened with the release, and matched with its values."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.counts import Spectrum
from idbits.engines.backends.persons import PersonMatch
from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, InputError, NotEstimableError
from idbits.studies.measure.people import PersonStudy
from idbits.studies.measure.question import check_match
from idbits.studies.measure.result import Population
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["ReferencePopulation"]


class ReferencePopulation:
    """An opened population, from which group sizes are taken.

    Attributes:
        person: the column that identifies people in the population, if they have several rows there.
    """

    def __init__(self, release: Table, population: Table, person: str | None) -> None:
        self._release, self._population = release, population
        self.person = person

    @classmethod
    def open(
        cls,
        release: Table,
        source: Source,
        options: OpenOptions,
        qids: Sequence[Sequence[Attribute]],
        person: str | None,
    ) -> ReferencePopulation:
        """Open a population next to its release and load the columns that are matched."""
        if any(transform.name == "top" for qid in qids for a in qid for transform in a.transforms):
            raise InputError('":top" selects different values in the release and in the population; remove it')
        opened = open_table(source, options, beside=release)
        try:
            theirs = [parse_attribute(attribute.name, opened.columns) for qid in qids for attribute in qid]
            if person is not None and person not in opened.columns:
                raise ColumnNotFoundError(person, opened.columns)
        except InputError as error:
            error.args = (f"population: {error}",)
            raise
        opened.load([*(attribute.column for attribute in theirs), *([person] if person is not None else [])])
        if opened.n_people() == 0:
            raise NotEstimableError("the population has no people in it")
        return cls(release, opened, person)

    def match(self, qid: tuple[Attribute, ...], missing: str) -> tuple[Spectrum, Population]:
        """Look up each row of the release."""
        match = self._release.match(qid, self._population, self._attributes(qid))
        population = Population(
            self._population.n_people(), match.missing_values, match.missing_people, match.overfull_values
        )
        check_match(population, match.spectrum.n_people, missing)
        return match.spectrum, population

    def match_people(
        self, people: PersonStudy, qid: tuple[Attribute, ...], missing: str, *, every_attacker: bool
    ) -> tuple[PersonMatch, Population]:
        """Look up each record of the people of the release."""
        match = people.match(qid, self._population, self.person, self._attributes(qid), every_attacker=every_attacker)
        population = Population(match.n_population, match.missing_values, match.missing_people, match.overfull_values)
        check_match(population, match.counts.n_people, missing)
        return match, population

    def _attributes(self, qid: Sequence[Attribute]) -> list[Attribute]:
        return [parse_attribute(attribute.name, self._population.columns) for attribute in qid]

    def close(self) -> None:
        """Close the population."""
        self._population.close()
