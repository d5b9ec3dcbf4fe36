"""Whatever goes wrong with a database: one clear line on stderr, the right exit code, no traceback, never a cell."""

import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

import databases
import idbits
from commands import Run
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.errors import EngineError
from idbits.values.attributes import parse_attributes

MARKER = "zqx"


@pytest.fixture(scope="module")
def people(database: Any) -> str:
    rows = [{"zip": f"{MARKER}{i % 5}", "sex": "FM"[i % 2], "people": i} for i in range(30)]
    columns = [sa.Column("zip", sa.String(20)), sa.Column("sex", sa.String(1)), sa.Column("people", sa.Integer())]
    database.fill("people", columns, rows)
    database.fill("people_twice", columns, rows)
    return database.address


class Case(NamedTuple):
    """A failure: the arguments, the exit code, and what the line says (parted by &)."""

    arguments: list[str]
    code: int
    says: str


QID = ["--qid", "zip"]
PEOPLE = [*QID, "--table", "people"]
CASES = {
    "no table": Case(QID, 2, '--table & "people" & "people_twice" & --query'),
    "missing table": Case([*QID, "--table", "peeple"], 2, 'no table named "peeple"'),
    "missing schema": Case([*QID, "--table", "nowhere.people"], 2, 'no table named "nowhere.people"'),
    "table and query": Case([*PEOPLE, "--query", "SELECT 1 AS zip"], 2, "--table & --query & not both"),
    "missing column": Case(["--qid", "zpi", "--table", "people"], 2, 'no column named "zpi"; did you mean "zip"'),
    "missing count": Case([*PEOPLE, "--count", "peopel"], 2, 'did you mean "people"'),
    "syntax error": Case([*QID, "--query", f"SELECT zip FORM people WHERE zip = '{MARKER}1'"], 2, "query"),
    "another syntax error": Case([*QID, "--query", f"SELECT zip, FROM WHERE '{MARKER}1'"], 2, "query"),
    "half a query": Case([*QID, "--query", f"SELECT zip FROM people WHERE (zip = '{MARKER}1'"], 2, "query"),
    "half a text": Case([*QID, "--query", f"SELECT zip FROM people WHERE zip = '{MARKER}1"], 2, "query"),
    "two statements": Case([*QID, "--query", "SELECT zip FROM people; SELECT 1"], 2, "one SELECT"),
    "a change": Case([*QID, "--query", f"DELETE FROM people WHERE zip = '{MARKER}1'"], 2, "one SELECT"),
    "another change": Case([*QID, "--query", "DROP TABLE people"], 2, "one SELECT"),
    "empty query": Case([*QID, "--query", ""], 2, "SELECT"),
    "missing table in query": Case([*QID, "--query", "SELECT zip FROM peeple"], 3, "table does not exist"),
    "missing column in query": Case([*QID, "--query", "SELECT zpi AS zip FROM people"], 3, "column does not exist"),
    "missing view": Case([*QID, "--query", "no_view"], 2, 'no table named "no_view"'),
    "duplicate names": Case([*QID, "--query", "SELECT zip, zip FROM people"], 2, "two columns with the same name & AS"),
    "division by zero": Case(
        [*QID, "--query", "SELECT zip FROM people WHERE 1 / (people - people) > 0"], 3, "database"
    ),
    "wrong text": Case(["--qid", "zip:band5", "--table", "people"], 3, '30 values & "zip" & number'),
    "wrong date": Case(["--qid", "zip:year", "--table", "people"], 3, '30 values & "zip" & date'),
    "wrong counts": Case([*PEOPLE, "--count", "zip"], 3, '30 rows & "zip" & whole number'),
    "wrong filter": Case([*PEOPLE, "--where", "zip > 3"], 3, "30 values & number & filter"),
    "nobody": Case([*PEOPLE, "--where", f"zip = '{MARKER}-no'"], 3, "nobody to measure"),
    "no rows": Case([*QID, "--query", "SELECT zip FROM people WHERE 1 = 0"], 3, "nobody to measure"),
    "one person": Case([*PEOPLE, "--person", "sex", "--where", "sex = 'F'"], 3, '"sex" & has only one value'),
    "negative timeout": Case([*PEOPLE, "--timeout", "-1"], 2, "--timeout"),
}


