"""What ``idbits report`` returns: all studies of one table, as a page, as Markdown and as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from idbits._version import __version__
from idbits.render.blocks import Verdict
from idbits.render.numbers import to_places
from idbits.render.page import Page
from idbits.render.page import plain as plain_text
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.disclosure.result import Disclosure
from idbits.studies.events.result import Events
from idbits.studies.gain.result import NOTHING_BEYOND_CHANCE, Gain
from idbits.studies.leak.result import Leak
from idbits.studies.link.result import Linkage
from idbits.studies.measure.result import Measurement
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable, plain_object

__all__ = ["SECTIONS", "Change", "Changes", "Included", "Origin", "Report", "SavedAnswer", "at_risk", "best_first"]

SavedAnswer = ColumnSubsets | Events | Leak | Linkage | ReleaseOverlap | ZoneOverlap
"""Answers of other commands that a report shows with charts."""

SECTIONS = {
    "people": "what an attacker may know of a person's records",
    "bits": "how many bits people give away",
    "sizes": "sizes of the groups of people with the same values",
    "population": "who is unique in the population, if the table is a sample",
    "disclosure": "what people in the same group give away about sensitive columns",
    "columns": "which columns make people unique",
    "changes": "the changes we tried",
    "gain": "information gain",
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
    """

    json_keys: ClassVar = ("command", "seed", "files", "sha256", "version", "?reasons")

    command: str
    seed: int
    files: int
    sha256: str | None
    reason: str | None = None
    table: str | None = None

    @property
    def version(self) -> str:
        """The version of idbits that made it."""
        return __version__

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


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Answer):
    """A one-page report for decision makers: the verdict on one quasi-identifier of a table, and the reasons."""

    command: ClassVar[str] = "report"
    json_keys: ClassVar = (
        "?internal", "verdict=verdict_data", "sections", "measurement", "?population", "?disclosure", "changes",
        "columns", "gain", "included", "origin", "notes", "reasons",
    )  # fmt: skip

    source: str | None
    measurement: Measurement
    changes: Changes
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
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        figures = self.measurement.figures
        return (
            f"Report(qid={list(self.measurement.qid)}, n_rows={figures.n_rows}, "
            f"entropy_bits={to_places(figures.entropy_bits, 4)}, singletons={figures.singletons}, "
            f"sections={list(self.sections)})"
        )

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict as shown on the page."""
        from idbits.studies.report.disclosure_section import with_disclosure
        from idbits.studies.report.text import verdict_of

        return with_disclosure(verdict_of(self.measurement), self.disclosure)

    @cached_property
    def page(self) -> Page:
        """The page, independent of its format."""
        from idbits.studies.report.text import page_of

        return page_of(self)

    def to_html(self) -> str:
        """Return the page as one HTML file."""
        from idbits.render.html import to_html

        return to_html(self.page)

    def to_markdown(self) -> str:
        """Return the page as Markdown."""
        from idbits.render.markdown import to_markdown

        return to_markdown(self.page)

    @property
    def verdict_data(self) -> dict[str, str]:
        """The verdict as plain data."""
        verdict = self.verdict
        return {"level": str(verdict.level), "title": verdict.title, "sentence": plain_text(verdict.sentence)}

    @property
    def reasons(self) -> dict[str, str]:
        """Why sections are missing."""
        reasons = {
            "columns": self.columns_reason if "columns" in self.sections else _NOT_CHOSEN,
            "gain": self.gain_reason if {"gain", "sweep"} & set(self.sections) else _NOT_CHOSEN,
            "sweep": self.sweep_reason,
            "population": self.population_reason,
            "disclosure": self.disclosure_reason,
        }
        return {name: why for name, why in reasons.items() if why is not None}


_NOT_CHOSEN = "its section was not chosen (--sections)"


@dataclass(frozen=True, slots=True)
class Change(Serialisable):
    """One or more columns coarsened or left out.

    Attributes:
        columns: the quasi-identifier after the change.
        replaced: each changed column with the view that replaces it; None if it is left out.
        figures: the figures of the changed quasi-identifier.
        utility: the share of the relationships between the columns, beyond chance, that is preserved; None if there
            are none.
        improves: whether the verdict improves.
        halves: whether at most half as many people are unique (or, if nobody was, in a group smaller than 5).
    """

    json_keys: ClassVar = (
        "columns", "replaced=replacements", "*main_figures", "utility", "improves", "halves", "?reasons"
    )  # fmt: skip

    columns: tuple[str, ...]
    replaced: tuple[tuple[str, str | None], ...]
    figures: Figures
    utility: float | None
    improves: bool
    halves: bool

    @property
    def helps(self) -> bool:
        """Whether the verdict improves, or at most half as many people are at risk."""
        return self.improves or self.halves

    @classmethod
    def of(
        cls,
        columns: tuple[str, ...],
        replaced: tuple[tuple[str, str | None], ...],
        before: Figures,
        after: Figures,
        utility: float | None,
    ) -> Change:
        """Compare the figures before and after."""
        return cls(
            columns,
            replaced,
            after,
            utility,
            after.standing > before.standing,
            2 * at_risk(after, before) <= at_risk(before, before),
        )

    @property
    def replacements(self) -> list[dict[str, str | None]]:
        """Each changed column with the view that replaces it."""
        return [{"column": column, "by": view} for column, view in self.replaced]

    @property
    def main_figures(self) -> JsonObject:
        """The figures by which changes are compared."""
        return plain_object(self.figures, ("entropy_bits", "k_min", "singletons", "people_below"))

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no utility, if there is none."""
        return {"utility": NOTHING_BEYOND_CHANCE} if self.utility is None else {}


