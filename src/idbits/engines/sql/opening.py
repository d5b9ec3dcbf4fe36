"""Opens a table in a database."""

from __future__ import annotations

import sqlalchemy as sa

from idbits.engines.base import OpenOptions, Table
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.catalog import ask_for_table, query_source, table_source
from idbits.engines.sql.connection import DatabaseConnection
from idbits.engines.sql.source import DatabaseSource
from idbits.engines.sql.table import SQLTable
from idbits.errors import InputError
from idbits.file_guard import note_read

__all__ = ["note_database", "open_database"]


def _source(connection: DatabaseConnection, options: OpenOptions) -> DatabaseSource:
    if options.query is not None:
        return query_source(connection, options.query)
    if options.table is None:
        raise ask_for_table(connection)
    return table_source(connection, options.table)


def note_database(address: str) -> None:
    """Register the file of a database, if it has one."""
    _note_file(parse_address(address))


def _note_file(url: sa.URL) -> None:
    if url.host is None and url.database:
        note_read(url.database)


def open_database(source: str | sa.Engine, options: OpenOptions, beside: Table | None = None) -> SQLTable:
    """Open a table or a query of a database, by its address or a SQLAlchemy engine."""
    if options.table is not None and options.query is not None:
        raise InputError("give --table or --query, not both")
    engine = source if isinstance(source, sa.Engine) else engine_of(parse_address(source))
    _note_file(engine.url)
    if isinstance(beside, SQLTable) and beside.connection.engine.url == engine.url:
        return SQLTable(beside.connection, _source(beside.connection, options), options)
    connection = DatabaseConnection(engine, options.timeout, options.progress)
    try:
        return SQLTable(connection, _source(connection, options), options)
    except BaseException:
        connection.close()
        raise
