"""What does this table hold? The study behind ``idbits inspect``."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Any, Unpack

from idbits.engines.open import open_table
from idbits.reading import Reading, open_options
from idbits.studies.inspect.result import ColumnReport, Inspection
from idbits.studies.shared.next_command import command_line
from idbits.studies.shared.roles import oddities, reads_as, role_of

__all__ = ["inspect"]

_SUGGESTED = 8


def inspect(source: Any, **reading: Unpack[Reading]) -> Inspection:
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
        names = [name for name in table.columns if name != options.count]
        table.load(names)
        n_rows = table.n_people()
        reports = []
        # Names that were typed are no secret to who typed them.
        withheld = table.names_may_be_data and options.columns is None
        for place, name in enumerate(names, start=1):
            kind, profile = table.columns[name], table.profile(name)
            role, why = role_of(name, profile, kind)
            reports.append(
                ColumnReport(
                    f"column{place}" if withheld else name,
                    str(kind),
                    reads_as(profile, kind),
                    profile.distinct,
                    profile.null_people,
                    profile.unique_people,
                    role,
                    why,
                    oddities(profile, kind),
                )
            )
        table.check_unchanged()
        notes = [*table.notes, *(["names are withheld here, since they may be data"] if withheld else [])]
    told = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    quasi = [report.column for report in reports if report.role == "quasi-identifier"][:_SUGGESTED]
    return Inspection(
        source=told,
        n_rows=n_rows,
        unit="rows" if options.count is None else "people",
        columns=tuple(reports),
        names_withheld=withheld,
        notes=tuple(notes),
        next_command=command_line(quasi, told, options) if quasi and not withheld else None,
    )