@pytest.mark.big
@pytest.mark.parametrize("case", list(CASES.values()), ids=list(CASES))
def test_every_failure_is_one_clear_line(database: Any, people: str, run: Run, case: Case) -> None:
    # SQLite has no division by zero.
    if database.name != "postgresql" and "1 / (" in str(case.arguments):
        return
    ended = run("measure", people, *case.arguments, "--quiet")
    if case.arguments[-2:-1] == ["--timeout"]:
        # A wrong option is a matter of the command line, which says how the command is used.
        assert (ended.code, "Traceback" in ended.err) == (2, False)
        return
    message = ended.failed(case.code)
    for says in case.says.split(" & "):
        assert says in message
    assert MARKER not in message


ADDRESSES = {
    "postgresql refused": ("postgresql://someone@127.0.0.1:{port}/db", 3, "cannot be reached"),
    "mysql refused": ("mysql://someone@127.0.0.1:{port}/db", 3, "cannot be reached"),
    "mariadb refused": ("mariadb://someone@127.0.0.1:{port}/db", 3, "cannot be reached"),
    "no such host": ("postgresql://someone@no-host.invalid/db", 3, "cannot be reached"),
    "no socket": ("postgresql:///db?host=/nowhere", 3, "cannot be reached"),
    "unknown scheme": ("teradatasql://host/db", 2, "teradatasql"),
    "nonsense scheme": ("nonsense+driver://host/db", 2, "nonsense"),
    "driver that is not there": ("mysql+nodriver://host/db", 2, "mysql"),
    "web page": ("https://example.org/people.csv", 2, "does not download"),
    "no address": ("postgresql://[::1/db", 2, "address"),
    "port that is none": ("postgresql://host:port/db", 2, "address"),
    "sqlite without a file": ("sqlite:////nowhere/people.db", 2, "does not exist"),
    "sqlite in memory": ("sqlite://", 2, "SQLite"),
    "sqlite folder": ("sqlite:////tmp", 2, "does not exist"),
}


@pytest.mark.parametrize(("address", "code", "says"), list(ADDRESSES.values()), ids=list(ADDRESSES))
def test_addresses_that_lead_nowhere(run: Run, address: str, code: int, says: str) -> None:
    ended = run("measure", address.format(port=databases.free_port()), *PEOPLE)
    assert says in ended.failed(code)


def test_a_database_that_is_not_there(server: Any, run: Run) -> None:
    wrong = str(sa.make_url(server.address).set(database="nothere"))
    assert "cannot be reached" in run("measure", wrong, *PEOPLE).failed(3)


def test_a_role_that_is_not_there(server: Any, run: Run) -> None:
    wrong = server.address.replace("postgres@", "nobody@").replace("root@", "nobody@")
    assert "cannot be reached" in run("measure", wrong, *PEOPLE).failed(3)


