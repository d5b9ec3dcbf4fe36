"""What does this table hold? The study behind ``idbits inspect``."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Unpack

from idbits.engines.base import Source
from idbits.engines.open import open_table
from idbits.reading import Reading, open_options
from idbits.studies.inspect.result import Inspection
from idbits.studies.shared.next_command import command_line
from idbits.studies.shared.roles import must_withhold_names, report_columns

__all__ = ["inspect"]

_SUGGESTED = 8


def inspect(source: Source, **reading: Unpack[Reading]) -> Inspection:
    """Say what a table holds: rows, columns, types as decided, nulls, distinct counts, likely roles, oddities.

    Args:
        source: a path, a glob of paths, a folder, or a pandas, polars or pyarrow frame.
        reading: how the table is read, see ``idbits.reading.Reading``.

    >>> import pyarrow
    >>> inspect(pyarrow.table({"zip": ["1011", "1011", "9985"]})).columns[0].role
    'quasi-identifier'
    """
    options = open_options(reading)
    with closing(open_table(source, options)) as table:
        reports = report_columns(table, options)
        n_rows = table.n_people()
        withheld = must_withhold_names(table, options)
        table.check_unchanged()
        notes = [*table.notes, *(["names are withheld here, since they may be data"] if withheld else [])]
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    quasi = [report.column for report in reports if report.role == "quasi-identifier"][:_SUGGESTED]
    return Inspection(
        source=path,
        n_rows=n_rows,
        unit="rows" if options.count is None else "people",
        columns=reports,
        names_withheld=withheld,
        notes=tuple(notes),
        next_command=command_line(quasi, path, options) if quasi and not withheld else None,
    )
