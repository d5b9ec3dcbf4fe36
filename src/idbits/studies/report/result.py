"""What ``idbits report`` returns: all studies of one table, as a page, as Markdown and as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from idbits._version import __version__
from idbits.errors import InputError
from idbits.render.blocks import Verdict
from idbits.render.numbers import to_places
from idbits.render.page import Page
from idbits.studies.advise.result import Advice, GoalTreatment
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.decide.result import DecisionRecord
from idbits.studies.disclosure.result import Disclosure
from idbits.studies.events.result import Events
from idbits.studies.gain.result import Gain
from idbits.studies.leak.result import Leak
from idbits.studies.link.result import Linkage, SyntheticAttack
from idbits.studies.measure.result import Measurement
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.report.about import ReportAbout
from idbits.studies.report.changes import Change, Changes, changes_of
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.serialisation import JsonObject, Serialisable, UncheckedData
from idbits.studies.shared.short_repr import short_repr
from idbits.studies.shared.verdict_text import VerdictText

if TYPE_CHECKING:
    from idbits.render.described_chart import DescribedChart

__all__ = [
    "SECTIONS", "Change", "Changes", "Included", "Origin", "Report", "SavedAnswer", "SuggestedTreatment", "Treatments",
]  # fmt: skip

SavedAnswer = ColumnSubsets | Events | Leak | Linkage | ReleaseOverlap | SyntheticAttack | ZoneOverlap
"""Answers of other commands that a report shows with charts."""

SECTIONS = {
    "people": "what an attacker may know of a person's records",
    "sizes": "sizes of the groups of people with the same values",
    "bits": "how many bits people give away",
    "columns": "which columns make people unique",
    "disclosure": "what people in the same group give away about sensitive columns",
    "gain": "information gain",
    "population": "who is unique in the population, if the table is a sample",
    "changes": "what reaches the goal, and what it costs",
    "sweep": "one column coarsened step by step",
    "saved": "saved answers of other commands",
    "glossary": "glossary",
    "method": "equations and sources",
}
"""The sections to choose from; the verdict, what was not assessed and the foot are always there."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the report comes from: the command that makes it again, and the files read.

    Attributes:
        command: the command, without the texts of filters and queries.
        files: how many files were read.
        sha256: their hash; for several files, the hash of their hashes; None without files.
        reason: why there is no hash.
        table: the table of the database, if it was named.
        version: the version of idbits that made it.
    """

    json_keys: ClassVar = ("command", "seed", "files", "sha256", "version", "?reasons")

    command: str
    seed: int
    files: int
    sha256: str | None
    reason: str | None = None
    table: str | None = None
    version: str = __version__

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return why there is no hash."""
        return {"reason": (data.get("reasons") or {}).get("sha256")}

    @property
    def reasons(self) -> dict[str, str | None]:
        """Why there is no hash, if there is none."""
        return {"sha256": self.reason} if self.sha256 is None else {}


