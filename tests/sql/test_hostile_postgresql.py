"""Queries that call more than they may in PostgreSQL, held against the tree that the server makes of them."""

import atexit
import functools
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import hypothesis
import hypothesis.strategies as st
import psycopg
import pytest

import idbits
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.connection import DatabaseConnection
from idbits.engines.sql.one_select import checked_query
from idbits.errors import InputError
from idbits.progress import SILENT


def opened(address: str) -> DatabaseConnection:
    return DatabaseConnection(engine_of(parse_address(address)), 60, SILENT)


POSTGRESQL_SETUP = (
    "CREATE TABLE IF NOT EXISTS attacked (zip text)",
    "CREATE SEQUENCE IF NOT EXISTS numbers",
    "CREATE OR REPLACE FUNCTION touchy(text) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT $1'",
    "CREATE OR REPLACE FUNCTION \"Touchy Too\"(text) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT $1'",
    "CREATE OR REPLACE FUNCTION calm(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
    "CREATE OR REPLACE FUNCTION mixed(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
    "CREATE OR REPLACE FUNCTION mixed(int) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT $1::text'",
    "CREATE OR REPLACE FUNCTION member(attacked) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT $1.zip'",
    "DROP OPERATOR IF EXISTS @@@ (text, text)",
    "CREATE OR REPLACE FUNCTION both_of(text, text) RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT true'",
    "CREATE OPERATOR @@@ (LEFTARG = text, RIGHTARG = text, FUNCTION = both_of)",
    "DROP DOMAIN IF EXISTS checked",
    "CREATE DOMAIN checked AS text CHECK (touchy(VALUE) <> 'zqx')",
    "DROP DOMAIN IF EXISTS checked_too",
    "CREATE DOMAIN checked_too AS checked",
    "DROP AGGREGATE IF EXISTS touched(text) CASCADE",
    "CREATE OR REPLACE FUNCTION last_touched(text, text) RETURNS text LANGUAGE sql VOLATILE AS 'SELECT $2'",
    "CREATE AGGREGATE touched(text) (SFUNC = last_touched, STYPE = text)",
    "CREATE OR REPLACE FUNCTION by_default(text, text DEFAULT touchy('x')) RETURNS text LANGUAGE sql IMMUTABLE "
    "AS 'SELECT $1'",
    "CREATE OR REPLACE VIEW gathered AS SELECT touched(zip) AS zip FROM attacked",
    "CREATE OR REPLACE VIEW of_a_domain AS SELECT CAST(zip AS checked_too) AS zip FROM attacked",
    "CREATE OR REPLACE VIEW touching AS SELECT touchy(zip) AS zip FROM attacked",
    "CREATE OR REPLACE VIEW above AS SELECT zip FROM touching",
    "CREATE OR REPLACE VIEW operated AS SELECT zip FROM attacked WHERE zip::text @@@ 'x'::text",
    "CREATE OR REPLACE VIEW quiet AS SELECT calm(zip) AS zip FROM attacked",
    "CREATE OR REPLACE FUNCTION " + "x" * 63 + "() RETURNS text LANGUAGE sql VOLATILE AS 'SELECT 1::text'",
    "DROP TABLE IF EXISTS scored CASCADE",
    "CREATE TABLE scored (zip text, nextval int)",
)


@pytest.fixture(scope="module")
def guarded(postgresql: Any) -> Any:
    postgresql.run(*POSTGRESQL_SETUP)
    return postgresql


