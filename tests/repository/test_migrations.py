"""A repository of version 1, built by hand as that version did, is migrated to this version and verifies."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from helpers import Publisher
from version_1 import Rows, make_version_1, rows_of_version_1

from idbits.errors import RepositoryError
from idbits.repository import Repository, schema
from idbits.repository.database import Database


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return rows_of_version_1(tmp_path)


def test_version_1_is_migrated(database: str, rows: Rows) -> None:
    make_version_1(database, rows)
    with closing(Repository.open(database)) as store:
        assert store.verify() == []
        assert len(store.entries(holder="City").entries) == 2
        with store.database.reading() as connection:
            versions = connection.execute(sa.select(schema.schema_version.c.version)).scalars().all()
            indexes = {one["name"] for one in sa.inspect(connection).get_indexes("entries")}
        assert sorted(versions) == [1, 2, 3]
        assert "ix_entries_holder" in indexes
        with pytest.raises(sa.exc.DatabaseError, match="never changed"), store.database.engine.begin() as connection:
            connection.execute(sa.text("UPDATE entries SET holder = 'x'"))
        Publisher(store, "other", "Other").publish(n_people=9000)
    with closing(Repository.open(database)) as again:
        assert again.verify() == []


def test_a_migration_that_fails_changes_nothing(database: str, rows: Rows) -> None:
    make_version_1(database, rows)
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
