"""Dictionaries: the distinct values of a column with their counts and codes (small integers).

A column is counted once. Everything that depends only on values (reading text as dates, coarsening, the most frequent
values) is then done on its distinct values, and rows are only joined with codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow

from idbits.engines.duckdb import values
from idbits.engines.duckdb.connection import DuckDBConnection, literal
from idbits.errors import DataError
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.decimals import coarser_number, number_text
from idbits.values.profile import NULL_WORDS, SHAPED_KINDS, Profile, profile_of_figures
from idbits.values.readings import (
    COMMA_NUMBER_PATTERN,
    DATE_ORDERS,
    SURE_COMMA_PATTERN,
    date_note,
    fitting_date_order,
    has_decimal_comma,
)
from idbits.values.value_shapes import MOST_VALUES, ShapeCounts, count_shapes
from idbits.wording import counted

__all__ = ["Dictionary", "TextDates", "column_dictionary", "decimal_comma", "profile_of", "transformed_dictionary"]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The values of an attribute.

    Attributes:
        codes: table (raw, code): the value in the column, and the code of the attribute's value.
        values: table (value, other, people, code): one row per value; ``other`` marks the values merged by ``top``.
            For a column it also has the number of rows (n): in counted tables a row may have no people.
        size: the number of values.
        null_people: the number of people with null.
    """

    codes: str
    values: str
    size: int
    null_people: int


@dataclass(frozen=True, slots=True)
class TextDates:
    """The texts of a column read as dates: a table (code, day) by the column's codes, and the order of the dates."""

    table: str
    order: str


def column_dictionary(connection: DuckDBConnection, relation: str, value: str, weight: str, label: str) -> Dictionary:
    """Count the values of a column."""
    table = connection.new_name("dictionary")
    # Codes follow the arbitrary order of the count: they only express equality.
    connection.run(
        f"CREATE TEMP TABLE {table} AS SELECT raw, raw AS value, false AS other, people, n, "
        f"CAST(row_number() OVER () - 1 AS UBIGINT) AS code "
        f"FROM (SELECT {value} AS raw, {weight} AS people, count(*) AS n FROM {relation} GROUP BY raw)",
        label,
    )
    return _described(connection, table, table)


def transformed_dictionary(
    connection: DuckDBConnection,
    column: Dictionary,
    attribute: Attribute,
    dates: str | None,
    known_dates: dict[str, TextDates],
) -> tuple[Dictionary, list[str]]:
    """Coarsen the values of a column; return the dictionary and notes on decisions.

    ``known_dates`` has the columns already read as dates; this column is added.
    """
    notes: list[str] = []
    staged = f"SELECT raw, people, n, value, false AS other FROM {column.values}"
    for index, (transform, kind) in enumerate(attribute.steps()):
        if kind is Kind.TEXT and transform.wants_dates:
            if index == 0:
                staged, order = _column_dates(connection, column, attribute, dates, known_dates)
            else:
                order = _date_order(connection, staged, attribute, dates)
                staged = _step(staged, values.date_of("value", order))
            notes += [date_note(attribute.column, order)] if dates is None else []
        elif transform.wants_numbers:
            if _decimal_comma(connection, staged, kind):
                notes.append(f'column "{attribute.column}" was read as numbers with a decimal comma')
                staged = _step(staged, values.with_point("value"))
            _must_be_numbers(connection, staged, attribute, kind)
        if transform.name == "top":
            staged = _top(staged, transform, kind)
        elif transform.wants_numbers and transform.result_kind(kind) is not Kind.INTEGER:
            staged = _exactly(connection, staged, transform)
        else:
            staged = _step(staged, values.transformed("value", transform))
    return _stored(connection, staged), notes


def _step(staged: str, value: str) -> str:
    return f"SELECT raw, people, n, {value} AS value, other FROM ({staged})"


def _exactly(connection: DuckDBConnection, staged: str, transform: Transform) -> str:
    """Coarsen numbers in exact decimal arithmetic, value by value; the results are texts."""
    source = f"SELECT DISTINCT CAST(value AS VARCHAR) AS text FROM ({staged}) WHERE value IS NOT NULL"
    texts = [text for (text,) in connection.rows(source)]
    results = [number_text(coarser_number(text, transform)) for text in texts]
    frame, table = connection.new_name("numbers"), connection.new_name("coarser")
    connection.raw.register(frame, pyarrow.table({"text": pyarrow.array(texts, pyarrow.string()), "result": results}))
    connection.run(f"CREATE TEMP TABLE {table} AS SELECT text, CAST(result AS VARCHAR) AS result FROM {frame}")
    connection.raw.unregister(frame)
    return (
        f"SELECT raw, people, n, result AS value, other FROM ({staged}) s "
        f"LEFT JOIN {table} c ON CAST(s.value AS VARCHAR) = c.text"
    )