POSTGRESQL_REFUSED = [
    "SELECT set_config('work_mem', '1MB', true) AS zip",
    "SELECT SET_CONFIG ('work_mem', '1MB', true) AS zip",
    "SELECT pg_catalog.set_config('work_mem', '1MB', true) AS zip",
    "SELECT \"set_config\"('a.b', '1', true) AS zip",
    "SELECT pg_catalog . \"set_config\" /* x */ ( 'a.b', '1', true) AS zip",
    "SELECT set_config--x\n('a.b', '1', true) AS zip",
    "SELECT pg_sleep(0)::text AS zip",
    "SELECT zip FROM attacked, pg_sleep(0)",
    "SELECT nextval('numbers')::text AS zip",
    "SELECT setval('numbers', 1)::text AS zip",
    "SELECT lo_create(0)::text AS zip",
    "SELECT lo_unlink(0)::text AS zip",
    "SELECT lo_from_bytea(0, 'x')::text AS zip",
    "SELECT lo_export(1, '/tmp/x')::text AS zip",
    "SELECT pg_advisory_lock(1)::text AS zip",
    "SELECT pg_try_advisory_xact_lock(1)::text AS zip",
    "SELECT pg_notify('a', 'b')::text AS zip",
    "SELECT pg_reload_conf()::text AS zip",
    "SELECT random()::text AS zip",
    "SELECT pg_terminate_backend(1)::text AS zip",
    "SELECT pg_read_file('/etc/passwd') AS zip",
    "SELECT zip FROM pg_ls_dir('.') AS zip",
    "SELECT query_to_xml('SELECT 1', true, true, '')::text AS zip",
    "SELECT zip FROM ROWS FROM (pg_sleep(0), pg_ls_dir('.')) AS t(a, zip)",
    "SELECT pg_export_snapshot() AS zip",
    "SELECT pg_logical_emit_message(false, 'a', 'b')::text AS zip",
    "SELECT clock_timestamp()::text AS zip",
    "SELECT CASE WHEN true THEN zip ELSE pg_sleep(9)::text END AS zip FROM attacked",
    "SELECT gen_random_uuid()::text AS zip",
    "SELECT zip FROM attacked ORDER BY random()",
    "SELECT zip FROM attacked LIMIT (SELECT pg_sleep(0) IS NULL)::int",
    "WITH x AS (SELECT set_config('a.b', '1', true) AS zip) SELECT zip FROM x",
    "SELECT (SELECT set_config('a.b', '1', true)) AS zip FROM attacked",
    "SELECT zip FROM attacked WHERE EXISTS (SELECT pg_sleep(0))",
    "SELECT zip FROM attacked TABLESAMPLE bernoulli (50)",
    "SELECT touchy(zip) AS zip FROM attacked",
    'SELECT "Touchy Too"(zip) AS zip FROM attacked',
    "SELECT mixed(zip) AS zip FROM attacked",
    "SELECT attacked.member AS zip FROM attacked",
    "SELECT (attacked).member AS zip FROM attacked",
    "SELECT member(attacked) AS zip FROM attacked",
    "SELECT a.member AS zip FROM attacked AS a",
    "SELECT zip FROM attacked WHERE zip::text @@@ 'x'::text",
    "SELECT zip FROM attacked WHERE zip::text OPERATOR(public.@@@) 'x'::text",
    "SELECT CAST(zip AS checked) AS zip FROM attacked",
    "SELECT zip::checked AS zip FROM attacked",
    "SELECT zip::checked_too AS zip FROM attacked",
    "SELECT touched(zip) AS zip FROM attacked",
    "SELECT touched(zip) OVER () AS zip FROM attacked",
    "SELECT by_default(zip) AS zip FROM attacked",
    "SELECT zip FROM gathered",
    "SELECT zip FROM of_a_domain",
    "SELECT zip FROM touching",
    "SELECT zip FROM public.above",
    'SELECT zip FROM "operated"',
    "SELECT zip FROM attacked WHERE zip IN (SELECT zip FROM above)",
    f"SELECT {'x' * 70}() AS zip",
    f"SELECT {'X' * 64}() AS zip",
    "SELECT U&\"set\\005fconfig\"('a.b', '1', true) AS zip",
    "SELECT u&\"!0073et_config\" UESCAPE '!' ('a.b', '1', true) AS zip",
    "SELECT $$x$$ AS zip",
    "SELECT $1 AS zip",
    "SELECT E'a' 'b\\'' AS zip",
    "SELECT E'a'\n'b\\' ' AS zip",
    "SELECT zip FROM attacked FOR UPDATE",
    "SELECT zip FROM attacked FOR NO KEY UPDATE",
    "SELECT zip FROM attacked FOR SHARE",
    "SELECT zip INTO other FROM attacked",
    "SELECT zip FROM attacked) AS q; DROP TABLE victim; SELECT * FROM (SELECT 1 AS zip",
    "SELECT zip FROM attacked) AS q UNION SELECT * FROM (SELECT zip FROM attacked",
    "WITH x AS (UPDATE attacked SET zip = '1' RETURNING zip) SELECT zip FROM x",
    "WITH x AS (INSERT INTO attacked VALUES ('1') RETURNING zip) SELECT zip FROM x",
    "COPY attacked TO PROGRAM 'cat'",
    "EXPLAIN ANALYZE SELECT 1",
    "DO 'BEGIN END'",
    "CALL x()",
    "SET work_mem = '1MB'",
    "SELECT zip FROM attacked\0",
    "VALUES (set_config('a.b', '1', true))",
]
POSTGRESQL_ALLOWED = [
    "SELECT zip FROM attacked",
    "SELECT calm(zip) AS zip FROM attacked",
    "SELECT zip FROM quiet",
    "SELECT upper(zip) || lower(zip) AS zip FROM attacked WHERE now() > '2000-01-01' AND length(zip) < 10",
    "SELECT zip FROM attacked WHERE zip ~ '^[0-9]' AND zip LIKE '\\_%' OR zip <> '\\'",
    "SELECT E'\\\\x' AS zip",
    "SELECT date_trunc('month', date '2001-02-03')::text AS zip, extract(year FROM date '2001-02-03') AS y",
    "SELECT zip, count(*) AS n, row_number() OVER (ORDER BY zip) AS r FROM attacked GROUP BY zip",
    "SELECT string_agg(zip, ',') AS zip, percentile_cont(0.5) WITHIN GROUP (ORDER BY length(zip)) AS m FROM attacked",
    "SELECT DISTINCT ON (zip) zip FROM attacked /* set_config(1) -- */ WHERE zip <> 'set_config('",
    "SELECT '{\"a\": 1}'::jsonb @> '{\"a\": 1}' AS zip",
    "SELECT '{\"a\": 1}'::jsonb ? 'a' AS zip",
    "SELECT '''; --' AS zip",
    "SELECT /* a /* nested */ comment */ zip FROM attacked",
    "SELECT s.nextval::text AS zip FROM scored AS s",
    "SELECT coalesce(nullif(zip, ''), 'x') AS zip FROM attacked -- ; DROP TABLE victim",
    "WITH x (zip) AS (SELECT zip FROM attacked) SELECT zip FROM x",
    "SELECT g::text AS zip FROM generate_series(1, 3) AS g",
    "SELECT CURRENT_DATE::text AS zip",
    "SELECT CAST(1.50 AS numeric(10, 2))::text AS zip",
    "SELECT B'101'::text AS zip",
    "SELECT (ARRAY[zip, 'x'])[1:2]::text AS zip FROM attacked",
    'SELECT zip AS "set_config", zip FROM attacked',
]


