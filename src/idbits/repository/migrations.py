"""From an older version of the tables to this one. What was signed and logged is never touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import sqlalchemy as sa

from idbits.errors import RepositoryError
from idbits.repository.database import Database
from idbits.repository.schema import VERSION, entries, guards, lifted, metadata, schema_version

__all__ = ["migrate", "now"]


def now() -> str:
    """Return the time, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def migrate(database: Database) -> None:
    """Make the tables of a new repository, or bring an older one to this version, all in one transaction."""
    with database.reading() as connection:
        if _version(connection) == VERSION:
            return
    with database.writing() as connection:
        version = _version(connection)
        if version is None:
            metadata.create_all(connection)
            version = VERSION
            connection.execute(schema_version.insert().values(version=VERSION, applied_at=now()))
        if version > VERSION:
            raise RepositoryError(
                f"this repository has version {version} of the tables, which is newer than this program's {VERSION}"
            )
        for step in range(version, VERSION):
            _STEPS[step](connection, database.dialect)
            connection.execute(schema_version.insert().values(version=step + 1, applied_at=now()))
        for statement in guards(database.dialect):
            connection.exec_driver_sql(statement)


def _version(connection: sa.Connection) -> int | None:
    """Return the version of the tables; None for an empty database."""
    names = set(sa.inspect(connection).get_table_names())
    if schema_version.name in names:
        found = connection.execute(sa.select(sa.func.max(schema_version.c.version))).scalar()
        if found is not None:
            return int(found)
    if names & {table.name for table in metadata.sorted_tables}:
        raise RepositoryError("this database holds other tables under the names that a repository uses")
    return None


def _from_1_to_2(connection: sa.Connection, dialect: str) -> None:
    """Give entries a column with their holder, to find them by; it is filled from what was signed."""
    for statement in lifted(dialect, entries):
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql("ALTER TABLE entries ADD COLUMN holder TEXT NOT NULL DEFAULT ''")
    rows = connection.execute(sa.text("SELECT ref, statement FROM entries")).all()
    for ref, statement in rows:
        connection.execute(
            entries.update().where(entries.c.ref == ref).values(holder=str(json.loads(statement)["holder"]))
        )
    connection.exec_driver_sql("CREATE INDEX ix_entries_holder ON entries (holder)")


_STEPS: dict[int, Callable[[sa.Connection, str], None]] = {1: _from_1_to_2}
