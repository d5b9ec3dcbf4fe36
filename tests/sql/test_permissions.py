"""A role that may read three columns of one table: it can measure them, see nothing else, and change nothing."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import databases
import idbits
from commands import Run
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.connection import DatabaseConnection
from idbits.errors import ColumnNotFoundError, EngineError, IdbitsError, InputError
from idbits.progress import SILENT

ROLE = f"idbits_reader_{databases.WORKER}"


@pytest.fixture(scope="module")
def reader(server: Any) -> str:
    """Return the address of a role that may SELECT a, b and c of the table people."""
    columns = [sa.Column(name, sa.String(20)) for name in ("a", "b", "c", "secret", "salary")]
    rows = [{"a": f"a{i % 7}", "b": f"b{i % 3}", "c": "c", "secret": f"zqx{i}", "salary": f"zqx{i}"} for i in range(60)]
    server.fill("people", columns, rows)
    server.fill("hidden", columns, rows)
    if server.name == "postgresql":
        server.run(
            f"DROP OWNED BY {ROLE}" if server.rows(f"SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}'") else "SELECT 1",
            f"DROP ROLE IF EXISTS {ROLE}",
            f"CREATE ROLE {ROLE} LOGIN",
            f"GRANT SELECT (a, b, c) ON people TO {ROLE}",
            # What a careless administrator may have left open: the session has to be read-only by itself.
            "CREATE SEQUENCE IF NOT EXISTS numbers",
            "CREATE TABLE IF NOT EXISTS open_table (n int)",
            f"GRANT ALL ON SEQUENCE numbers TO {ROLE}",
            f"GRANT ALL ON open_table TO {ROLE}",
            f"GRANT ALL ON SCHEMA public TO {ROLE}",
        )
        return server.address.replace("postgres@", f"{ROLE}@", 1)
    server.run(
        f"DROP USER IF EXISTS {ROLE}",
        f"CREATE USER {ROLE}",
        f"GRANT SELECT (a, b, c) ON people TO {ROLE}",
        "CREATE TABLE IF NOT EXISTS open_table (n int)",
        "CREATE SEQUENCE IF NOT EXISTS numbers",
        f"GRANT ALL ON open_table TO {ROLE}",
        f"GRANT ALL ON numbers TO {ROLE}",
    )
    return server.address.replace("root@", f"{ROLE}@", 1)


def test_three_columns_can_be_measured(server: Any, reader: str) -> None:
    found, owned = (
        idbits.measure(address, "a,b,c:prefix1", by="b", table="people", values=True, reveal=True, where="a <> 'a0'")
        for address in (reader, server.address)
    )
    left_out = ("source", "notes", "next", "other_columns", "n_other_columns", "next_command", "not_measured")
    assert {k: v for k, v in found.to_dict().items() if k not in left_out} == {
        k: v for k, v in owned.to_dict().items() if k not in left_out
    }
    assert idbits.measure(reader, "a", table="people", count=None, person=None).n_rows == 60


def test_inspect_shows_what_may_be_read(server: Any, reader: str, run: Run) -> None:
    found = idbits.inspect(reader, table="people").to_dict()
    assert [column["column"] for column in found["columns"]] == ["a", "b", "c"]
    # MariaDB does not even tell that there are others.
    if server.name == "postgresql":
        ended = run("inspect", reader, "--table", "people")
        assert ended.code == 0
        assert "2 columns cannot be read" in ended.out + ended.err
    assert "zqx" not in str(found)


@pytest.mark.parametrize("name", ["secret", "salary:prefix1"])
def test_other_columns_are_not_there(reader: str, name: str) -> None:
    with pytest.raises(ColumnNotFoundError):
        idbits.measure(reader, name, table="people")
    with pytest.raises(InputError, match="column that the table does not have"):
        idbits.measure(reader, "a", table="people", where=f"{name.partition(':')[0]} = 'zqx1'")


@pytest.mark.parametrize(
    ("question", "code"), [(["--table", "hidden"], 2), (["--query", "SELECT * FROM hidden"], 3)], ids=["table", "query"]
)
def test_a_table_that_may_not_be_read(reader: str, run: Run, question: list[str], code: int) -> None:
    assert "may" in run("measure", reader, "--qid", "a", *question).failed(code)


def test_columns_that_a_query_may_not_read(reader: str, run: Run) -> None:
    message = run("measure", reader, "--qid", "secret", "--query", "SELECT a, secret FROM people").failed(3)
    assert "grant SELECT" in message


CHANGING = {
    "postgresql": {
        "a changing WITH": "WITH gone AS (DELETE FROM open_table RETURNING n) SELECT n AS a FROM gone",
        "a sequence": "SELECT nextval('numbers') AS a",
        "a new table": "SELECT 1 AS a INTO new_table",
        "a lock": "SELECT n AS a FROM open_table FOR UPDATE",
        "a large object": "SELECT lo_create(0) AS a",
        "another session": "SELECT set_config('transaction_read_only', 'off', false) AS a, nextval('numbers') AS b",
        "another statement": "SELECT 1 AS a) AS q; COMMIT; DELETE FROM open_table; SELECT * FROM (SELECT 1 AS a",
        "another statement, first": "COMMIT; DELETE FROM open_table; SELECT 1 AS a",
    },
    "mariadb": {
        "a sequence": "SELECT nextval(numbers) AS a",
        "a file": "SELECT 1 AS a INTO OUTFILE '/tmp/idbits-outfile'",
        "a variable": "SELECT 1 AS a INTO @a",
        "another statement": "SELECT 1 AS a) AS q; COMMIT; DELETE FROM open_table; SELECT * FROM (SELECT 1 AS a",
        "another statement, first": "COMMIT; DELETE FROM open_table; SELECT 1 AS a",
    },
}


ATTEMPTS = sorted({what for attempts in CHANGING.values() for what in attempts})


@pytest.mark.parametrize("what", ATTEMPTS)
def test_nothing_can_be_changed(server: Any, reader: str, what: str) -> None:
    if what not in CHANGING[server.name]:
        return
    server.run("DELETE FROM open_table", "INSERT INTO open_table VALUES (7)")
    tables = "SELECT count(*) FROM information_schema.tables"
    state = "last_value, is_called" if server.name == "postgresql" else "next_not_cached_value"
    before = server.rows(tables), server.rows(f"SELECT {state} FROM numbers")
    with pytest.raises((EngineError, InputError)) as refusal:
        idbits.measure(reader, "a", query=CHANGING[server.name][what])
    assert "internal" not in str(refusal.value)
    assert server.rows("SELECT n FROM open_table") == [(7,)]
    assert (server.rows(tables), server.rows(f"SELECT {state} FROM numbers")) == before


@pytest.mark.parametrize("statement", ["DELETE FROM open_table", "INSERT INTO open_table VALUES (1)", "COMMIT"])
def test_a_statement_that_is_no_select(server: Any, reader: str, run: Run, statement: str) -> None:
    assert "SELECT" in run("measure", reader, "--qid", "n", "--query", statement).failed(2)


def test_the_session_is_read_only(server: Any, reader: str) -> None:
    """Whatever reached the server: a function of the database itself cannot write either."""
    if server.name == "mariadb":
        server.run("DROP FUNCTION IF EXISTS grow", "CREATE FUNCTION grow() RETURNS int BEGIN INSERT INTO open_table "
                   "VALUES (8); RETURN 1; END", f"GRANT EXECUTE ON FUNCTION grow TO {ROLE}")  # fmt: skip
    else:
        server.run("CREATE OR REPLACE FUNCTION grow() RETURNS int LANGUAGE sql AS "
                   "'INSERT INTO open_table VALUES (8) RETURNING n'")  # fmt: skip
    before = server.rows("SELECT count(*) FROM open_table")
    with pytest.raises(InputError, match='the function "grow"'):
        idbits.measure(reader, "a", query="SELECT grow() AS a")
    connection = DatabaseConnection(engine_of(parse_address(reader)), 60, SILENT)
    with pytest.raises(EngineError, match="only reads"):
        connection.rows(sa.text("SELECT grow()"))
    connection.close()
    assert server.rows("SELECT count(*) FROM open_table") == before


def test_the_sqlite_file_stays_as_it_is(sqlite: Any) -> None:
    sqlite.fill("people", [sa.Column("a", sa.Text())], [{"a": "x"}])
    path = Path(sqlite.address.removeprefix("sqlite:///"))
    before = path.read_bytes()
    for query in (
        "WITH gone AS (DELETE FROM people RETURNING a) SELECT a FROM gone",
        "SELECT 1 AS a) AS q; DELETE FROM people; SELECT * FROM (SELECT 1 AS a",
    ):
        with pytest.raises(IdbitsError):
            idbits.measure(sqlite.address, "a", query=query)
    assert idbits.measure(sqlite.address, "a", table="people").n_rows == 1
    assert path.read_bytes() == before
