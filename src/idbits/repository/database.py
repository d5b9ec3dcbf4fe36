"""The database of a repository: a SQLite file, by default in the user's data folder, or PostgreSQL by URL.

One writer at a time: the audit log is a chain, and all other entries decide whether a new one may be published.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from idbits.errors import InputError, RepositoryError
from idbits.file_guard import note_read
from idbits.storage import expand_home

__all__ = ["Database", "data_folder", "sqlite_path", "sync_folder", "timestamp"]

_PATIENCE_SECONDS = 60
# An arbitrary number that no other program is likely to use for its lock.
_LOCK = 7_413_906_551
_REASONS = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_BUSY": "another program is using it",
    "SQLITE_READONLY": "it is read-only",
    "SQLITE_CANTOPEN": "its file cannot be opened",
    "SQLITE_CORRUPT": "its file is damaged",
    "SQLITE_NOTADB": "its file is not a SQLite database",
    "53100": "the disk is full",
    "25006": "it is read-only",
}
"""Failures that an operator can fix, by SQLite's error name or SQLSTATE."""


def data_folder() -> Path:
    """Return the folder of this user's repository."""
    given = os.environ.get("IDBITS_DATA")
    if given:
        return Path(expand_home(given))
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "idbits"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "idbits"
        return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "idbits"
    except RuntimeError:
        # A user of a container, for example.
        raise InputError("this user has no home folder; set IDBITS_DATA to a folder for the data of idbits") from None


def sqlite_path(address: str | None) -> Path | None:
    """Return the file of a SQLite database; None for PostgreSQL."""
    url = _url(address)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder survive a power cut, if the system can sync folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def timestamp() -> str:
    """Return the current time as stored in rows: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Database:
    """An open database."""

    def __init__(self, address: str | None = None, *, create: bool = True) -> None:
        url = _url(address)
        if url.get_backend_name() == "sqlite":
            self.path: Path | None = Path(url.database or "")
            note_read(self.path)
            _prepare(self.path, create=create)
        else:
            self.path = None
        self.engine = _engine(url)
        self._writer = threading.Lock()

    @property
    def dialect(self) -> str:
        """sqlite or postgresql."""
        return self.engine.dialect.name

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Provide a connection that sees one consistent snapshot of the database."""
        with _failures_as_sentences(), self.engine.connect() as connection:
            if self.dialect == "postgresql":
                # Otherwise each statement would see its own snapshot, including entries published in between.
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Provide the only connection that may write; its changes are committed when the block ends."""
        with _failures_as_sentences(), self._writer:
            if self.dialect == "sqlite":
                with self.engine.connect() as connection:
                    connection = connection.execution_options(idbits_writes=True)
                    with connection.begin():
                        yield connection
            else:
                with self.engine.connect() as connection:
                    # Set whatever the server's default is: a snapshot from the first statement would be from before
                    # the lock.
                    connection = connection.execution_options(isolation_level="READ COMMITTED")
                    with connection.begin():
                        # Lock before reading anything, so that we read what the last writer left.
                        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                        yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


@contextmanager
def _failures_as_sentences() -> Iterator[None]:
    """Report database failures in one sentence that contains no value."""
    try:
        yield
    except DBAPIError as error:
        code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None)
        # A failure before any statement is a failure to connect.
        unknown = type(error.orig).__name__ if error.statement is not None else "it cannot be reached"
        why = _REASONS.get(code or "", unknown)
        raise RepositoryError(f"the database of the repository failed ({why})") from error
    except SQLAlchemyError as error:
        raise RepositoryError(f"the database of the repository failed ({type(error).__name__})") from error


def _url(address: str | None) -> sa.URL:
    if address is None:
        return sa.URL.create("sqlite", database=str(data_folder() / "repository.db"))
    if "://" not in address:
        return sa.URL.create("sqlite", database=address)
    try:
        url = sa.make_url(address)
    except ArgumentError:
        raise InputError(
            "the address of the repository's database is not a valid URL; write it as postgresql://host/name"
        ) from None
    if url.password:
        raise InputError("the database URL must not contain a password; put it in PGPASSWORD or .pgpass")
    if url.get_backend_name() == "sqlite":
        if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
            raise InputError("a SQLite repository must be a file; write it as sqlite:///path/repository.db")
        return sa.URL.create("sqlite", database=url.database)
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise InputError("the database of a repository must be SQLite or PostgreSQL")
    return url.set(drivername="postgresql+psycopg")


def _prepare(path: Path, *, create: bool) -> None:
    """Create the file of a new repository, readable only by its owner because it contains digests of keys."""
    if path.exists():
        _check_not_empty(path)
        return
    if not create:
        raise RepositoryError(f'there is no repository at "{path}"')
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError as error:
        raise InputError(f'"{path}" cannot be created: {error.strerror}') from error


def _check_not_empty(path: Path) -> None:
    """Refuse an empty file, whose content is lost. SQLite may still have content in the log next to it."""
    try:
        parts = [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-journal"))]
        if path.is_file() and not any(part.exists() and part.stat().st_size for part in parts):
            raise RepositoryError(f'"{path}" is an empty file, not a repository; delete it to create a new one')
    except OSError as error:
        raise InputError(f'"{path}" cannot be opened: {error.strerror}') from error


def _engine(url: sa.URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return sa.create_engine(
                url, pool_size=10, max_overflow=30, pool_timeout=_PATIENCE_SECONDS, pool_pre_ping=True
            )
        except (NoSuchModuleError, ImportError) as error:
            raise InputError(
                "PostgreSQL needs the package psycopg; install it with pip install 'idbits[sql]'"
            ) from error
    engine = sa.create_engine(
        url,
        pool_size=20,
        max_overflow=60,
        pool_timeout=_PATIENCE_SECONDS,
        connect_args={"timeout": _PATIENCE_SECONDS, "check_same_thread": False},
    )

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _: object) -> None:
        # We begin transactions ourselves (below), so the driver must not.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        # Acknowledged entries must survive a power cut.
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _on_begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("idbits_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
