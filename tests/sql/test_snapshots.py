"""Databases that cannot be run here: the SQL that they would get, kept as files to be read by people who know them.

``python tests/sql/test_snapshots.py`` writes the files anew.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import sqlglot

from idbits.engines import where
from idbits.engines.backends.persons import Persons
from idbits.engines.sql.catalog import DatabaseSource
from idbits.engines.sql.connection import sql_dialect_of, statement_text
from idbits.engines.sql.dates import form_check
from idbits.engines.sql.household_queries import HouseholdQueries
from idbits.engines.sql.person_queries import PersonQueries, n_people_of, people_by_value
from idbits.engines.sql.queries import Queries
from idbits.errors import EngineError, InputError
from idbits.values.attributes import Kind, parse_attribute
from idbits.values.zones import Zone

FOLDER = Path(__file__).parent / "snapshots"

KINDS = {
    "zip": Kind.TEXT, "sex": Kind.TEXT, "born": Kind.DATE, "seen": Kind.TIMESTAMP, "age": Kind.INTEGER,
    "income": Kind.NUMBER, "height": Kind.NUMBER, "people": Kind.INTEGER, "code": Kind.OTHER,
}  # fmt: skip
TYPES = {
    "zip": "text", "sex": "text", "born": "date", "seen": "timestamp", "age": "bigint", "income": "numeric",
    "height": "double", "people": "bigint", "code": "uuid",
}  # fmt: skip
FILTER = (
    "zip = 'it''s' and zip < 'b' and sex like 'F\\_[%' and sex in ('F', 'M') and age between 18 and 90 "
    "and income is not null and born >= '1990-05-01' and seen < '2020-01-02 03:04:05' and height > 1.5 "
    "and not (zip <> sex or income = 1000.25)"
)


def dialects() -> dict[str, sa.Dialect]:
    from databricks.sqlalchemy import DatabricksDialect
    from snowflake.sqlalchemy.snowdialect import SnowflakeDialect
    from sqlalchemy.dialects import mssql, oracle
    from sqlalchemy_bigquery import BigQueryDialect
    from trino.sqlalchemy.dialect import TrinoDialect

    sql_server = mssql.dialect()
    # Otherwise it writes for versions that had no dates without time.
    sql_server.server_version_info = (16,)
    sql_server._setup_version_attributes()
    return {
        "sqlserver": sql_server, "oracle": oracle.dialect(), "snowflake": SnowflakeDialect(),
        "bigquery": BigQueryDialect(), "trino": TrinoDialect(), "databricks": DatabricksDialect(),
    }  # fmt: skip


NAMES = ["sqlserver", "oracle", "snowflake", "bigquery", "trino", "databricks"]
PARSERS = {"sqlserver": "tsql"}


def attributes(names: str) -> list[Any]:
    return [parse_attribute(name, KINDS) for name in names.split(",")]


def queries_of(dialect: sa.Dialect, *, filtered: bool = False, counted: bool = False) -> Queries:
    relation = sa.table("people", *(sa.column(name) for name in KINDS), schema="registry")
    condition = where.parse(FILTER, KINDS) if filtered else None
    return Queries(
        DatabaseSource(relation, KINDS, TYPES), sql_dialect_of(dialect), condition, "people" if counted else None
    )


def statements(dialect: sa.Dialect) -> dict[str, str]:
    """Return every kind of question that a measurement asks."""
    queries, filtered = queries_of(dialect), queries_of(dialect, filtered=True)
    counted = queries_of(dialect, counted=True)
    all_kinds = attributes("zip,born:month,age:band5,income:round0.5,sex:prefix2")
    asked = {
        "how many people": queries.n_people(),
        "spectrum of all kinds": queries.spectrum(all_kinds),
        "spectrum of columns as they are": queries.spectrum(attributes("zip,born,seen,age,income,height,code")),
        "weeks": queries.spectrum(attributes("born:week,seen:week")),
        "quarters": queries.spectrum(attributes("born:quarter,seen:quarter")),
        "years, days and months of the year": queries.spectrum(attributes("born:year,seen:day,seen:monthofyear")),
        "caps and rounded whole numbers": queries.spectrum(attributes("age:cap90:band5,age:round10,height:band0.5")),
        "digits": queries.spectrum(attributes("age:prefix1")),
        "top": queries.spectrum(attributes("zip:top3,age:top5,born:top2")),
        "groups": queries.group_spectra(attributes("sex")[0], attributes("zip,age:band10"), 10),
        "values": queries.histogram(attributes("zip,born:year"), 10, None),
        "rarest values": queries.histogram(attributes("zip,age"), 1, 10),
        "nulls": queries.null_people(attributes("zip")[0]),
        "persons": queries.persons(attributes("code")[0]),
        "finite": queries.finite_check(attributes("height")[0]),
        "filter": filtered.spectrum(attributes("zip")),
        "counts": counted.counts_check(),
        "counted": counted.spectrum(attributes("zip,sex")),
    }
    return {name: statement_text(query, dialect) for name, query in (asked | about_people(queries)).items()}


def about_people(queries: Queries) -> dict[str, Any]:
    """Return the questions about people who have several rows, and about households."""
    own = PersonQueries(queries, Persons("code", null_is_own=True), attributes("zip,age:top3"))
    within = PersonQueries(queries, Persons("code"), attributes("zip,age"), attributes("sex")[0])
    held = people_by_value(queries, Persons("code"), attributes("sex"))
    against = PersonQueries(queries, Persons("code"), attributes("zip"), population=held)
    households = HouseholdQueries(queries, "zip", Persons("code"), attributes("age"), by_set=True)
    asked = {
        "people": own.people(),
        "people of categories": within.people(),
        "categories": within.labels(10),
        "people in several categories": within.people_in_several(),
        "records": own.records(),
        "people of the population": n_people_of(queries, Persons("code")),
        "people against a population": against.people(),
        "values against a population": against.values(),
        "homes": households.check(),
    }
    if queries.dialect.label == "Oracle":
        return asked
    return asked | {
        "sets": own.sets(),
        "multisets of categories": within.sets(multisets=True),
        "profiles": within.profiles(),
        "risks of households": households.risks(),
        "compositions of households": households.compositions(),
    }


def test_lists_of_records_are_refused_if_they_could_be_cut() -> None:
    people = PersonQueries(queries_of(dialects()["oracle"]), Persons("code"), attributes("zip"))
    for ask in (people.sets, people.profiles):
        with pytest.raises(EngineError, match="Oracle cannot compare all records of people exactly; export the table"):
            ask()


def snapshot(dialect: sa.Dialect) -> str:
    return "\n".join(f"-- {name}\n{text};\n" for name, text in statements(dialect).items())


@pytest.mark.big
@pytest.mark.parametrize("name", NAMES)
def test_the_sql_is_as_it_was(name: str) -> None:
    assert snapshot(dialects()[name]) == (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_sql_can_be_parsed(name: str) -> None:
    for text in statements(dialects()[name]).values():
        (parsed,) = sqlglot.parse(text, dialect=PARSERS.get(name, name))
        assert isinstance(parsed, sqlglot.exp.Select)
        # Nothing is left that a driver would have to fill in.
        assert list(parsed.find_all(sqlglot.exp.Placeholder, sqlglot.exp.Parameter)) == []


@pytest.mark.parametrize("name", NAMES)
def test_literals_of_a_filter_are_not_shown(name: str) -> None:
    dialect = dialects()[name]
    run = queries_of(dialect, filtered=True)
    shown = Queries(run.source, run.dialect, run.condition, shown=True)
    text = statement_text(shown.spectrum(attributes("zip")), dialect)
    text = shown.placeholders.shown(text)
    literals = r"it''s|'b'|F\\|'F'|'M'|\b18\b|\b90\b|1990|2020|03:04|1\.5|1000|271828|8000-"
    assert len(re.findall(literals, statement_text(run.spectrum(attributes("zip")), dialect))) >= 10
    assert re.findall(literals, text) == []
    assert sorted(set(re.findall(":where[0-9]+", text))) == sorted(f":where{n}" for n in range(1, 12))


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"oracle", "bigquery"}))
def test_sessions_are_limited(name: str) -> None:
    """Where the database has a limit of its own; the others are stopped from here."""
    dialect = sql_dialect_of(dialects()[name])
    assert "7" in " ".join(dialect.session(7))
    assert [text for text in [*dialect.session(7), *dialect.session(None)] if ";" in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_text_is_not_read(name: str) -> None:
    queries = queries_of(dialects()[name])
    text = attributes("zip")[0]
    refusal = f"cannot be counted in {queries.dialect.label}; export the table to Parquet"
    with pytest.raises(InputError, match=refusal):
        queries.number_check(text, comma=False)
    with pytest.raises(InputError, match=refusal):
        form_check(queries, text)
    with pytest.raises(InputError, match=f"--zone .* {refusal}"):
        queries.dialect.local_time(sa.column("at"), Zone("Europe/Budapest"), is_far=False)
    assert not queries.dialect.knows_instants
    with pytest.raises(InputError, match=refusal):
        Queries(queries.source, queries.dialect, None, "zip").counts_check()


TRAPS = {
    # There are no booleans in Oracle before 23, NUMERIC has no decimals, and texts are dates in the session's format.
    "oracle": (r"WHEN 0 THEN", r"AS NUMERIC\)", r"CAST\('1990-05-01' AS DATE\)"),
    # COLLATE binds to the mark alone: the sum then has two explicit collations, which is an error.
    "sqlserver": (r"_SC, \d\) \+ N'\|' COLLATE",),
    # A backslash in a pattern escapes there, and nowhere else.
    "bigquery": (r"LIKE 'F\\\\_\[", r"\+ 0\.25\b"),
    "databricks": (r"LIKE 'F\\\\_\[",),
}


@pytest.mark.parametrize(("name", "trap"), [(name, trap) for name, traps in TRAPS.items() for trap in traps])
def test_what_would_fail_or_mean_something_else(name: str, trap: str) -> None:
    assert re.search(trap, snapshot(dialects()[name])) is None


def main() -> None:
    """Write the snapshots anew."""
    for name, dialect in dialects().items():
        (FOLDER / f"{name}.sql").write_text(snapshot(dialect), encoding="utf-8")


if __name__ == "__main__":
    main()
