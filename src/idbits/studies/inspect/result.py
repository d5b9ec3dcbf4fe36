"""The answer of ``idbits inspect``: the columns of a table, in numbers and guesses, without any value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.roles import ColumnReport, PersonCandidate
from idbits.studies.shared.serialisation import plain_object

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ColumnReport", "Inspection"]


@dataclass(frozen=True, kw_only=True)
class Inspection(Answer):
    """The contents of a table.

    Attributes:
        persons: the columns in which people seem to repeat.
        names_withheld: whether columns are numbered because the first row may be a person instead of names.
        n_left_out: the columns that someone may know and that are not in the next command.
    """

    command: ClassVar[str] = "inspect"
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

    def to_arrow(self) -> pyarrow.Table:
        """Return one row per column as an Arrow table."""
        import pyarrow

        return pyarrow.Table.from_pylist([plain_object(column) for column in self.columns])
