"""Queries that do more than read in MariaDB, under each of its modes."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
import sqlalchemy as sa

import idbits
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.connection import DatabaseConnection
from idbits.engines.sql.one_select import checked_query
from idbits.errors import IdbitsError, InputError
from idbits.progress import SILENT


def opened(address: str) -> DatabaseConnection:
    return DatabaseConnection(engine_of(parse_address(address)), 60, SILENT)


def test_a_connection_for_several_statements_is_not_used_for_queries(mariadb: Any) -> None:
    mariadb.fill("attacked", [sa.Column("zip", sa.String(20))], [{"zip": "1"}])
    several = f"{mariadb.address}?client_flag=65536"
    assert idbits.measure(several, "zip", table="attacked").n_rows == 1
    with pytest.raises(InputError, match="one statement at a time"):
        idbits.measure(several, "zip", query="SELECT zip FROM attacked")


MARIADB_SETUP = (
    "CREATE TABLE IF NOT EXISTS attacked (zip varchar(20))",
    "CREATE SEQUENCE IF NOT EXISTS numbers",
    "CREATE OR REPLACE FUNCTION touchy(x text) RETURNS text RETURN x",
    "CREATE OR REPLACE FUNCTION writing(x text) RETURNS text DETERMINISTIC MODIFIES SQL DATA RETURN x",
    "CREATE OR REPLACE FUNCTION calm(x text) RETURNS text DETERMINISTIC NO SQL RETURN x",
    "CREATE OR REPLACE FUNCTION `substr`(x text) RETURNS text RETURN x",
    "CREATE OR REPLACE VIEW touching AS SELECT touchy(zip) AS zip FROM attacked",
    "CREATE OR REPLACE VIEW above AS SELECT zip FROM touching",
    "CREATE OR REPLACE VIEW sleeping AS SELECT sleep(0) AS zip FROM attacked",
    "CREATE OR REPLACE VIEW quiet AS SELECT concat(calm(zip), 'it''s \\\\') AS zip FROM attacked WHERE zip <> '\\''",
)
MARIADB_REFUSED = [
    "SELECT 1 /*! , sleep(0) */ AS zip",
    "SELECT 1 /*M! , sleep(0) */ AS zip",
    "SELECT 1 /*!50000 , sleep(0) */ AS zip",
    "SELECT 1 /*M!100100 , sleep(0) */ AS zip",
    "SELECT zip FROM attacked /*m! , sleep(0) */",
    "SELECT sleep(0) AS zip",
    "SELECT SLEEP(0) AS zip",
    "SELECT `sleep`(0) AS zip",
    "SELECT sleep/**/(0) AS zip",
    "SELECT benchmark(1, 1) AS zip",
    "SELECT get_lock('a', 0) AS zip",
    "SELECT release_all_locks() AS zip",
    "SELECT load_file('/etc/passwd') AS zip",
    "SELECT @a := 1 AS zip",
    "SELECT @a AS zip",
    "SELECT @@sql_mode AS zip",
    "SELECT 1 AS zip INTO @a",
    "SELECT 1 AS zip INTO OUTFILE '/tmp/idbits-out'",
    "SELECT 1 AS zip INTO DUMPFILE '/tmp/idbits-out'",
    "SELECT zip INTO @a FROM attacked",
    "SELECT rand() AS zip",
    "SELECT uuid() AS zip",
    "SELECT last_insert_id(7) AS zip",
    "SELECT nextval(numbers) AS zip",
    "SELECT NEXT VALUE FOR numbers AS zip",
    "SELECT setval(numbers, 7) AS zip",
    "SELECT lastval(numbers) AS zip",
    "SELECT PREVIOUS VALUE FOR numbers AS zip, sleep(0) AS b",
    "SELECT sysdate() AS zip",
    "SELECT master_pos_wait('a', 1) AS zip",
    "SELECT touchy(zip) AS zip FROM attacked",
    "SELECT writing(zip) AS zip FROM attacked",
    "SELECT THIS_DATABASE.touchy(zip) AS zip FROM attacked",
    "SELECT `THIS_DATABASE`.`touchy`(zip) AS zip FROM attacked",
    "SELECT substr (zip) AS zip FROM attacked",
    "SELECT zip FROM touching",
    "SELECT zip FROM above",
    "SELECT zip FROM sleeping",
    "SELECT zip FROM attacked FOR UPDATE",
    "SELECT zip FROM attacked LOCK IN SHARE MODE",
    "SELECT zip FROM attacked PROCEDURE x()",
    "SELECT zip FROM attacked; SELECT 1",
    "SELECT 1 AS zip) AS q; DROP TABLE victim; SELECT * FROM (SELECT 1 AS zip",
    "SELECT 'a\\' AS zip, sleep(0) AS b -- '",
    'SELECT "a\\" AS zip, sleep(0) AS b -- "',
    "SELECT \\N AS zip",
    "SELECT 5--1 AS zip",
    "SELECT 1sleep(0) AS zip",
    "SET STATEMENT sql_mode = '' FOR SELECT 1",
    "HANDLER attacked OPEN",
    "SELECT zip FROM attacked WHERE zip = ?",
    "SELECT {fn sleep(0)} AS zip",
    "SELECT 1 AS zip /* open",
    "SHOW TABLES",
    "DO sleep(0)",
    "WITH sleep (a) AS (SELECT sleep(0)) SELECT a AS zip FROM sleep",
    "SELECT zip AS sleep, sleep(0) FROM attacked",
    "SELECT zip, sleep(0) AS (1) FROM attacked",
]
MARIADB_ALLOWED = [
    "SELECT zip FROM attacked",
    "SELECT calm(zip) AS zip FROM attacked",
    "SELECT THIS_DATABASE.calm(zip) AS zip FROM attacked",
    "SELECT zip FROM quiet",
    "SELECT concat(upper(zip), 'sleep(1)') AS zip FROM attacked /* sleep(1) */ # sleep(1)",
    "SELECT count(*) AS zip FROM attacked -- sleep(1)",
    "SELECT 'it\\'s; --' AS zip",
    "SELECT \"a 'quoted' one\" AS zip",
    "SELECT cast(zip AS char(3)) AS zip, if(zip > 1, 2, 3) AS b FROM attacked WHERE zip IN ('1') AND NOT (zip <=> 'x')",
    "WITH w (zip) AS (SELECT zip FROM attacked) SELECT zip FROM w",
    "SELECT date_format(now(), '%Y') AS zip",
    "SELECT zip, row_number() OVER (PARTITION BY zip ORDER BY zip) AS r FROM attacked",
    "SELECT x'41' AS zip",
    "SELECT zip FROM (SELECT zip FROM attacked) AS t",
    "SELECT _utf8mb4'ab' AS zip",
    "SELECT seq AS zip FROM seq_1_to_10",
]


@pytest.fixture(scope="module")
def maria(mariadb: Any) -> Any:
    for statement in MARIADB_SETUP:
        mariadb.run(statement)
    return mariadb


def in_this_database(maria: Any, query: str) -> str:
    """Return a query with the name of the worker's database in place of THIS_DATABASE."""
    return query.replace("THIS_DATABASE", str(sa.make_url(maria.address).database))


