"""The cheapest treatment with which a dataset would pass: columns left out, made coarser, people withheld."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from idbits.engines.open import is_database, open_table
from idbits.errors import IdbitsError, InputError
from idbits.reading import open_options
from idbits.studies.advise.study import advise
from idbits.studies.check.policy import ALLOWED_COLUMNS, FORBID_IDENTIFIERS, Dataset
from idbits.studies.check.result import Outcome, PassingTreatment
from idbits.studies.shared.goals import parse_goal
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.serialisation import UncheckedData
from idbits.studies.shared.surroundings import Surroundings
from idbits.studies.shared.treatments.other_columns import OtherColumns, other_columns
from idbits.values.attributes import parse_attributes

__all__ = ["passing_treatment"]

_MOST_SECONDS = 10.0
_PLAN, _OUT = "--plan plan.json", "--out treated.csv"


def passing_treatment(dataset: Dataset, outcomes: Sequence[Outcome], machine: UncheckedData) -> PassingTreatment | None:
    """Return the cheapest treatment for the broken rules of a dataset; None if nothing is broken."""
    broken = [outcome for outcome in outcomes if outcome.word in ("FAIL", "WARN")]
    if not any(outcome.word == "FAIL" for outcome in broken):
        return None
    of_columns = [outcome for outcome in broken if outcome.rule in (ALLOWED_COLUMNS, FORBID_IDENTIFIERS)]
    dropped = tuple(dict.fromkeys(name for outcome in of_columns for name in outcome.causes))
    names = [rule.text for rule in dataset.rules if rule.level == "fail"]
    goal = tuple(name for name in dict.fromkeys(names) if _is_goal(name))
    sought = [outcome for outcome in broken if outcome.rule in goal]
    others = [outcome.rule for outcome in broken if outcome not in of_columns and outcome not in sought]
    base: dict[str, Any] = {"dataset": dataset.name, "dropped": dropped, "other_rules": tuple(others)}
    if sought:
        return _advised(dataset, goal, base, machine)
    if not dropped:
        return PassingTreatment(**base, reason="no treatment can be sought for these rules (idbits advise)")
    named = _other_columns(dataset, dropped, machine)
    qid = shlex.quote(quoted_names(dataset.qid))
    words = [shlex.quote(dataset.source), "--qid", qid, *named.command_words(), _OUT]
    base |= {"dropped": named.dropped, "kept": named.kept}
    return PassingTreatment(**base, commands=(" ".join(["idbits apply", *words, *_words(dataset)]),))


def _is_goal(rule: str) -> bool:
    try:
        parse_goal(rule)
    except InputError:
        return False
    return True


def _advised(dataset: Dataset, goal: tuple[str, ...], base: dict[str, Any], machine: UncheckedData) -> PassingTreatment:
    if is_database(dataset.source) or dataset.population is not None or dataset.reading.get("engine") == "spark":
        return PassingTreatment(**base, goal=goal, reason="treatments are sought in files only (idbits advise)")
    try:
        reading: Any = {**dataset.reading, **machine}
        advice = advise(
            dataset.source,
            list(dataset.qid),
            goal=list(goal),
            max_seconds=_MOST_SECONDS,
            person=dataset.person.column,
            rows_are_people=dataset.person.rows_are_people,
            **reading,
        )
    except IdbitsError as error:
        return PassingTreatment(**base, goal=goal, reason=str(error))
    if not advice.reached or advice.best.columns is None:
        return PassingTreatment(**base, goal=goal, reason="no treatment was found that meets the rules")
    plain_qid = tuple(planned.column for planned in advice.plan.columns)
    goals = [f"--goal {shlex.quote(rule)}" for rule in goal]
    source = shlex.quote(dataset.source)
    asked = ["--rows-are-people"] if dataset.person.rows_are_people else []
    asked += [f"--person {shlex.quote(dataset.person.column)}"] if dataset.person.column else []
    qid = shlex.quote(quoted_names(dataset.qid))
    advising = ["idbits advise", source, "--qid", qid, *goals, *asked, _PLAN, *_words(dataset)]
    named = _other_columns(dataset, base["dropped"], machine)
    base |= {"dropped": named.dropped, "kept": named.kept}
    applying = ["idbits apply", source, _PLAN, *named.command_words(), *asked, _OUT, *_words(dataset)]
    return PassingTreatment(
        **base,
        goal=goal,
        columns=advice.best.columns,
        qid=plain_qid,
        needs_other_qid=plain_qid != dataset.qid,
        withheld=advice.best.withheld,
        n_people=advice.n_rows,
        commands=(" ".join(advising), " ".join(applying)),
    )


def _other_columns(dataset: Dataset, dropped: Sequence[str], machine: UncheckedData) -> OtherColumns:
    """Return the columns that the command has to name; what the policy allows is kept."""
    reading: Any = {**dataset.reading, **machine}
    options = open_options(reading)
    if is_database(dataset.source) or dataset.reading.get("engine") == "spark":
        return OtherColumns(tuple(dropped))
    with closing(open_table(dataset.source, options)) as table:
        treated = [attribute.column for attribute in parse_attributes(dataset.qid, table.columns)]
        around = Surroundings(table, options, [*treated, *dropped], ())
        table.load([*treated, *around.columns], around.sampled, around.sampled)
        allowed = {*(dataset.allowed_columns or ()), *dataset.sensitive}
        identifiers = [name for name in (*around.beside.identifiers, *around.beside.record_numbers) if name in allowed]
        known = [*treated, *dropped, *identifiers]
        found = other_columns(dataset.source, options, table, known, around.beside, allowed)
    left_out = dict.fromkeys([*dropped, *(name for name in found.dropped if name not in identifiers)])
    return OtherColumns(tuple(left_out), (*identifiers, *found.kept))


def _words(dataset: Dataset) -> list[str]:
    reading: Any = dataset.reading
    return list(open_options(reading).command_words())
