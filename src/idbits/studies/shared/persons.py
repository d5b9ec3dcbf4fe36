"""One row per person: what most figures rest on."""

from __future__ import annotations

from idbits.engines.base import Table
from idbits.errors import DataError
from idbits.wording import counted

__all__ = ["require_one_row_per_person"]


def require_one_row_per_person(table: Table, person: str) -> None:
    """Raise where a person has more than one row, or a row names nobody."""
    rows = table.person_rows(person)
    if rows.rows_without_person:
        raise DataError(f'column "{person}" names no person in {counted(rows.rows_without_person, "row")}')
    if rows.persons_repeated:
        raise DataError(
            f'column "{person}" has {counted(rows.persons_repeated, "person")} with more than one row; '
            "one row each is needed"
        )
