"""Whether the database itself is whole: rows that its indexes do not lead to are there for some questions only.

Whoever reads a table from end to end finds them; a lookup goes through an index and does not. So indexes are compared
with their tables before anything else is believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from idbits.errors import RepositoryError
from idbits.repository import schema

__all__ = ["Problem", "check_database", "database_problems"]

_MOST_LISTED = 100
_BATCH = 1000
_TABLES = (*schema.logged, schema.schema_version)
_BY_INDEX = ("enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "enable_sort")
_BY_ROWS = ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan")

_TABLE = "r"
_OTHER_KINDS = {"v": "view", "m": "materialized view", "f": "foreign table", "p": "partitioned table"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not fit: where, and what."""

    where: str
    what: str


def check_database(connection: sa.Connection) -> None:
    """Refuse a database that is not whole."""
    for problem in database_problems(connection):
        raise RepositoryError(f"the database is damaged: {problem.what} (idbits repository verify)")


def database_problems(connection: sa.Connection) -> Iterator[Problem]:
    """Yield what the database's own check finds, and rows that are not found by what they are looked up by."""
    if connection.dialect.name == "sqlite":
        yield from _sqlite_problems(connection)
    else:
        others = list(_other_kinds(connection))
        yield from others
        # A view runs what somebody else wrote, with the rights of whoever reads it: it is not read.
        if not others:
            yield from _index_problems(connection)


def _sqlite_problems(connection: sa.Connection) -> Iterator[Problem]:
    for (said,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST_LISTED})"):
        # It names pages, rows by their number, and indexes; no value.
        if said != "ok":
            yield Problem("database", str(said).strip().replace("\n", "; "))
    for table, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield Problem("database", f"a row of {table} refers to one that is not there")
    kinds: dict[str, str] = {
        row[0]: row[1] for row in connection.exec_driver_sql("SELECT name, type FROM sqlite_master")
    }
    for table in _TABLES:
        if kinds.get(table.name, "table") != "table":
            yield Problem("database", f"{table.name} is a {kinds[table.name]} instead of a table")


def _other_kinds(connection: sa.Connection) -> Iterator[Problem]:
    """Yield the tables in whose place PostgreSQL has something else, whose rows come from somewhere else."""
    query = sa.text("SELECT CAST(relkind AS text) FROM pg_catalog.pg_class WHERE oid = to_regclass(:name)")
    for table in _TABLES:
        kind = connection.execute(query, {"name": f'"{table.name}"'}).scalar() or _TABLE
        if kind != _TABLE:
            yield Problem("database", f"{table.name} is a {_OTHER_KINDS.get(kind, 'relation')} instead of a table")


def _index_problems(connection: sa.Connection) -> Iterator[Problem]:
    """Compare each table, read from end to end, with what PostgreSQL finds in it through indexes."""
    for table in _TABLES:
        indexed = [column for column in table.columns if column.primary_key or column.unique or column.index]
        with _without(connection, _BY_ROWS):
            rows = connection.execute(sa.select(*indexed)).all()
        for place, column in enumerate(indexed):
            counts = Counter(row[place] for row in rows if row[place] is not None)
            with _without(connection, _BY_INDEX):
                missing = _not_found(connection, column, counts)
                ordered = connection.execute(sa.select(column).where(column.is_not(None)).order_by(column)).all()
            if missing or Counter(value for (value,) in ordered) != counts:
                lost = missing or "some"
                yield Problem("database", f"looking {table.name} up by {column.name} misses {lost} of its rows")


def _not_found(connection: sa.Connection, column: sa.Column[Any], counts: Counter[Any]) -> int:
    """Return how many rows are not found, or found too often, by the value of a column."""
    values, wrong = list(counts), 0
    kind = "bigint" if isinstance(column.type, sa.Integer) else "text"
    query = sa.text(
        f'SELECT v.value, count(t."{column.name}") FROM unnest(CAST(:values AS {kind}[])) AS v(value) '
        f'LEFT JOIN "{column.table.name}" AS t ON t."{column.name}" = v.value GROUP BY v.value'
    )
    for start in range(0, len(values), _BATCH):
        for value, found in connection.execute(query, {"values": values[start : start + _BATCH]}):
            wrong += abs(counts[value] - found)
    return wrong


@contextmanager
def _without(connection: sa.Connection, ways: tuple[str, ...]) -> Iterator[None]:
    """Keep PostgreSQL from some ways to answer, within the transaction."""
    for way in ways:
        connection.exec_driver_sql(f"SET LOCAL {way} = off")
    yield
    for way in ways:
        connection.exec_driver_sql(f"SET LOCAL {way} TO DEFAULT")
