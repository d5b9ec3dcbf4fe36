"""A repository of version 1, made by hand as that version made it, is brought to this version and verifies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from helpers import Publisher

from idbits.errors import RepositoryError
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


def version_1(database: str, rows: Path) -> None:
    """Make a database of version 1 by hand, with the rows of a repository."""
    opened = Database(database)
    names = [table.name for table in schema.metadata.sorted_tables if table.name != "schema_version"]
    with opened.engine.begin() as connection:
        for words in VERSION_1.split(";"):
            if words.strip():
                connection.exec_driver_sql(words)
        if opened.dialect == "sqlite":
            connection.exec_driver_sql(
                "CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'never'); END"
            )
        for name, row in json.loads(rows.read_text()):
            assert name in names
            row.pop("holder", None)
            columns = ", ".join(row)
            places = ", ".join(f":{column}" for column in row)
            connection.execute(sa.text(f"INSERT INTO {name} ({columns}) VALUES ({places})"), row)
    opened.close()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Rows as version 1 had them: the log's digests do not depend on the version."""
    store = Repository.open(str(tmp_path / "rows.db"))
    city = Publisher(store)
    city.publish()
    city.publish(n_people=3000)
    store.extend_vocabulary({"name": "shoe size"}, by="tests")
    found = []
    with store.database.reading() as connection:
        for table in schema.metadata.sorted_tables:
            if table.name != "schema_version":
                found += [(table.name, dict(row)) for row in connection.execute(sa.select(table)).mappings()]
    store.close()
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(found))
    return file


def test_version_1_is_migrated(database: str, rows: Path) -> None:
    version_1(database, rows)
    store = Repository.open(database)
    assert store.verify() == []
    assert len(store.entries(holder="City").entries) == 2
    with store.database.reading() as connection:
        versions = connection.execute(sa.select(schema.schema_version.c.version)).scalars().all()
        indexes = {one["name"] for one in sa.inspect(connection).get_indexes("entries")}
    assert sorted(versions) == [1, 2]
    assert "ix_entries_holder" in indexes
    with pytest.raises(sa.exc.DatabaseError, match="never changed"), store.database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE entries SET holder = 'x'"))
    Publisher(store, "other", "Other").publish(n_people=9000)
    store.close()
    again = Repository.open(database)
    assert again.verify() == []
    again.close()


def test_a_migration_that_fails_changes_nothing(database: str, rows: Path) -> None:
    version_1(database, rows)
    opened = Database(database)
    with opened.engine.begin() as connection:
        if opened.dialect == "sqlite":
            connection.exec_driver_sql("DROP TRIGGER entries_no_update")
        connection.exec_driver_sql("UPDATE entries SET statement = '{}'")
    with pytest.raises(KeyError):
        Repository.open(database)
    with opened.engine.begin() as connection:
        assert "holder" not in {one["name"] for one in sa.inspect(connection).get_columns("entries")}
        assert connection.exec_driver_sql("SELECT max(version) FROM schema_version").scalar() == 1
    opened.close()


def test_a_newer_version_is_left_alone(database: str) -> None:
    Repository.open(database).close()
    opened = Database(database)
    with opened.engine.begin() as connection:
        connection.execute(schema.schema_version.insert().values(version=99, applied_at="later"))
    with pytest.raises(RepositoryError, match="newer"):
        Repository.open(database)
    opened.close()


def test_somebody_else_s_tables_are_left_alone(database: str) -> None:
    opened = Database(database)
    with opened.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE accounts (id INTEGER)")
    with pytest.raises(RepositoryError, match="other tables"):
        Repository.open(database)
    opened.close()