@pytest.mark.parametrize("query", MARIADB_REFUSED)
def test_mariadb_refuses(maria: Any, query: str) -> None:
    with pytest.raises(IdbitsError) as refusal:
        idbits.measure(maria.address, "zip", query=in_this_database(maria, query))
    assert isinstance(refusal.value, InputError)
    assert "does not understand" not in str(refusal.value), "it got as far as the server"


@pytest.mark.parametrize("query", MARIADB_ALLOWED)
def test_mariadb_allows(maria: Any, query: str) -> None:
    idbits.inspect(maria.address, query=in_this_database(maria, query))


@pytest.mark.parametrize("view", ["touching", "above", "sleeping"])
def test_mariadb_checks_views_by_name(maria: Any, view: str) -> None:
    for question in ({"table": view}, {"query": view}):
        with pytest.raises(InputError, match="may do more than compute"):
            idbits.measure(maria.address, "zip", **question)
    idbits.inspect(maria.address, table="quiet")


MODES = [
    ("", "'a\\' AND sleep(0) OR '' = '", True),
    ("NO_BACKSLASH_ESCAPES", "'a\\' AND sleep(0) OR '' = '", False),
    ("NO_BACKSLASH_ESCAPES", "'a\\' AND sleep(0) OR '' = ''", False),
    ("", '"a\\" AND sleep(0) OR " OR zip = \'b\'', True),
    ("ANSI_QUOTES", '"a\\" AND sleep(0) OR " OR zip = \'b\'', False),
    ("ANSI_QUOTES", '"attacked"."zip"', True),
]


@pytest.mark.parametrize(("mode", "text", "harmless"), MODES)
def test_literals_end_as_the_mode_of_the_session_says(maria: Any, mode: str, text: str, harmless: bool) -> None:
    query = f"SELECT zip FROM attacked WHERE zip <> {text}"
    with closing(in_mode(maria.address, mode)) as connection:
        if harmless:
            assert checked_query(connection, query) is not None
            connection.rows(sa.text(query.replace(":", r"\:")))
        else:
            with pytest.raises(InputError):
                checked_query(connection, query)


MARIADB_PIECES = [
    "'",
    "''",
    "\\",
    "\\'",
    '"',
    "`",
    "/*",
    "*/",
    "/*!",
    "/*M!",
    "-- ",
    "--",
    "#",
    "\n",
    "\r",
    "(",
    ")",
    ";",
    " ",
    "zip",
    "x'",
    "get_lock('idbits',0)",
    'get_lock("idbits",0)',
    "N'",
    "_utf8",
    "1",
    "e1",
    "=",
    "||",
    " AND ",
    " OR ",
    ",",
    "AS q",
    "@a:=",
    "0x",
]


@pytest.fixture(scope="module", params=["", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"])
def session(maria: Any, request: pytest.FixtureRequest) -> Iterator[DatabaseConnection]:
    with closing(in_mode(maria.address, request.param)) as connection:
        yield connection


@hypothesis.settings(max_examples=300, deadline=None, derandomize=True)
@hypothesis.given(st.lists(st.sampled_from(MARIADB_PIECES), max_size=12).map("".join))
def test_what_mariadb_lets_pass_takes_no_lock(session: DatabaseConnection, soup: str) -> None:
    """Whatever stands in a query: if it is let pass, running it does not call what it hides."""
    for query in (f"SELECT zip FROM attacked WHERE zip <> {soup}", f"SELECT {soup} AS zip FROM attacked"):
        try:
            select = checked_query(session, query)
        except InputError:
            continue
        if select is not None:
            try:
                session.rows(sa.text(f"SELECT * FROM ({select.text}\n) AS q".replace(":", r"\:")))
            except IdbitsError:
                continue
            assert session.row(sa.text("SELECT is_used_lock('idbits')")) == (None,), query


def in_mode(address: str, mode: str) -> DatabaseConnection:
    engine = engine_of(parse_address(address))
    sa.event.listen(engine, "connect", lambda raw, _: raw.query(f"SET SESSION sql_mode = '{mode}'"))
    return DatabaseConnection(engine, 60, SILENT)
