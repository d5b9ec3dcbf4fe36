"""``--explain`` runs nothing but a look at the catalog, and shows exactly what the measurement then runs."""

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

import idbits
from idbits.studies.measure.explain import explain_measure

MARKER = "zqx"


def cells(i: int) -> dict[str, Any]:
    return {
        "id": f"{MARKER}{i}",
        "zip": f"{MARKER}{i % 7}",
        "sex": "FM"[i % 2],
        "age": i,
        "born": date(1950, 1, 1) + timedelta(days=37 * i),
        "born_text": (date(1950, 1, 1) + timedelta(days=37 * i)).isoformat(),
        "height": 150.5 + i,
        "digits": f"{i}.5",
        "people": 1 + i % 2,
        "people_text": f"{i}",
        "at": datetime(1990, 1, 1, 23, 30, tzinfo=UTC) + timedelta(days=37 * i),
    }


@pytest.fixture(scope="module")
def address(database: Any) -> str:
    types = {
        "age": sa.Integer(),
        "people": sa.Integer(),
        "born": sa.Date(),
        "height": sa.Double().with_variant(mysql.DOUBLE(), "mysql", "mariadb"),
        "at": sa.DateTime(timezone=True).with_variant(mysql.TIMESTAMP(), "mysql", "mariadb"),
    }
    columns = [sa.Column(name, types.get(name, sa.String(20))) for name in cells(0)]
    database.fill("explained", columns, [cells(i) for i in range(60)])
    return database.address


CASES: dict[str, dict[str, Any]] = {
    "plain": {"qid": "zip,sex"},
    "one column": {"qid": "zip"},
    "several": {"qid": [["zip"], ["zip", "sex"]]},
    "transforms": {"qid": "zip:prefix4,age:band5,height:round0.5,age:cap40:band10"},
    "dates": {"qid": "born:year,born:month,born:quarter,born:week,born:day,born:monthofyear"},
    "top": {"qid": "zip:top3,sex"},
    "text dates": {"qid": "born_text:month,zip"},
    "text dates in a zone": {"qid": "born_text:month", "zone": "Europe/Budapest"},
    "times": {"qid": "at:month"},
    "times in a zone": {"qid": "at:month,at:year", "zone": "Europe/Budapest"},
    "text dates in an order": {"qid": "born_text:month", "dates": "ymd"},
    "text numbers": {"qid": "digits:band10,zip"},
    "where": {"qid": "zip", "where": f"sex = 'F' and age between 3 and 40 or zip like '{MARKER}%'"},
    "where with 100%": {"qid": "zip", "where": "zip like '%100%%' or zip <> ':a' and not zip = 'it''s %s'"},
    "where with text numbers": {"qid": "zip", "where": "digits > 7.25 and born < '1960-01-01'"},
    "where in": {"qid": "zip", "where": "sex in ('F', 'M') and zip is not null and height > 10.5"},
    "by": {"qid": "zip", "by": "sex"},
    "by a transform": {"qid": "zip", "by": "born:year"},
    "count": {"qid": "zip", "count": "people"},
    "text count": {"qid": "zip", "count": "people_text"},
    "person": {"qid": "zip", "person": "id"},
    "people with several rows": {"qid": "zip,id", "person": "sex", "by": "zip", "null_person": "own"},
    "all records": {"qid": "zip", "person": "sex", "knows": "all-records", "multiset": True, "null_person": "drop"},
    "a record at random": {"qid": "zip", "person": "sex", "knows": "any-record", "null_person": "drop"},
    "values": {"qid": "zip,sex", "values": True},
    "reveal": {"qid": "zip,sex", "reveal": True},
    "values and reveal": {"qid": "zip", "values": True, "reveal": True},
    "timeout": {"qid": "zip", "timeout": 7},
    "no timeout": {"qid": "zip", "timeout": 0},
    "all": {
        "qid": "zip:top3,born_text:year",
        "by": "sex",
        "count": "people",
        "values": True,
        "reveal": True,
        "where": "age > 1",
    },
}


