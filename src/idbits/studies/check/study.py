"""Checks datasets against a policy: the study behind ``idbits check``."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from idbits.canonical import LATER, is_later_schema
from idbits.engines.open import note_sources, open_table
from idbits.errors import DataError, IdbitsError, InputError
from idbits.file_guard import note_read
from idbits.progress import SILENT, Progress
from idbits.reading import open_options
from idbits.storage import expand_home
from idbits.studies.check.baseline import baseline_entry, changes, columns_of_entry, is_baseline_entry
from idbits.studies.check.causes import FiguresOf, causing_columns, is_broken
from idbits.studies.check.column_contents import column_contents
from idbits.studies.check.column_rules import DatasetColumns, column_outcomes
from idbits.studies.check.disclosure_figures import (
    DISCLOSURE,
    disclosure_figures,
    needs_disclosure,
    require_sensitive,
    sensitive_columns,
)
from idbits.studies.check.link_figures import DatasetLink, why_not_linked
from idbits.studies.check.overlap_figures import overlap_figures, overlap_zones, why_not_compared
from idbits.studies.check.policy import (
    CHANGE,
    LINK,
    LINKED_SOURCES,
    OVERLAP,
    SAMPLE,
    Dataset,
    Rule,
    Waiver,
    read_policy,
    satisfies,
    value_of,
    with_sources,
)
from idbits.studies.check.result import Check, Outcome, PassingTreatment
from idbits.studies.check.sample_figures import sample_columns, sample_figures, sample_question, why_not_estimated
from idbits.studies.check.treatments import passing_treatment
from idbits.studies.gain.study import gain_of_table
from idbits.studies.measure.result import Measurement
from idbits.studies.measure.study import MeasureStudy, check_combinations
from idbits.studies.shared.documents import strict_json
from idbits.studies.shared.roles import must_withhold_names
from idbits.studies.shared.serialisation import SCHEMA, UncheckedData
from idbits.values.attributes import Attribute, parse_attributes
from idbits.wording import either, joined

__all__ = ["check"]

_SECONDS_FOR_CAUSES = 10.0
_GAIN = ("rig", "mics", "pif", "rows_at_pif")


def check(
    policy: str | Path = "idbits.toml",
    *,
    baseline: str | Path | None = None,
    data: Mapping[str, str | Path] | Sequence[str] = (),
    advice: bool = True,
    today: date | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Check:
    """Check datasets against the rules of a policy.

    Args:
        policy: the policy file, see the guide to policies.
        baseline: the JSON of an earlier check; the answer lists what changed since; rules can limit it (``change.``).
        data: other sources for some datasets, ``{"people": "week47.parquet"}`` or ``["people=week47.parquet"]``.
        advice: whether to look for the columns that break a rule and for the cheapest treatment that would pass.
        today: the day for which waivers are checked; today if not given.
        memory: the most memory to use, in bytes or like ``"500MB"``.
        threads: the number of threads to use.
        progress: receives the progress of the work.

    Returns:
        A Check: ``passed``, ``exit_code``, and each rule with its figure and limit.
    """
    rules = with_sources(read_policy(policy), data)
    before = _read_baseline(baseline) if baseline is not None else None
    # All sources first: a dataset that cannot be opened must not stop the check of the others.
    note_sources(*(source for dataset in rules.datasets for source in (dataset.source, dataset.population)))
    links = [dataset.link for dataset in rules.datasets if dataset.link is not None]
    note_sources(*(link[key] for link in links for key in LINKED_SOURCES if key in link))
    day = today or date.today()
    outcomes: list[Outcome] = []
    figures: dict[str, UncheckedData] = {}
    change_sentences: list[str] = []
    notes: list[str] = []
    treatments: list[PassingTreatment | None] = []
    machine: UncheckedData = {"memory": memory, "threads": threads, "progress": progress}
    for dataset in rules.datasets:
        try:
            measured = _measured(dataset, machine, explain=advice)
        except IdbitsError as error:
            # A missing file or column must not pass as measured; the other datasets are still checked.
            outcomes += [_unmeasured(dataset.name, rule, str(error)) for rule in dataset.rules]
            continue
        notes += [f"{dataset.name}: {note}" for note in measured.notes]
        figures[dataset.name] = baseline_entry(measured.figures, measured.columns)
        entry = before.get(dataset.name) if before is not None else None
        if before is not None and entry is None:
            change_sentences.append(f"{dataset.name}: not in the baseline")
        elif entry is not None:
            measured.figures[CHANGE], sentences = changes(entry, figures[dataset.name])
            change_sentences += [f"{dataset.name}: {sentence}" for sentence in sentences]
        columns_before = columns_of_entry(entry) if entry is not None else None
        by_column = column_outcomes(dataset, measured.columns, measured.identifiers, columns_before)
        checked = [_with_waiver(dataset, outcome, day) for outcome in by_column]
        checked += [_with_causes(_outcome(dataset, rule, measured.figures, day), measured) for rule in dataset.rules]
        outcomes += checked
        treatments += [passing_treatment(dataset, checked, machine)] if advice else []
    return Check(
        policy=rules.path,
        rules=tuple(outcomes),
        figures=figures,
        compared=before is not None,
        changes=tuple(change_sentences),
        treatments=tuple(treatment for treatment in treatments if treatment is not None),
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a check needs to know about a dataset.

    Attributes:
        columns: the columns of the table.
        identifiers: those that identify people or may contain names.
        causes: for broken rules, the columns that break them, and whether it takes all of them together.
    """

    figures: UncheckedData
    notes: list[str]
    columns: DatasetColumns
    identifiers: tuple[str, ...]
    causes: Mapping[str, tuple[tuple[str, ...], bool]]


