"""Attributes in SQL: a column's value, coarsened step by step, as an expression for GROUP BY."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from idbits.engines.sql.catalog import DatabaseSource
from idbits.engines.sql.dialect import Element, SqlDialect
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.readings import DATE_PATTERNS, TextReadings, before_reading

__all__ = ["date_from_text", "value_of"]


def value_of(attribute: Attribute, source: DatabaseSource, dialect: SqlDialect, readings: TextReadings) -> Element:
    """Return the value of an attribute without ``top``, which needs all rows."""
    type_name = source.types[attribute.column]
    value = dialect.comparable(source.relation.c[attribute.column], type_name, attribute.kind)
    read = dict(before_reading(attribute))
    for index, (transform, kind) in enumerate(attribute.steps()):
        if transform.name == "top":
            break
        before = Attribute(attribute.column, attribute.kind, attribute.transforms[:index])
        if transform.name == "prefix":
            assert transform.argument is not None
            value = dialect.prefix(value if kind is Kind.TEXT else dialect.as_text(value), int(transform.argument))
        elif transform.wants_dates:
            if before in read:
                value = date_from_text(value, dialect, readings.date_orders[before])
            value = _coarser_date(value, dialect, transform.name)
        else:
            value = _coarser_number(value, dialect, transform, kind, type_name, _comma(before, read, readings))
        if kind is not Kind.TEXT or transform.name != "prefix":
            type_name = "exact"
    return value


def _comma(before: Attribute, read: Mapping[Attribute, Transform], readings: TextReadings) -> bool:
    return before in read and readings.commas[before]


def date_from_text(text: Element, dialect: SqlDialect, order: str) -> Element:
    """Return the date in a text; null if there is none."""
    readings = [dialect.date_of(text, pattern, groups) for pattern, groups in DATE_PATTERNS[order]]
    return readings[0] if len(readings) == 1 else sa.func.coalesce(*readings)


def _coarser_date(value: Element, dialect: SqlDialect, name: str) -> Element:
    if name == "year":
        return dialect.year(value)
    if name == "monthofyear":
        return dialect.month_of_year(value)
    return dialect.day(value) if name == "day" else dialect.truncated(value, name)


def _coarser_number(
    value: Element, dialect: SqlDialect, transform: Transform, kind: Kind, type_name: str, comma: bool
) -> Element:
    assert transform.argument is not None
    if kind is Kind.TEXT:
        exact = dialect.number_of(dialect.point_for_comma(value) if comma else value)
    elif kind is Kind.INTEGER and transform.result_kind(kind) is Kind.INTEGER and transform.name != "round":
        exact = dialect.integer(value, type_name)
    else:
        exact = dialect.exact(value, type_name)
    coarser = dialect.coarser(exact, transform.name, transform.argument)
    return dialect.whole(coarser) if transform.result_kind(kind) is Kind.INTEGER else coarser
