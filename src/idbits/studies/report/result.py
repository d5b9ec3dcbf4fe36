"""What ``idbits report`` returns: all studies of one table, as a page, as Markdown and as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from idbits._version import __version__
from idbits.render.blocks import Verdict
from idbits.render.page import Page
from idbits.render.page import plain as plain_text
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.events.result import Events
from idbits.studies.gain.result import NOTHING_BEYOND_CHANCE, Gain
from idbits.studies.leak.result import Leak
from idbits.studies.measure.result import Measurement
from idbits.studies.measure.verdict import standing
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import JsonObject, Serialisable, plain_object

__all__ = ["SECTIONS", "Change", "Changes", "Included", "Origin", "Report", "at_risk", "best_first"]

SECTIONS = {
    "bits": "how many people give away how many bits",
    "sizes": "how large the sets of people who look the same are",
    "columns": "which columns do it",
    "changes": "the changes that were tried",
    "gain": "information gain",
    "sweep": "one column made coarser, step by step",
    "saved": "answers that were saved before",
    "glossary": "what the words mean",
    "method": "how it is computed, with equations",
}
"""The sections that can be chosen; the verdict, what was not assessed and the foot are always there."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the page comes from: what to type to make it again, and what was read.

    Attributes:
        command: the command, texts of filters and queries withheld.
        files: how many files were read.
        sha256: their hash, or None where there are no files.
        reason: why there is no hash.
        table: the table of a database that was read, if it was named.
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
    """An answer of another command, from the JSON it was saved as."""

    json_keys: ClassVar = ("file", "answer")

    file: str
    answer: JsonObject

    @property
    def command(self) -> str:
        """The command that gave it."""
        return str(self.answer["command"])

    @cached_property
    def result(self) -> ColumnSubsets | Events | Leak | None:
        """The answer as the command returned it; None where it is shown key by key."""
        from idbits.studies.report.saved import answer_from

        return answer_from(self.answer)


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Answer):
    """A page for whoever decides: the verdict on one quasi-identifier of a table, and what it rests on."""

    command: ClassVar[str] = "report"
    json_keys: ClassVar = (
        "?internal", "verdict=verdict_data", "sections", "measurement", "changes", "columns", "gain", "included",
        "origin", "notes", "reasons",
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
    included: tuple[Included, ...] = ()
    internal: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        figures = self.measurement.figures
        return (
            f"Report(qid={list(self.measurement.qid)}, n_rows={figures.n_rows}, "
            f"entropy_bits={figures.entropy_bits:.4f}, singletons={figures.singletons}, sections={list(self.sections)})"
        )

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict, as the page has it."""
        from idbits.studies.report.text import verdict_of

        return verdict_of(self.measurement)

    @cached_property
    def page(self) -> Page:
        """The page before it is written in any format."""
        from idbits.studies.report.text import page_of

        return page_of(self)

    def to_html(self) -> str:
        """Return the page as one HTML file."""
        from idbits.render.report_html import to_html

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
        }
        return {name: why for name, why in reasons.items() if why is not None}


_NOT_CHOSEN = "its section was not asked for (--sections)"


@dataclass(frozen=True, slots=True)
class Change(Serialisable):
    """One or more columns made coarser or left out.

    Attributes:
        columns: the quasi-identifier after the change.
        replaced: each changed column with the view that takes its place; None where it is left out.
        figures: the figures of the changed quasi-identifier; None where no column is left.
        utility: the share that is kept of what the columns say about each other beyond chance; None where that is
            nothing.
        improves: whether the verdict becomes better.
        halves: whether at most half as many people are alone (or, where nobody is, in a set below 5).
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
        """Whether the verdict becomes better, or at most half as many people are at risk."""
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
            standing(after) > standing(before),
            2 * at_risk(after, before) <= at_risk(before, before),
        )

    @property
    def replacements(self) -> list[dict[str, str | None]]:
        """Each changed column with what takes its place."""
        return [{"column": column, "by": view} for column, view in self.replaced]

    @property
    def main_figures(self) -> JsonObject:
        """The figures that a change is judged by."""
        return plain_object(self.figures, ("entropy_bits", "k_min", "singletons", "people_below"))

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no utility, if there is none."""
        return {"utility": NOTHING_BEYOND_CHANCE} if self.utility is None else {}


def at_risk(figures: Figures, before: Figures) -> int:
    """Return the people a change should help: those alone, or in a set below 5 where nobody was alone before."""
    return figures.singletons if before.singletons else figures.people_below["5"]


@dataclass(frozen=True, slots=True)
class Changes(Serialisable):
    """All changes that were tried, best first, and why there may be none.

    Attributes:
        tried: the changes; those that help come first, and among them those that keep more.
        utility_columns: the columns over whose pairs utility was measured.
        left_out: how many columns of the quasi-identifier were not changed, because they tell least.
        reason: why nothing was tried; None where something was.
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
        """The smallest change that helps: of those that better the verdict or halve the risk, what keeps most."""
        return next((change for change in self.tried if change.helps), None)

    @property
    def better(self) -> Change | None:
        """Of the changes that better the verdict, the one that keeps most."""
        return next((change for change in self.tried if change.improves), None)

    @property
    def reasons(self) -> dict[str, str]:
        """Why no change can be named that helps, or improves the verdict."""
        if self.smallest is None:
            why = self.reason or "no change that was tried betters the verdict or halves the people at risk"
            return {"smallest": why, "better_verdict": why}
        return {} if self.better is not None else {"better_verdict": "no change that was tried betters the verdict"}


def best_first(changes: list[Change]) -> tuple[Change, ...]:
    """Return changes ranked: those that help first; among them what keeps most and changes least."""

    def rank(change: Change) -> tuple[object, ...]:
        kept = change.utility if change.utility is not None else change.figures.entropy_bits
        return (
            not change.helps,
            # Where utility is the same to the last digits of a float, the smaller change is better.
            -round(kept, 9),
            len(change.replaced),
            # A coarser column may be of use to somebody in itself; one that is left out is not.
            sum(view is None for _, view in change.replaced),
            change.figures.singletons,
            change.columns,
        )

    return tuple(sorted(changes, key=rank))