def is_about_people(statement: str) -> bool:
    """Whether a statement looks at rows of the table: not at the catalog, and not at no row at all."""
    if re.search(r"pg_catalog|information_schema|sqlite_master|sqlite_schema|PRAGMA (main|temp|table)", statement):
        return False
    if re.search(r"WHERE 1 = 0$", statement):
        return False
    # What SQLAlchemy asks of a new connection.
    driver = r"select (pg_catalog\.)?version|show |SELECT (CAST|current_schema|@@|database|DATABASE)|ROLLBACK|rollback"
    return re.match(driver, statement) is None


def looks_at_types(statement: str) -> bool:
    """SQLite's columns have no types: what their cells are has to be looked up."""
    return "typeof(" in statement


def normal(statement: str) -> str:
    """Return a statement without what differs between parameters and literals: types, and numbers of names."""
    statement = re.sub(r"\b(coalesce|count|sum|min)_[0-9]+\b", r"\1", statement)
    statement = re.sub(r"::[A-Z]+(\([0-9, ]*\))?|\bN'", lambda match: "'" if match[0] == "N'" else "", statement)
    statement = " ".join(statement.replace("%%", "%").replace("\\\\", "\\").split())
    # What is shown has placeholders for the literals of a filter and of a query.
    return re.sub(
        r"'(?:[^']|'')*'|(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:e[0-9]+)?(?![\w.])|:(?:where|query)[0-9]+", "?", statement
    )


@pytest.mark.parametrize("asked", list(CASES.values()), ids=list(CASES))
def test_it_shows_what_is_run(address: str, recording: Callable[[], Any], asked: dict[str, Any]) -> None:
    with recording() as before:
        told = explain_measure(address, table="explained", **asked)
    session = told.statements[0].sql.split(";\n")
    assert [text for text in before.statements if is_about_people(text) and not looks_at_types(text)] == session
    with recording() as after:
        idbits.measure(address, table="explained", **asked)
    run = {normal(text) for text in after.statements if is_about_people(text) and not looks_at_types(text)}
    shown = {normal(text) for text in [*session, *(statement.sql for statement in told.statements[1:])]}
    assert run - shown == set()
    # Only the data tell whether people have several rows: the statements for both cases are shown.
    assert shown - run == set() or "person" in asked


@pytest.mark.parametrize("query", ["SELECT zip, sex FROM explained WHERE zip LIKE '%1' OR zip = ':x'", "explained"])
def test_queries_are_explained(address: str, recording: Callable[[], Any], query: str) -> None:
    told = explain_measure(address, "zip,sex:prefix1", query=query)
    with recording() as after:
        idbits.measure(address, "zip,sex:prefix1", query=query)
    run = {normal(text) for text in after.statements if is_about_people(text) and not looks_at_types(text)}
    shown = {normal(text) for statement in told.statements[1:] for text in [statement.sql]}
    assert shown <= run


def test_what_is_shown_can_be_run(database: Any, address: str) -> None:
    """The SQL is whole: with literals in place of the placeholders it gives the same counts."""
    literals: list[str] = []
    if database.name == "sqlite":
        # Its text functions are ours.
        asked: dict[str, Any] = {"qid": "zip,sex"}
    else:
        asked = {"qid": "zip:prefix4,born_text:month,age:band5", "where": "zip like '%1' or zip = 'it''s' or age > 41"}
        literals = ["'%1'", "'it''s'", "41"]
    told = explain_measure(address, table="explained", **asked)
    (spectrum,) = [item.sql for item in told.statements if re.fullmatch("the spectrum of .*,.*", item.reason)]
    for number, literal in enumerate(literals, 1):
        assert f":where{number} " in spectrum.replace(")", " ")
        spectrum = spectrum.replace(f":where{number}", literal)
    answer = idbits.measure(address, table="explained", **asked)
    with databases_writer(address) as connection:
        rows = connection.connection.cursor()
        rows.execute(spectrum)
        assert sorted(tuple(map(int, row)) for row in rows.fetchall()) == list(answer.figures.spectrum.pairs())


