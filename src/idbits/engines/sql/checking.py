"""Before a --query or a view is counted: does it only read? One answer for each database."""

from __future__ import annotations

from idbits.engines.sql import mysql_functions, postgresql_functions, warehouse_functions
from idbits.engines.sql.connection import Connection
from idbits.engines.sql.one_select import OneSelect, one_select
from idbits.engines.sql.tokens import RULES
from idbits.errors import InputError

__all__ = ["check_view", "checked_query"]


def checked_query(connection: Connection, text: str) -> OneSelect | None:
    """Return a query that only reads, or None where the text is the name of a view."""
    dialect = connection.engine.dialect.name
    if dialect in ("mysql", "mariadb"):
        query = one_select(text, "mysql", mysql_functions.lexical_rules(connection))
    else:
        query = one_select(text, dialect, RULES[dialect])
    if query is None:
        return None
    if dialect in ("postgresql", "mysql", "mariadb"):
        if not connection.one_statement_each:
            raise InputError(
                "a --query needs a driver that sends one statement at a time: "
                "postgresql+psycopg://, or mysql+pymysql:// without the flag for several statements"
            )
        (postgresql_functions if dialect == "postgresql" else mysql_functions).check_query(connection, query)
    elif dialect == "sqlite":
        # SQLite asks about each function itself (sqlite_guard.py); those that idbits adds are not for queries.
        if any(token.value.lower().startswith("idbits_") for token in query.names):
            raise InputError("the query calls a function of idbits itself")
    else:
        warehouse_functions.check_query(query)
    return query


def check_view(connection: Connection, schema: str | None, table: str) -> None:
    """Raise where a table is a view that does more than read; SQLite checks that by itself."""
    dialect = connection.engine.dialect.name
    if dialect == "postgresql":
        full = ".".join('"' + part.replace('"', '""') + '"' for part in (schema, table) if part is not None)
        postgresql_functions.check_view(connection, full)
    elif dialect in ("mysql", "mariadb"):
        mysql_functions.check_view(connection, table)
