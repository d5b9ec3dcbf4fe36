"""The answer of ``idbits apply``: a treated file, what was done, and what the file still gives away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from idbits.studies.apply.rules import VerifiedRule
from idbits.studies.shared.figures import MAIN_FIGURES, MainFigures
from idbits.studies.shared.plans import Plan
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.restoring import rebuilt, saved_value
from idbits.studies.shared.serialisation import JsonObject, UncheckedData, plain_object
from idbits.studies.shared.units import Unit

__all__ = ["ColumnChange", "FileDigest", "TreatedFile", "WithheldPeople"]


@dataclass(frozen=True, slots=True)
class FileDigest:
    """A table by its hash.

    Attributes:
        sha256: the hash of the file; for several files, the hash of their hashes; None if there is no file.
        reason: why there is no hash.
    """

    json_keys: ClassVar = ("sha256", "rows", "?reason")

    sha256: str | None
    rows: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column of the plan: its view, and its number of values before and after; null counts as a value.

    ``values_after`` is None if the column was left out.
    """

    column: str
    view: str
    values_before: int
    values_after: int | None


@dataclass(frozen=True, slots=True)
class WithheldPeople:
    """The people who are left out, and for each rule those whose groups break it."""

    people: int
    by_rule: dict[str, int]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TreatedFile(Answer):
    """A treated file that was read back and meets the rules of its plan.

    Attributes:
        out, receipt: the paths of the treated file and of its receipt; None in a saved answer.
        columns: what became of the columns of the plan.
        released: all columns of the file.
        dropped: the columns of the source that were left out.
        kept_identifiers: columns that seem to identify people and were kept on request.
        pseudonym: the column whose values are pseudonyms.
        before, after: the figures of the columns of the plan, as they were and as they are in the file.
        rules: the rules of the plan with the figures of the file.
        hierarchies: the hierarchy files by column, with their hashes.
    """

    command: ClassVar[str] = "apply"
    _main_table: ClassVar[str] = "columns"
    json_keys: ClassVar = (
        "source=source_digest", "output", "plan=plan_data", "columns", "released", "dropped", "kept_identifiers",
        "pseudonym", "rows_sorted", "reading", "withheld", "before=figures_before", "after=figures_after", "loss",
        "rules", "hierarchies", "seed", "not_assessed", "notes", "reasons",
    )  # fmt: skip

    source: str | None
    out: str = ""
    receipt: str = ""
    plan: Plan
    source_digest: FileDigest
    output: FileDigest
    columns: tuple[ColumnChange, ...]
    released: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    kept_identifiers: tuple[str, ...] = ()
    pseudonym: str | None = None
    rows_sorted: bool = True
    reading: dict[str, object]
    withheld: WithheldPeople
    before: MainFigures
    after: MainFigures
    loss: dict[str, float | None]
    rules: tuple[VerifiedRule, ...]
    hierarchies: tuple[JsonObject, ...] = ()
    seed: int | None = None
    reasons: dict[str, str] = field(default_factory=dict)
    not_assessed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unit: Unit = Unit.ROWS

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the plan, and the figures of the source and of the file."""
        return {
            "plan": saved_value(Plan, data["plan"], "plan"),
            "before": rebuilt(MainFigures, data["before"]),
            "after": rebuilt(MainFigures, data["after"]),
        }

    def __repr__(self) -> str:
        return f"TreatedFile(out={self.out!r}, rows={self.output.rows}, withheld={self.withheld.people})"

    @property
    def plan_data(self) -> JsonObject:
        """The plan as its file has it."""
        return self.plan.to_dict()

    @property
    def figures_before(self) -> JsonObject:
        """The main figures of the source."""
        return plain_object(self.before, MAIN_FIGURES)

    @property
    def figures_after(self) -> JsonObject:
        """The main figures of the treated file."""
        return plain_object(self.after, MAIN_FIGURES)