FILTERS = [
    "zip = 'SECRET'", "zip <> 'SECRET' or not zip < 'SECRET'", "zip like 'SECRET%'", "zip not like '%_SECRET'",
    "zip in ('SECRET', 'SECRET2', 'it''s SECRET')", "zip between 'SECRET' and 'SECRETS'", "age = 731973",
    "age > -731973", "age in (731973, 731973.5)", "age between 0.731973 and 731973", "height >= 731973.25",
    "height = 1.731973e3", "born = '1973-07-31'", "born > '1973-07-31' and born < '1973-07-31'",
    "digits > 731973", "digits = 0.731973", "digits between -731973 and 731973e2",
    "zip = 'SECRET' and age = 731973 and born = '1973-07-31'",
]  # fmt: skip


@pytest.mark.parametrize("text", FILTERS)
def test_literals_of_a_filter_are_not_shown(database: Any, address: str, text: str) -> None:
    if database.name == "sqlite" and "born" in text:
        text = text.replace("born", "born_text")  # it has no type for dates
    told = explain_measure(
        address, "zip:top3,age:band5", by="sex", table="explained", where=text, values=True, reveal=True
    )
    shown = json.dumps(told.to_dict())
    assert ":where1" in shown
    assert re.search("SECRET|731973|973-07|1973|271828|8000-", shown) is None


def test_literals_of_a_query_are_not_shown(address: str, run: Callable[..., Any]) -> None:
    query = "SELECT zip, sex FROM explained WHERE zip <> 'SEC''RET' /* SECRET */ AND age <> 731973 -- SECRET"
    ended = run("measure", address, "--qid", "zip", "--query", query, "--where", "zip <> 'SECRET'", "--explain")
    assert ended.code == 0
    assert "zip <> :query1" in ended.out
    assert "age <> :query2" in ended.out
    assert ":where1" in ended.out
    assert re.search("SECRET|SEC'|731973", ended.out + ended.err) is None


def test_a_truth_of_a_filter_is_not_shown(postgresql: Any) -> None:
    postgresql.fill("truths", [sa.Column("ok", sa.Boolean()), sa.Column("zip", sa.Text())], [{"ok": True, "zip": "1"}])
    for source in ({"table": "truths"}, {"query": "SELECT ok, zip FROM truths"}):
        told = explain_measure(postgresql.address, "zip", where="ok = true", **source)
        assert '"ok" = :where1' in told.statements[-1].sql
        assert "true" not in told.statements[-1].sql
        assert idbits.measure(postgresql.address, "zip", where="ok = true", **source).n_rows == 1


def databases_writer(address: str) -> Any:
    import databases

    return databases.writer(address).connect()


def test_on_the_command_line(address: str, run: Callable[..., Any]) -> None:
    question = ("measure", address, "--qid", "zip:prefix4,sex", "--table", "explained", "--explain")
    text = run(*question)
    assert (text.code, text.out.count("GROUP BY") > 1) == (0, True)
    data = json.loads(run(*question, "--json").out)
    assert data["schema"] == "idbits/1"
    for statement in data["statements"]:
        assert statement["reason"]
        assert statement["sql"].split("\n")[0] in text.out
    assert MARKER not in text.out


def test_what_cannot_be_explained(address: str, run: Callable[..., Any], tmp_path: Any) -> None:
    (tmp_path / "people.csv").write_text("zip\n1\n")
    assert "not a database" in run("measure", tmp_path / "people.csv", "--qid", "zip", "--explain").failed(2)
    question = ("measure", address, "--table", "explained", "--explain", "--qid")
    assert "population" in run(*question, "zip", "--population-table", "explained").failed(2)
    assert 'no column named "zpi"' in run(*question, "zpi").failed(2)
    assert 'no column named "nobody"' in run(*question, "zip", "--person", "nobody").failed(2)
