"""May this data go out? The study behind ``idbits check``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from idbits.errors import DataError, IdbitsError, InputError
from idbits.progress import SILENT, Progress
from idbits.results.check import Check, Outcome
from idbits.studies.baseline import baseline_entry, changes
from idbits.studies.measure import measure
from idbits.studies.policy import Dataset, Waiver, read_policy
from idbits.studies.rules import CHANGE, Rule, satisfies, value_of

__all__ = ["check"]

_GAIN = ("rig", "mics", "pif", "rows_at_pif")


def check(
    policy: str | Path = "idbits.toml",
    *,
    baseline: str | Path | None = None,
    today: date | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Check:
    """Hold datasets against the rules of a policy.

    Args:
        policy: the policy file, see the guide to policies.
        baseline: the JSON of an earlier check; what changed since is said, and can be limited (``change.``).
        today: the day on which waivers are looked at; today unless given.
        memory: the most memory to take, in bytes or like ``"500MB"``.
        threads: the number of threads to use.
        progress: who is told how far the work is.

    Returns:
        A Check: ``passed``, ``exit_code``, and each rule with its figure and limit.
    """
    rules = read_policy(policy)
    before = _read_baseline(baseline) if baseline is not None else None
    day = today or date.today()
    outcomes: list[Outcome] = []
    figures: dict[str, dict[str, Any]] = {}
    said: list[str] = []
    notes: list[str] = []
    machine: dict[str, Any] = {"memory": memory, "threads": threads, "progress": progress}
    for dataset in rules.datasets:
        try:
            found, told = _figures(dataset, machine)
        except IdbitsError as error:
            # A file or a column that is gone is nothing measured: that must not pass. The others are looked at.
            outcomes += [_unmeasured(dataset.name, rule, str(error)) for rule in dataset.rules]
            continue
        notes += [f"{dataset.name}: {note}" for note in told]
        figures[dataset.name] = baseline_entry(found)
        if before is not None and dataset.name in before:
            found[CHANGE], sentences = changes(before[dataset.name], figures[dataset.name])
            said += [f"{dataset.name}: {sentence}" for sentence in sentences]
        outcomes += [_outcome(dataset, rule, found, day) for rule in dataset.rules]
    return Check(policy=rules.path, rules=tuple(outcomes), figures=figures, changes=tuple(said), notes=tuple(notes))


def _figures(dataset: Dataset, machine: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of a dataset: those of measure, and of gain where a rule asks for one of these."""
    reading: dict[str, Any] = {**dataset.reading, **machine}
    measured = measure(
        dataset.source,
        list(dataset.qid),
        person=dataset.person,
        population=dataset.population,
        population_count=dataset.population_count,
        population_table=dataset.population_table,
        **reading,
    )
    figures, notes = dict(measured.to_dict()), list(measured.notes)
    if any(rule.figure.split(".")[0] in _GAIN for rule in dataset.rules):
        from idbits.studies.gain import gain

        narrowed: dict[str, Any] = {**reading, "columns": list(dataset.gain or dataset.qid)}
        gained = gain(dataset.source, attacker=dataset.attacker or "strongest", person=dataset.person, **narrowed)
        figures |= {key: value for key, value in gained.to_dict().items() if key in _GAIN}
        notes += [note for note in gained.notes if note not in notes]
    return figures, notes


def _outcome(dataset: Dataset, rule: Rule, figures: Mapping[str, Any], today: date) -> Outcome:
    if rule.figure.startswith(f"{CHANGE}.") and CHANGE not in figures:
        return _unmeasured(dataset.name, rule, "there is no baseline for this dataset (--baseline)")
    value = value_of(rule, figures)
    if value is None:
        return _unmeasured(dataset.name, rule, "this figure does not exist for this table")
    n_people = int(figures["n_rows"])
    passed = satisfies(rule, value, n_people)
    waiver = next((item for item in dataset.waivers if item.rule == rule.text), None)
    reason, owner = (None, None) if passed or waiver is None else _leave(waiver, today)
    return Outcome(
        dataset=dataset.name,
        rule=rule.text,
        value=value / n_people if rule.of_people else value,
        limit=float(rule.limit),
        level=rule.level,
        passed=passed,
        percent=rule.percent,
        reason=reason,
        waived_by=owner,
    )


def _leave(waiver: Waiver, today: date) -> tuple[str, str | None]:
    if waiver.expires < today:
        return f"the waiver of {waiver.owner} ended on {waiver.expires}", None
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


def _read_baseline(path: str | Path) -> dict[str, Any]:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f'the baseline "{path}" cannot be opened: {error.strerror}') from error
    except ValueError as error:
        raise DataError(f'the baseline "{path}" is no JSON') from error
    if not isinstance(found, dict) or not isinstance(found.get("figures"), dict) or found.get("command") != "check":
        raise InputError(f'"{path}" is no answer of idbits check --json')
    return dict(found["figures"])
