"""Loads an opened source as the view on which everything is counted.

Text files are read into a table once, and every irregular row is accounted for. DuckDB reads regular files in parallel
and in strict mode. Files that it rejects or is known to misread are rewritten first (``engines/sources/rewrite.py``).
Short rows are padded with nulls and counted; long rows are an error that states their number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import ClassVar, Literal

import duckdb

from idbits.engines import where
from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import decimal_comma
from idbits.engines.duckdb.filter import FilterColumns, compile_filter
from idbits.engines.duckdb.sampling import draw_one_in, drawn_value, row_hash
from idbits.engines.duckdb.sources import DuckDBSource, TextPart
from idbits.engines.sources.dialect import Dialect
from idbits.engines.sources.encoding import UTF8, open_unpacked, shown_path, text_lines
from idbits.engines.sources.rewrite import may_be_regular, rewrite, survey
from idbits.errors import DataError, IdbitsError
from idbits.values.attributes import Kind
from idbits.wording import counted

__all__ = ["LoadedView", "irregular_dialect", "load_view", "note_short_rows"]

_MAX_PEOPLE = 2**63 - 1
_DRAWN = "idbits_drawn"
_FIRST_BYTES = 1 << 16
# The most spare columns to read, and the most cells of them.
_SPARE_COLUMNS = 200
_SPARE_CELLS = 20_000_000
# Text files shrink to about a quarter when they are packed.
_PACKED = 4


@dataclass(frozen=True, slots=True)
class _WantedCells:
    """The columns to read of a text file, and those of which one row in ``one_in`` is drawn by hash, as a list.

    Spare columns are read, too, but do not decide which rows are drawn.
    """

    used: tuple[str, ...]
    sampled: tuple[str, ...]
    one_in: int
    spare: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which all rows are read."""
        return tuple(dict.fromkeys((*self.used, *self.spare)))

    @property
    def every(self) -> tuple[str, ...]:
        """All columns, each once."""
        return tuple(dict.fromkeys((*self.columns, *self.sampled)))

    def selected(self, part: TextPart) -> str:
        """Return the SQL after SELECT."""
        cells = [part.cells[name] for name in self.columns]
        if self.sampled:
            hashed = row_hash({part.cells[name]: Kind.TEXT for name in dict.fromkeys((*self.used, *self.sampled))})
            drawn = ", ".join(part.cells[name] for name in self.sampled)
            cells.append(f"CASE WHEN {hashed} % {self.one_in} = 0 THEN [{drawn}] END AS {_DRAWN}")
        return ", ".join(cells)


@dataclass(frozen=True, slots=True)
class LoadedView:
    """A view with columns c0, c1, ..., created when it is first used; ``cells`` maps column names to them.

    Counted tables also have a column weight; filtered tables in order have a column number (of the row in the source).
    ``unfiltered`` is the query of the same columns for all rows, with ``kept`` true for those that pass the filter.
    ``selected`` has the SQL of each cell, ``further`` that of weight and number, ``source`` what follows FROM.
    ``sample`` is the query of the rows drawn by hash, if any columns are sampled: row (a hash) and s0, s1, ... for the
    columns in ``sampled``. ``knows_rows`` says whether cells are stored with the number of their row.
    ``cells_as_read`` is the query of the view with the cells r0, r1, ... as they were read.
    The columns ``in_use`` are those of the view; further ones can be queried.
    """

    knows_rows: ClassVar[bool] = False

    view: str
    cells: dict[str, str]
    selected: Mapping[str, str]
    further: tuple[str, ...]
    source: str
    unfiltered: str
    notes: tuple[str, ...]
    sampled: tuple[str, ...] = ()
    sample: str = ""
    cells_as_read: str = ""
    in_use: tuple[str, ...] = ()

    def query(self, columns: Iterable[str]) -> str:
        """Return the query of some of the columns (with the weight and the number).

        DuckDB plans all columns of a view for each query: thousands of columns cost more than the rows.
        """
        selected = [*(self.selected[name] for name in columns), *self.further] or ["1 AS nothing"]
        return f"SELECT {', '.join(selected)} FROM {self.source}"

    def stacked(self, columns: Sequence[str], also: Literal["", "row", "weight"] = "") -> str:
        """Return the query of columns of one type under each other: value, col (from 0), and the row or its weight.

        Hundreds of columns side by side take seconds to plan.
        """
        rows = f"({self.query(columns)})"
        if also == "row":
            rows = f"(SELECT *, row_number() OVER () AS row FROM {rows})"
        cells = ", ".join(self.cells[name] for name in columns)
        kept = f"{also}, " if also else ""
        return f"SELECT {kept}unnest([{cells}]) AS value, unnest(range({len(columns)})) AS col FROM {rows}"

    @property
    def rows(self) -> str:
        """The query of the rows with only one column (and the weight), to count them."""
        return self.query(itertools.islice(self.cells, 1))


