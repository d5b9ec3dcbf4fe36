"""A repository of version 1, built by hand as that version did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from helpers import Publisher

from idbits.repository import Repository, schema
from idbits.repository.database import Database

VERSION_1 = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL);
CREATE TABLE audit (sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  subject TEXT NOT NULL, digest TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL UNIQUE);
CREATE TABLE entries (ref TEXT PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE, statement TEXT NOT NULL,
  signature TEXT NOT NULL, public_key TEXT NOT NULL, publisher TEXT NOT NULL, published_at TEXT NOT NULL,
  qid TEXT NOT NULL, population TEXT NOT NULL, supersedes TEXT UNIQUE);
CREATE TABLE retractions (ref TEXT PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE, reason TEXT NOT NULL,
  by TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE accounts (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE, role TEXT NOT NULL,
  key_id TEXT NOT NULL UNIQUE, key_digest TEXT NOT NULL, public_key TEXT UNIQUE, stands_for TEXT,
  created_at TEXT NOT NULL);
CREATE TABLE revocations (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE, at TEXT NOT NULL);
CREATE TABLE records (sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
  by TEXT NOT NULL, at TEXT NOT NULL);
INSERT INTO schema_version VALUES (1, '2026-01-01T00:00:00+00:00');
"""

Rows = list[tuple[str, dict[str, Any]]]


def rows_of_version_1(folder: Path, entries: int = 2) -> Rows:
    """Return rows in the form of version 1: the log's digests do not depend on the version."""
    store = Repository.open(str(folder / "rows.db"))
    city = Publisher(store)
    for number in range(entries):
        city.publish(n_people=1000 + 2000 * number)
    store.extend_vocabulary({"name": "shoe size"}, by="tests")
    found: Rows = []
    with store.database.reading() as connection:
        for table in schema.logged:
            found += [(table.name, dict(row)) for row in connection.execute(sa.select(table)).mappings()]
    store.close()
    return [(name, {key: value for key, value in row.items() if key != "holder"}) for name, row in found]


def make_version_1(database: str, rows: Rows) -> None:
    """Build a database of version 1 by hand, with the rows of a repository."""
    opened = Database(database)
    with opened.engine.begin() as connection:
        for words in VERSION_1.split(";"):
            if words.strip():
                connection.exec_driver_sql(words)
        if opened.dialect == "sqlite":
            connection.exec_driver_sql(
                "CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'never'); END"
            )
        for name, row in rows:
            columns = ", ".join(row)
            places = ", ".join(f":{column}" for column in row)
            connection.execute(sa.text(f"INSERT INTO {name} ({columns}) VALUES ({places})"), row)
    opened.close()