def _measured(dataset: Dataset, machine: UncheckedData, *, explain: bool) -> _Measured:
    """Measure a dataset: the figures of measure, and those of gain if a rule needs them.

    The table is read once, so that all figures are about the same rows.
    """
    reading: Any = {**dataset.reading, **machine}
    options = open_options(reading)
    population = dataset.population or (dataset.source if dataset.population_table is not None else None)
    check_combinations(None, population, missing="error")
    dataset.person.check(count=options.count, has_population=population is not None, by=None)
    gains = any(rule.figure.split(".")[0] in _GAIN for rule in dataset.rules)
    sampled = any(rule.figure.startswith(f"{SAMPLE}.") for rule in dataset.rules)
    question = sample_question(dataset.sample) if sampled and dataset.sample is not None else None
    with (
        closing(open_table(dataset.source, options)) as table,
        closing(MeasureStudy(table, options, dataset.source)) as study,
        closing(DatasetLink(dataset, table, machine)) as link,
    ):
        features = parse_attributes(list(dataset.gain or dataset.qid), table.columns) if gains else ()
        sensitive = sensitive_columns(dataset, table)
        zones = overlap_zones(dataset, table)
        study.prepare(
            [list(dataset.qid)], None, dataset.person, population, dataset.population_count, dataset.population_table,
            dataset.population_person,
            also=[
                *(each.column for each in (*features, *sensitive, *zones)), *sample_columns(question, table),
                *link.columns,
            ],
        )  # fmt: skip
        measured = _measurement(study, study.qids[0])
        figures, notes = dict(measured.to_dict()), list(measured.notes)
        if gains:
            gained = gain_of_table(
                table, features, options, source=dataset.source, person=dataset.person,
                attacker=dataset.attacker or "strongest",
            )  # fmt: skip
            figures |= {key: value for key, value in gained.to_dict().items() if key in _GAIN}
            notes += [note for note in gained.notes if note not in notes]
        if sensitive:
            figures |= disclosure_figures(table, study.qids[0], sensitive, dataset, options)
        if question is not None:
            figures[SAMPLE] = sample_figures(table, study.qids[0], question, options, dataset.person)
        if zones:
            figures[OVERLAP] = overlap_figures(table, zones, dataset, options)
        figures |= link.figures()
        known = DatasetColumns(
            {name: str(kind) for name, kind in table.columns.items()},
            column_contents(table, study.loaded),
            must_withhold_names(table, options),
        )
        is_cheap = explain and table.trials_are_cheap and population is None and not known.may_be_data

        def figures_of(qid: tuple[Attribute, ...]) -> UncheckedData:
            some = _measurement(study, qid).to_dict()
            return some | (disclosure_figures(table, qid, sensitive, dataset, options) if sensitive else {})

        causes = _causes(dataset, figures, study.qids[0], figures_of) if is_cheap else {}
        table.check_unchanged()
    declared = (dataset.person.column, dataset.person.household)
    identifiers = tuple(name for name in measured.beside.forbidden if name not in declared)
    return _Measured(figures, notes, known, identifiers, causes)


def _measurement(study: MeasureStudy, qid: tuple[Attribute, ...]) -> Measurement:
    return study.measurement(
        qid,
        missing="error",
        values=False,
        suppress=None,
        n_values=None,
        reveal=False,
        advise=False,
        tries=False,
    )


