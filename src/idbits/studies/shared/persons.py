"""One row per person: most figures assume it."""

from __future__ import annotations

from idbits.engines.base import Table
from idbits.errors import DataError
from idbits.wording import counted

__all__ = ["require_one_row_per_person"]


def require_one_row_per_person(table: Table, person: str) -> None:
    """Raise an error if a person has more than one row, or a row identifies nobody."""
    rows = table.person_rows(person)
    if rows.rows_without_person:
        raise DataError(
            f'column "{person}" is empty in {counted(rows.rows_without_person, "row")}; it must identify a person in '
            "every row (--person)"
        )
    if rows.persons_repeated:
        raise DataError(
            f'column "{person}" has {counted(rows.persons_repeated, "person")} with more than one row; '
            "make a table with one row per person (--person)"
        )
