"""Verification of a repository: the database itself, the log, every row and every signature.

The database is checked first. A row that is missing from an index is found by reading the whole table, but not by a
lookup. So indexes are compared with their tables before anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from idbits.canonical import parse_canonical
from idbits.errors import InputError, RepositoryError
from idbits.repository import schema
from idbits.repository.audit_log import START, Line, lines, row_digest
from idbits.repository.statements import read_statement
from idbits.signing import verifies

__all__ = ["Problem", "check_database", "find_database_problems", "find_problems"]

_MOST_LISTED = 100
_BATCH = 1000
_TABLES = (*schema.logged, schema.schema_version)
_TABLE = "r"
_OTHER_KINDS = {"v": "view", "m": "materialized view", "f": "foreign table", "p": "partitioned table"}
_BY_INDEX = ("enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "enable_sort")
_BY_ROWS = ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan")

# The column that identifies a row, for each table; the log calls the row "entry:..." and so on.
_SUBJECTS: tuple[tuple[str, sa.Table, str], ...] = (
    ("entry", schema.entries, "ref"),
    ("retraction", schema.retractions, "ref"),
    ("account", schema.accounts, "name"),
    ("revocation", schema.revocations, "name"),
    ("record", schema.records, "sequence"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem found in a repository: where, and what."""

    where: str
    what: str


def check_database(connection: sa.Connection) -> None:
    """Refuse a damaged database."""
    for problem in find_database_problems(connection):
        raise RepositoryError(f"the database is damaged: {problem.what}; run idbits repository verify for details")


def find_database_problems(connection: sa.Connection) -> Iterator[Problem]:
    """Yield problems found by the database's own check, and rows that a lookup by index misses."""
    if connection.dialect.name == "sqlite":
        yield from _sqlite_problems(connection)
    else:
        others = list(_other_kinds(connection))
        yield from others
        # Reading a view runs somebody else's code with our rights, so we do not read it.
        if not others:
            yield from _index_problems(connection)


def _sqlite_problems(connection: sa.Connection) -> Iterator[Problem]:
    for (finding,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST_LISTED})"):
        # SQLite names pages, row numbers and indexes, but no values.
        if finding != "ok":
            yield Problem("database", str(finding).strip().replace("\n", "; "))
    for table, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield Problem("database", f"a row of {table} refers to a row that does not exist")
    kinds: dict[str, str] = {
        row[0]: row[1] for row in connection.exec_driver_sql("SELECT name, type FROM sqlite_master")
    }
    for table in _TABLES:
        if kinds.get(table.name, "table") != "table":
            yield Problem("database", f"{table.name} is a {kinds[table.name]} instead of a table")


def _other_kinds(connection: sa.Connection) -> Iterator[Problem]:
    """Yield the tables that PostgreSQL has as something else, such as a view."""
    query = sa.text("SELECT CAST(relkind AS text) FROM pg_catalog.pg_class WHERE oid = to_regclass(:name)")
    for table in _TABLES:
        kind = connection.execute(query, {"name": f'"{table.name}"'}).scalar() or _TABLE
        if kind != _TABLE:
            yield Problem("database", f"{table.name} is a {_OTHER_KINDS.get(kind, 'relation')} instead of a table")


def _index_problems(connection: sa.Connection) -> Iterator[Problem]:
    """Compare each table, read completely, with the rows that PostgreSQL finds through its indexes."""
    for table in _TABLES:
        indexed = _looked_up(table)
        with _without(connection, _BY_ROWS):
            rows = connection.execute(sa.select(*indexed)).all()
        for index, column in enumerate(indexed):
            counts = Counter(row[index] for row in rows if row[index] is not None)
            with _without(connection, _BY_INDEX):
                missing = _count_not_found(connection, column, counts)
                ordered = connection.execute(sa.select(column).where(column.is_not(None)).order_by(column)).all()
            if missing or Counter(value for (value,) in ordered) != counts:
                lost = missing or "some"
                yield Problem("database", f"a lookup in {table.name} by {column.name} misses {lost} of its rows")


