"""Reading text files into a table once, with every irregular row accounted for.

Rows that are too short are padded with nulls and counted; rows that are too long are an error with their number.
"""

from __future__ import annotations

from collections.abc import Sequence

from idbits.engines.duckdb.connection import Connection, identifier
from idbits.engines.duckdb.sources import TextPart
from idbits.errors import DataError

__all__ = ["read_text"]


def read_text(connection: Connection, parts: Sequence[TextPart], columns: Sequence[str]) -> tuple[str, list[str]]:
    """Read the columns of text files into a table; return its name and what there is to say."""
    names: list[str] = []
    notes: list[str] = []
    selected = ", ".join(identifier(column) for column in columns) or "1 AS nothing"
    for part in parts:
        table = connection.new_name("text")
        short = _read_regular_rows(connection, part, table, selected)
        if short:
            _read_padded(connection, part, table, selected)
            notes.append(f"{short:,} rows were shorter than the header and were padded with nulls")
        names.append(table)
    if len(names) == 1:
        return names[0], notes
    union = connection.new_name("texts")
    connection.run(f"CREATE TEMP VIEW {union} AS " + " UNION ALL ".join(f"SELECT * FROM {name}" for name in names))
    return union, notes


def _read_regular_rows(connection: Connection, part: TextPart, table: str, selected: str) -> int:
    """Read what is regular; return how many rows are too short, and refuse what cannot be read."""
    rejects, scans = connection.new_name("rejects"), connection.new_name("scans")
    relation = part.relation(
        "store_rejects=true", "rejects_limit=0", f"rejects_table='{rejects}'", f"rejects_scan='{scans}'"
    )
    connection.run(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {selected} FROM {relation}", "reading")
    found = connection.rows(
        f"SELECT CAST(error_type AS VARCHAR), count(DISTINCT (file_id, line)), min(line) FROM {rejects} GROUP BY 1"
    )
    connection.run(f"DROP TABLE {rejects}")
    connection.run(f"DROP TABLE {scans}")
    errors = {kind: (rows, line) for kind, rows, line in found}
    short, _ = errors.pop("MISSING COLUMNS", (0, 0))
    for kind, complaint in _COMPLAINTS.items():
        if kind in errors:
            rows, line = errors[kind]
            raise DataError(f'{rows:,} rows of "{part.paths[0]}" {complaint} (the first near line {line:,})')
    if errors:
        rows, line = next(iter(errors.values()))
        raise DataError(f'{rows:,} rows of "{part.paths[0]}" cannot be read (the first near line {line:,})')
    return int(short)


_COMPLAINTS = {
    "TOO MANY COLUMNS": "have more fields than the header",
    "UNQUOTED VALUE": "have a quote that does not close",
    "INVALID ENCODING": "are not UTF-8",
    "INVALID UNICODE": "are not UTF-8",
    "LINE SIZE OVER MAXIMUM": "are longer than 8 MB",
}


def _read_padded(connection: Connection, part: TextPart, table: str, selected: str) -> None:
    # Only the sequential reader pads rows in files whose quoted fields hold line breaks.
    relation = part.relation("null_padding=true", "parallel=false")
    connection.run(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {selected} FROM {relation}", "reading")
