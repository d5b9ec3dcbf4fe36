"""What reaches the goal: the treatments that ``idbits advise`` finds, and the commands that carry them out."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from idbits.engines.base import OpenOptions, Source, Table
from idbits.errors import EngineError
from idbits.studies.advise.result import GoalTreatment, TreatmentPoint
from idbits.studies.advise.study import AdviceParts, TableAdvice
from idbits.studies.measure.result import Measurement
from idbits.studies.report.result import SuggestedTreatment, Treatments
from idbits.studies.report.treated_groups import given_away_after
from idbits.studies.shared.beside import few_names
from idbits.studies.shared.goal_words import least_group
from idbits.studies.shared.goals import DEFAULT_GOAL, parse_goals, parse_share, sensitive_columns
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.treatments.identifiers import identifiers_among
from idbits.studies.shared.treatments.ladders import LadderRequest
from idbits.studies.shared.treatments.other_columns import OtherColumns, other_columns
from idbits.studies.shared.treatments.problem import TreatmentProblem
from idbits.studies.shared.treatments.question import AdviceEffort, AdviceQuestion
from idbits.values.attributes import Attribute, parse_attributes

if TYPE_CHECKING:
    from idbits.studies.disclosure.result import Disclosure

__all__ = ["DEFAULT_WITHHOLD", "ReportGoal", "treatments_of"]

DEFAULT_WITHHOLD = "5%"
_GOALS = (DEFAULT_GOAL, "k_min >= 10")
"""The goals that every report has an answer for."""
# The most rows to visit for each goal, and for a climb through a lattice that is too large to be searched completely.
_VISITED_ROWS = 100_000_000
_CLIMBED_ROWS = 1_000_000_000
_MOST_NODES = 20_000
_PAIR_ROWS = 5_000_000
_RELATIONS = 1_000
_SHOWN_POINTS = 24
_TOO_LARGE = "the table has too many rows and columns for a report; the command idbits advise can do it"
_DATABASE = "the table is in a database or on a cluster; the command idbits advise fetches its columns"
_REST = ("other", "all other values", "any other value")


@dataclass(frozen=True, slots=True)
class ReportGoal:
    """The goal of a report.

    Attributes:
        goal: the rules as they were written.
        withhold: the largest share of people that may be left out, as it was written.
        keep: columns that must stay as they are.
    """

    goal: tuple[str, ...] = (DEFAULT_GOAL,)
    withhold: str | float = DEFAULT_WITHHOLD
    keep: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns of the rules."""
        return tuple(sensitive_columns(parse_goals(self.goal)))

    @property
    def least(self) -> int | None:
        """The smallest group that the goal allows, if it says nothing else."""
        return least_group(self.goal)

    @property
    def share(self) -> Fraction:
        """The largest share of people that may be left out."""
        return parse_share(self.withhold, "--withhold")

    def question(self, seed: int) -> AdviceQuestion:
        """Return the question for ``idbits advise``."""
        return AdviceQuestion(
            rules=parse_goals(self.goal),
            withhold=self.share,
            sensitive=self.columns,
            ladders=LadderRequest(keep=self.keep),
            seed=seed,
            max_nodes=_MOST_NODES,
            effort=AdviceEffort(
                max_rows=_VISITED_ROWS,
                most_points=_SHOWN_POINTS,
                most_pair_rows=_PAIR_ROWS,
                most_relations=_RELATIONS,
                with_alternatives=False,
            ),
        )

    def command_words(self) -> list[str]:
        """Return the options of a command line that say the same."""
        words = [f"--goal {shlex.quote(rule)}" for rule in self.goal] if self.goal != (DEFAULT_GOAL,) else []
        words += [f"--withhold {self.withhold}"] if self.withhold != DEFAULT_WITHHOLD else []
        return words + [f"--keep {shlex.quote(name)}" for name in self.keep]

    def arguments(self) -> dict[str, object]:
        """Return the arguments of a Python call that say the same; what is not given is None."""
        return {
            "goal": list(self.goal) if self.goal != (DEFAULT_GOAL,) else None,
            "withhold": self.withhold if self.withhold != DEFAULT_WITHHOLD else None,
            "keep": list(self.keep) or None,
        }


def treatments_of(
    table: Table,
    qid: Sequence[Attribute],
    request: ReportGoal,
    measurement: Measurement,
    options: OpenOptions,
    persons: PersonOptions,
    source: Source,
    sensitive: Collection[str],
    disclosed: Disclosure | None,
    seed: int,
) -> Treatments:
    """Return the treatments that reach the goal of a report, groups of 5 and groups of 10; or why there are none.

    What the treated table gives away is measured if ``disclosed`` says it of the table as it is.
    """
    if not table.trials_are_cheap:
        return Treatments(reason=_DATABASE)
    reason = _why_not(table, qid, options)
    if reason is not None:
        return Treatments(reason=reason)
    names = tuple(attribute.name for attribute in qid)
    parts = AdviceParts(
        source=_path(source),
        options=options,
        persons=persons,
        qid=names,
        beside=measurement.beside,
        has_other_columns=len(table.columns) > len(qid),
        notes=(),
    )
    known = {attribute.column for attribute in qid}
    question = request.question(seed)
    question.check()
    try:
        study = TableAdvice.of(table, qid, question, parts)
    except EngineError:
        return Treatments(reason="the rows with their coarser views need more memory than allowed")
    lattice = study.problem.lattice
    if lattice.n_nodes * len(lattice.people) > 10 * _VISITED_ROWS and study.n_climbed_rows > _CLIMBED_ROWS:
        return Treatments(reason=_TOO_LARGE)
    advice = replace(study.answer(), unit=measurement.unit)
    chosen = advice.treatment
    others = [study.treatment(goal) for goal in _GOALS if parse_goals(goal) != question.rules]
    named = other_columns(source, options, table, known, measurement.beside, {*sensitive, *question.sensitive})
    commands = _Commands(table, measurement, options, persons, _path(source), request, named)
    return Treatments(
        advice,
        tuple(
            SuggestedTreatment(treatment, commands.of(treatment), commands.rest(treatment))
            for treatment in (chosen, *others)
        ),
        command=commands.advise(request.goal),
        dropped=named.dropped,
        kept=named.kept,
        given_away=_given_away(table, study.problem, advice.best, disclosed),
    )


