"""The audit log: one line for every row added to a repository, with the hash of the line before it.

Any change to a row or to a line of the log breaks the chain, and ``verification`` detects it. The exception is an
attacker who rewrites all later lines too. A hash of the log kept elsewhere (a receipt) detects that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa

from idbits.canonical import canonical, digest
from idbits.repository import schema
from idbits.repository.database import timestamp

__all__ = [
    "START", "Line", "head", "insert_logged", "last_record", "latest_record", "lines", "read_record", "read_records",
    "row_digest", "write_record",
]  # fmt: skip

START = "0" * 64

# These columns are left out of the digest: they are derived from the others and checked against them.
_DERIVED = {"sequence", "holder"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log."""

    sequence: int
    at: str
    actor: str
    action: str
    subject: str
    digest: str
    previous: str
    hash: str

    def expected_hash(self) -> str:
        """Return the hash computed from the line's other fields."""
        hashed = [self.sequence, self.at, self.actor, self.action, self.subject, self.digest, self.previous]
        return digest(canonical(hashed))

    def to_dict(self) -> dict[str, str | int]:
        """Return the line as plain data."""
        return asdict(self)


def row_digest(row: Mapping[str, object]) -> str:
    """Return the digest of a row that the log stores."""
    return digest(canonical({name: value for name, value in row.items() if name not in _DERIVED}))


def head(connection: sa.Connection) -> tuple[int, str]:
    """Return the number and the hash of the last line."""
    table = schema.audit
    last = connection.execute(
        sa.select(table.c.sequence, table.c.hash).order_by(table.c.sequence.desc()).limit(1)
    ).first()
    return (int(last.sequence), str(last.hash)) if last is not None else (0, START)


def lines(connection: sa.Connection, *, after: int = 0, limit: int | None = None) -> Iterator[Line]:
    """Yield the lines of the log, oldest first."""
    table = schema.audit
    query = sa.select(table).where(table.c.sequence > after).order_by(table.c.sequence)
    for row in connection.execute(query.limit(limit) if limit is not None else query):
        yield Line(**row._mapping)  # noqa: SLF001 (the public name of SQLAlchemy for a row as a mapping)


def insert_logged(
    connection: sa.Connection, table: sa.Table, row: Mapping[str, object], *, actor: str, action: str, subject: str
) -> Line:
    """Add a row to a table and a line to the log; both get the same number. Needs a writing connection."""
    sequence, previous = head(connection)
    draft = Line(sequence + 1, timestamp(), actor, action, subject, row_digest(row), previous, "")
    line = replace(draft, hash=draft.expected_hash())
    connection.execute(schema.audit.insert().values(**line.to_dict()))
    connection.execute(table.insert().values(sequence=line.sequence, **row))
    return line


def write_record(connection: sa.Connection, kind: str, name: str, body: Mapping[str, object] | None, *, by: str) -> int:
    """Record a concept, a holder's table, a decision and so on; None removes a name from the list of its kind.

    Return its line number in the log.
    """
    row = {"kind": kind, "name": name, "body": canonical(body), "by": by, "at": timestamp()}
    # A record has no other name: it is called by its line number in the log.
    subject = f"record:{head(connection)[0] + 1}"
    return insert_logged(connection, schema.records, row, actor=by, action=f"record {kind}", subject=subject).sequence


def read_records(connection: sa.Connection, kind: str, *, every: bool = False) -> list[dict[str, object]]:
    """Return the records of a kind, oldest first: the latest of each name, or every one."""
    query = sa.select(schema.records).where(schema.records.c.kind == kind).order_by(schema.records.c.sequence)
    records: dict[int | str, dict[str, object]] = {}
    for row in connection.execute(query):
        key = row.sequence if every else row.name
        records.pop(key, None)
        record = _record(row)
        if record is not None:
            records[key] = record
    return list(records.values())


def latest_record(connection: sa.Connection, kind: str, name: str) -> dict[str, Any] | None:
    """Return the latest record of a name; None if there is none, or it was removed."""
    table = schema.records
    query = sa.select(table).where(table.c.kind == kind, table.c.name == name)
    row = connection.execute(query.order_by(table.c.sequence.desc()).limit(1)).first()
    return _record(row) if row is not None else None


def read_record(connection: sa.Connection, sequence: int) -> dict[str, Any] | None:
    """Return the record with a line number; None if there is none."""
    row = connection.execute(sa.select(schema.records).where(schema.records.c.sequence == sequence)).first()
    return _record(row) if row is not None else None


def _record(row: sa.Row[tuple[object, ...]]) -> dict[str, Any] | None:
    """Return a record; None for an empty body, which removes the name from the list."""
    body = json.loads(row.body)
    if body is None:
        return None
    return {**body, "recorded_by": row.by, "recorded_at": row.at, "sequence": row.sequence}


def last_record(connection: sa.Connection, kind: str) -> int:
    """Return the line number of the last record of a kind; 0 if there is none."""
    table = schema.records
    return int(connection.execute(sa.select(sa.func.max(table.c.sequence)).where(table.c.kind == kind)).scalar() or 0)
