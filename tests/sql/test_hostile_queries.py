"""A --query that tries to do more than read is refused before it runs, and the server itself takes one statement."""

from contextlib import closing
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

import idbits
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.connection import DatabaseConnection
from idbits.errors import IdbitsError, InputError
from idbits.progress import SILENT

# It switches off that a backslash in a literal is a backslash; from then on the literal '\' has no end of its own, and
# what stands in the next one is a statement.
ATTACK = (
    "SELECT zip FROM wrapped WHERE set_config('standard_conforming_strings', 'off', false) <> 'x' AND zip <> '\\' "
    "AND zip <> ') AS q) AS t GROUP BY t.k0) AS sets GROUP BY sets.people; COMMIT; "
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; BEGIN READ WRITE; DROP TABLE victim; COMMIT; "
    "SELECT sets.people, count(*) FROM (SELECT t.k0, count(*) AS people FROM (SELECT q.zip AS k0 "
    "FROM (SELECT 1 AS zip -- '"
)


def opened(address: str) -> DatabaseConnection:
    return DatabaseConnection(engine_of(parse_address(address)), 60, SILENT)


@pytest.fixture(scope="module")
def wrapped(server: Any) -> Any:
    server.fill("wrapped", [sa.Column("zip", sa.String(20))], [{"zip": f"{i % 7}"} for i in range(50)])
    server.fill("victim", [sa.Column("n", sa.Integer())], [{"n": 1}])
    return server


@pytest.fixture(scope="module")
def postgresql_victim(postgresql: Any) -> Any:
    postgresql.fill("wrapped", [sa.Column("zip", sa.String(20))], [{"zip": f"{i % 7}"} for i in range(50)])
    postgresql.fill("victim", [sa.Column("n", sa.Integer())], [{"n": 1}])
    return postgresql


def test_a_literal_that_ends_the_wrapping_query(postgresql_victim: Any) -> None:
    with pytest.raises(InputError, match='the function "set_config", which is volatile'):
        idbits.measure(postgresql_victim.address, "zip", query=ATTACK)
    assert postgresql_victim.rows("SELECT n FROM victim") == [(1,)]


def test_a_function_that_lies_about_itself_changes_nothing(postgresql_victim: Any) -> None:
    """Declared stable, it may be called; how the next statement is read does not depend on what it sets."""
    postgresql_victim.run(
        "CREATE OR REPLACE FUNCTION liar() RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN "
        "PERFORM set_config('standard_conforming_strings', 'off', false); "
        "PERFORM set_config('search_path', 'pg_catalog', false); PERFORM set_config('TimeZone', 'Asia/Tokyo', false); "
        "RETURN 'on'; END $$"
    )
    query = ATTACK.replace("set_config('standard_conforming_strings', 'off', false)", "liar()")
    answer = idbits.measure(postgresql_victim.address, "zip", query=query)
    assert (answer.n_rows, answer.n_sets) == (50, 7)
    assert postgresql_victim.rows("SELECT n FROM victim") == [(1,)]


TWO = ["SELECT 1; SELECT 2", "SELECT 1; COMMIT; DROP TABLE victim", "COMMIT; DROP TABLE victim", "SELECT 1;SELECT 2;"]


@pytest.mark.parametrize("statements", TWO)
def test_the_server_takes_one_statement(wrapped: Any, statements: str) -> None:
    with closing(opened(wrapped.address)) as connection:
        assert connection.one_statement_each
        with pytest.raises(IdbitsError) as refusal:
            connection.rows(sa.text(statements))
        said = str(refusal.value.__cause__.orig)  # type: ignore[union-attr]
        assert "multiple commands into a prepared statement" in said or "1064" in said
    assert wrapped.rows("SELECT n FROM victim") == [(1,)]


def test_somebodys_own_engine_takes_one_statement(postgresql_victim: Any) -> None:
    """Even one that puts parameters into the text and never prepares."""
    address = postgresql_victim.address.replace("postgresql://", "postgresql+psycopg://")
    own = {"cursor_factory": psycopg.ClientCursor, "prepare_threshold": None}
    engine = sa.create_engine(address, connect_args=own, isolation_level="AUTOCOMMIT")
    with closing(DatabaseConnection(engine, 60, SILENT)) as connection, pytest.raises(IdbitsError):
        connection.rows(sa.text("SELECT 1; DROP TABLE victim"))
    with pytest.raises(InputError):
        idbits.measure(engine, "zip", query=ATTACK)
    assert idbits.measure(engine, "zip", query="SELECT zip FROM wrapped").n_rows == 50
    assert postgresql_victim.rows("SELECT n FROM victim") == [(1,)]
