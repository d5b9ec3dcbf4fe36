"""The three databases that run for real, ways to run the command, and a record of what crosses to it."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import databases
from commands import run, spawn, start

__all__ = ["run", "spawn", "start"]


@dataclass(frozen=True)
class Database:
    """A database, and a way to change it that is none of idbits."""

    name: str
    address: str

    def run(self, *statements: str) -> None:
        """Run statements, each in a transaction of its own."""
        for statement in statements:
            with databases.writer(self.address).begin() as connection:
                connection.exec_driver_sql(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with databases.writer(self.address).begin() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

    def slow_query(self, column: str, seconds: int) -> str:
        """Return a query that sleeps, by a function that somebody has declared harmless: pg_sleep itself is refused."""
        if self.name == "postgresql":
            self.run(
                "CREATE OR REPLACE FUNCTION nap(seconds int) RETURNS int LANGUAGE plpgsql STABLE AS "
                "'BEGIN PERFORM pg_sleep(seconds); RETURN 1; END'"
            )
        else:
            self.run(
                "CREATE OR REPLACE FUNCTION nap(seconds int) RETURNS int DETERMINISTIC NO SQL RETURN SLEEP(seconds)"
            )
        return f"SELECT nap({seconds}) AS {column}"

    def fill(self, name: str, columns: Sequence[sa.Column[Any]], rows: Sequence[dict[str, Any]]) -> None:
        """Make a table anew and fill it."""
        databases.fill(self.address, sa.Table(name, sa.MetaData(), *(column._copy() for column in columns)), rows)


def database_of(name: str, folder: Path) -> Database:
    """Return a database that runs."""
    if name == "sqlite":
        return Database(name, f"sqlite:///{folder / 'people.db'}")
    return Database(name, databases.postgresql_address() if name == "postgresql" else databases.mariadb_address())


@pytest.fixture(scope="module")
def postgresql() -> Database:
    return Database("postgresql", databases.postgresql_address())


@pytest.fixture(scope="module")
def mariadb() -> Database:
    return Database("mariadb", databases.mariadb_address())


@pytest.fixture
def sqlite(tmp_path: Path) -> Database:
    return Database("sqlite", f"sqlite:///{tmp_path / 'people.db'}")


@pytest.fixture(scope="module", params=["postgresql", "mariadb", "sqlite"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Every database that runs for real."""
    return database_of(request.param, tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def server(request: pytest.FixtureRequest) -> Database:
    """The databases that are servers."""
    return database_of(request.param, Path())


@dataclass
class Crossed:
    """The statements that idbits sent, and the rows that it fetched."""

    statements: list[str] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)


@contextmanager
def recording() -> Iterator[Crossed]:
    """Record what crosses between idbits and its databases."""
    from idbits.engines.sql import address

    crossed = Crossed()
    made = address.sa.create_engine

    def create(*arguments: Any, **options: Any) -> sa.Engine:
        engine = made(*arguments, **options)
        sa.event.listen(engine, "after_cursor_execute", _record(crossed), named=True)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(address.sa, "create_engine", create)
        yield crossed


def _record(crossed: Crossed) -> Callable[..., None]:
    def record(cursor: Any, statement: str, parameters: Any, context: Any, **_: Any) -> None:
        crossed.statements.append(_with_parameters(statement, parameters))
        if cursor.description is None:
            return
        # SQLAlchemy fetches from this cursor afterwards: it gets one that keeps a copy of every row.
        context.cursor = Recorder(cursor, crossed)

    return record


class Recorder:
    """A cursor of a driver that keeps a copy of every fetched row."""

    def __init__(self, cursor: Any, crossed: Crossed) -> None:
        self._cursor = cursor
        self._crossed = crossed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def fetchone(self) -> Any:
        row = self._cursor.fetchone()
        self._crossed.rows.extend([] if row is None else [tuple(row)])
        return row

    def fetchmany(self, *size: int) -> Any:
        rows = self._cursor.fetchmany(*size)
        self._crossed.rows.extend(map(tuple, rows))
        return rows

    def fetchall(self) -> Any:
        rows = self._cursor.fetchall()
        self._crossed.rows.extend(map(tuple, rows))
        return rows


def _with_parameters(statement: str, parameters: Any) -> str:
    """Return a statement with its parameters in place, blanks made alike."""
    if isinstance(parameters, dict):
        statement = re.sub(r"%\((\w+)\)s(?:::[A-Za-z]+)?", lambda match: _literal(parameters[match[1]]), statement)
    elif parameters:
        values = iter(parameters)
        statement = re.sub(r"%s|\?", lambda _: _literal(next(values)), statement)
    return " ".join(statement.replace("%%", "%").split())


def _literal(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else "NULL" if value is None else str(value)


@pytest.fixture(name="recording")
def recording_fixture() -> Callable[[], Any]:
    """Return the recording of what crosses."""
    return recording