def test_a_file_that_is_no_sqlite_file(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.db").write_text(f"zip\n{MARKER}\n" * 100)
    assert MARKER not in run("measure", f"sqlite:///{tmp_path / 'people.db'}", *PEOPLE).failed(3)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS zip FROM n"


def test_a_slow_query_ends_at_the_timeout(server: Any, run: Run) -> None:
    began = time.monotonic()
    ended = run("measure", server.address, *QID, "--query", server.slow_query("zip", 50), "--timeout", "1")
    assert "--timeout" in ended.failed(3)
    assert time.monotonic() - began < 15


@pytest.mark.big
def test_sqlite_ends_at_the_timeout(sqlite: Any, run: Run) -> None:
    sqlite.fill("people", [sa.Column("zip", sa.Text())], [])
    began = time.monotonic()
    ended = run("measure", sqlite.address, *QID, "--query", ENDLESS, "--timeout", "1")
    assert "--timeout" in ended.failed(3)
    assert time.monotonic() - began < 15


def backends(server: Any) -> list[int]:
    """Return the connections of idbits in which a slow query runs."""
    if server.name == "postgresql":
        query = ("SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%%nap(%%' "
                 "AND datname = current_database() "
                 "AND pid <> pg_backend_pid()")  # fmt: skip
    else:
        query = ("SELECT id FROM information_schema.processlist WHERE info LIKE '%%nap(%%' AND db = database() "
                 "AND id <> connection_id()")  # fmt: skip
    return [row[0] for row in server.rows(query)]


def killed(server: Any, kill: str, start: Callable[..., subprocess.Popen[bytes]]) -> tuple[int, str]:
    """Start a slow query, do something to its connection, and return how the command ended."""
    process = start("measure", server.address, *QID, "--query", server.slow_query("zip", 50), "--quiet")
    deadline = time.monotonic() + 30
    while not (found := backends(server)) and time.monotonic() < deadline:
        time.sleep(0.1)
    server.run(kill.format(*found))
    out, err = process.communicate(timeout=30)
    assert out == b""
    return process.returncode, err.decode()


def test_a_killed_backend(server: Any, start: Callable[..., subprocess.Popen[bytes]]) -> None:
    kill = "SELECT pg_terminate_backend({})" if server.name == "postgresql" else "KILL {}"
    assert killed(server, kill, start) == (3, "idbits: the connection to the database was lost\n")


def test_a_query_that_somebody_stops(server: Any, start: Callable[..., subprocess.Popen[bytes]]) -> None:
    kill = "SELECT pg_cancel_backend({})" if server.name == "postgresql" else "KILL QUERY {}"
    assert killed(server, kill, start) == (3, "idbits: the query was stopped in the database\n")


def test_a_connection_that_is_lost_between_queries(server: Any) -> None:
    server.fill("lost", [sa.Column("zip", sa.String(20))], [{"zip": f"{MARKER}1"}])
    with closing(open_table(server.address, OpenOptions(table="lost"))) as table:
        assert table.n_people() == 1
        raw = table.connection.raw.connection.dbapi_connection
        number = raw.info.backend_pid if server.name == "postgresql" else raw.thread_id()
        server.run(f"SELECT pg_terminate_backend({number})" if server.name == "postgresql" else f"KILL {number}")
        with pytest.raises(EngineError, match="connection to the database was lost"):
            table.spectrum(parse_attributes(["zip"], table.columns))


def test_a_table_that_is_dropped_in_between(database: Any) -> None:
    """The catalog has been read, the rows have not: then the table goes."""
    database.fill("dropped", [sa.Column("zip", sa.String(20))], [{"zip": f"{MARKER}1"}])
    with closing(open_table(database.address, OpenOptions(table="dropped"))) as table:
        raw = table.connection.raw
        raw.rollback()
        database.run("DROP TABLE dropped")
        for statement in table.connection.dialect.session(None):
            raw.exec_driver_sql(statement)
        with pytest.raises(EngineError, match="table does not exist") as refusal:
            table.spectrum(parse_attributes(["zip"], table.columns))
        assert MARKER not in str(refusal.value)


def test_a_column_that_goes_in_between(server: Any) -> None:
    columns = [sa.Column("zip", sa.String(20)), sa.Column("sex", sa.String(20))]
    server.fill("narrowed", columns, [{"zip": f"{MARKER}1", "sex": "F"}])
    with closing(open_table(server.address, OpenOptions(table="narrowed"))) as table:
        raw = table.connection.raw
        raw.rollback()
        server.run("ALTER TABLE narrowed DROP COLUMN sex")
        for statement in table.connection.dialect.session(None):
            raw.exec_driver_sql(statement)
        with pytest.raises(EngineError, match="column does not exist"):
            table.spectrum(parse_attributes(["sex"], table.columns))


def test_errors_do_not_keep_threads(server: Any) -> None:
    before = threading.active_count()
    for _ in range(3):
        with pytest.raises(EngineError):
            idbits.measure(server.address, "zip", query="SELECT zip FROM peeple")
    assert threading.active_count() <= before + 1
