"""The table of what each database can do, in the guide to databases, says what is so: each cell is built as SQL."""

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mssql, mysql, oracle, postgresql, sqlite

from idbits.engines import where
from idbits.engines.sql.catalog import DatabaseSource
from idbits.engines.sql.connection import sql_dialect_of, statement_text
from idbits.engines.sql.dates import date_check, form_check
from idbits.engines.sql.queries import Queries
from idbits.errors import InputError
from idbits.values.attributes import Attribute, Kind, parse_attribute
from idbits.values.date_readings import assumed_reading
from idbits.values.readings import before_reading

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "databases.md"
KINDS = {"t": Kind.TEXT, "u": Kind.TEXT, "d": Kind.DATE, "n": Kind.INTEGER, "x": Kind.NUMBER}
TYPES = {"t": "text", "u": "text", "d": "date", "n": "bigint", "x": "numeric"}
DATES = ("year", "quarter", "month", "week", "day", "monthofyear")
NUMBERS = ("band5", "round0.5", "cap90")

# By the first words of a row: attributes, a filter, a count column.
ROWS: list[tuple[str, list[str], str | None, str | None]] = [
    ("columns as they stand", ["t", "n", "x"], None, None),
    ("`:year", [f"d:{word}" for word in DATES], None, None),
    ("the same of text, `--dates`", [f"t:{word}" for word in DATES], None, None),
    ("`:band", [f"{column}:{word}" for column in "nx" for word in NUMBERS], None, None),
    ("the same of text", [f"t:{word}" for word in NUMBERS], None, None),
    ("`:prefix`", ["t:prefix2", "n:prefix1", "t:top3", "n:top3"], None, None),
    ("`--where` on columns", ["t"], "t = 'a' and t like 'a%' and n < 5 and x >= 1.5 and d > '2005-01-31'", None),
    ("`--where` that compares", ["u"], "t > 5", None),
    ("`--count` of a number", ["t"], None, "n"),
    ("`--count` of a text", ["t"], None, "u"),
]


def dialects() -> dict[str, sa.Dialect]:
    pytest.importorskip("sqlalchemy", "2.1.8", reason="other versions do not fit today's dialect of Snowflake")
    from databricks.sqlalchemy import DatabricksDialect
    from snowflake.sqlalchemy.snowdialect import SnowflakeDialect
    from sqlalchemy_bigquery import BigQueryDialect
    from trino.sqlalchemy.dialect import TrinoDialect

    my = mysql.dialect()
    my._support_float_cast = True  # as it finds out when it meets a server of version 8.0.17 or later
    return {
        "PostgreSQL": postgresql.dialect(), "MySQL, MariaDB": my, "SQLite": sqlite.dialect(),
        "SQL Server": mssql.dialect(), "Oracle": oracle.dialect(), "Snowflake": SnowflakeDialect(),
        "BigQuery": BigQueryDialect(), "Trino": TrinoDialect(), "Databricks": DatabricksDialect(),
    }  # fmt: skip


def table() -> list[list[str]]:
    text = re.search(r"<!-- databases:begin -->\n(.*?)<!-- databases:end -->", PAGE.read_text(encoding="utf-8"), re.S)
    assert text is not None
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text[1].strip().splitlines()]
    return [lines[0], *lines[2:]]


def build(dialect: sa.Dialect, names: list[str], condition: str | None, count: str | None) -> None:
    """Build all SQL that a row of the table stands for."""
    relation = sa.table("people", *map(sa.column, KINDS))
    parsed = where.parse(condition, KINDS) if condition is not None else None
    queries = Queries(DatabaseSource(relation, KINDS, TYPES), sql_dialect_of(dialect), parsed, count)
    made: list[Any] = []
    for column in where.columns_of(parsed) if parsed is not None else ():
        if column.as_number:
            text = Attribute(column.name, column.kind)
            made.append(queries.comma_check(text, filtered=False))
            queries.readings.commas[text] = False
    for attribute in (parse_attribute(name, KINDS) for name in names):
        for text, transform in before_reading(attribute):
            reading = queries.readings.dates[text] = assumed_reading("ymd")
            if transform.wants_dates:
                made += [form_check(queries, text), date_check(queries, text, reading.forms)]
            else:
                made.append(queries.comma_check(text))
            queries.readings.commas[text] = False
        made += [queries.spectrum([attribute]), queries.histogram([attribute], 10, None)]
        made.append(queries.group_spectra(attribute, [Attribute("t", Kind.TEXT)], 10))
    for query in made:
        assert "people" in statement_text(query, dialect)


def test_the_table_has_these_rows_and_databases() -> None:
    heading, *rows = table()
    assert heading[1:] == list(dialects())
    assert len(rows) == len(ROWS)
    assert all(row[0].startswith(start) for row, (start, *_) in zip(rows, ROWS, strict=True))


@pytest.mark.big
@pytest.mark.parametrize("place", range(len(ROWS)), ids=[row[0] for row in ROWS])
def test_each_cell_is_so(place: int) -> None:
    _, names, condition, count = ROWS[place]
    for cell, (name, dialect) in zip(table()[place + 1][1:], dialects().items(), strict=True):
        assert cell in ("yes", "no", "as text"), name
        if cell == "no":
            with pytest.raises(InputError, match="cannot be counted in"):
                build(dialect, names, condition, count)
        else:
            build(dialect, names, condition, count)
