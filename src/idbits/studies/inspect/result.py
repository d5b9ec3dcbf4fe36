"""The answer of ``idbits inspect``: the columns of a table, in numbers and guesses, without any value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.roles import ColumnReport, PersonCandidate

__all__ = ["ColumnReport", "Inspection"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Inspection(Answer):
    """The contents of a table.

    Attributes:
        persons: the columns in which people seem to repeat.
        names_withheld: whether columns are numbered because the first row may be a person instead of names.
        n_left_out: the columns that someone may know and that are not in the next command.
    """

    command: ClassVar[str] = "inspect"
    _main_table: ClassVar[str] = "columns"
    _in_repr: ClassVar = ("n_rows", "unit", "n_columns")
    json_keys: ClassVar = ("n_rows", "n_columns", "columns", "notes")

    source: str | None
    n_rows: int
    unit: str = "rows"
    columns: tuple[ColumnReport, ...]
    persons: tuple[PersonCandidate, ...] = ()
    names_withheld: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None
    n_left_out: int = 0

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.columns)
