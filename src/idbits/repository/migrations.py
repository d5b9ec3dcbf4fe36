"""Migrations from older versions of the tables. They never change signed or logged content."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from idbits.errors import InputError, RepositoryError
from idbits.repository.database import Database, sync_folder, timestamp
from idbits.repository.schema import VERSION, entries, guards, lifted, metadata, schema_version

__all__ = ["create_file", "migrate"]


def create_file(path: Path) -> None:
    """Create the file of a new repository. It gets its name when it is complete, so that a crash leaves all or nothing.

    If another process creates the file at the same time, that one is used.
    """
    path = path.resolve()
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        database = Database(str(draft))
    except InputError as error:
        raise InputError(str(error).replace(draft.name, path.name)) from error
    try:
        try:
            migrate(database)
        finally:
            # When the last connection closes, SQLite moves everything into the file itself.
            database.close()
        _give_name(draft, path)
        sync_folder(path.parent)
    except OSError as error:
        raise InputError(f'"{path}" cannot be created: {error.strerror}') from error
    finally:
        for end in ("", "-wal", "-shm"):
            draft.with_name(f"{draft.name}{end}").unlink(missing_ok=True)


def _give_name(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems do not support hard links.
        if not path.exists():
            draft.rename(path)


def migrate(database: Database, *, create: bool = True) -> None:
    """Create the tables of a new repository, or migrate an older one to this version, in one transaction.

    Args:
        database: the database.
        create: whether to create the tables in an empty database.
    """
    with database.reading() as connection:
        version = _version(connection)
    if version == VERSION:
        return
    if version is None and not create:
        where = f'"{database.path}" is not a repository' if database.path else "there is no repository in this database"
        raise RepositoryError(where)
    with database.writing() as connection:
        version = _version(connection)
        if version is None:
            metadata.create_all(connection)
            version = VERSION
            connection.execute(schema_version.insert().values(version=VERSION, applied_at=timestamp()))
        if version > VERSION:
            raise RepositoryError(
                f"this repository needs a newer idbits: its tables have version {version}, and this one reads {VERSION}"
            )
        if version not in {*_STEPS, VERSION}:
            raise RepositoryError("the database is damaged: its tables have an unknown version")
        for step in range(version, VERSION):
            _STEPS[step](connection, database.dialect)
            connection.execute(schema_version.insert().values(version=step + 1, applied_at=timestamp()))
        for statement in guards(database.dialect):
            connection.exec_driver_sql(statement)


def _version(connection: sa.Connection) -> int | None:
    """Return the version of the tables; None for an empty database."""
    names = set(sa.inspect(connection).get_table_names())
    if schema_version.name in names:
        version = connection.execute(sa.select(sa.func.max(schema_version.c.version))).scalar()
        if version is not None:
            return int(version)
    if names & {table.name for table in metadata.sorted_tables}:
        raise RepositoryError(
            "this database has other tables with the names that a repository uses; choose another database"
        )
    return None


def _from_1_to_2(connection: sa.Connection, dialect: str) -> None:
    """Add a column with the holder to the entries, to search by; it is filled from the signed statements."""
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