def load_view(
    connection: DuckDBConnection,
    source: DuckDBSource,
    columns: Sequence[str],
    condition: where.Where | None,
    count: str | None,
    in_order: bool = False,
    sampled: Sequence[str] = (),
    spare: Sequence[str] = (),
) -> LoadedView:
    """Describe the filtered view of the columns; text files are read into a table first."""
    connection.run(f"SET preserve_insertion_order = {str(in_order).lower()}")
    in_use, relation = tuple(columns), source.relation
    notes: list[str] = []
    if source.parts:
        wanted = {*columns, *([count] if count else [])}
        wanted |= {column.name for column in where.columns_of(condition)} if condition else set()
        used = [name for name in source.types if name in wanted]
        spare = spare if _are_few(source.parts, spare) else ()
        columns = list(dict.fromkeys([*columns, *spare]))
        relation, notes = _read_text(connection, source.parts, used, sampled, spare)
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
    of_columns, further = dict(zip(cells, selected, strict=False)), tuple(selected[len(cells) :])
    if count is not None:
        _check_counts(connection, f"(SELECT {further[0]} FROM {relation}{filtered})", count)
    unfiltered = f"SELECT {', '.join([*selected, f'coalesce({kept}, false) AS kept'])} FROM {relation}"
    drawn = _sample(connection, source, sampled, relation, kept) if sampled else ""
    as_read = [f"{source.cells[name]} AS r{position}" for position, name in enumerate(columns)]
    everything = f"SELECT {', '.join([*selected, *as_read]) or '1 AS nothing'} FROM {relation}{filtered}"
    return LoadedView(
        view, cells, of_columns, further, f"{relation}{filtered}", unfiltered, tuple(notes), tuple(sampled), drawn,
        everything, in_use,
    )  # fmt: skip


def _sample(
    connection: DuckDBConnection, source: DuckDBSource, sampled: Sequence[str], relation: str, kept: str
) -> str:
    """Return the query of the rows drawn by hash that pass the filter."""
    if source.parts:
        # The cells of these rows are in a list, drawn while the file was read.
        cells = ", ".join(f"{_DRAWN}[{position + 1}] AS s{position}" for position in range(len(sampled)))
        return f"SELECT hash({_DRAWN}) AS row, {cells} FROM {relation} WHERE {_DRAWN} IS NOT NULL AND {kept}"
    (n_rows,) = connection.counts(f"SELECT count(*) FROM {relation}")
    drawn = [drawn_value(source.cells[name], source.types[name]) for name in sampled]
    hashed = row_hash({source.cells[name]: values.kind_of(source.types[name]) for name in sampled})
    cells = ", ".join(f"{value} AS s{position}" for position, value in enumerate(drawn))
    chosen = f"{hashed} % {draw_one_in(n_rows, len(sampled))} = 0"
    return f"SELECT {hashed} AS row, {cells} FROM {relation} WHERE {chosen} AND {kept}"


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


def _check_counts(connection: DuckDBConnection, rows: str, count: str) -> None:
    bad, people = connection.counts(f"SELECT count(*) FILTER (weight IS NULL), coalesce(sum(weight), 0) FROM {rows}")
    if bad:
        raise DataError(
            f'the count column "{count}" must contain whole numbers of at least 0; in '
            f"{counted(bad, 'row')} it is empty or contains something else"
        )
    if people > _MAX_PEOPLE:
        raise DataError(f'the count column "{count}" adds up to more than 2^63 people; check the column')


def _read_text(
    connection: DuckDBConnection,
    parts: Sequence[TextPart],
    columns: Sequence[str],
    sampled: Sequence[str],
    spare: Sequence[str],
) -> tuple[str, list[str]]:
    """Read the columns of text files into a table, and a sample of others; return its name and notes."""
    table = connection.new_name("text")
    # If only the number of rows is needed, read the first column.
    wanted = _WantedCells(
        tuple(columns) or (parts[0].dialect.names[0],),
        tuple(sampled),
        draw_one_in(sum(map(_estimated_rows, parts)), len(sampled)) if sampled else 1,
        tuple(spare),
    )
    cells = [f"{parts[0].cells[name]} VARCHAR" for name in wanted.columns]
    connection.run(f"CREATE TEMP TABLE {table} ({', '.join([*cells, *([f'{_DRAWN} VARCHAR[]'] if sampled else [])])})")
    notes: list[str] = []
    short = 0
    for part in parts:
        for path in part.paths:
            if not _read_directly(connection, part, path, table, wanted):
                short += _read_rewritten(connection, part, path, table, wanted, notes)
    notes += note_short_rows(short)
    return table, notes