def _top(staged: str, transform: Transform, kind: Kind) -> str:
    assert transform.argument is not None
    ranked = (
        f"SELECT value, row_number() OVER (ORDER BY sum(people) DESC, {values.text_of('value', kind)}) AS rank "
        f"FROM ({staged}) WHERE value IS NOT NULL GROUP BY value"
    )
    kept = f"rank IS NULL OR rank <= {int(transform.argument)}"
    return (
        f"SELECT raw, people, n, CASE WHEN {kept} THEN value END AS value, NOT ({kept}) AS other "
        f"FROM ({staged}) LEFT JOIN ({ranked}) USING (value)"
    )


def _stored(connection: DuckDBConnection, staged: str) -> Dictionary:
    stage, table, codes = (connection.new_name(what) for what in ("stage", "values", "codes"))
    connection.run(f"CREATE TEMP TABLE {stage} AS {staged}")
    connection.run(
        f"CREATE TEMP TABLE {table} AS SELECT *, CAST(row_number() OVER () - 1 AS UBIGINT) AS code "
        f"FROM (SELECT value, other, sum(people) AS people FROM {stage} GROUP BY value, other)"
    )
    connection.run(
        f"CREATE TEMP TABLE {codes} AS SELECT raw, code FROM {stage} s JOIN {table} v "
        "ON s.value IS NOT DISTINCT FROM v.value AND s.other = v.other"
    )
    connection.run(f"DROP TABLE {stage}")
    return _described(connection, codes, table)


def _described(connection: DuckDBConnection, codes: str, table: str) -> Dictionary:
    size, nulls = connection.counts(
        f"SELECT count(*), coalesce(sum(people) FILTER (value IS NULL AND NOT other), 0) FROM {table}"
    )
    return Dictionary(codes, table, size, nulls)


def _decimal_comma(connection: DuckDBConnection, staged: str, kind: Kind) -> bool:
    return kind is Kind.TEXT and decimal_comma(connection, f"({staged})", "value", "n")


def decimal_comma(connection: DuckDBConnection, relation: str, value: str, weight: str = "1") -> bool:
    """Whether the numbers in a text column have a decimal comma."""
    conditions = (
        f"NOT {values.is_number(value, Kind.TEXT)}",
        f"NOT {values.has_pattern(value, COMMA_NUMBER_PATTERN)}",
        values.has_pattern(value, SURE_COMMA_PATTERN),
    )
    counts = ", ".join(f"coalesce(sum({weight}) FILTER ({condition}), 0)" for condition in conditions)
    return has_decimal_comma(*connection.counts(f"SELECT {counts} FROM {relation}"))


def _must_be_numbers(connection: DuckDBConnection, staged: str, attribute: Attribute, kind: Kind) -> None:
    if kind is Kind.INTEGER:
        return
    unfit = f"value IS NOT NULL AND NOT coalesce({values.is_number('value', kind)}, false)"
    (rows,) = connection.counts(f"SELECT coalesce(sum(n) FILTER ({unfit}), 0) FROM ({staged})")
    if rows:
        raise DataError(
            f'column "{attribute.column}" has {counted(rows, "value")} that cannot be read as a number, '
            f'so "{attribute.name}" cannot be computed'
        )


def _column_dates(
    connection: DuckDBConnection,
    column: Dictionary,
    attribute: Attribute,
    dates: str | None,
    known: dict[str, TextDates],
) -> tuple[str, str]:
    """Return the texts of a column as dates, and the order of their parts."""
    name = attribute.column
    if name not in known:
        known[name] = _text_dates(connection, column, attribute, dates)
    rows = f"{column.values} JOIN {known[name].table} USING (code)"
    return f"SELECT raw, people, n, day AS value, false AS other FROM {rows}", known[name].order


