"""What else is written down: concepts, holders' tables, questionnaires, decisions. The last one of a name counts."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from idbits.repository import audit
from idbits.repository.canonical import canonical
from idbits.repository.migrations import now
from idbits.repository.schema import records

__all__ = ["KINDS", "last_of", "read_records", "write_record"]

KINDS = ("concept", "table", "questionnaire", "decision")


def write_record(connection: sa.Connection, kind: str, name: str, body: dict[str, Any] | None, *, by: str) -> int:
    """Write something down; None for a body takes the name off the list. Return its line in the log."""
    sequence, _ = audit.head(connection)
    row = {"kind": kind, "name": name, "body": canonical(body), "by": by, "at": now()}
    action = f"{'drop' if body is None else 'record'} {kind}"
    line = audit.append(
        connection, actor=by, action=action, subject=f"record:{sequence + 1}", digest_=audit.row_digest(row)
    )
    connection.execute(records.insert().values(sequence=line.sequence, **row))
    return line.sequence


def read_records(connection: sa.Connection, kind: str, *, every: bool = False) -> list[dict[str, Any]]:
    """Return what was written down, in its order: of each name the last, or every one."""
    query = sa.select(records).where(records.c.kind == kind).order_by(records.c.sequence)
    found: dict[Any, dict[str, Any]] = {}
    for row in connection.execute(query):
        body = json.loads(row.body)
        key = row.sequence if every else row.name
        found.pop(key, None)
        if body is not None:
            found[key] = {**body, "recorded_by": row.by, "recorded_at": row.at, "sequence": row.sequence}
    return list(found.values())


def last_of(connection: sa.Connection, kind: str) -> int:
    """Return the number of the last record of a kind; 0 for none."""
    found = connection.execute(sa.select(sa.func.max(records.c.sequence)).where(records.c.kind == kind)).scalar()
    return int(found or 0)
