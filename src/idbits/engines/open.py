"""Opens the source that a user names as a table of the engine that can count it."""

from __future__ import annotations

import contextlib
import glob
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from idbits.command_sources import add_sources
from idbits.engines.base import OpenOptions, Source, Table
from idbits.engines.sources.files import ADDRESSES, NO_ADDRESS, Format, find_files, format_of, is_file_source, stamps
from idbits.errors import DataError, InputError
from idbits.file_guard import note_read, note_standard_input
from idbits.storage import expand_home
from idbits.wording import listed_names

if TYPE_CHECKING:
    import pyspark.sql
    import sqlalchemy

    from idbits.engines.duckdb.connection import DuckDBConnection
    from idbits.engines.duckdb.sources import DuckDBSource

__all__ = ["NO_PYSPARK", "counts_on_spark", "is_database", "note_sources", "open_table"]

NO_PYSPARK = "Spark is not installed; run pip install 'idbits[spark]'"

_LEAST_MEMORY = 64 * 10**6


def open_table(
    source: Source, options: OpenOptions | None = None, *, beside: Table | None = None, leave_room: bool = False
) -> Table:
    """Open a path, a glob of paths, a folder, ``-`` for standard input, a list of paths, a database or a frame.

    A table opened ``beside`` another shares its engine, so that the engine can match the two. With ``leave_room`` it
    takes half of the memory and leaves the rest to the code that works on its rows.
    """
    from idbits.engines.duckdb import DuckDBTable
    from idbits.engines.duckdb.connection import DuckDBConnection
    from idbits.engines.duckdb.sources import frame_source

    options = options or OpenOptions()
    source = _unwrapped(source)
    if counts_on_spark(source, options):
        return _open_spark(source, options, beside)
    if leave_room and options.memory is not None:
        options = replace(options, memory=max(_LEAST_MEMORY, options.memory // 2))
    if options.master is not None:
        raise InputError("--master is for Spark; add --engine spark")
    if is_database(source):
        return _open_database(source, options, beside)
    if options.query is not None:
        raise InputError("--query is for databases; for a file use --columns and --where")
    # This engine can only repeat the order of rows if it is the order of the source.
    options = replace(options, in_order=options.in_order or options.repeatable)
    shared = beside.connection if isinstance(beside, DuckDBTable) else None
    connection = shared or DuckDBConnection(
        options.memory, options.threads, options.progress, in_order=options.in_order
    )
    try:
        if is_file_source(source):
            opened = _open_files(connection, find_files(source, connection.folder), options)
        else:
            opened = frame_source(connection, source)
        return DuckDBTable(connection, opened, options)
    except BaseException:
        if shared is None:
            connection.close()
        raise


def note_sources(*sources: str | None) -> None:
    """Register the files that sources name before any is opened, so that a wrong output is refused at once."""
    add_sources(*sources)
    for source in sources:
        if source == "-":
            note_standard_input()
        elif source is not None and is_database(source):
            # A wrong name is refused when the source is opened.
            with contextlib.suppress(InputError, ImportError):
                import_module("idbits.engines.sql.table").note_database(source)
        elif source is not None:
            name = expand_home(source)
            paths = [name] if Path(name).exists() else glob.glob(name, recursive=True)  # noqa: PTH207
            for path in paths:
                note_read(path)


def is_database(source: Source) -> TypeGuard[str | sqlalchemy.Engine]:
    """Whether a source is a database: its address, or a SQLAlchemy engine."""
    if isinstance(source, str):
        return re.match(r"[A-Za-z][A-Za-z0-9_.+-]*://", source) is not None
    return type(source).__module__.startswith("sqlalchemy.") and hasattr(source, "connect")


def is_spark_frame(source: Source) -> TypeGuard[pyspark.sql.DataFrame]:
    """Whether a source is a Spark frame, decided without importing PySpark."""
    return type(source).__module__.startswith("pyspark.") and hasattr(source, "columns")


def _unwrapped(source: Source) -> Source:
    """Return the frame inside a frame of narwhals, and any other source as it is."""
    if type(source).__module__.startswith("narwhals.") and hasattr(source, "to_native"):
        return source.to_native()
    return source


def counts_on_spark(source: Source, options: OpenOptions) -> bool:
    """Whether Spark counts a source."""
    return options.engine == "spark" or is_spark_frame(source)


def _open_spark(source: Source, options: OpenOptions, beside: Table | None) -> Table:
    try:
        from idbits.engines.spark.table import open_spark
    except ImportError:
        raise InputError(NO_PYSPARK) from None
    return open_spark(source, options, beside)


def _open_database(source: str | sqlalchemy.Engine, options: OpenOptions, beside: Table | None) -> Table:
    try:
        from idbits.engines.sql.table import open_database
    except ImportError:
        if isinstance(source, str) and source.partition("://")[0].lower() in ADDRESSES:
            raise InputError(NO_ADDRESS) from None
        raise InputError("database support is not installed; run pip install 'idbits[sql]'") from None
    return open_database(source, options, beside)


def _open_files(connection: DuckDBConnection, paths: list[Path], options: OpenOptions) -> DuckDBSource:
    from idbits.engines.duckdb import sources
    from idbits.engines.duckdb.json_lines import json_source
    from idbits.engines.sources.archive import unpack_archives

    seen = stamps(paths)
    unpacked = unpack_archives(paths, connection.folder, options.table, connection.progress)
    paths, options = unpacked.paths, replace(options, table=unpacked.table)
    kind = format_of(paths)
    if unpacked.table is not None and unpacked.tables and kind is not Format.SQLITE:
        raise InputError(f'no table named "{unpacked.table}"{listed_names(unpacked.tables)}')
    if options.header_row is not None and kind not in (Format.TEXT, Format.EXCEL):
        raise InputError(f"--header-row is for text files and workbooks; {kind} files have their own column names")
    if kind is Format.PARQUET:
        opened = sources.parquet_source(connection, paths)
    elif kind is Format.TEXT:
        opened = sources.text_source(paths, options)
    elif kind is Format.JSON_LINES:
        opened = json_source(connection, paths)
    else:
        opened = _open_foreign(connection, paths, kind, options)
    opened.stamps = seen
    opened.notes[:0] = unpacked.notes
    return opened


def _open_foreign(connection: DuckDBConnection, paths: list[Path], kind: Format, options: OpenOptions) -> DuckDBSource:
    import pyarrow

    from idbits.engines.duckdb.sources import frame_source
    from idbits.engines.sources.foreign import check_room, read_foreign

    check_room(paths, kind, options.memory)
    tables: list[pyarrow.Table] = []
    notes: list[str] = []
    for path in paths:
        table, remarks = read_foreign(
            path,
            kind,
            sheet=options.sheet,
            header_row=options.header_row,
            table=options.table,
            memory=options.memory,
        )
        tables.append(table)
        notes.extend(note for note in remarks if note not in notes)
    try:
        joined = tables[0] if len(tables) == 1 else pyarrow.concat_tables(tables, promote_options="permissive")
    except pyarrow.ArrowInvalid as error:
        raise DataError(
            "a column has different types in different files; convert the files to the same types"
        ) from error
    opened = frame_source(connection, joined)
    opened.notes.extend(notes)
    return opened