def _causes(
    dataset: Dataset, figures: UncheckedData, qid: tuple[Attribute, ...], figures_of: FiguresOf
) -> dict[str, tuple[tuple[str, ...], bool]]:
    """Find the columns that break each broken rule, as far as some seconds allow."""
    until = time.monotonic() + _SECONDS_FOR_CAUSES
    elsewhere = (*_GAIN, SAMPLE, OVERLAP, LINK, CHANGE)
    broken = [rule for rule in dataset.rules if rule.keys[0] not in elsewhere and is_broken(rule, figures)]
    return {rule.text: causing_columns(rule, qid, figures_of, until=until) for rule in broken}


def _with_causes(outcome: Outcome, measured: _Measured) -> Outcome:
    names, together = measured.causes.get(outcome.rule, ((), False))
    if outcome.passed or not names:
        return outcome
    if len(names) == len(measured.figures["qid"]) and (together or len(names) == 1):
        sentence = f"because of {joined(names)}"
    else:
        sentence = f"the rule holds without {joined(names) if together else either(names)}"
    return replace(outcome, causes=names, reason="; ".join(filter(None, [sentence, outcome.reason])))


def _why_not_together(rule: Rule, figures: UncheckedData) -> str | None:
    """Return why a rule about two zonings or two tables cannot be checked, if so."""
    if rule.figure.startswith(f"{LINK}."):
        return why_not_linked(figures.get(LINK), rule)
    if rule.figure.startswith(f"{OVERLAP}."):
        return why_not_compared(figures.get(OVERLAP), rule, int(figures["n_people"]))
    return None


def _outcome(dataset: Dataset, rule: Rule, figures: UncheckedData, today: date) -> Outcome:
    if rule.figure.startswith(f"{CHANGE}.") and CHANGE not in figures:
        return _unmeasured(dataset.name, rule, "no baseline for this dataset; give one with --baseline")
    if rule.figure.startswith(f"{SAMPLE}."):
        reason = why_not_estimated(figures.get(SAMPLE), rule)
        if reason is not None:
            return _unmeasured(dataset.name, rule, reason)
    if needs_disclosure(rule):
        require_sensitive(rule, dataset)
    if needs_disclosure(rule) and DISCLOSURE in figures:
        return _unmeasured(dataset.name, rule, str(figures[DISCLOSURE]))
    reason = _why_not_together(rule, figures)
    if reason is not None:
        return _unmeasured(dataset.name, rule, reason)
    value = value_of(rule, figures)
    if value is None:
        return _unmeasured(dataset.name, rule, "this figure does not exist for this table")
    n_people = int(figures["n_people"])
    outcome = Outcome(
        dataset=dataset.name,
        rule=rule.text,
        value=value / n_people if rule.of_people else value,
        limit=float(rule.limit),
        level=rule.level,
        passed=satisfies(rule, value, n_people),
        percent=rule.percent,
    )
    return _with_waiver(dataset, outcome, today)


def _with_waiver(dataset: Dataset, outcome: Outcome, today: date) -> Outcome:
    waivers = [item for item in dataset.waivers if item.rule == outcome.rule]
    waiver = max(waivers, key=lambda item: item.expires, default=None)
    if outcome.passed or waiver is None:
        return outcome
    reason, owner = _waived(waiver, today)
    return replace(outcome, reason="; ".join(filter(None, [outcome.reason, reason])), waived_by=owner)


def _waived(waiver: Waiver, today: date) -> tuple[str, str | None]:
    if waiver.expires < today:
        return f"the waiver by {waiver.owner} expired on {waiver.expires}", None
    return f"waived by {waiver.owner} until {waiver.expires}: {waiver.reason}", waiver.owner


def _unmeasured(dataset: str, rule: Rule, reason: str) -> Outcome:
    return Outcome(
        dataset=dataset,
        rule=rule.text,
        value=None,
        limit=float(rule.limit),
        level=rule.level,
        passed=False,
        percent=rule.percent,
        measured=False,
        reason=reason,
    )


def _read_baseline(path: str | Path) -> UncheckedData:
    path = expand_home(path)
    note_read(path)
    try:
        measured = strict_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f'the baseline "{path}" cannot be opened: {error.strerror}') from error
    except ValueError as error:
        raise DataError(f'the baseline "{path}" is not valid JSON') from error
    if isinstance(measured, dict) and is_later_schema(measured.get("schema"), SCHEMA):
        raise InputError(f'the baseline "{path}" {LATER}')
    figures = measured.get("figures") if isinstance(measured, dict) and measured.get("command") == "check" else None
    if not isinstance(figures, dict) or not all(map(is_baseline_entry, figures.values())):
        raise InputError(f'"{path}" is not a baseline; save one with idbits check --json')
    return figures
