"""Queries that do more than read in SQLite."""

from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa

import databases
import idbits
from idbits.engines.sql.address import engine_of, parse_address
from idbits.engines.sql.connection import DatabaseConnection
from idbits.errors import IdbitsError, InputError
from idbits.progress import SILENT


def opened(address: str) -> DatabaseConnection:
    return DatabaseConnection(engine_of(parse_address(address)), 60, SILENT)


SQLITE_REFUSED = [
    "SELECT load_extension('x') AS zip",
    "SELECT random() AS zip",
    "SELECT randomblob(4) AS zip",
    "SELECT zip REGEXP '(a+)+$' AS zip FROM attacked",
    "SELECT regexp('(a+)+$', zip) AS zip FROM attacked",
    "SELECT readfile('/etc/passwd') AS zip",
    "SELECT writefile('/tmp/x', 'y') AS zip",
    "SELECT file AS zip FROM pragma_database_list",
    "SELECT name AS zip FROM pragma_function_list",
    "SELECT data AS zip FROM sqlite_dbpage",
    "SELECT name AS zip FROM dbstat",
    "SELECT fts3_tokenizer('simple') AS zip",
    "SELECT sqlite_log(1, 'x') AS zip",
    "SELECT changes() AS zip",
    "SELECT last_insert_rowid() AS zip",
    "ATTACH '/tmp/x.db' AS x",
    "PRAGMA query_only = OFF",
    "SELECT 1 AS zip; ATTACH '/tmp/x.db' AS x",
    "SELECT idbits_matches(zip, '(a+)+$') AS zip FROM attacked",
    "SELECT idbits_text(zip) AS zip FROM attacked",
    "VACUUM INTO '/tmp/x.db'",
    "WITH x AS (DELETE FROM attacked RETURNING zip) SELECT zip FROM x",
    "SELECT * FROM pragma_query_only(0)",
    "SELECT zip FROM shaky",
    "SELECT ?1 AS zip",
    "SELECT :a AS zip",
    "SELECT @a AS zip",
    "SELECT $a AS zip",
    "EXPLAIN SELECT 1",
    "SELECT 1 AS zip /* open",
]
SQLITE_ALLOWED = [
    "SELECT zip FROM attacked",
    "SELECT upper(zip) || count(*) AS zip FROM attacked GROUP BY zip",
    "SELECT zip FROM attacked WHERE zip LIKE '1%'",
    "SELECT date('2001-02-03') AS zip, max(zip, 'x') AS m FROM attacked",
    "SELECT json_extract('{\"a\":1}', '$.a') AS zip",
    "SELECT zip, row_number() OVER (ORDER BY zip) AS r FROM attacked",
    "SELECT value AS zip FROM json_each('[1,2]')",
    "SELECT zip FROM steady",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i AS zip FROM n",
    "SELECT [zip], `zip` AS b FROM attacked",
    "SELECT x'41' AS zip",
    "SELECT round(1.5) AS zip, floor(2.5) AS f",
]


@pytest.fixture
def lite(sqlite: Any) -> Any:
    sqlite.fill("attacked", [sa.Column("zip", sa.Text())], [{"zip": f"{i}"} for i in range(9)])
    sqlite.run(
        "CREATE VIEW shaky AS SELECT random() AS zip FROM attacked",
        "CREATE VIEW steady AS SELECT upper(zip) AS zip FROM attacked",
    )
    return sqlite


def test_sqlite_refuses(lite: Any) -> None:
    for query in SQLITE_REFUSED:
        with pytest.raises(IdbitsError) as refusal:
            idbits.measure(lite.address, "zip", query=query)
        assert "internal" not in str(refusal.value), query
    with pytest.raises(InputError, match="only reads"):
        idbits.measure(lite.address, "zip", table="shaky")


def test_sqlite_allows(lite: Any) -> None:
    for query in SQLITE_ALLOWED:
        idbits.inspect(lite.address, query=query)
    assert idbits.measure(lite.address, "zip", table="steady").n_rows == 9


def test_a_name_in_double_quotes_is_never_a_text(lite: Any) -> None:
    """SQLite itself would take one that is no column for a text, and everybody would look the same."""
    with pytest.raises(IdbitsError, match="a column does not exist"):
        idbits.measure(lite.address, "zip", query='SELECT "zipp" AS zip FROM attacked')
    with pytest.raises(IdbitsError, match="a column does not exist"):
        idbits.measure(lite.address, "zip", query='SELECT zip FROM attacked WHERE zip = "3"')
    answer = idbits.measure(lite.address, "zip", query='SELECT a."zip" AS "zip" FROM "attacked" AS a')
    assert answer.n_sets == 9


def test_sqlite_is_guarded_in_somebodys_own_engine(lite: Any) -> None:
    engine = databases.writer(lite.address)
    assert idbits.measure(engine, "zip", table="attacked").n_rows == 9
    with closing(DatabaseConnection(engine, 60, SILENT)) as connection:
        for statement in (
            "ATTACH '/tmp/idbits-attached.db' AS x",
            "DELETE FROM attacked",
            "PRAGMA query_only = OFF",
            "VACUUM",
        ):
            with pytest.raises(IdbitsError):
                connection.rows(sa.text(statement))


def test_virtual_tables_can_be_measured(sqlite: Any) -> None:
    sqlite.run("CREATE VIRTUAL TABLE boxes USING rtree(id, low, high)", "INSERT INTO boxes VALUES (1, 2, 3), (2, 2, 3)")
    assert idbits.measure(sqlite.address, "low", table="boxes").n_sets == 1
    with closing(DatabaseConnection(databases.writer(sqlite.address), 60, SILENT)) as connection:
        for statement in ("DELETE FROM boxes", "DELETE FROM boxes_node", "UPDATE sqlite_master SET sql = ''"):
            with pytest.raises(IdbitsError):
                connection.rows(sa.text(statement))
    assert sqlite.rows("SELECT count(*) FROM boxes") == [(2,)]


def test_cells_of_very_many_digits(sqlite: Any) -> None:
    rows = [{"zip": "1" * 100_000 + "x", "n": "1" * 5_000}, {"zip": "2", "n": "0" * 5_000 + "3"}]
    sqlite.fill("long", [sa.Column("zip", sa.Text()), sa.Column("n", sa.Text())], rows)
    assert idbits.inspect(sqlite.address, table="long").n_rows == 2
    with pytest.raises(IdbitsError, match=r"whole numbers.* 1 row "):
        idbits.measure(sqlite.address, "zip", table="long", count="n")
    assert idbits.measure(sqlite.address, "zip", table="long", count="n", where="zip = '2'").n_rows == 3