@dataclass(frozen=True)
class Included:
    """An answer of another command, read from saved JSON."""

    json_keys: ClassVar = ("file", "answer")

    file: str
    answer: JsonObject

    @property
    def command(self) -> str:
        """The command that gave it."""
        return str(self.answer["command"])

    @cached_property
    def result(self) -> SavedAnswer | None:
        """The answer as the command returned it; None if it is shown key by key."""
        from idbits.studies.report.saved import answer_from

        return answer_from(self.answer)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Report(Answer):
    """A report for decision makers: the verdict on one quasi-identifier of a table, the reasons and the evidence.

    Attributes:
        identifiers: the columns that name a person by themselves; None if not all columns could be judged.
        goal_size: the smallest group that the goal allows, if the goal says nothing else.
        made_at: the time that is printed on the page; JSON does not have it, so that it can be made again.
    """

    command: ClassVar[str] = "report"
    _main_table: ClassVar[str] = "column_rows"
    json_keys: ClassVar = (
        "?internal", "source", "?about", "?decision", "verdict=verdict_data", "sections", "measurement", "?population",
        "?disclosure", "changes", "advice=advice_data", "treatments=suggested", "columns", "gain", "included", "origin",
        "notes", "reasons",
    )  # fmt: skip

    source: str | None
    measurement: Measurement
    treatments: Treatments
    columns: ColumnSubsets | None
    columns_reason: str | None
    gain: Gain | None
    gain_reason: str | None
    sweep_reason: str | None
    sections: tuple[str, ...]
    origin: Origin
    population: PopulationAnswer | None = None
    population_reason: str | None = None
    disclosure: Disclosure | None = None
    disclosure_reason: str | None = None
    included: tuple[Included, ...] = ()
    internal: bool = False
    about: ReportAbout | None = None
    decision: DecisionRecord | None = None
    notes: tuple[str, ...] = ()
    identifiers: tuple[str, ...] | None = None
    goal_size: int | None = None
    made_at: datetime = field(default_factory=lambda: datetime.now(UTC), compare=False)

    def __repr__(self) -> str:
        figures = self.measurement.figures
        return (
            f"Report(qid={short_repr(self.measurement.qid)}, n_rows={figures.n_rows}, "
            f"entropy_bits={to_places(figures.entropy_bits, 4)}, singletons={figures.singletons}, "
            f"sections={list(self.sections)})"
        )

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the fields that have no key of their own."""
        reasons = saved_value(dict[str, str], data.get("reasons") or {}, "reasons")
        changes, advice = data["changes"], data["advice"]
        related = {"related_bits": changes["utility_bits"], "related_pairs": changes["utility_pairs"]}
        return {
            "treatments": Treatments(
                advice=None if advice is None else Advice.from_dict({**advice, **related}),
                suggested=saved_value(tuple[SuggestedTreatment, ...], data["treatments"], "treatments"),
                reason=reasons.get("advice"),
            ),
            **{
                f"{name}_reason": reasons.get(name) for name in ("columns", "gain", "sweep", "population", "disclosure")
            },
        }

    @property
    def verdict(self) -> VerdictText:
        """The headline of the page with its level and reasons."""
        return super().verdict if self._saved_verdict is not None else VerdictText.of(self.page_verdict)

    @cached_property
    def page_verdict(self) -> Verdict:
        """The verdict as shown on the page."""
        from idbits.studies.report.disclosure_section import with_disclosure
        from idbits.studies.report.text import verdict_of

        return with_disclosure(verdict_of(self.measurement), self.disclosure)

    @cached_property
    def page(self) -> Page:
        """The page, independent of its format."""
        from idbits.studies.report.text import page_of
        from idbits.studies.shared.python_words import as_call

        if self._saved_verdict is not None:
            raise InputError(f"a saved report has no page; make it again: {as_call(self.origin.command)}")
        return page_of(self)

    def _charts(self) -> Mapping[str, DescribedChart]:
        from idbits.studies.report.charts import charts_of

        return charts_of(self)

    def to_html(self) -> str:
        """Return the page as one HTML file: all that is needed to decide on the first sheet, then the evidence."""
        from idbits.render.html import to_html
        from idbits.studies.report.first_page import first_page
        from idbits.studies.report.text import with_advice_in_section

        return to_html(replace(with_advice_in_section(self.page), first=first_page(self)))

    def to_pdf(self) -> bytes:
        """Return the same page as a PDF; the extra ``idbits[pdf]`` is needed."""
        from idbits.render.pdf import to_pdf

        return to_pdf(self.to_html(), self.made_at)

    def to_markdown(self) -> str:
        """Return the page as Markdown."""
        from idbits.render.markdown import to_markdown

        return to_markdown(self.page)

    @property
    def column_rows(self) -> list[JsonObject]:
        """The main figures of each column by itself."""
        return self.measurement.column_rows

    @property
    def verdict_data(self) -> dict[str, str]:
        """The verdict as plain data."""
        verdict = self.verdict
        return {"level": str(verdict.level), "title": str(verdict.title), "sentence": verdict.sentence}

    @cached_property
    def changes(self) -> Changes:
        """The treatments as changes of columns, in the words of versions that tried changes one by one."""
        return changes_of(self.treatments, self.measurement.figures)

    @property
    def advice(self) -> Advice | None:
        """The answer of ``idbits.advise`` that the treatments come from; None with a reason if there is none."""
        return self.treatments.advice

    @property
    def advice_data(self) -> JsonObject | None:
        """The answer of ``idbits advise``, without the seconds it took: the same table gives the same report."""
        advice = self.treatments.advice
        return {key: value for key, value in advice.to_dict().items() if key != "seconds"} if advice else None

    @property
    def suggested(self) -> tuple[SuggestedTreatment, ...]:
        """What reaches the goal of the report, groups of 5 and groups of 10."""
        return self.treatments.suggested

    @property
    def next_commands(self) -> tuple[str, ...]:
        """The commands that reach the goal of the report; if it is not reached, the one that shows what can be."""
        first = next((item.commands for item in self.treatments.suggested if item.commands), ())
        command = self.treatments.command
        return first or ((command,) if command is not None else ())

    @property
    def reasons(self) -> dict[str, str]:
        """Why sections are missing."""
        reasons = {
            "advice": self.treatments.reason,
            "columns": self.columns_reason if "columns" in self.sections else _NOT_CHOSEN,
            "gain": self.gain_reason if {"gain", "sweep"} & set(self.sections) else _NOT_CHOSEN,
            "sweep": self.sweep_reason,
            "population": self.population_reason,
            "disclosure": self.disclosure_reason,
        }
        return {name: why for name, why in reasons.items() if why is not None}


_NOT_CHOSEN = "its section was not chosen (--sections)"


@dataclass(frozen=True, slots=True)
class SuggestedTreatment(Serialisable):
    """The best treatment for a goal, and how to carry it out.

    Attributes:
        treatment: the goal, and the treatment that reaches it with the least loss.
        commands: the commands that carry it out; none if the goal is not reached.
        rest: the text for merged values, one that the columns do not have.
    """

    json_keys: ClassVar = ("*treatment", "commands")

    treatment: GoalTreatment
    commands: tuple[str, ...]
    rest: str = "other"


@dataclass(frozen=True, slots=True)
class Treatments:
    """What reaches the goal.

    Attributes:
        advice: the answer of ``idbits advise`` for the goal of the report.
        suggested: the best treatments for this goal, for groups of 5 and for groups of 10, each goal once.
        reason: why no treatment was looked for; None if any was.
        command: the command that shows the whole trade-off; None if no treatment was looked for.
        dropped: the other columns that a treated table must not have: identifiers, and columns in which most rows are
            unique.
        kept: columns in which most rows are unique, but that the treated table keeps because they are sensitive.
        given_away: for sensitive columns that were measured, the people whose value is given away by their group after
            the treatment for the goal of the report.
    """

    advice: Advice | None = None
    suggested: tuple[SuggestedTreatment, ...] = ()
    reason: str | None = None
    command: str | None = None
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    given_away: Mapping[str, int] = field(default_factory=dict)
