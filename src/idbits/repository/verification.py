"""Whether a repository is what was put into it: the database itself, the log, every row and every signature.

A damaged database comes first. Rows that its indexes do not lead to are there for some questions only: whoever reads a
table from end to end finds them; a lookup goes through an index and does not. So indexes are compared with their tables
before anything else is believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from idbits.errors import InputError, RepositoryError
from idbits.repository import schema
from idbits.repository.audit_log import START, Line, lines, row_digest
from idbits.repository.signing import parse_canonical, verifies
from idbits.repository.statements import read_statement

__all__ = ["Problem", "check_database", "find_database_problems", "find_problems"]

_MOST_LISTED = 100
_BATCH = 1000
_TABLES = (*schema.logged, schema.schema_version)
_TABLE = "r"
_OTHER_KINDS = {"v": "view", "m": "materialized view", "f": "foreign table", "p": "partitioned table"}
_BY_INDEX = ("enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "enable_sort")
_BY_ROWS = ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan")

# The column that names a row, for each table; the log calls it "entry:..." and so on.
_SUBJECTS: tuple[tuple[str, sa.Table, str], ...] = (
    ("entry", schema.entries, "ref"),
    ("retraction", schema.retractions, "ref"),
    ("account", schema.accounts, "name"),
    ("revocation", schema.revocations, "name"),
    ("record", schema.records, "sequence"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not fit: where, and what."""

    where: str
    what: str


def check_database(connection: sa.Connection) -> None:
    """Refuse a database that is not whole."""
    for problem in find_database_problems(connection):
        raise RepositoryError(f"the database is damaged: {problem.what} (idbits repository verify)")


def find_database_problems(connection: sa.Connection) -> Iterator[Problem]:
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
    for (finding,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST_LISTED})"):
        # It names pages, rows by their number, and indexes; no value.
        if finding != "ok":
            yield Problem("database", str(finding).strip().replace("\n", "; "))
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
        for index, column in enumerate(indexed):
            counts = Counter(row[index] for row in rows if row[index] is not None)
            with _without(connection, _BY_INDEX):
                missing = _count_not_found(connection, column, counts)
                ordered = connection.execute(sa.select(column).where(column.is_not(None)).order_by(column)).all()
            if missing or Counter(value for (value,) in ordered) != counts:
                lost = missing or "some"
                yield Problem("database", f"looking {table.name} up by {column.name} misses {lost} of its rows")


def _count_not_found(connection: sa.Connection, column: sa.Column[str | int], counts: Counter[str | int]) -> int:
    """Return how many rows are not found, or found too often, by the value of a column."""
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
    """Keep PostgreSQL from some ways to answer, within the transaction."""
    for way in ways:
        connection.exec_driver_sql(f"SET LOCAL {way} = off")
    yield
    for way in ways:
        connection.exec_driver_sql(f"SET LOCAL {way} TO DEFAULT")


def find_problems(connection: sa.Connection, kept_head: tuple[int, str] | None = None) -> Iterator[Problem]:
    """Yield all that does not fit: in the chain, between log and rows, in signatures, with a hash kept elsewhere.

    In a database that is damaged, what its tables seem to hold says nothing: then that is all that is said.
    """
    damaged = False
    for problem in find_database_problems(connection):
        damaged = True
        yield problem
    if not damaged:
        yield from _log_problems(connection, kept_head)


def _log_problems(connection: sa.Connection, kept_head: tuple[int, str] | None) -> Iterator[Problem]:
    logged: dict[str, Line] = {}
    previous, number, seen_kept = START, 0, kept_head is None
    for line in lines(connection):
        number += 1
        if line.sequence != number:
            yield Problem(f"line {line.sequence}", f"line {number} should stand here")
            number = line.sequence
        if not _is_plain(line.to_dict()) or line.previous != previous or line.hash != line.expected_hash():
            yield Problem(f"line {line.sequence}", "the chain of hashes is broken")
        if line.subject in logged:
            yield Problem(f"line {line.sequence}", f"{line.subject} is logged twice")
        logged[line.subject] = line
        seen_kept |= (line.sequence, line.hash) == kept_head
        previous = line.hash
    if not seen_kept:
        yield Problem("log", "the hash that was kept elsewhere is not in the log")
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
                yield Problem(subject, "it is not in the log")
            elif line.sequence != row["sequence"] or not _is_plain(row) or line.digest != row_digest(row):
                yield Problem(subject, "it is not what was logged")
            if kind == "entry" and _is_plain(row):
                yield from _entry_problems(subject, row, keys)
    yield from (Problem(subject, "it is in the log, but no longer there") for subject in sorted(left))


def _is_plain(row: Mapping[str, object]) -> bool:
    """Whether a row holds text and numbers. SQLite keeps bytes in a column of texts, where no text is equal to them."""
    return all(value is None or isinstance(value, (str, int)) for value in row.values())


def _entry_problems(subject: str, row: Mapping[str, str], keys: Mapping[str, str | None]) -> Iterator[Problem]:
    if not verifies(row["public_key"], row["statement"], row["signature"]):
        yield Problem(subject, "the signature does not verify")
    if keys.get(row["publisher"]) != row["public_key"]:
        yield Problem(subject, "it is signed with a key that is not its publisher's")
    try:
        statement = read_statement(parse_canonical(row["statement"]))
    except InputError:
        yield Problem(subject, "what was signed is no statement")
        return
    if row["holder"] != statement.holder:
        yield Problem(subject, "the column that it is found by does not say what was signed")
