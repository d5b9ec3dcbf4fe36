"""Loads an opened source as the view on which everything is counted.

Text files are read into a table once, and every irregular row is accounted for. DuckDB reads regular files in parallel
and in strict mode. Files that it rejects or is known to misread are rewritten first (``engines/sources/rewrite.py``).
Short rows are padded with nulls and counted; long rows are an error that states their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from idbits.engines import where
from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import decimal_comma
from idbits.engines.duckdb.filter import FilterColumns, compile_filter
from idbits.engines.duckdb.sources import DuckDBSource, TextPart
from idbits.engines.sources.encoding import UTF8, shown_path, text_lines
from idbits.engines.sources.rewrite import rewrite, survey
from idbits.errors import DataError
from idbits.values.attributes import Kind
from idbits.wording import counted

__all__ = ["LoadedView", "load_view"]

_MAX_PEOPLE = 2**63 - 1


@dataclass(frozen=True, slots=True)
class LoadedView:
    """A view with columns c0, c1, ...; ``cells`` maps column names to them.

    Counted tables also have a column weight; filtered tables in order have a column number (of the row in the source).
    ``unfiltered`` is the query of the same columns for all rows, with ``kept`` true for those that pass the filter.
    ``columns`` has one query per column (with the weight).
    """

    view: str
    cells: dict[str, str]
    columns: dict[str, str]
    unfiltered: str
    notes: tuple[str, ...]


def load_view(
    connection: DuckDBConnection,
    source: DuckDBSource,
    columns: Sequence[str],
    condition: where.Where | None,
    count: str | None,
    in_order: bool = False,
) -> LoadedView:
    """Create the filtered view of the columns; text files are read into a table first."""
    connection.run(f"SET preserve_insertion_order = {str(in_order).lower()}")
    relation = source.relation
    notes: list[str] = []
    if source.parts:
        wanted = {*columns, *([count] if count else [])}
        wanted |= {column.name for column in where.columns_of(condition)} if condition else set()
        relation, notes = _read_text(connection, source.parts, [name for name in source.types if name in wanted])
    if any(duckdb_type in ("FLOAT", "DOUBLE") for duckdb_type in source.types.values()):
        # Parquet statistics ignore NaN, and DuckDB would conclude that there is none.
        connection.run("SET disabled_optimizers = 'statistics_propagation'")
    commas = _check_numbers(connection, relation, condition, source.cells) if condition is not None else set()
    cells = {name: f"c{position}" for position, name in enumerate(columns)}
    selected = [
        f"{values.comparable(source.cells[name], source.types[name])} AS {cell}" for name, cell in cells.items()
    ]
    if count is not None:
        selected.append(f"{values.count_of(source.cells[count], values.kind_of(source.types[count]))} AS weight")
    if in_order and condition is not None:
        relation = f"(SELECT *, row_number() OVER () AS idbits_number FROM {relation})"
        selected.append("idbits_number AS number")
    view = connection.new_name("table")
    kept = (
        compile_filter(condition, FilterColumns(source.cells, source.types, commas))
        if condition is not None
        else "true"
    )
    filtered = f" WHERE {kept}" if condition is not None else ""
    connection.run(
        f"CREATE TEMP VIEW {view} AS SELECT {', '.join(selected) or '1 AS nothing'} FROM {relation}{filtered}"
    )
    if count is not None:
        _check_counts(connection, view, count)
    unfiltered = f"SELECT {', '.join([*selected, f'coalesce({kept}, false) AS kept'])} FROM {relation}"
    # DuckDB plans all columns of a view for each query: thousands of columns cost more than the rows.
    further = selected[len(cells) :]
    single = {
        name: f"SELECT {', '.join([value, *further])} FROM {relation}{filtered}"
        for name, value in zip(cells, selected, strict=False)
    }
    return LoadedView(view, cells, single, unfiltered, tuple(notes))


def _check_numbers(
    connection: DuckDBConnection, relation: str, condition: where.Where, cells: Mapping[str, str]
) -> set[str]:
    """Check that columns that the filter compares with numbers are numbers; return those with a decimal comma."""
    commas = set()
    for column in sorted(where.columns_of(condition), key=lambda column: column.name):
        if not column.as_number:
            continue
        cell = cells[column.name]
        if decimal_comma(connection, relation, cell):
            commas.add(column.name)
            continue
        unfit = f"{cell} IS NOT NULL AND NOT coalesce({values.is_number(cell, Kind.TEXT)}, false)"
        (rows,) = connection.counts(f"SELECT count(*) FROM {relation} WHERE {unfit}", "filtering")
        if rows:
            raise DataError(
                f'column "{column.name}" has {counted(rows, "value")} that cannot be read as a number, '
                "but the filter compares it with a number (put it in quotes to compare text)"
            )
    return commas


def _check_counts(connection: DuckDBConnection, view: str, count: str) -> None:
    bad, people = connection.counts(f"SELECT count(*) FILTER (weight IS NULL), coalesce(sum(weight), 0) FROM {view}")
    if bad:
        raise DataError(
            f'the count column "{count}" must contain whole numbers of at least 0; in '
            f"{counted(bad, 'row')} it is empty or contains something else"
        )
    if people > _MAX_PEOPLE:
        raise DataError(f'the count column "{count}" adds up to more than 2^63 people; check the column')


def _read_text(
    connection: DuckDBConnection, parts: Sequence[TextPart], columns: Sequence[str]
) -> tuple[str, list[str]]:
    """Read the columns of text files into a table; return its name and notes."""
    table = connection.new_name("text")
    # If only the number of rows is needed, read the first column.
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
        verb = "is" if short == 1 else "are"
        notes.append(f"{counted(short, 'row')} {verb} shorter than the header: the last columns are null")
    return table, notes


def _read_directly(
    connection: DuckDBConnection, part: TextPart, path: Path, table: str, columns: Sequence[str]
) -> bool:
    """Read a regular file; return whether every row was regular (if not, nothing is kept)."""
    seen = survey(path, part.dialect, nulls=bool(part.nulls))
    if not seen.regular:
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
    (rejected,) = connection.counts(f"SELECT count(*) FROM {rejects}")
    for name in (rejects, scans):
        connection.run(f"DROP TABLE {name}")
    (rows,) = connection.counts(f"SELECT count(*) FROM {fresh}")
    if rejected or not seen.agrees(part.dialect, rows):
        connection.run(f"DROP TABLE {fresh}")
        return False
    if connection.counts(f"SELECT count(*) FROM {table}")[0]:
        connection.run(f"INSERT INTO {table} SELECT * FROM {fresh}", "reading")
        connection.run(f"DROP TABLE {fresh}")
    else:
        connection.run(f"DROP TABLE {table}")
        connection.run(f"ALTER TABLE {fresh} RENAME TO {table}")
    return True


def _read_rewritten(
    connection: DuckDBConnection, part: TextPart, path: Path, table: str, columns: Sequence[str], notes: list[str]
) -> int:
    """Read an irregular file; return the number of short rows."""
    dialect = part.dialect
    if dialect.encoding == UTF8 and not part.encoding_given and not _is_utf8(path):
        dialect = replace(dialect, encoding="cp1252")
    if dialect.encoding != UTF8 and not part.encoding_given:
        notes.append(f"{shown_path(path)} is not UTF-8; we assumed {dialect.encoding} (change with --encoding)")
    target = connection.folder / f"{connection.new_name('rewritten')}.csv"
    with connection.progress.step("reading an irregular file"):
        rewritten = rewrite(path, dialect, columns, target)
    clean = replace(dialect, delimiter=",", quote='"', names=tuple(columns), packing="none", header=True, lead=None)
    # A character takes up to four bytes.
    relation = replace(part, paths=(target,), dialect=clean, longest_row=4 * rewritten.longest_row).relation()
    (rows,) = connection.counts(f"INSERT INTO {table} SELECT * FROM {relation}", "reading")
    target.unlink()
    if rows != rewritten.rows:
        missing = counted(rewritten.rows - rows, "row")
        raise DataError(f"{shown_path(path)} has {missing} that cannot be read, probably because a row is too long")
    return rewritten.short_rows


def _is_utf8(path: Path) -> bool:
    try:
        for _ in text_lines(path, UTF8):
            pass
    except DataError as error:
        if isinstance(error.__cause__, UnicodeError):
            return False
        raise
    return True
