"""The roles that the documentation recommends: their statements are run as they stand there, and they are enough."""

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import databases
import idbits
from idbits.errors import IdbitsError

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "databases.md"
pytestmark = pytest.mark.server
COLUMNS = ("birthdate", "zip", "gender", "illness")


def documented(heading: str) -> list[str]:
    """Return the statements of the first SQL block below a heading."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    block = re.search(r"```sql\n(.*?)```", section, re.DOTALL)
    assert block is not None
    return [statement.strip() for statement in block[1].split(";") if statement.strip()]


def people(address: str) -> None:
    table = sa.Table("people", sa.MetaData(), *(sa.Column(name, sa.String(20)) for name in COLUMNS))
    databases.fill(address, table, [{name: f"{name}{i % 5}" for name in COLUMNS} for i in range(30)])


def in_registry(address: str) -> str:
    """Return the address of the database that the documentation names, on the same server."""
    return sa.make_url(address).set(database="registry").render_as_string(hide_password=False)


@pytest.fixture(scope="module")
def postgresql_role(postgresql: Any) -> str:
    if not postgresql.rows("SELECT 1 FROM pg_database WHERE datname = 'registry'"):
        with databases.writer(postgresql.address).connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("CREATE DATABASE registry")
    address = in_registry(postgresql.address)
    people(address)
    with databases.writer(address).begin() as connection:
        if connection.exec_driver_sql("SELECT 1 FROM pg_roles WHERE rolname = 'analyst'").first():
            connection.exec_driver_sql("DROP OWNED BY analyst")
            connection.exec_driver_sql("DROP ROLE analyst")
        for statement in documented("PostgreSQL"):
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("CREATE SEQUENCE IF NOT EXISTS numbers")
    return address.replace("postgres@", "analyst@", 1)


@pytest.fixture(scope="module")
def mariadb_role(mariadb: Any) -> str:
    mariadb.run("CREATE DATABASE IF NOT EXISTS registry", "DROP USER IF EXISTS analyst@'%%'")
    address = in_registry(mariadb.address)
    people(address)
    for statement in documented("MySQL and MariaDB"):
        mariadb.run(statement.replace("%", "%%").replace("IDENTIFIED BY '...'", "IDENTIFIED BY 'zqx'"))
    return address.replace("root@", "analyst@", 1)


@pytest.fixture(params=["postgresql_role", "mariadb_role"])
def role(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("IDBITS_DB_PASSWORD", "zqx")
    return str(request.getfixturevalue(request.param))


def test_the_role_is_enough(role: str) -> None:
    question = {"by": "gender", "values": True, "reveal": True, "where": "zip <> 'zip1'"}
    assert idbits.measure(role, "birthdate,zip", table="people", **question).n_rows == 24
    assert idbits.measure(role, "zip", query="SELECT upper(zip) AS zip FROM people").n_sets == 5
    assert [column.column for column in idbits.inspect(role, table="people").columns] == list(COLUMNS[:3])


def test_the_role_is_no_more_than_that(role: str) -> None:
    with pytest.raises(IdbitsError):
        idbits.measure(role, "illness", query="SELECT illness FROM people")


WRITING = [
    "INSERT INTO people VALUES ('a', 'b', 'c', 'd')",
    "UPDATE people SET zip = 'x'",
    "DELETE FROM people",
    "DROP TABLE people",
    "CREATE TABLE other (n int)",
    "CREATE TEMPORARY TABLE other (n int)",
    "SELECT illness FROM people",
]


@pytest.mark.parametrize("statement", WRITING)
def test_the_role_cannot_write_by_itself(role: str, statement: str) -> None:
    """With a connection of its own that is not read-only."""
    address = role.replace("mysql://analyst@", "mysql+pymysql://analyst:zqx@").replace(
        "postgresql:", "postgresql+psycopg:"
    )
    engine = sa.create_engine(address, poolclass=sa.pool.NullPool)
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SET TRANSACTION READ WRITE")
        with pytest.raises(sa.exc.DBAPIError, match=r"denied|must be owner"):
            connection.exec_driver_sql(statement)
