"""The rows of a file above its data, and the notes on them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HeaderRows"]


@dataclass(frozen=True, slots=True)
class HeaderRows:
    """The rows of a file that have the column names; rows are counted from 0, empty ones included.

    Attributes:
        row: the row with the names.
        data: the first row of the data.
        names: the names; empty texts for columns without one.
        groups: whether the row above completes names that are empty or repeated.
        suspect: another row that may have the names.
    """

    row: int
    data: int
    names: tuple[str, ...]
    groups: bool = False
    suspect: int | None = None

    def notes(self, first: int) -> list[str]:
        """Return what was decided, without any text of the file; ``first`` is the first row that is not empty."""
        notes = []
        if self.groups:
            above = f", and {_rows_above(self.row - 1)} skipped" if self.row - 1 > first else ""
            notes.append(
                f"the column names are in rows {self.row:,} and {self.row + 1:,}: empty or repeated names are "
                f"completed with the row above{above} (change with --header-row)"
            )
        elif self.row > first:
            notes.append(
                f"the column names are in row {self.row + 1:,}; {_rows_above(self.row)} skipped "
                "(change with --header-row)"
            )
        if self.data > self.row + 1:
            rows, verb, was = f"row {self.data:,}", "has", "was"
            if self.data > self.row + 2:
                rows, verb, was = f"rows {self.data - 1:,} and {self.data:,}", "have", "were"
            notes.append(
                f"{rows}, below the column names, {verb} units or descriptions and {was} skipped "
                f"(change with --header-row {self.row + 1})"
            )
        if self.suspect is not None:
            row = self.suspect + 1
            notes.append(f"row {row:,} may contain the column names; if so, add --header-row {row}")
        return notes


def _rows_above(number: int) -> str:
    return "1 row above them was" if number == 1 else f"{number:,} rows above them were"