def at_risk(figures: Figures, before: Figures) -> int | float:
    """Return the number of people at risk: unique, or in a group smaller than 5 if nobody was unique before."""
    return figures.singletons if before.singletons else figures.people_below["5"]


@dataclass(frozen=True, slots=True)
class Changes(Serialisable):
    """All changes we tried, best first, or why there are none.

    Attributes:
        tried: the changes; first those that help, and among them those that preserve more.
        utility_columns: the columns whose pairs utility was measured over.
        left_out: the number of columns of the quasi-identifier that were not changed, those with the fewest values.
        reason: why no change was tried; None if any was.
        utility_bits: the mutual information beyond chance of which utility is a share.
        utility_pairs: the pairs of columns that have any.
    """

    json_keys: ClassVar = (
        "tried", "smallest", "better_verdict=better", "utility_columns", "utility_bits", "utility_pairs",
        "unchanged_columns=left_out", "?reasons",
    )  # fmt: skip

    tried: tuple[Change, ...]
    utility_columns: tuple[str, ...] = ()
    left_out: int = 0
    reason: str | None = None
    utility_bits: float = 0.0
    utility_pairs: tuple[tuple[str, str], ...] = ()

    @property
    def smallest(self) -> Change | None:
        """Of the changes that improve the verdict or halve the risk, the one that keeps most."""
        return next((change for change in self.tried if change.helps), None)

    @property
    def better(self) -> Change | None:
        """Of the changes that improve the verdict, the one that keeps most."""
        return next((change for change in self.tried if change.improves), None)

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no change that helps, or none that improves the verdict."""
        if self.smallest is None:
            why = self.reason or "no change we tried improves the verdict or halves the risk"
            return {"smallest": why, "better_verdict": why}
        return {} if self.better is not None else {"better_verdict": "no change we tried improves the verdict"}


def best_first(changes: list[Change]) -> tuple[Change, ...]:
    """Return changes ranked: those that help first, then those that keep most and change least."""

    def rank(change: Change) -> tuple[object, ...]:
        kept = change.utility if change.utility is not None else change.figures.entropy_bits
        return (
            not change.helps,
            # Utilities that differ in the last digits of a float are equal; the smaller change is better.
            -round(kept, 9),
            len(change.replaced),
            # A coarser column may still be useful; one that is left out is not.
            sum(view is None for _, view in change.replaced),
            change.figures.singletons,
            change.columns,
        )

    return tuple(sorted(changes, key=rank))