def _text_dates(connection: DuckDBConnection, column: Dictionary, attribute: Attribute, dates: str | None) -> TextDates:
    """Read each text in every order once: this is most of the work, and every view of the column needs it."""
    read, table = connection.new_name("read"), connection.new_name("dates")
    tried = ", ".join(f"{values.date_of('value', order)} AS {order}" for order in DATE_ORDERS)
    source = f"SELECT code, n, value IS NOT NULL AS held, {tried} FROM {column.values}"
    connection.run(f"CREATE TEMP TABLE {read} AS {source}")
    try:
        unread = ", ".join(f"coalesce(sum(n) FILTER (held AND {order} IS NULL), 0)" for order in DATE_ORDERS)
        order = fitting_date_order(connection.counts(f"SELECT {unread} FROM {read}"), attribute, dates)
        connection.run(f"CREATE TEMP TABLE {table} AS SELECT code, {order} AS day FROM {read}")
    finally:
        connection.run(f"DROP TABLE {read}")
    return TextDates(table, order)


def _date_order(connection: DuckDBConnection, staged: str, attribute: Attribute, dates: str | None) -> str:
    unread = ", ".join(
        f"coalesce(sum(n) FILTER (value IS NOT NULL AND {values.date_of('value', order)} IS NULL), 0)"
        for order in DATE_ORDERS
    )
    return fitting_date_order(connection.counts(f"SELECT {unread} FROM ({staged})"), attribute, dates)


def profile_of(connection: DuckDBConnection, dictionary: Dictionary, kind: Kind, people: int) -> Profile:
    """Describe a column in numbers."""

    def having(condition: str) -> str:
        return f"coalesce(sum(people) FILTER ({condition}), 0)"

    words = ", ".join(literal(word) for word in NULL_WORDS)
    figures = {
        "distinct": "count(*)",
        "unique": having("people = 1"),
        "most": "coalesce(max(people), 0)",
        "characters": "coalesce(sum(people * length(text)), 0)",
        "longest": "coalesce(max(length(text)), 0)",
        "shortest": "coalesce(min(length(text)), -1)",
        "spaced": having("contains(trim(text, ' '), ' ')"),
        "padded": having("text <> trim(text, ' ')"),
        "null_words": having(f"lower(trim(text, ' ')) IN ({words})"),
        **{name: having(condition) for name, condition in _readings(kind).items()},
    }
    rows = (
        f"(SELECT value, people, {values.text_of('value', kind)} AS text FROM {dictionary.values} "
        "WHERE value IS NOT NULL AND people > 0)"
    )
    counts = dict(zip(figures, connection.counts(f"SELECT {', '.join(figures.values())} FROM {rows}"), strict=True))
    is_fraction = kind is Kind.NUMBER and counts["fractions"] > 0
    if kind in SHAPED_KINDS and not is_fraction and counts["unique"] > (people - dictionary.null_people) / 2:
        counts["span"] = _span(connection, rows)
    shapes = _shapes(connection, rows) if kind in SHAPED_KINDS and not is_fraction else None
    return profile_of_figures(counts, kind, people, dictionary.null_people, shapes)


def _readings(kind: Kind) -> dict[str, str]:
    """Return the conditions under which a value can be read as a date, a number and so on."""
    if kind is Kind.NUMBER:
        return {"fractions": "value <> trunc(value)", "negatives": "value < 0"}
    if kind is Kind.INTEGER:
        return {"negatives": "value < 0"}
    if kind is not Kind.TEXT:
        return {}
    number = values.is_number("value", kind)
    return {
        # Dates begin with a digit or a space, and reading them is most of the work.
        **{
            order: f"CASE WHEN value < ':' THEN {values.date_of('value', order)} END IS NOT NULL"
            for order in DATE_ORDERS
        },
        "numbers": number,
        "fractions": f"{number} AND regexp_matches(value, '[.][0-9]*[1-9]')",
        "negatives": "starts_with(ltrim(value, ' '), '-')",
        "zeros": "regexp_full_match(value, '0[0-9]+')",
    }


def _span(connection: DuckDBConnection, rows: str) -> int:
    """Return how far apart the smallest and the largest whole number are."""
    whole = f"SELECT {values.whole_number('text')} AS n FROM {rows}"
    (span,) = connection.counts(f"SELECT coalesce(max(n) - min(n) + 1, 0) FROM ({whole})")
    return span


def _shapes(connection: DuckDBConnection, rows: str) -> ShapeCounts:
    """Count the shapes of some values, drawn by hash."""
    drawn = connection.rows(f"SELECT text FROM {rows} ORDER BY hash(text) LIMIT {MOST_VALUES}")
    return count_shapes([str(text) for (text,) in drawn])