def _looked_up(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the columns by which an index finds rows."""
    first = {next(iter(each.columns)) for each in table.constraints if isinstance(each, sa.UniqueConstraint)}
    return [column for column in table.columns if column.primary_key or column.index or column in first]


def _count_not_found(connection: sa.Connection, column: sa.Column[str | int], counts: Counter[str | int]) -> int:
    """Return the number of rows that a lookup by the value of a column misses or finds too often."""
    values, wrong = list(counts), 0
    kind = "bigint" if isinstance(column.type, sa.Integer) else "text"
    query = sa.text(
        f'SELECT v.value, count(t."{column.name}") FROM unnest(CAST(:values AS {kind}[])) AS v(value) '
        f'LEFT JOIN "{column.table.name}" AS t ON t."{column.name}" = v.value GROUP BY v.value'
    )
    for start in range(0, len(values), _BATCH):
        for value, count in connection.execute(query, {"values": values[start : start + _BATCH]}):
            wrong += abs(counts[value] - count)
    return wrong


@contextmanager
def _without(connection: sa.Connection, ways: tuple[str, ...]) -> Iterator[None]:
    """Disable some query plans of PostgreSQL within the transaction."""
    for way in ways:
        connection.exec_driver_sql(f"SET LOCAL {way} = off")
    yield
    for way in ways:
        connection.exec_driver_sql(f"SET LOCAL {way} TO DEFAULT")


def find_problems(connection: sa.Connection, receipt: tuple[int, str] | None = None) -> Iterator[Problem]:
    """Yield all problems: in the chain, between log and rows, in signatures, and with a receipt.

    The tables of a damaged database cannot be trusted, so only the damage is reported then.
    """
    damaged = False
    for problem in find_database_problems(connection):
        damaged = True
        yield problem
    if not damaged:
        yield from _log_problems(connection, receipt)


def _log_problems(connection: sa.Connection, receipt: tuple[int, str] | None) -> Iterator[Problem]:
    logged: dict[str, Line] = {}
    previous, number, receipt_found = START, 0, receipt is None
    for line in lines(connection):
        number += 1
        if line.sequence != number:
            yield Problem(f"line {line.sequence}", f"line {number} should be here")
            number = line.sequence
        if not _is_plain(line.to_dict()) or line.previous != previous or line.hash != line.expected_hash():
            yield Problem(f"line {line.sequence}", "the chain of hashes is broken")
        if line.subject in logged:
            yield Problem(f"line {line.sequence}", f"{line.subject} is logged twice")
        logged[line.subject] = line
        receipt_found |= (line.sequence, line.hash) == receipt
        previous = line.hash
    if not receipt_found:
        yield Problem("log", "the line and hash of the receipt are not in the log")
    yield from _row_problems(connection, logged)


def _row_problems(connection: sa.Connection, logged: dict[str, Line]) -> Iterator[Problem]:
    left = set(logged)
    keys = {row.name: row.public_key for row in connection.execute(sa.select(schema.accounts))}
    for kind, table, name in _SUBJECTS:
        for mapping in connection.execute(sa.select(table)).mappings():
            row = {str(column): value for column, value in mapping.items()}
            subject = f"{kind}:{row[name]}"
            line = logged.get(subject)
            left.discard(subject)
            if line is None:
                yield Problem(subject, "the row is not in the log")
            elif line.sequence != row["sequence"] or not _is_plain(row) or line.digest != row_digest(row):
                yield Problem(subject, "the row differs from the log")
            if kind == "entry" and _is_plain(row):
                yield from _entry_problems(subject, row, keys)
    yield from (Problem(subject, "the row is in the log, but no longer in the database") for subject in sorted(left))


def _is_plain(row: Mapping[str, object]) -> bool:
    """Return whether a row has only text and numbers: SQLite also stores bytes in text columns, which match no text."""
    return all(value is None or isinstance(value, (str, int)) for value in row.values())


def _entry_problems(subject: str, row: Mapping[str, str], keys: Mapping[str, str | None]) -> Iterator[Problem]:
    if not verifies(row["public_key"], row["statement"], row["signature"]):
        yield Problem(subject, "the signature does not verify")
    if keys.get(row["publisher"]) != row["public_key"]:
        yield Problem(subject, "the entry is signed with a key that is not its publisher's")
    try:
        statement = read_statement(parse_canonical(row["statement"]))
    except InputError:
        yield Problem(subject, "the signed text is not a statement")
        return
    if row["holder"] != statement.holder:
        yield Problem(subject, "the column holder differs from the signed statement")
