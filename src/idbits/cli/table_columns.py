"""The columns of the table that a command reads: proposed when ``--qid`` is missing, and completed in a shell."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from idbits.errors import InputError

if TYPE_CHECKING:
    from idbits.reading import Reading

__all__ = ["complete_columns", "require_columns"]

_MOST_LISTED = 12


def require_columns(names: list[str] | None, source: str, reading: Reading, command: str) -> list[str]:
    """Return the columns given with ``--qid``; if there are none, say which the table has and give a command."""
    if names:
        return names
    wanted = "name the columns that someone may know"
    if source == "-":
        raise InputError(f"{wanted}, for example --qid birthdate,zip,gender")
    from idbits.studies.inspect.study import inspect

    table = inspect(source, **reading)
    if table.names_withheld or not table.columns:
        raise InputError(f"{wanted}, for example --qid 1,2 (this table has {len(table.columns)} columns)")
    columns = [column.column for column in table.columns]
    listed = ", ".join(columns[:_MOST_LISTED])
    more = f" and {len(columns) - _MOST_LISTED} more" if len(columns) > _MOST_LISTED else ""
    proposal = (table.next_command or "").replace("idbits measure", f"idbits {command}", 1)
    next_step = f"; try: {proposal}" if proposal else ""
    raise InputError(f"{wanted} with --qid; the table has {listed}{more}{next_step}")


def complete_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return completions of the last name in a list of columns, for a table in a local file."""
    # While the last option still lacks its value, the parser leaves the arguments before it unassigned.
    source = ctx.params.get("source") or next(iter(ctx.args), None)
    if not isinstance(source, str) or not Path(source).is_file():
        return []
    from idbits.engines.open import open_table
    from idbits.studies.shared.next_command import quoted_names

    try:
        with closing(open_table(source)) as table:
            if table.names_may_be_data:
                return []
            columns = list(table.columns)
    except InputError:
        return []
    before, comma, part = incomplete.rpartition(",")
    used = set(before.split(","))
    return [
        f"{before}{comma}{quoted_names([column])}"
        for column in columns
        if column.startswith(part) and column not in used
    ]
