"""All studies of one table, which is read once, and their origin: the study behind ``idbits report``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.open import counts_on_spark, open_table
from idbits.errors import InputError
from idbits.reading import Names, Reading, name_list, no_names, open_options
from idbits.studies.decide.result import DecisionRecord
from idbits.studies.decide.study import find_decision
from idbits.studies.measure.study import MeasureStudy, check_combinations, quasi_identifiers
from idbits.studies.report.about import read_about
from idbits.studies.report.answers import ReportStudies
from idbits.studies.report.made import moment_of_report
from idbits.studies.report.people_section import has_people_section
from idbits.studies.report.request import ReportRequest, origin_of
from idbits.studies.report.result import SECTIONS, Report
from idbits.studies.report.saved import read_all_saved
from idbits.studies.report.treatments import DEFAULT_WITHHOLD, ReportGoal
from idbits.studies.shared.default_columns import ChosenColumns, choose_columns, judge_source
from idbits.studies.shared.goals import parse_goals
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.roles.choice import person_candidates
from idbits.studies.shared.roles.evidence import Role
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.values.attributes import parse_attribute, parse_attributes

if TYPE_CHECKING:
    from idbits.studies.population.study import PopulationQuestion

__all__ = ["decision_about", "report"]

_MOST_SENSITIVE = 3


def report(
    source: Source,
    qid: Names | None = None,
    by: str | None = None,
    person: str | None = None,
    *,
    population: Source = None,
    population_count: str | None = None,
    population_table: str | None = None,
    population_person: str | None = None,
    missing: str = "error",
    knows: str = "one-record",
    null_person: str = "error",
    multiset: bool = False,
    household: str | None = None,
    rows_are_people: bool = False,
    people: float | str | None = None,
    fraction: float | None = None,
    weight: str | None = None,
    sensitive: Names | None = None,
    features: Names | None = None,
    goal: str | Sequence[str] | None = None,
    withhold: str | float = DEFAULT_WITHHOLD,
    keep: Names = (),
    sections: Names | None = None,
    include: Sequence[str | os.PathLike[str]] = (),
    about: str | os.PathLike[str] | None = None,
    decision: str | os.PathLike[str] | None = None,
    internal: bool = False,
    reveal: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Report:
    """Measure a table and write a one-page report.

    Args:
        source: a path, a glob of paths, a folder, the address of a database, or a pandas, polars or pyarrow frame.
        qid: the columns someone may know, ``["birthdate", "zip"]`` or ``"birthdate,zip"``; if not given, they are
            judged by their names and values.
        by: also report group sizes within each category of this column.
        person: the column that identifies people, who may have several rows; if not given, the one column in which
            people seem to repeat.
        population: take group sizes from this table instead; each person is looked up in it.
        population_count: the column with the number of people per row of the population.
        population_table: the table of the population in a database; without ``population``, in the same database.
        population_person: the column that identifies people in the population, if they have several rows there.
        missing: ``"error"``, or ``"unbounded"`` to report people who are not in the population separately.
        knows: what an attacker knows of a person with several rows, as for ``measure``.
        null_person: what rows without a person are, as for ``measure``.
        multiset: whether equal records of a person count, as for ``measure``.
        household: the column of the people who live together, as for ``measure``.
        rows_are_people: whether each row is known to be a person, as for ``measure``.
        people: if the table is a sample, the number of people in the population.
        fraction: or else the share of the population that is in the sample.
        weight: or else the column of sampling weights.
        sensitive: columns that must not be learnt from a group; if not given, those that are sensitive by their names
            and values.
        features: columns besides the quasi-identifier for information gain.
        goal: rules that a treatment has to reach, as for ``advise``; every group has at least 5 people if not given.
        withhold: the largest share of people that a treatment may leave out, ``"4%"`` or ``0.04``.
        keep: columns that a treatment must not change.
        sections: the sections to show, see ``idbits.studies.report.result.SECTIONS``; all that apply when not given.
        include: saved JSON answers of other commands to show as sections.
        about: a TOML file about the dataset, its purpose, recipient, legal basis, assessor and retention, for the head.
        decision: the records of ``idbits.decide``; the page shows the last decision about these data and columns.
        internal: mark every page as internal.
        reveal: also show values that few people have; internal reports only.
        seed: the seed for the random orders that estimate the parts of more than 10 columns.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Returns:
        A Report: ``to_html()``, ``to_pdf()``, ``to_markdown()``, ``to_json()``.

    Examples:
        >>> import pyarrow
        >>> frame = pyarrow.table({"zip": ["1011", "1011", "9985"], "sex": ["F", "M", "F"]})
        >>> report(frame, ["zip", "sex"], sections="bits")
        Report(qid=['zip', 'sex'], n_rows=3, entropy_bits=1.5850, singletons=3, sections=['bits'])
    """
    options = open_options(reading)
    chosen = (
        choose_columns(source, options, [name for name in (by, person, household) if name]) if qid is None else None
    )
    qids, _ = quasi_identifiers(chosen.names if chosen is not None else qid)
    if len(qids) > 1:
        raise InputError("a report covers one set of columns; write one report for each --qid")
    if reveal and not internal:
        raise InputError("values that few people have are shown in internal reports only; add --internal to --reveal")
    if seed < 0:
        raise InputError("--seed must be at least 0")
    population = source if population is None and population_table is not None else population
    check_combinations(by, population, missing=missing)
    persons = PersonOptions(
        column=person,
        knows=knows,
        null_person=null_person,
        multiset=multiset,
        household=household,
        rows_are_people=rows_are_people,
    )
    has_population = population is not None
    persons.check(count=options.count, has_population=has_population, by=by, population_person=population_person)
    treating = _treatment_request(goal, withhold, keep)
    judgements = _Judgements(source, options, chosen)
    persons, how = _with_repeated_person(persons, options, judgements)
    secrets = (
        name_list(sensitive)
        if sensitive is not None and not no_names(sensitive)
        else _sensitive_by_role(judgements, qids[0], sections)
    )
    sample = _sample(people, fraction, weight, seed)
    request = ReportRequest(
        by=by, person=persons, population=population, population_count=population_count,
        population_table=population_table, population_person=population_person, missing=missing,
        features=name_list(features) if features else [], treating=treating,
        sections=_chosen(
            sections, included=bool(include), is_sample=sample is not None, is_sensitive=bool(secrets)
        ),
        sample=sample, sensitive=tuple(secrets), names_sensitive=bool(sensitive),
        all_sections=sections is None, include=include, about=about, decision=decision, internal=internal,
        reveal=reveal, seed=seed,
    )  # fmt: skip
    saved = read_all_saved(include, internal=internal)
    head = read_about(about) if about is not None else None
    with closing(open_table(source, options)) as table, closing(MeasureStudy(table, options, source)) as study:
        study.chosen = chosen
        made = _made(table, study, qids, request, source)
        table.check_unchanged()
    decided = decision_about(made, decision) if decision is not None else None
    return replace(made, included=saved, about=head, decision=decided, notes=(*how, *made.notes))


def decision_about(made: Report, place: str | os.PathLike[str], number: int | None = None) -> DecisionRecord:
    """Return the recorded decision about the data and figures of a report: the last one, or the one with a number."""
    figures = made.measurement.figures
    facts = {name: getattr(figures, name) for name in ("n_rows", "n_people", "singletons")}
    facts["qid"] = tuple(made.measurement.qid)
    return find_decision(place, sha256=made.origin.sha256, source=made.source, facts=facts, number=number)


def _treatment_request(goal: str | Sequence[str] | None, withhold: str | float, keep: Names) -> ReportGoal:
    """Return the goal, checked before the table is opened."""
    request = ReportGoal(
        tuple(rule.text for rule in parse_goals(goal)),
        withhold,
        tuple(name_list(keep)) if keep else (),
    )
    request.question(0).check()
    return request


def _with_repeated_person(
    people: PersonOptions, options: OpenOptions, judgements: _Judgements
) -> tuple[PersonOptions, tuple[str, ...]]:
    """Return who is a person: the one column in which people seem to repeat, if nobody named any; and say so."""
    if people.column or people.household or people.rows_are_people or options.count:
        return people, ()
    found = person_candidates(judgements.found)
    if len(found) != 1:
        return people, ()
    column = found[0].column
    note = f"people are counted by {column}, in which they seem to repeat (--rows-are-people counts rows instead)"
    return replace(people, column=column, null_person="drop"), (note,)


class _Judgements:
    """The roles of the columns, judged once if they are needed; none for standard input and a cluster."""

    def __init__(self, source: Source, options: OpenOptions, chosen: ChosenColumns | None) -> None:
        self._source, self._options, self._chosen = source, options, chosen

    @cached_property
    def found(self) -> tuple[RoleJudgement, ...]:
        """The judgements on all columns."""
        if self._chosen is not None:
            return self._chosen.all_judgements
        source = self._source
        if (isinstance(source, str) and source == "-") or counts_on_spark(source, self._options):
            return ()
        return judge_source(source, self._options) or ()


def _sensitive_by_role(judgements: _Judgements, qid: Sequence[str], sections: Names | None) -> list[str]:
    """Return the columns that are surely sensitive, if nobody named any and their section may be shown."""
    if sections is not None and "disclosure" not in [name.strip() for name in name_list(sections)]:
        return []
    known = {name.partition(":")[0] for name in qid}
    found = [each for each in judgements.found if each.role is Role.SENSITIVE and each.column not in known]
    found.sort(key=lambda each: -each.confidence)
    return [each.column for each in found[:_MOST_SENSITIVE]]


def _made(table: Table, study: MeasureStudy, qids: list[list[str]], request: ReportRequest, source: Source) -> Report:
    """Run the chosen studies on an opened table."""
    options, chosen = study.options, request.sections
    more = parse_attributes(request.features, table.columns) if request.features else ()
    sensitive = parse_attributes(request.sensitive, table.columns) if "disclosure" in chosen else ()
    treated = request.treating.columns
    study.prepare(
        qids, request.by, request.person, request.population, request.population_count, request.population_table,
        request.population_person,
        also=[attribute.column for attribute in (*more, *sensitive, *parse_attributes(treated, table.columns))]
        + _sample_columns(table, request.sample),
        counts_others=True,
    )  # fmt: skip
    (qid,) = study.qids
    measurement = study.measurement(
        qid, missing=request.missing, values=False, suppress=None, n_values=None, reveal=request.reveal, advise=False
    )
    if request.all_sections and not has_people_section(measurement):
        chosen = tuple(name for name in chosen if name != "people")
    studies = ReportStudies(table, options, qid, more, measurement)
    wanted = request.sensitive if request.names_sensitive else ()
    disclosed = None
    if sensitive:
        disclosed = studies.disclosure(sensitive, request.person, source, named=request.names_sensitive)
        if disclosed is None and not request.names_sensitive:
            chosen = tuple(name for name in chosen if name != "disclosure")
    treatments = studies.treatments(request.treating, request.person, source, wanted, disclosed, request.seed)
    columns = studies.columns(study.source, request.person, request.seed) if "columns" in chosen else None
    gained = studies.gain(source, request.person, sweep="sweep" in chosen) if {"gain", "sweep"} & set(chosen) else None
    population = None
    if request.sample is not None and "population" in chosen:
        population = studies.population(request.sample, request.person, source)
    known = set(table.notes)
    more_notes = [note for note in gained.notes if note not in known] if gained is not None else []
    return Report(
        source=study.source,
        measurement=measurement,
        treatments=treatments,
        columns=columns,
        columns_reason=studies.columns_reason,
        gain=gained,
        gain_reason=studies.gain_reason,
        sweep_reason=studies.sweep_reason,
        sections=chosen,
        population=population,
        population_reason=studies.population_reason,
        disclosure=disclosed,
        disclosure_reason=studies.disclosure_reason if "disclosure" in chosen else None,
        origin=origin_of(table, source, study, more, request),
        internal=request.internal,
        notes=(*measurement.notes, *more_notes),
        identifiers=studies.identifiers(),
        goal_size=request.treating.least,
        made_at=moment_of_report(),
    )


def _sample(people: object, fraction: float | None, weight: str | None, seed: int) -> PopulationQuestion | None:
    """Return the question about the population, if the table is a sample."""
    if people is None and fraction is None and weight is None:
        return None
    # SciPy, which the estimates need, takes a while to import.
    from idbits.studies.population.study import population_question

    return population_question(people=people, fraction=fraction, weight=weight, seed=seed)


def _sample_columns(table: Table, sample: PopulationQuestion | None) -> list[str]:
    if sample is None or sample.beside is None:
        return []
    return [parse_attribute(sample.beside, table.columns).column]


def _chosen(sections: Names | None, *, included: bool, is_sample: bool, is_sensitive: bool) -> tuple[str, ...]:
    """Return the sections to show, in the order of the page."""
    needs = {"saved": included, "population": is_sample, "disclosure": is_sensitive}
    if sections is None:
        return tuple(name for name in SECTIONS if needs.get(name, True))
    names = [name.strip() for name in name_list(sections)]
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise InputError(f'no section is named "{unknown[0]}"; the sections are {", ".join(SECTIONS)} (--sections)')
    if "population" in names and not is_sample:
        raise InputError(
            'the section "population" needs the size of the population: --people N, --fraction F or --weight COLUMN'
        )
    if "disclosure" in names and not is_sensitive:
        raise InputError('the section "disclosure" needs a sensitive column: --sensitive COLUMN')
    if included and "saved" not in names:
        raise InputError('--include needs the section "saved"; add it to --sections')
    return tuple(name for name in SECTIONS if name in names)
