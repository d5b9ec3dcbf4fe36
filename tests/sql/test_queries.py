"""``--query`` and ``--table``: every way to write what is measured, and names that try to be something else."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

import databases
import idbits
from idbits.errors import EngineError, InputError

PEOPLE = [("1011", "F"), ("1011", "M"), ("20%", "F"), (":x", "F"), ("it's", "M"), ('say "hi"', "M"), ("1011", "F")]


@pytest.fixture(scope="module")
def address(database: Any) -> str:
    columns = [sa.Column("zip", sa.String(20)), sa.Column("sex", sa.String(20))]
    database.fill("queried", columns, [{"zip": zip_code, "sex": sex} for zip_code, sex in PEOPLE])
    database.run("DROP VIEW IF EXISTS women", "CREATE VIEW women AS SELECT zip, sex FROM queried WHERE sex = 'F'")
    return database.address


def sizes(answer: Any) -> list[int]:
    return sorted(k for k, sets in answer.figures.spectrum.pairs() for _ in range(sets))


def expected(*keys: Any) -> list[int]:
    return sorted(Counter(keys).values())


ZIPS = [zip_code for zip_code, _ in PEOPLE]
QUERIES = {
    "select": ("SELECT zip FROM queried", ZIPS),
    "star": ("SELECT * FROM queried", ZIPS),
    "small letters": ("select zip from queried", ZIPS),
    "with": ("WITH w AS (SELECT zip, sex FROM queried) SELECT zip FROM w", ZIPS),
    "union": ("SELECT zip FROM queried UNION ALL SELECT sex FROM queried", [v for row in PEOPLE for v in row]),
    "view by name": ("women", [zip_code for zip_code, sex in PEOPLE if sex == "F"]),
    "quoted view": ('"women"', [zip_code for zip_code, sex in PEOPLE if sex == "F"]),
    "percent": ("SELECT zip FROM queried WHERE zip LIKE '%0%' OR zip = '20%'", ["1011"] * 3 + ["20%"]),
    "two percents": ("SELECT zip FROM queried WHERE zip = '20%%' OR zip LIKE '1%s' OR zip LIKE '1%'", ["1011"] * 3),
    "parameters": ("SELECT zip FROM queried WHERE zip <> '%(x)s' AND zip <> '?' AND zip <> ':sex'", ZIPS),
    "colon": ("SELECT zip FROM queried WHERE zip = ':x'", [":x"]),
    "colons": ("SELECT zip FROM queried WHERE zip <> '::text' AND zip <> 'a:b:c' AND zip <> '\\:y'", ZIPS),
    "quotes": ("SELECT zip FROM queried WHERE zip = 'it''s' OR zip = 'say \"hi\"'", ["it's", 'say "hi"']),
    "semicolon": ("SELECT zip FROM queried;", ZIPS),
    "semicolon and blanks": ("  SELECT zip FROM queried ; \n", ZIPS),
    "semicolon and a comment": ("SELECT zip FROM queried; -- that's all", ZIPS),
    "comment at the end": ("SELECT zip FROM queried -- all of it", ZIPS),
    "comment in the middle": ("SELECT zip /* :x %s ; */ FROM queried", ZIPS),
    "comment first": ("-- people\nSELECT zip FROM queried", ZIPS),
    "parentheses": ("(SELECT zip FROM queried)", ZIPS),
    "order and limit": ("SELECT zip FROM queried ORDER BY zip LIMIT 100", ZIPS),
    "semicolon in a text": ("SELECT zip FROM queried WHERE zip <> ';'", ZIPS),
    "line breaks": ("SELECT\n zip\nFROM\n queried\n", ZIPS),
    "alias": ("SELECT sex AS zip FROM queried", [sex for _, sex in PEOPLE]),
    "aliases of tables": ("SELECT t.zip FROM queried AS t JOIN queried AS u ON t.zip = u.zip", ZIPS * 1 + ["1011"] * 6),
    "grouped": ("SELECT zip, count(*) AS n FROM queried GROUP BY zip", set(ZIPS)),
}


def takes_texts_for_parameters(address: str) -> bool:
    """Whether this is a version of SQLAlchemy that cannot compile %(a)s in a text for SQLite."""
    version = tuple(int(part) for part in sa.__version__.split(".")[:3])
    return version < (2, 1, 5) and address.startswith("sqlite")


@pytest.mark.parametrize("name", list(QUERIES))
def test_queries(address: str, name: str) -> None:
    query, values = QUERIES[name]
    if name == "parameters" and takes_texts_for_parameters(address):
        with pytest.raises(EngineError, match=r"need SQLAlchemy 2\.1\.5"):
            idbits.measure(address, "zip", query=query)
        return
    assert sizes(idbits.measure(address, "zip", query=query)) == expected(*values)


def test_queries_can_be_filtered_counted_and_coarsened(address: str) -> None:
    query = "SELECT zip, sex, count(*) AS n FROM queried GROUP BY zip, sex"
    answer = idbits.measure(address, "zip:prefix2", by="sex", count="n", where="zip <> ':x'", query=query)
    assert sizes(answer) == expected(*(zip_code[:2] for zip_code in ZIPS if zip_code != ":x"))


EXPRESSIONS = {"postgresql": "?column?", "mariadb": "length(zip) % 2", "sqlite": "length(zip) % 2"}


def test_expressions_without_a_name(database: Any, address: str) -> None:
    answer = idbits.measure(
        address, [EXPRESSIONS[database.name]], query="SELECT length(zip) % 2 FROM queried WHERE zip LIKE '%'"
    )
    assert sizes(answer) == expected(*(len(zip_code) % 2 for zip_code in ZIPS))


def test_columns_of_one_name_are_an_error(address: str) -> None:
    with pytest.raises(InputError, match="two columns with the same name"):
        idbits.measure(address, "zip", query="SELECT a.zip, b.zip FROM queried a JOIN queried b ON a.sex = b.sex")


def test_casts_with_colons(postgresql: Any) -> None:
    query = "SELECT (1::text || '::' || 2::numeric(10,2)::text) AS v, (ARRAY[1,2,3])[1:2]::text AS w"
    answer = idbits.measure(postgresql.address, "v,w", query=query, values=True, reveal=True)
    assert answer.values.rows[0].value == ("1::2.00", "{1,2}")


NAMES = {
    "reserved": "select", "another": "order", "table": "table", "quote": "it's", "double quote": 'say "hi"',
    "backquote": "a`b", "blank": "two words", "dot": "a.b", "sql": "x'; DROP TABLE queried; --", "unicode": "město ß",
    "html": "<b onclick=x>", "percent": "100%s", "parameter": "%(a)s", "colon": ":x", "question": "a?b",
    "capitals": "People", "backslash": "a\\b", "comma": "a,b", "brackets": "a[0]", "long": "n" * 60, "ours": "people",
    "ours too": "k0", "sets": "sets", "t": "t", "nothing": "null", "digits": "1", "line": "a\nb",
}  # fmt: skip


@pytest.mark.parametrize("what", list(NAMES))
def test_hostile_names(database: Any, what: str) -> None:
    name = NAMES[what]
    if what == "parameter" and takes_texts_for_parameters(database.address):
        pytest.skip("this version of SQLAlchemy cannot create such a table")
    table = f"{name} t" if what in ("t", "ours", "sets") else name
    columns = [sa.Column(name, sa.String(20), quote=True), sa.Column("weight", sa.String(20))]
    rows = [{name: "x" if i % 3 else None, "weight": f"{i % 4}"} for i in range(12)]
    made = sa.Table(table, sa.MetaData(), *(column._copy() for column in columns), quote=True)
    databases.fill(database.address, made, rows)
    answer = idbits.measure(
        database.address, [name, "weight"], by="weight", table=table, values=True, reveal=True, suppress=2
    )
    assert sizes(answer) == expected(*((row[name], row["weight"]) for row in rows))
    assert answer.nulls[name] == 4
    assert idbits.measure(database.address, [f"{name}:top1"], table=table).n_sets == 2
    quoted = '"' + name.replace('"', '""') + '"'
    assert idbits.measure(database.address, "weight", where=f"{quoted} = 'x'", table=table).n_rows == 8
    with databases.writer(database.address).begin() as connection:
        made.drop(connection)


def test_schemas(server: Any) -> None:
    other = '"other.schema"' if server.name == "postgresql" else "`other.schema`"
    server.run(f"CREATE SCHEMA IF NOT EXISTS {other}", f"DROP TABLE IF EXISTS {other}.people")
    server.run(f"CREATE TABLE {other}.people (zip varchar(9))", f"INSERT INTO {other}.people VALUES ('1'), ('2')")
    assert idbits.measure(server.address, "zip", table='"other.schema".people').n_rows == 2
    assert idbits.measure(server.address, "zip", table='"other.schema"."people"').n_rows == 2
    if server.name == "mariadb":
        server.run(
            f"CREATE TABLE IF NOT EXISTS {other}.`a.b` (zip varchar(9))", f"INSERT INTO {other}.`a.b` VALUES ('1')"
        )
        assert idbits.measure(server.address, "zip", table='"other.schema"."a.b"').n_rows >= 1
    server.run(f"DROP SCHEMA {other}" + (" CASCADE" if server.name == "postgresql" else ""))


def test_kinds_of_tables(postgresql: Any) -> None:
    postgresql.run(
        "DROP TABLE IF EXISTS parted CASCADE",
        "CREATE TABLE parted (zip text, born date) PARTITION BY RANGE (born)",
        "CREATE TABLE parted_a PARTITION OF parted FOR VALUES FROM ('1900-01-01') TO ('1950-01-01')",
        "CREATE TABLE parted_b PARTITION OF parted FOR VALUES FROM ('1950-01-01') TO ('2050-01-01')",
        "INSERT INTO parted VALUES ('1', '1920-01-01'), ('1', '1980-01-01'), ('2', '1981-01-01')",
        "DROP MATERIALIZED VIEW IF EXISTS stored",
        "CREATE MATERIALIZED VIEW stored AS SELECT * FROM parted WHERE zip = '1'",
    )
    assert idbits.measure(postgresql.address, "zip,born:year", table="parted").n_sets == 3
    assert idbits.measure(postgresql.address, "zip", table="public.parted").n_rows == 3
    assert idbits.measure(postgresql.address, "zip", table="stored").n_rows == 2
    assert idbits.measure(postgresql.address, "zip", query="stored").n_rows == 2


def test_the_next_command_names_the_table(address: str) -> None:
    assert "--table queried" in idbits.measure(address, "zip", table="queried").next_command
    assert "--query" in idbits.measure(address, "zip", query="SELECT zip FROM queried").next_command
    # With nobody in a small set, the next command is a look at the other columns, of the same table.
    assert "--query" in idbits.measure(address, "one", query="SELECT 1 AS one FROM queried").next_command


def test_the_next_command_does_not_repeat_texts(address: str) -> None:
    """What stands in a filter may be a value, in a --query as in a --where."""
    query = "SELECT zip FROM queried WHERE zip <> 'zqx'"
    assert "zqx" not in idbits.measure(address, "zip", query=query).next_command


def test_on_the_command_line(address: str, run: Callable[..., Any]) -> None:
    ended = run("measure", address, "--qid", "zip", "--query", "SELECT zip FROM queried WHERE zip LIKE '1%'", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    ended = run("inspect", address, "--query", "SELECT zip FROM queried WHERE zip = ':x' OR zip LIKE '1%'", "--json")
    assert (ended.code, '"n_rows": 4' in ended.out) == (0, True)