@pytest.mark.parametrize("query", POSTGRESQL_REFUSED)
def test_postgresql_refuses(guarded: Any, query: str) -> None:
    with closing(opened(guarded.address)) as connection, pytest.raises(InputError):
        checked_query(connection, query)


def test_a_function_that_is_not_there(guarded: Any) -> None:
    """The catalog knows nothing bad of it; the server does not know it at all."""
    with pytest.raises(InputError, match="does not understand"):
        idbits.measure(guarded.address, "zip", query="SELECT dblink_exec('x', 'y') AS zip")


@pytest.mark.parametrize("query", POSTGRESQL_ALLOWED)
def test_postgresql_allows(guarded: Any, query: str) -> None:
    with closing(opened(guarded.address)) as connection:
        assert checked_query(connection, query) is not None
        assert not volatile_in(guarded, query)
    idbits.inspect(guarded.address, query=query)


@pytest.mark.parametrize("view", ["touching", "above", "operated", "gathered", "of_a_domain"])
def test_views_by_name_are_checked_too(guarded: Any, view: str) -> None:
    for question in ({"table": view}, {"query": view}, {"table": f"public.{view}"}):
        with pytest.raises(InputError, match="volatile"):
            idbits.measure(guarded.address, "zip", **question)
    idbits.inspect(guarded.address, table="quiet")


# What the server itself makes of a query, as the test of the check: its own tree has the numbers of all functions.


