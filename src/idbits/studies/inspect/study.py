"""What is in this table? The study behind ``idbits inspect``."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from typing import Unpack

from idbits.engines.base import Source
from idbits.engines.open import open_table
from idbits.reading import Reading, open_options
from idbits.studies.inspect.result import Inspection
from idbits.studies.shared.next_command import command_line
from idbits.studies.shared.roles import must_withhold_names, report_columns, suggest_columns

__all__ = ["inspect"]

_SUGGESTED = 8


def inspect(source: Source, **reading: Unpack[Reading]) -> Inspection:
    """Describe a table: rows, columns, inferred types, nulls, distinct counts, likely roles, oddities.

    Args:
        source: a path, a glob of paths, a folder, or a pandas, polars or pyarrow frame.
        reading: how the table is read, see ``idbits.reading.Reading``.

    Examples:
        >>> import pyarrow
        >>> inspect(pyarrow.table({"zip": ["1011", "1011", "9985"]})).columns[0].role
        'quasi-identifier'
    """
    options = replace(open_options(reading), by_column=True)
    with closing(open_table(source, options)) as table:
        reports, persons = report_columns(table, options)
        n_rows = table.n_people()
        withheld = must_withhold_names(table, options)
        table.check_unchanged()
        notes = [*table.notes, *(["column names are withheld because they may be data"] if withheld else [])]
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    suggested = suggest_columns(reports, _SUGGESTED)
    has_next = bool(suggested) and not withheld
    return Inspection(
        source=path,
        n_rows=n_rows,
        unit="rows" if options.count is None else "people",
        columns=reports,
        persons=persons,
        names_withheld=withheld,
        notes=tuple(notes),
        next_command=command_line(suggested, path, options) if has_next else None,
        n_left_out=len(suggest_columns(reports)) - len(suggested) if has_next else 0,
    )
