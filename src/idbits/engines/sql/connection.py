"""A database connection with limits: read-only, one snapshot, a time limit; Ctrl-C cancels queries in the server."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, NoSuchTableError, SQLAlchemyError

from idbits.engines.base import Row
from idbits.engines.sql.dialect import SqlDialect
from idbits.engines.sql.mysql import MariaDB, MySQL
from idbits.engines.sql.postgresql import PostgreSQL
from idbits.engines.sql.sqlite import SQLite, add_functions, set_guard
from idbits.engines.sql.warehouses import BigQuery, Databricks, Oracle, Snowflake, SQLServer, Trino
from idbits.errors import DataError, EngineError, InputError
from idbits.progress import Progress

if TYPE_CHECKING:
    import psycopg
    import pymysql

__all__ = ["DatabaseConnection", "sql_dialect_of", "statement_text"]

T = TypeVar("T")

_PATIENCE = 5.0
# PyMySQL's type and length of a column BIT(1).
_ONE_BIT, _BOOLEAN = (16, 1), -1
_BATCH = 50_000
_MULTI_STATEMENTS = 1 << 16
_MULTI_STATEMENTS_OFF = 1
_DIALECTS: Mapping[str, type[SqlDialect]] = {
    "postgresql": PostgreSQL,
    "mysql": MySQL,
    "mariadb": MariaDB,
    "sqlite": SQLite,
    "mssql": SQLServer,
    "oracle": Oracle,
    "snowflake": Snowflake,
    "bigquery": BigQuery,
    "trino": Trino,
    "databricks": Databricks,
}


class DatabaseConnection:
    """Runs queries in a separate thread, so that Ctrl-C and time limits reach the server.

    Attributes:
        one_statement_each: whether the server refuses several statements at once.
        pinned: statements that restore the session's settings before each query, because a function could change them.
    """

    def __init__(self, engine: sa.Engine, timeout: int | None, progress: Progress) -> None:
        self.engine = engine
        self.timeout = timeout
        self.progress = progress
        self.pinned: Sequence[sa.Executable] = ()
        try:
            self.raw = self._cancellable(lambda: _connected(engine), lambda: None)
        except DBAPIError as error:
            raise EngineError(f"the database cannot be reached: {_reason(error)}") from error
        except sqlite3.Error as error:
            raise DataError(
                "the file cannot be read as a SQLite database: it is damaged, or not a SQLite file"
            ) from error
        try:
            self.dialect = sql_dialect_of(engine.dialect)
            self.one_statement_each = _send_statements_singly(self.driver, engine.dialect)
            if engine.dialect.name == "sqlite":
                add_functions(cast("sqlite3.Connection", self.driver))
            for statement in self.dialect.session(timeout):
                self.raw.exec_driver_sql(statement)
            if engine.dialect.name == "sqlite":
                set_guard(cast("sqlite3.Connection", self.driver))
        except DBAPIError as error:
            self.close()
            if engine.dialect.name == "sqlite":
                raise DataError("the file cannot be read as a SQLite database: it is damaged or locked") from error
            raise EngineError(f"the database refuses a read-only session: {_reason(error)}") from error
        except BaseException:
            self.close()
            raise

    @property
    def driver(self) -> DBAPIConnection:
        """The driver's connection beneath SQLAlchemy's."""
        driver = self.raw.connection.dbapi_connection
        assert driver is not None
        return driver

    def close(self) -> None:
        """Close the connection and ignore errors."""
        with contextlib.suppress(SQLAlchemyError, OSError):
            self.raw.close()

    def text(self, query: sa.ClauseElement) -> str:
        """Return the SQL of a query with its literals."""
        return statement_text(query, self.engine.dialect)

    def prepare(self, settings: Sequence[str]) -> None:
        """Run statements that change settings of the session."""
        with self.errors():
            for statement in settings:
                self.raw.exec_driver_sql(statement).close()

    def rows(self, query: sa.Executable, label: str = "counting") -> list[Row]:
        """Run a query and return its rows."""
        return [row for batch in self.batches(query, label) for row in batch]

    def row(self, query: sa.Executable, label: str = "counting") -> Row:
        """Run a query and return its only row."""
        return self.rows(query, label)[0]

    def counts(self, query: sa.Executable, label: str = "counting") -> tuple[int, ...]:
        """Run a query and return its only row as whole numbers."""
        return tuple(map(int, self.row(query, label)))

    def describe(self, query: sa.Executable) -> tuple[list[str], list[object], list[int | None]]:
        """Run a query that returns no rows; return the names, the driver's types and the scales of its columns."""
        with self.errors():
            result = self._run(query)
            cursor = result.cursor
            description = (cursor.description if cursor is not None else None) or ()
            result.close()
        scales = [column[5] if len(column) > 5 and isinstance(column[5], int) else None for column in description]
        # PostgreSQL's boolean has the same two numbers.
        bits = self.engine.dialect.name in ("mysql", "mariadb")
        codes = [_BOOLEAN if bits and tuple(column[1:4:2]) == _ONE_BIT else column[1] for column in description]
        return [column[0] for column in description], codes, scales

    def batches(self, query: sa.Executable, label: str = "counting") -> Iterator[list[Row]]:
        """Run a query and return its rows in batches."""
        with self.progress.step(label), self.errors():
            result = self._run(query)
            while batch := self._cancellable(lambda: result.fetchmany(_BATCH), self._cancel):
                yield [tuple(row) for row in batch]

    def _run(self, query: sa.Executable) -> sa.CursorResult[Row]:
        for statement in self.pinned:
            self.raw.execute(statement).close()
        return self._cancellable(lambda: self.raw.execute(query), self._cancel)

    def _cancellable(self, work: Callable[[], T], cancel: Callable[[], None]) -> T:
        outcome: list[T] = []
        failure: list[BaseException] = []
        done = threading.Event()

        def run() -> None:
            try:
                outcome.append(work())
            except BaseException as error:  # noqa: BLE001 (raised again below, in the thread that waits)
                failure.append(error)
            done.set()

        threading.Thread(target=run, daemon=True).start()
        # A database without a time limit of its own is stopped from here, slightly later.
        limit = None if self.timeout is None else self.timeout + _PATIENCE
        try:
            in_time = done.wait(limit)
        except BaseException:
            cancel()
            done.wait(_PATIENCE)
            raise
        if not in_time:
            cancel()
            done.wait(_PATIENCE)
            raise EngineError(_too_long(self.timeout))
        if failure:
            raise failure[0]
        return outcome[0]

    def _cancel(self) -> None:
        """Stop the running query in the server."""
        with contextlib.suppress(Exception):
            if self.engine.dialect.name in ("mysql", "mariadb"):
                thread = int(cast("pymysql.Connection", self.driver).thread_id())
                with self.engine.connect() as other:
                    other.exec_driver_sql(f"KILL QUERY {thread}")
                return
            for name in ("cancel_safe", "interrupt", "cancel"):
                if hasattr(self.driver, name):
                    getattr(self.driver, name)()
                    return
            self.driver.close()

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Translate database errors into messages without values."""
        try:
            yield
        except NoSuchTableError:
            raise
        except DBAPIError as error:
            raise _translated(error, self.timeout) from error
        except SQLAlchemyError as error:
            if isinstance(getattr(error, "orig", None), KeyError):
                # Older versions take such a part of the SQL for a parameter, if the driver numbers its parameters.
                raise EngineError("texts and names such as %(a)s need SQLAlchemy 2.1.5 or later") from error
            raise EngineError(f"the query cannot be translated for this database ({type(error).__name__})") from error


def _connected(engine: sa.Engine) -> sa.Connection:
    connection = engine.connect()
    if engine.dialect.name in ("postgresql", "mysql", "mariadb"):
        # The user's engine may commit automatically; a session would then not be one transaction.
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
    # Session settings must not return to a pool, so the connection is closed for good.
    connection.detach()
    return connection


def statement_text(query: sa.ClauseElement, dialect: sa.Dialect) -> str:
    """Return the SQL of a query in a dialect, with its literals."""
    compiled = query.compile(dialect=dialect, compile_kwargs={"literal_binds": True})
    text = str(compiled)
    # Drivers with %s parameters need a doubled percent sign, which readers of the SQL do not.
    return text.replace("%%", "%") if dialect.paramstyle in ("format", "pyformat") else text


def _too_long(timeout: int | None) -> str:
    return f"the database did not answer within {timeout} seconds; allow more with --timeout"


_STATES = {
    "42501": "this role may not read the table (grant SELECT on it)",
    "42P01": "the table does not exist, or no longer exists",
    "42703": "a column does not exist, or no longer exists",
    "57P01": "the connection to the database was lost",
    "25006": "the query would change data, but idbits only reads",
    "0A000": "the database cannot count this query; give a plain SELECT",
    "1142": "this role may not read the table (grant SELECT on it)",
    "1143": "this role may not read a column (grant SELECT on it)",
    "1146": "the table does not exist, or no longer exists",
    "1412": "the table changed while it was read; try again",
    "1051": "the table does not exist, or no longer exists",
    "1054": "a column does not exist, or no longer exists",
    "1792": "the query would change data, but idbits only reads",
}
# SQLite has no error numbers, only texts.
_PHRASES = {
    "no such table": _STATES["42P01"],
    "no such column": _STATES["42703"],
    "readonly": _STATES["25006"],
    "read-only": _STATES["25006"],
    "query_only": _STATES["25006"],
    "not a database": "the file cannot be read as a SQLite database: it is damaged, or not a SQLite file",
    "malformed": "the file cannot be read as a SQLite database: it is damaged",
}
_TIMEOUTS = ("57014", "1969", "3024")
_LOST = ("57P02", "57P03", "08000", "08003", "08006", "2006", "2013", "1927", "1053")
_KILLED = ("1317",)


def _state(error: DBAPIError) -> str:
    # PyMySQL's numbers are more precise than the standard states that it also provides.
    arguments = getattr(error.orig, "args", ())
    number = arguments[0] if arguments and isinstance(arguments[0], int) else None
    return str(number or getattr(error.orig, "sqlstate", None) or "")


def _translated(error: DBAPIError, timeout: int | None) -> EngineError | InputError:
    """Translate a database error without repeating its text, which may contain values."""
    state, text = _state(error), str(error.orig).lower()
    if state in _TIMEOUTS and "user request" not in text:
        return EngineError(_too_long(timeout))
    if error.connection_invalidated or state in _LOST or _sounds_lost(text):
        return EngineError("the connection to the database was lost")
    if state in _STATES:
        return EngineError(_STATES[state])
    if state in _TIMEOUTS or state in _KILLED or "interrupted" in text:
        return EngineError("the query was stopped in the database")
    phrase = next((meaning for part, meaning in _PHRASES.items() if part in text), None)
    if phrase is not None:
        return EngineError(phrase)
    if "not authorized" in text or "prohibited" in text or "unsafe use" in text:
        return InputError("the query does more than read and compute, but idbits only reads")
    if state == "1060":
        return InputError("the query has two columns with the same name; rename one with AS")
    if state.startswith("42") or state == "1064" or "syntax error" in text:
        return InputError(f"the database does not understand the query ({state})")
    return EngineError(f"the database failed ({state or type(error.orig).__name__})")


def _sounds_lost(text: str) -> bool:
    return any(
        part in text
        for part in ("server closed", "connection is lost", "lost connection", "gone away", "connection is closed",
                      "terminating connection", "consuming input failed", "broken pipe", "(0, '')")
    )  # fmt: skip


def _reason(error: DBAPIError) -> str:
    """Return why a connection failed, in one line: such messages name hosts and roles, never values."""
    cause = error.orig
    arguments: tuple[object, ...] = getattr(cause, "args", ())
    text = str(arguments[1] if len(arguments) > 1 and isinstance(arguments[0], int) else cause)
    return " ".join(text.split("\n")[0].split()) or type(cause).__name__


def _send_statements_singly(driver: DBAPIConnection, dialect: sa.Dialect) -> bool:
    """Make a connection refuse several statements at once; return whether the server enforces it."""
    name = dialect.name
    if name == "postgresql":
        return dialect.driver == "psycopg" and _prepare_everything(cast("psycopg.Connection[Row]", driver))
    if name in ("mysql", "mariadb"):
        if hasattr(driver, "set_server_option"):  # mysqlclient allows them by default
            driver.set_server_option(_MULTI_STATEMENTS_OFF)
            return True
        flags = getattr(driver, "client_flag", None)
        return isinstance(flags, int) and not flags & _MULTI_STATEMENTS
    return name == "sqlite"


def _prepare_everything(driver: psycopg.Connection[Row]) -> bool:
    """Make psycopg 3 prepare every statement: otherwise it would use the simple protocol without parameters."""
    import psycopg

    driver.cursor_factory = psycopg.Cursor  # the user's engine may insert parameters into the text
    driver.prepare_threshold = 0
    return True


def sql_dialect_of(dialect: sa.Dialect) -> SqlDialect:
    """Return the SQL dialect of a database."""
    name = "mariadb" if getattr(dialect, "is_mariadb", False) else dialect.name
    if name not in _DIALECTS:
        known = ", ".join(sorted(kind.label for kind in _DIALECTS.values()))
        raise InputError(f"idbits does not support this database; it supports {known}")
    return _DIALECTS[name]()