def _given_away(
    table: Table, problem: TreatmentProblem, best: TreatmentPoint, disclosed: Disclosure | None
) -> dict[str, int]:
    if disclosed is None:
        return {}
    sensitive = parse_attributes([column.column for column in disclosed.sensitive], table.columns)
    try:
        return given_away_after(table, problem, best, sensitive, disclosed.certainty)
    except EngineError:
        return {}


def _path(source: Source) -> str | None:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else None


def _why_not(table: Table, qid: Sequence[Attribute], options: OpenOptions) -> str | None:
    """Return why these columns cannot be treated together."""
    columns = [attribute.column for attribute in qid]
    if len(set(columns)) < len(columns):
        return "one column is among them with two views; name each column once"
    found = identifiers_among(table, qid, options)
    if not found:
        return None
    what, them = ("an identifier", "it") if len(found) == 1 else ("identifiers", "them")
    verb = "is" if len(found) == 1 else "are"
    return f"{few_names(found)} {verb} {what}, which coarser values do not change; leave {them} out of the table"


class _Commands:
    """The commands that carry out a treatment, or the Python calls for a table in memory."""

    def __init__(
        self,
        table: Table,
        measurement: Measurement,
        options: OpenOptions,
        persons: PersonOptions,
        source: str | None,
        request: ReportGoal,
        others: OtherColumns,
    ) -> None:
        self.table, self.options, self.source, self.request = table, options, source, request
        self.others = others
        self.qid = measurement.qid
        self.persons = PersonOptions(column=persons.column, rows_are_people=persons.rows_are_people)

    def advise(self, goal: Sequence[str], *, plan: bool = False) -> str | None:
        """Return the command that shows the whole trade-off."""
        if self.source == "-":
            return None
        request = replace(self.request, goal=tuple(goal))
        if self.source is None:
            given = request.arguments() | ({"plan": "plan.json"} if plan else {})
            return self._call("advise", [repr(list(self.qid))], given)
        words = ["--qid", shlex.quote(quoted_names(self.qid)), *request.command_words()]
        return self._line("advise", [*words, *(["--plan plan.json"] if plan else [])])

    def of(self, treatment: GoalTreatment) -> tuple[str, ...]:
        """Return what writes the treated file: one command if the goal is about group sizes only, else two."""
        columns = treatment.best.columns
        if self.source == "-" or not treatment.reached or columns is None or self.options.count is not None:
            return ()
        least = least_group(treatment.goal)
        if least is None:
            first = self.advise(treatment.goal, plan=True)
            return (first, self._apply([], {}, "plan.json", columns)) if first is not None else ()
        words = ["--qid", shlex.quote(quoted_names(columns)), f"--withhold-below {least}"]
        return (self._apply(words, {"qid": list(columns), "withhold_below": least}, None, columns),)

    def _apply(self, words: list[str], given: dict[str, object], plan: str | None, columns: Sequence[str]) -> str:
        rest = self._unused_word(columns)
        if self.source is None:
            given |= self.others.arguments() | ({"rest": rest} if rest != _REST[0] else {})
            return self._call("apply", [repr(plan), "'treated.csv'"], given)
        words += [f"--plan {plan}"] if plan is not None else []
        words += ["--out treated.csv", *self.others.command_words()]
        return self._line("apply", [*words, *([f"--rest {shlex.quote(rest)}"] if rest != _REST[0] else [])])

    def rest(self, treatment: GoalTreatment) -> str:
        """Return a text for the values that a treatment merges."""
        return self._unused_word(treatment.best.columns or ())

    def _unused_word(self, columns: Sequence[str]) -> str:
        """Return a text for merged values that is not a value of these columns."""
        merged = [attribute for attribute in parse_attributes(self.qid, self.table.columns)
                  if any(name.startswith(f"{attribute.column}:top") for name in columns)]  # fmt: skip
        texts = {
            label for attribute in merged for label in self.table.labels(Attribute(attribute.column, attribute.kind))
        }
        return next((text for text in _REST if text not in texts), _REST[0])

    def _line(self, command: str, words: list[str]) -> str:
        assert self.source is not None
        options = self.options
        more = [*options.command_words(), *self.persons.command_words()]
        more += ["--columns", shlex.quote(quoted_names(options.columns))] if options.columns is not None else []
        return " ".join(["idbits", command, shlex.quote(self.source), *words, *more])

    def _call(self, name: str, positional: list[str], given: dict[str, object]) -> str:
        named = {**given, **self.persons.arguments(), "count": self.options.count}
        words = ["frame", *positional, *(f"{key}={value!r}" for key, value in named.items() if value)]
        return f"idbits.{name}({', '.join([*words, *(['where=...'] if self.options.where is not None else [])])})"