def note_short_rows(number: int) -> list[str]:
    """Return the note about rows that lack cells, if there are any."""
    verb = "is" if number == 1 else "are"
    note = f"{counted(number, 'row')} {verb} shorter than the header: the last columns are null"
    return [note] if number else []


def _are_few(parts: Sequence[TextPart], spare: Sequence[str]) -> bool:
    """Whether spare columns are read together with the others."""
    if not 0 < len(spare) <= _SPARE_COLUMNS:
        return False
    return sum(map(_estimated_rows, parts)) * len(spare) <= _SPARE_CELLS


def _estimated_rows(part: TextPart) -> int:
    """Estimate the rows of text files from their size and their first lines, whose length is that of the others."""
    size = sum(path.stat().st_size for path in part.paths) * (1 if part.dialect.packing == "none" else _PACKED)
    with open_unpacked(part.paths[0]) as (_, stream):
        first = stream.read(_FIRST_BYTES)
    return size * max(1, first.count(b"\n")) // max(1, len(first))


def _read_directly(connection: DuckDBConnection, part: TextPart, path: Path, table: str, wanted: _WantedCells) -> bool:
    """Read a regular file; return whether every row was regular (if not, nothing is kept)."""
    if not may_be_regular(part.dialect):
        return False
    part = replace(part, paths=(path,))
    rejects, scans, fresh = (connection.new_name(what) for what in ("rejects", "scans", "fresh"))
    relation = part.relation(
        "store_rejects=true", "rejects_limit=0", f"rejects_table='{rejects}'", f"rejects_scan='{scans}'"
    )
    # The file is surveyed while DuckDB reads it; what was read of an irregular file does not count.
    stopped = Event()
    with ThreadPoolExecutor(1, thread_name_prefix="idbits-survey") as pool:
        surveyed = pool.submit(survey, path, part.dialect, nulls=bool(part.nulls), stopped=stopped)
        try:
            connection.run(f"CREATE TEMP TABLE {fresh} AS SELECT {wanted.selected(part)} FROM {relation}", "reading")
        except IdbitsError as error:
            if isinstance(error.__cause__, duckdb.InvalidInputException) or not surveyed.result().regular:
                stopped.set()
                return False
            raise
        except BaseException:
            stopped.set()
            raise
    seen = surveyed.result()
    (rejected,) = connection.counts(f"SELECT count(*) FROM {rejects}")
    for name in (rejects, scans):
        connection.run(f"DROP TABLE {name}")
    (rows,) = connection.counts(f"SELECT count(*) FROM {fresh}")
    if rejected or not seen.regular or not seen.agrees(part.dialect, rows):
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
    connection: DuckDBConnection, part: TextPart, path: Path, table: str, wanted: _WantedCells, notes: list[str]
) -> int:
    """Read an irregular file; return the number of short rows."""
    dialect = irregular_dialect(part, path, notes)
    target = connection.folder / f"{connection.new_name('rewritten')}.csv"
    with connection.progress.step("reading an irregular file"):
        rewritten = rewrite(path, dialect, wanted.every, target)
    clean = replace(dialect, delimiter=",", quote='"', names=wanted.every, packing="none", header=True, lead=None)
    # A character takes up to four bytes.
    relation = replace(part, paths=(target,), dialect=clean, longest_row=4 * rewritten.longest_row).relation()
    (rows,) = connection.counts(f"INSERT INTO {table} SELECT {wanted.selected(part)} FROM {relation}", "reading")
    target.unlink()
    if rows != rewritten.rows:
        missing = counted(rewritten.rows - rows, "row")
        raise DataError(f"{shown_path(path)} has {missing} that cannot be read, probably because a row is too long")
    return rewritten.short_rows


def irregular_dialect(part: TextPart, path: Path, notes: list[str]) -> Dialect:
    """Return the dialect of a file that DuckDB does not read; a file that is not UTF-8 gets another encoding."""
    dialect = part.dialect
    if dialect.encoding == UTF8 and not part.encoding_given and not _is_utf8(path):
        dialect = replace(dialect, encoding="cp1252")
    if dialect.encoding != UTF8 and not part.encoding_given:
        notes.append(f"{shown_path(path)} is not UTF-8; we assumed {dialect.encoding} (change with --encoding)")
    return dialect


def _is_utf8(path: Path) -> bool:
    try:
        for _ in text_lines(path, UTF8):
            pass
    except DataError as error:
        if isinstance(error.__cause__, UnicodeError):
            return False
        raise
    return True
