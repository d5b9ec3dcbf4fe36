"""The columns of the table that a command reads, completed in a shell."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import typer

from idbits.errors import IdbitsError
from idbits.storage import expand_home

__all__ = ["complete_columns"]


def complete_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return completions of the last name in a list of columns, for a table in a local file."""
    # While the last option still lacks its value, the parser leaves the arguments before it unassigned.
    source = ctx.params.get("source") or next(iter(ctx.args), None)
    if not isinstance(source, str) or not Path(expand_home(source)).is_file():
        return []
    from idbits.engines.open import open_table
    from idbits.studies.shared.next_command import quoted_names

    try:
        with closing(open_table(source)) as table:
            if table.names_may_be_data:
                return []
            columns = list(table.columns)
    except IdbitsError:
        return []
    before, comma, part = incomplete.rpartition(",")
    used = set(before.split(","))
    return [
        f"{before}{comma}{quoted_names([column])}"
        for column in columns
        if column.startswith(part) and column not in used
    ]
