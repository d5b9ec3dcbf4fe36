"""The tables of a repository. Rows are added, never changed; the audit log has the digest of each.

Tables of an older version are upgraded; what was signed and logged is never changed.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from idbits.errors import InputError, RepositoryError
from idbits.repository.database import Database, sync_folder, timestamp

__all__ = [
    "VERSION", "accounts", "audit", "create_file", "entries", "guards", "lifted", "logged", "metadata", "migrate",
    "records", "retractions", "revocations", "schema_version",
]  # fmt: skip

VERSION = 3
"""The version that this program reads and writes; ``migrate`` upgrades older ones."""

metadata = sa.MetaData()


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _line() -> sa.Column[int]:
    """Return the column with the row's line number in the audit log."""
    return sa.Column("sequence", sa.Integer, nullable=False, unique=True)


schema_version = sa.Table(
    "schema_version",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    *_texts("applied_at"),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    *_texts("at", "actor", "action", "subject", "digest", "previous"),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
)

entries = sa.Table(
    "entries",
    metadata,
    sa.Column("ref", sa.Text, primary_key=True),
    _line(),
    *_texts("statement", "signature", "public_key", "publisher", "published_at"),
    sa.Column("qid", sa.Text, nullable=False, index=True),
    sa.Column("population", sa.Text, nullable=False, index=True),
    sa.Column("supersedes", sa.Text),
    # Since version 2.
    sa.Column("holder", sa.Text, nullable=False, server_default="", index=True),
    # Since version 3. Before, one holder's entry could take the place of another's: supersedes alone was unique.
    sa.UniqueConstraint("supersedes", "holder", name="entries_supersedes_holder_key"),
)

retractions = sa.Table(
    "retractions", metadata, sa.Column("ref", sa.Text, primary_key=True), _line(), *_texts("reason", "by", "at")
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    _line(),
    *_texts("role"),
    sa.Column("key_id", sa.Text, nullable=False, unique=True),
    *_texts("key_digest"),
    sa.Column("public_key", sa.Text, unique=True),
    sa.Column("stands_for", sa.Text),
    *_texts("created_at"),
)

revocations = sa.Table("revocations", metadata, sa.Column("name", sa.Text, primary_key=True), _line(), *_texts("at"))

# All other records: concepts, holders' tables, questionnaires, decisions. The latest record of a name is valid.
records = sa.Table(
    "records",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False, index=True),
    *_texts("name", "body", "by", "at"),
)

logged = (audit, entries, retractions, accounts, revocations, records)
"""The tables whose rows are never changed: the log, and the tables that it covers."""


def guards(dialect: str) -> list[str]:
    """Return statements that make the database itself refuse to change or delete rows.

    They prevent accidents. An attacker with write access can drop them, but ``verify`` then detects the changes.
    """
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER IF NOT EXISTS {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
            "BEGIN SELECT RAISE(ABORT, 'rows of the repository are never changed'); END"
            for table in logged
            for verb in ("UPDATE", "DELETE")
        ]
    made = [
        "CREATE OR REPLACE FUNCTION idbits_keep() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'rows of the repository are never changed'; END $$"
    ]
    for table in logged:
        made += [
            f"DROP TRIGGER IF EXISTS {table.name}_keep ON {table.name}",
            f"CREATE TRIGGER {table.name}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table.name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION idbits_keep()",
        ]
    return made


def lifted(dialect: str, table: sa.Table) -> list[str]:
    """Return statements that remove the guards of a table during a migration."""
    if dialect == "sqlite":
        return [f"DROP TRIGGER IF EXISTS {table.name}_no_{verb}" for verb in ("update", "delete")]
    return [f"DROP TRIGGER IF EXISTS {table.name}_keep ON {table.name}"]


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
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    except (OSError, NotImplementedError):
        # Some systems and file systems do not support hard links. Windows renames to no existing file.
        with suppress(FileExistsError):
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


def _from_2_to_3(connection: sa.Connection, dialect: str) -> None:
    """Let entries of different holders name the same entry as superseded; only that of its own holder has an effect."""
    for statement in lifted(dialect, entries):
        connection.exec_driver_sql(statement)
    if dialect == "postgresql":
        connection.exec_driver_sql("ALTER TABLE entries DROP CONSTRAINT entries_supersedes_key")
        connection.exec_driver_sql(
            "ALTER TABLE entries ADD CONSTRAINT entries_supersedes_holder_key UNIQUE (supersedes, holder)"
        )
        return
    # SQLite cannot remove a constraint, so the rows move to a new table.
    for index in entries.indexes:
        connection.exec_driver_sql(f"DROP INDEX IF EXISTS {index.name}")
    connection.exec_driver_sql("ALTER TABLE entries RENAME TO entries_of_version_2")
    entries.create(connection)
    names = ", ".join(column.name for column in entries.columns)
    connection.exec_driver_sql(f"INSERT INTO entries ({names}) SELECT {names} FROM entries_of_version_2")
    connection.exec_driver_sql("DROP TABLE entries_of_version_2")


_STEPS: dict[int, Callable[[sa.Connection, str], None]] = {1: _from_1_to_2, 2: _from_2_to_3}