def volatile_in(server: Any, query: str, strings: str = "on") -> set[str] | None:
    """Return the volatile functions in the server's tree of a query; None where it is no query."""
    connection, trees = oracle(server.address)
    connection.execute(f"SET standard_conforming_strings = {strings}")
    connection.execute("SET debug_print_rewritten = on")
    trees.clear()
    made = connection.pgconn.prepare(b"", f"SELECT * FROM ({query}\n) AS q".encode())
    connection.execute("SET debug_print_rewritten = off")
    if made.status != psycopg.pq.ExecStatus.COMMAND_OK:
        return None
    functions = [int(n) for tree in trees for n in re.findall(r":(?:funcid|aggfnoid|winfnoid) ([0-9]+)", tree)]
    operators = [int(n) for tree in trees for n in re.findall(r":opno ([0-9]+)", tree)]
    assert trees
    found = connection.execute(
        "SELECT proname FROM pg_proc WHERE provolatile = 'v' AND (oid = ANY(%s::oid[]) OR oid IN "
        "(SELECT oprcode FROM pg_operator WHERE oid = ANY(%s::oid[])))",
        (functions, operators),
    ).fetchall()
    return {name for (name,) in found}


@functools.cache
def oracle(address: str) -> tuple[psycopg.Connection[Any], list[str]]:
    """Return a connection to a server that tells how it reads queries, and what it told."""
    trees: list[str] = []
    connection = psycopg.connect(address, autocommit=True)
    connection.add_notice_handler(lambda said: trees.append(said.message_detail or ""))
    connection.execute("SET escape_string_warning = off")
    connection.execute("SET client_min_messages = log")
    atexit.register(connection.close)
    return connection, trees


def test_the_servers_own_tree_shows_what_is_refused(guarded: Any) -> None:
    """The oracle of the next test sees what it is there to see."""
    assert volatile_in(guarded, "SELECT set_config('a.b', '1', true) AS zip") == {"set_config"}
    assert volatile_in(guarded, "SELECT zip FROM above") == {"touchy"}
    assert volatile_in(guarded, "SELECT a.member AS zip FROM attacked AS a") == {"member"}
    assert volatile_in(guarded, "SELECT zip FROM operated") == {"both_of"}
    assert volatile_in(guarded, "SELECT zip FROM quiet") == set()
    assert volatile_in(guarded, "SELECT zip FROM") is None


@pytest.fixture(scope="module")
def checker(guarded: Any) -> Iterator[DatabaseConnection]:
    with closing(opened(guarded.address)) as connection:
        yield connection


PIECES = [
    "'",
    "''",
    "\\",
    "\\'",
    "E'",
    "e'",
    "U&'",
    "N'",
    "$$",
    "$a$",
    '"',
    '""',
    "/*",
    "*/",
    "--",
    "\n",
    "\r",
    "(",
    ")",
    ";",
    " ",
    "set_config('a.b','1',false)",
    "pg_sleep(0)",
    "touchy(zip)",
    ".member",
    "@@@",
    "zip",
    "attacked",
    "SELECT",
    "FROM",
    "AS q",
    "1",
    "e1",
    "= ",
    "||",
    "AND",
    ",",
    "::text",
    "COMMIT",
    "UNION ALL SELECT zip FROM attacked",
    "[",
    "]",
    ":",
    "above",
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@hypothesis.settings(max_examples=400, deadline=None, derandomize=True)
@hypothesis.given(SOUP)
# One setting reads two literals, the other a literal and a call; and a literal that continues another with a prefix.
@hypothesis.example("'\\' AND zip <> ' OR pg_sleep(0) IS NULL --'")
@hypothesis.example("E'a'\n'b\\'' OR pg_sleep(0) IS NULL --'")
@hypothesis.example("E'a' || 'b\\' AND zip <> ' OR pg_sleep(0) IS NULL --'")
def test_what_is_let_pass_calls_nothing_volatile(guarded: Any, checker: DatabaseConnection, soup: str) -> None:
    """If a query is let pass, whatever stands in it, the server's own reading is harmless, under both settings."""
    for query in (f"SELECT zip FROM attacked WHERE zip <> {soup}", f"SELECT {soup} AS zip FROM attacked"):
        try:
            select = checked_query(checker, query)
        except InputError:
            continue
        if select is not None:
            for strings in ("on", "off"):
                assert not volatile_in(guarded, select.text, strings), query
