"""What ``idbits inspect`` returns: what a table holds, in numbers and guesses, without a value of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.roles import ColumnReport
from idbits.studies.shared.serialisation import plain_object

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ColumnReport", "Inspection"]


@dataclass(frozen=True, kw_only=True)
class Inspection(Answer):
    """What a table holds.

    Attributes:
        names_withheld: columns are numbered, because the first row may be a person instead of names.
    """

    command: ClassVar[str] = "inspect"
    json_keys: ClassVar = ("n_rows", "n_columns", "columns", "notes")

    source: str | None
    n_rows: int
    unit: str = "rows"
    columns: tuple[ColumnReport, ...]
    names_withheld: bool = False
    notes: tuple[str, ...] = ()
    next_command: str | None = None

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def to_arrow(self) -> pyarrow.Table:
        """Return one row per column as an Arrow table."""
        import pyarrow

        return pyarrow.Table.from_pylist([plain_object(column) for column in self.columns])
