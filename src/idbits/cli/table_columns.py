"""The columns of the table that a command reads: proposed when ``--qid`` is missing, and completed in a shell."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from idbits.errors import IdbitsError, InputError
from idbits.storage import expand_home

if TYPE_CHECKING:
    from idbits.reading import Reading

__all__ = ["complete_columns", "require_columns"]

_MOST_LISTED = 12
_MOST_PROPOSED = 8


def require_columns(names: list[str] | None, source: str, reading: Reading, command: str) -> list[str]:
    """Return the columns given with ``--qid``; if there are none, say which the table has and give a command."""
    if names:
        return names
    if source == "-":
        raise InputError("--qid is missing; name the columns someone may know, for example --qid birthdate,zip,gender")
    from idbits.reading import open_options
    from idbits.studies.inspect.study import inspect
    from idbits.studies.shared.next_command import command_line
    from idbits.studies.shared.roles import suggest_columns

    table = inspect(source, **reading)
    if table.names_withheld:
        # The names that the file gets without its first row are known, and are not data.
        reading["header"] = False
        columns = [f"column{number}" for number in range(1, len(table.columns) + 1)]
        found = "the first row of the table may contain data instead of column names"
    else:
        columns = [column.column for column in table.columns]
        more = f" and {len(columns) - _MOST_LISTED} more" if len(columns) > _MOST_LISTED else ""
        found = f"the table has {', '.join(columns[:_MOST_LISTED])}{more}"
    likely = suggest_columns(table.columns, _MOST_PROPOSED) if not table.names_withheld else []
    proposal = command_line(likely or columns[:_MOST_PROPOSED], source, open_options(reading))
    raise InputError(f"--qid is missing; {found}; try: {proposal.replace('idbits measure', f'idbits {command}', 1)}")


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
