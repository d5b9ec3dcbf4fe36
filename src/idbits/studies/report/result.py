"""What ``idbits report`` returns: all studies of one table, as a page, as Markdown and as data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from idbits._version import __version__
from idbits.render.blocks import Block, Verdict
from idbits.render.page import Page, plain
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.events.result import Events
from idbits.studies.gain.result import Gain
from idbits.studies.leak.result import Leak
from idbits.studies.measure.result import Measurement
from idbits.studies.report.change_result import Changes
from idbits.studies.shared.presentation import Answer

__all__ = ["SECTIONS", "Included", "Origin", "Report"]

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

    command: str
    seed: int
    files: int
    sha256: str | None
    reason: str | None = None
    table: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the origin as plain data."""
        data: dict[str, Any] = {name: getattr(self, name) for name in ("command", "seed", "files", "sha256")}
        data["version"] = __version__
        return data | ({"reasons": {"sha256": self.reason}} if self.sha256 is None else {})


@dataclass(frozen=True)
class Included:
    """An answer of another command, from the JSON it was saved as."""

    file: str
    answer: dict[str, Any]

    @property
    def command(self) -> str:
        """The command that gave it."""
        return str(self.answer["command"])

    @cached_property
    def result(self) -> ColumnSubsets | Events | Leak | None:
        """The answer as the command returned it; None where it is shown key by key."""
        from idbits.studies.report.rebuilt import answer_from

        return answer_from(self.answer)


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Answer):
    """A page for whoever decides: the verdict on one quasi-identifier of a table, and what it rests on."""

    command: ClassVar[str] = "report"

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
        from idbits.render.html import to_html

        return to_html(self.page)

    def to_markdown(self) -> str:
        """Return the page as Markdown."""
        from idbits.render.markdown import to_markdown

        return to_markdown(self.page)

    def blocks(self) -> list[Block]:
        """Return what there is to see in a terminal or a notebook."""
        from idbits.studies.report.text import blocks_of

        return blocks_of(self.page)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data; the reference lists its keys."""
        verdict = self.verdict
        data: dict[str, Any] = {"internal": True} if self.internal else {}
        data["verdict"] = {"level": str(verdict.level), "title": verdict.title, "sentence": plain(verdict.sentence)}
        data["sections"] = list(self.sections)
        data["measurement"] = self.measurement.to_dict()
        data["changes"] = self.changes.to_dict()
        data["columns"] = self.columns.to_dict() if self.columns is not None else None
        data["gain"] = self.gain.to_dict() if self.gain is not None else None
        data["included"] = [{"file": one.file, "answer": one.answer} for one in self.included]
        data["origin"] = self.origin.to_dict()
        data["notes"] = list(self.notes)
        data["reasons"] = {
            name: why
            for name, why in (
                ("columns", self.columns_reason if "columns" in self.sections else _NOT_CHOSEN),
                ("gain", self.gain_reason if {"gain", "sweep"} & set(self.sections) else _NOT_CHOSEN),
                ("sweep", self.sweep_reason),
            )
            if why is not None
        }
        return data


_NOT_CHOSEN = "its section was not asked for (--sections)"
