"""What ``idbits inspect`` returns: what a table holds, in numbers and guesses, without a value of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from idbits.render.blocks import Block, Command, Items, Paragraph, Table
from idbits.render.numbers import count, share
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted

__all__ = ["ColumnReport", "Inspection"]


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: its type as decided, its counts, the role it seems to play and why, and what looks odd."""

    column: str
    kind: str
    reads_as: str
    distinct: int
    nulls: int
    unique: int
    role: str
    reason: str
    odd: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Inspection(Answer):
    """What a table holds.

    Attributes:
        names_withheld: columns are numbered, because the first row may be a person instead of names.
    """

    command: ClassVar[str] = "inspect"

    source: str | None
    n_rows: int
    unit: str = "rows"
    columns: tuple[ColumnReport, ...]
    names_withheld: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection as plain data."""
        return {
            "n_rows": self.n_rows,
            "n_columns": len(self.columns),
            "columns": [asdict(column) | {"odd": list(column.odd)} for column in self.columns],
            "notes": list(self.notes),
        }

    def _told_rows(self) -> str:
        if self.unit == "rows":
            return counted(self.n_rows, "row")
        return "1 person" if self.n_rows == 1 else f"{count(self.n_rows)} people"

    def to_arrow(self) -> Any:
        """Return one row a column as an Arrow table."""
        import pyarrow

        return pyarrow.Table.from_pylist([asdict(column) | {"odd": list(column.odd)} for column in self.columns])

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        rows = [
            [
                column.column,
                column.reads_as,
                count(column.distinct),
                count(column.nulls),
                share(column.unique / self.n_rows if self.n_rows else None),
                column.role,
                column.reason,
            ]
            for column in self.columns
        ]
        blocks: list[Block] = [
            Paragraph(f"{self._told_rows()}, {counted(len(self.columns), 'column')}. No value is shown."),
            Table(
                "Columns",
                ("column", "read as", "distinct", "nulls", "unique", "likely role", "why"),
                rows,
                left=(0, 1, 5, 6),
                caption=f"unique: {self.unit} whose value no others have. Roles are guesses: look at each.",
            ),
        ]
        odd = tuple(f"{column.column}: {sentence}" for column in self.columns for sentence in column.odd)
        if odd:
            blocks.append(Items("What looks odd", odd))
        if self.next_command is not None:
            blocks.append(Command("Next: measure what someone may know", self.next_command))
        return blocks
