"""Reading text files into a table once, with every irregular row accounted for.

DuckDB reads regular files in parallel and in strict mode. Whatever it rejects, and whatever it is known to read in its
own way, is rewritten first (``engines/sources/rewrite.py``). Rows that are too short are padded with nulls and
counted; rows that are too long are an error with their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from idbits.engines.duckdb.connection import Connection
from idbits.engines.duckdb.sources import TextPart
from idbits.engines.sources.encoding import UTF8
from idbits.engines.sources.rewrite import rewrite, survey
from idbits.errors import DataError
from idbits.wording import counted

__all__ = ["read_text"]


def read_text(connection: Connection, parts: Sequence[TextPart], columns: Sequence[str]) -> tuple[str, list[str]]:
    """Read the columns of text files into a table; return its name and what there is to say."""
    table = connection.new_name("text")
    # A file of which nothing but the number of rows is wanted is read by its first column.
    selected = list(columns) or [parts[0].dialect.names[0]]
    cells = ", ".join(f"{parts[0].cells[name]} VARCHAR" for name in selected)
    connection.run(f"CREATE TEMP TABLE {table} ({cells})")
    notes: list[str] = []
    short = 0
    for part in parts:
        for path in part.paths:
            if not _read_directly(connection, part, path, table, selected):
                short += _read_rewritten(connection, part, path, table, selected, notes)
    if short:
        notes.append(f"padded with nulls: {counted(short, 'row')} shorter than the header")
    return table, notes


def _read_directly(connection: Connection, part: TextPart, path: Path, table: str, columns: Sequence[str]) -> bool:
    """Read a regular file; return whether every row was regular (if not, nothing was kept)."""
    look = survey(path, part.dialect, nulls=bool(part.nulls))
    if not look.regular:
        return False
    part = replace(part, paths=(path,))
    rejects, scans, fresh = (connection.new_name(what) for what in ("rejects", "scans", "fresh"))
    relation = part.relation(
        "store_rejects=true", "rejects_limit=0", f"rejects_table='{rejects}'", f"rejects_scan='{scans}'"
    )
    selected = ", ".join(part.cells[name] for name in columns)
    try:
        connection.run(f"CREATE TEMP TABLE {fresh} AS SELECT {selected} FROM {relation}", "reading")
    except DataError as error:
        if isinstance(error.__cause__, duckdb.InvalidInputException):
            return False
        raise
    (rejected,) = connection.one(f"SELECT count(*) FROM {rejects}")
    for name in (rejects, scans):
        connection.run(f"DROP TABLE {name}")
    (rows,) = connection.one(f"SELECT count(*) FROM {fresh}")
    if rejected or not look.agrees(part.dialect, rows):
        connection.run(f"DROP TABLE {fresh}")
        return False
    if connection.one(f"SELECT count(*) FROM {table}")[0]:
        connection.run(f"INSERT INTO {table} SELECT * FROM {fresh}", "reading")
        connection.run(f"DROP TABLE {fresh}")
    else:
        connection.run(f"DROP TABLE {table}")
        connection.run(f"ALTER TABLE {fresh} RENAME TO {table}")
    return True


def _read_rewritten(
    connection: Connection, part: TextPart, path: Path, table: str, columns: Sequence[str], notes: list[str]
) -> int:
    """Read an irregular file; return how many of its rows were too short."""
    dialect = part.dialect
    if dialect.encoding == UTF8 and not part.encoding_given and not _is_utf8(path):
        dialect = replace(dialect, encoding="cp1252")
    if dialect.encoding != UTF8 and not part.encoding_given:
        notes.append(f'"{path}" is not UTF-8 and was read as {dialect.encoding} (say otherwise with --encoding)')
    target = connection.folder / f"{connection.new_name('rewritten')}.csv"
    with connection.progress.step("reading an irregular file"):
        found = rewrite(path, dialect, columns, target)
    clean = replace(dialect, delimiter=",", quote='"', names=tuple(columns), packing="none", header=True)
    # A character takes up to four bytes.
    relation = replace(part, paths=(target,), dialect=clean, longest_row=4 * found.longest_row).relation()
    (rows,) = connection.one(f"INSERT INTO {table} SELECT * FROM {relation}", "reading")
    target.unlink()
    if rows != found.rows:
        missing = counted(found.rows - rows, "row")
        raise DataError(f'"{path}" has {missing} that cannot be read, probably because a row is too long')
    return found.short_rows


def _is_utf8(path: Path) -> bool:
    from idbits.engines.sources.encoding import text_lines

    try:
        for _ in text_lines(path, UTF8):
            pass
    except DataError as error:
        if isinstance(error.__cause__, UnicodeError):
            return False
        raise
    return True
