"""What ``--explain`` returns: the SQL that a study would run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Code
from idbits.studies.shared.presentation import Shown

__all__ = ["Explanation", "Statement"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, and why it would be run."""

    reason: str
    sql: str


@dataclass(frozen=True, kw_only=True)
class Explanation(Shown):
    """The statements in the order in which they would be run."""

    command: ClassVar[str] = "explain"

    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the statements as plain data."""
        return {
            "statements": [{"reason": item.reason, "sql": item.sql} for item in self.statements],
            "notes": list(self.notes),
        }

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        return [Code(statement.reason, statement.sql + ";") for statement in self.statements]
