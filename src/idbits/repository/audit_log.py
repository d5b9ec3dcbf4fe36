"""The audit log: every row that is ever added to a repository, each line with the hash of the line before it.

Whoever changes, adds or removes a row, or a line of the log, leaves something that does not fit (``verification``).
Only who rewrites everything from there on does not, and against that helps a hash of the log that is kept elsewhere
(a receipt).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

import sqlalchemy as sa

from idbits.repository import schema
from idbits.repository.database import timestamp
from idbits.repository.signing import canonical, digest

__all__ = [
    "START", "Line", "head", "insert_logged", "last_record", "lines", "read_records", "row_digest", "write_record",
]  # fmt: skip

START = "0" * 64

# Columns that are not part of what was logged: they follow from the rest, and are checked against it.
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
        """Return the hash that the line must have."""
        hashed = [self.sequence, self.at, self.actor, self.action, self.subject, self.digest, self.previous]
        return digest(canonical(hashed))

    def to_dict(self) -> dict[str, str | int]:
        """Return the line as plain data."""
        return asdict(self)


def row_digest(row: Mapping[str, object]) -> str:
    """Return the digest of a row, as the log keeps it."""
    return digest(canonical({name: value for name, value in row.items() if name not in _DERIVED}))


def head(connection: sa.Connection) -> tuple[int, str]:
    """Return the number and the hash of the last line."""
    table = schema.audit
    last = connection.execute(
        sa.select(table.c.sequence, table.c.hash).order_by(table.c.sequence.desc()).limit(1)
    ).first()
    return (int(last.sequence), str(last.hash)) if last is not None else (0, START)


def lines(connection: sa.Connection, *, after: int = 0, limit: int | None = None) -> Iterator[Line]:
    """Yield the lines of the log in their order."""
    table = schema.audit
    query = sa.select(table).where(table.c.sequence > after).order_by(table.c.sequence)
    for row in connection.execute(query.limit(limit) if limit is not None else query):
        yield Line(**row._mapping)  # noqa: SLF001 (the public name of SQLAlchemy for a row as a mapping)


def insert_logged(
    connection: sa.Connection, table: sa.Table, row: Mapping[str, object], *, actor: str, action: str, subject: str
) -> Line:
    """Add a row to a table and its line to the log, which gives the row its number; only a writing connection may."""
    sequence, previous = head(connection)
    draft = Line(sequence + 1, timestamp(), actor, action, subject, row_digest(row), previous, "")
    line = replace(draft, hash=draft.expected_hash())
    connection.execute(schema.audit.insert().values(**line.to_dict()))
    connection.execute(table.insert().values(sequence=line.sequence, **row))
    return line


def write_record(connection: sa.Connection, kind: str, name: str, body: Mapping[str, object], *, by: str) -> int:
    """Write down a concept, a holder's table, a questionnaire or a decision. Return its line in the log."""
    row = {"kind": kind, "name": name, "body": canonical(body), "by": by, "at": timestamp()}
    # A record is named after its own line.
    subject = f"record:{head(connection)[0] + 1}"
    return insert_logged(connection, schema.records, row, actor=by, action=f"record {kind}", subject=subject).sequence


def read_records(connection: sa.Connection, kind: str, *, every: bool = False) -> list[dict[str, object]]:
    """Return what was written down, in its order: of each name the last, or every one."""
    query = sa.select(schema.records).where(schema.records.c.kind == kind).order_by(schema.records.c.sequence)
    records: dict[int | str, dict[str, object]] = {}
    for row in connection.execute(query):
        key = row.sequence if every else row.name
        records.pop(key, None)
        body = json.loads(row.body)
        # Nothing in the place of a body takes the name off the list.
        if body is not None:
            records[key] = {**body, "recorded_by": row.by, "recorded_at": row.at, "sequence": row.sequence}
    return list(records.values())


def last_record(connection: sa.Connection, kind: str) -> int:
    """Return the line of the last record of a kind; 0 for none."""
    table = schema.records
    return int(connection.execute(sa.select(sa.func.max(table.c.sequence)).where(table.c.kind == kind)).scalar() or 0)
