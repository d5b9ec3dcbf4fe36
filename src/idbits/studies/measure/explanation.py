"""What ``--explain`` returns: the SQL that a study would run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.studies.shared.presentation import Answer

__all__ = ["ExplainedStatement", "Explanation"]


@dataclass(frozen=True, slots=True)
class ExplainedStatement:
    """One statement, and why it would be run."""

    reason: str
    sql: str


@dataclass(frozen=True, kw_only=True)
class Explanation(Answer):
    """The statements in the order in which they would be run."""

    command: ClassVar[str] = "explain"

    statements: tuple[ExplainedStatement, ...]
    notes: tuple[str, ...] = ()
