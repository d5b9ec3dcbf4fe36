"""Who is unique in the population that a table is a sample of? The study behind ``idbits population``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import InputError, NotEstimableError
from idbits.file_guard import guarded_files
from idbits.measures.population.sample import Sample
from idbits.measures.population.sets import MOST_SETS
from idbits.reading import Names, Reading, name_list, no_names, open_options
from idbits.render.numbers import nearest
from idbits.studies.population.known_people import read_marginals, stratum_weights, weights_of_column
from idbits.studies.population.question import MOST_PEOPLE, PopulationQuestion, population_sizes, whole_number
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.population.sample_rows import CodedSample, read_sample
from idbits.studies.population.spectrum_file import read_spectrum
from idbits.studies.shared.coarser import next_view
from idbits.studies.shared.default_columns import choose_columns
from idbits.studies.shared.next_command import command_line
from idbits.studies.shared.persons import PersonOptions, require_one_row_per_person
from idbits.studies.shared.row_files import check_row_file
from idbits.studies.shared.units import Unit
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes

# What estimates is imported when the rows are read: it needs SciPy, whose 40 MB would come on top of theirs.
if TYPE_CHECKING:
    from idbits.measures.population.estimate import PopulationEstimate

__all__ = ["PopulationQuestion", "population", "population_of_table", "population_question"]

_EVERY_SET = 2**62


@guarded_files()
def population(
    source: object = None,
    qid: Names | None = None,
    people: float | str | None = None,
    fraction: float | None = None,
    weight: str | None = None,
    *,
    strata: str | None = None,
    stratum_sizes: object = None,
    marginal: Mapping[str, object] | None = None,
    sizes: str | Iterable[object] | None = None,
    records: str | os.PathLike[str] | None = None,
    spectrum: object = None,
    all: bool = False,  # noqa: A002 (the option is called so)
    level: float = 0.9,
    person: str | None = None,
    rows_are_people: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> PopulationAnswer:
    """Estimate who is unique in the population that a table is a sample of.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame, with one row per person.
        qid: the columns that someone may know, ``["birthdate:year", "zip"]`` or ``"birthdate:year,zip"``.
        people: the number of people in the population.
        fraction: or else the share of the population that is in the sample, above 0 and at most 1.
        weight: or else the column of sampling weights: for how many people a person in the sample stands.
        strata: or else the column of the strata that the sample was drawn from.
        stratum_sizes: a table of the people of each stratum in the population.
        marginal: for some columns, a table of the people of each value in the population, ``{"zip": source}``.
        sizes: other numbers of people to report figures for, ``"1e5,1e6"`` or a list.
        records: a file (.csv, .parquet) to write the risk of every record to.
        spectrum: instead of a source, a table of group sizes, with the columns k and sets.
        all: also compute the estimates of other tools.
        level: the confidence level of intervals and bounds.
        person: the column that identifies people; more than one row per person is an error.
        rows_are_people: whether each row is known to be a person.
        seed: seed of all random draws.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Examples:
        >>> import pyarrow
        >>> sizes = pyarrow.table({"k": [1, 2, 3, 4], "sets": [60, 20, 8, 4]})
        >>> population(spectrum=sizes, people=1400)
        PopulationAnswer(qid=[], n_rows=140, people=1400, estimability='estimable', pi=0.1640)
    """
    question = population_question(
        people=people,
        fraction=fraction,
        weight=weight,
        strata=strata,
        stratum_sizes=stratum_sizes,
        marginals=dict(marginal or {}),
        sizes=population_sizes(sizes),
        level=level,
        seed=seed,
    )
    options = open_options(reading)
    persons = PersonOptions(column=person, rows_are_people=rows_are_people)
    if spectrum is not None:
        return _of_group_sizes(source, qid, spectrum, question, options, records, persons, everything=all)
    if source is None:
        raise InputError("name a table and the columns that someone may know, for example --qid birthdate,zip,gender")
    if qid is None or no_names(qid):
        qid = choose_columns(source, options, [name for name in (person, weight, strata) if name]).names
    persons.check(count=options.count, has_population=False, by=None)
    file = check_row_file(records, "--records") if records is not None else None
    options = replace(options, in_order=file is not None)
    with closing(open_table(source, options, leave_room=True)) as table:
        study = _PopulationStudy(table, options, question, persons, source)
        study.load(name_list(qid))
        answer = study.answer(file, everything=all)
        table.check_unchanged()
    return answer


def population_question(people: object = None, **more: Any) -> PopulationQuestion:
    """Return a question whose values are checked; ``more`` are attributes of ``PopulationQuestion``."""
    question = PopulationQuestion(people=None if people is None else whole_number(people, "--people"), **more)
    question.check()
    return question


def population_of_table(
    table: Table,
    qid: Sequence[Attribute],
    question: PopulationQuestion,
    options: OpenOptions,
    persons: PersonOptions,
    source: object = None,
) -> PopulationAnswer:
    """Estimate from an open table in which another study has loaded all columns that are needed."""
    study = _PopulationStudy(table, options, question, persons, source)
    study.choose([attribute.name for attribute in qid])
    study.check_people()
    return study.answer(None, everything=False, advise=False)


def _of_group_sizes(
    source: object,
    qid: Names | None,
    spectrum: object,
    question: PopulationQuestion,
    options: OpenOptions,
    records: object,
    persons: PersonOptions,
    *,
    everything: bool,
) -> PopulationAnswer:
    """Answer from group sizes alone."""
    from idbits.studies.population.answering import AnswerParts, answer_of

    others = (source, qid, records, question.beside, question.marginals, options.count, persons.column)
    if any(other is not None and other != {} for other in others):
        raise InputError(
            "--spectrum takes the place of a table: leave out the table, --qid, --weight, --strata, --marginal, "
            "--records, --count and --person"
        )
    found = read_spectrum(spectrum, options)
    fraction, people = _fraction(question, found.n_people)
    estimate = _estimated(Sample(spectrum=found, fraction=fraction), question, options)
    # Nobody makes a table of group sizes but for people.
    return answer_of(estimate, AnswerParts(people=people, question=question, unit=Unit.PEOPLE), everything=everything)


def _fraction(question: PopulationQuestion, n: int) -> tuple[float, int]:
    """Return the sampling fraction and the people in the population."""
    if question.fraction is not None:
        if n / question.fraction > MOST_PEOPLE:
            raise InputError("the population would have more than 2^53 people; give a larger share (--fraction)")
        return question.fraction, nearest(n / question.fraction)
    assert question.people is not None
    if question.people < n:
        raise InputError(f"the population of {question.people:,} is smaller than the sample of {n:,} (--people)")
    return n / question.people, question.people


def _estimated(sample: Sample, question: PopulationQuestion, options: OpenOptions) -> PopulationEstimate:
    from idbits.measures.population.estimate import estimate_population

    with options.progress.step("estimating the population"):
        return estimate_population(sample, question.level, question.seed)


class _PopulationStudy:
    """A table that is a sample."""

    def __init__(
        self,
        table: Table,
        options: OpenOptions,
        question: PopulationQuestion,
        persons: PersonOptions,
        source: object,
    ) -> None:
        self.table = table
        self.options = options
        self.question = question
        self.persons = persons
        self.source = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        self.qid: tuple[Attribute, ...] = ()
        self.beside: Attribute | None = None

    def choose(self, names: Sequence[str]) -> None:
        """Resolve the names of columns."""
        known = self.table.columns
        self.qid = parse_attributes(names, known)
        name = self.question.beside
        self.beside = parse_attribute(name, known) if name is not None else None

    def load(self, names: Sequence[str]) -> None:
        """Read the columns needed, and check that there is somebody to estimate from."""
        self.choose(names)
        self.table.load([*self._used(), *self.persons.columns(self.table.columns)])
        if self.table.n_people() == 0:
            left = "no row is left after the filter" if self.options.where else "the table has no people in it"
            raise NotEstimableError(f"there is nobody to estimate from: {left}")
        self.check_people()

    def check_people(self) -> None:
        """Refuse a table in which a person has several rows."""
        if self.persons.column is not None:
            require_one_row_per_person(self.table, self.persons.column)

    def _used(self) -> list[str]:
        beside = [self.beside.column] if self.beside is not None else []
        return [*(attribute.column for attribute in self.qid), *beside]

    def answer(self, file: Path | None, *, everything: bool, advise: bool = True) -> PopulationAnswer:
        """Estimate, and write the records if they were requested; without ``advise``, no next command is sought."""
        rows = None
        if len(self.qid) > 1 or self.beside is not None or file is not None or self.question.marginals:
            rows = read_sample(
                self.table, self.qid, self.options, self.question.seed, self.beside, with_rows=file is not None
            )
        sample, people = self._sample(rows, all_sets=file is not None)
        estimate = _estimated(sample, self.question, self.options)
        if file is not None and rows is not None:
            from idbits.studies.population.records import write_records

            write_records(file, estimate, rows, self.options.progress)
        from idbits.studies.population.answering import AnswerParts, answer_of

        is_about_people = self.persons.column is not None or self.persons.rows_are_people
        used = {*self._used(), self.options.count, self.persons.column}
        parts = AnswerParts(
            people=people,
            question=self.question,
            unit=Unit.PEOPLE if is_about_people or self.options.count is not None else Unit.ROWS,
            source=self.source,
            qid=tuple(attribute.name for attribute in self.qid),
            n_other_columns=len(set(self.table.columns) - used),
            filtered=self.options.where is not None,
            nulls={attribute.name: self.table.null_people(attribute) for attribute in self.qid},
            records_file=os.fspath(file) if file is not None else None,
            next_command=self._next(estimate) if advise else None,
        )
        return answer_of(estimate, replace(parts, notes=tuple(self.table.notes)), everything=everything)

    def _sample(self, rows: CodedSample | None, *, all_sets: bool) -> tuple[Sample, int]:
        if rows is None:
            spectrum = self.table.spectrum(self.qid)
            fraction, people = _fraction(self.question, spectrum.n_people)
            return Sample(spectrum=spectrum, fraction=fraction), people
        spectrum = rows.sets.spectrum
        weights = None
        if self.beside is not None and self.question.weight is not None:
            weights = weights_of_column(self.table, self.beside, rows)
        elif self.beside is not None:
            sizes = self.question.stratum_sizes
            weights = stratum_weights(self.table, self.beside, sizes, self.options, rows)
        if weights is not None:
            fraction, people = min(1.0, spectrum.n_people / weights.people), nearest(weights.people)
        else:
            fraction, people = _fraction(self.question, spectrum.n_people)
        marginals = read_marginals(self.table, self.qid, self.question.marginals, self.options, rows, people)
        sample = Sample(
            spectrum=spectrum,
            fraction=fraction,
            sets=rows.sets,
            weights=weights,
            shares=None if marginals is None else marginals[0],
            most=None if marginals is None else marginals[1],
            most_sets=_EVERY_SET if all_sets else MOST_SETS,
        )
        return sample, people

    def _next(self, estimate: PopulationEstimate) -> str | None:
        """Return the same question with the column of most values one step coarser, if people are unique here."""
        if self.source is None or self.source == "-" or not estimate.sample.uniques:
            return None
        sets = estimate.sample.sets
        ranked = list(self.qid)
        if sets is not None:
            ranked.sort(key=lambda attribute: -sets.sizes[self.qid.index(attribute)])
        names = {attribute.name for attribute in self.qid}
        for attribute in ranked:
            view = None if attribute.transforms else next_view(self.table, attribute)
            if view is not None and view.name not in names:
                new = [view.name if other is attribute else other.name for other in self.qid]
                command = command_line(
                    new, self.source, self.options, *self.question.command_words(), *self.persons.command_words()
                )
                return command.replace("idbits measure", "idbits population", 1)
        return None
