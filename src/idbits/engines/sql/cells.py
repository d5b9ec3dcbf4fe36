"""Attributes in SQL: a column's value, coarsened step by step, as an expression for GROUP BY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from idbits.engines.sql.catalog import DatabaseSource
from idbits.engines.sql.dialect import Element, SqlDialect
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.dates import DateForm
from idbits.values.readings import TextReadings, before_reading
from idbits.values.zones import Zone

__all__ = ["ColumnReadings", "date_from_text", "value_of"]


@dataclass(slots=True)
class ColumnReadings(TextReadings):
    """How texts and times are read.

    Attributes:
        zone: the time zone that the user gives.
        zoned: the texts with times that have a time zone.
        far: the texts and columns with dates in the far future, where the offsets of zones follow rules.
    """

    zone: Zone | None = None
    zoned: set[Attribute] = field(default_factory=set)
    far: set[Attribute] = field(default_factory=set)


def value_of(attribute: Attribute, source: DatabaseSource, dialect: SqlDialect, readings: ColumnReadings) -> Element:
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
                reading = readings.dates[before]
                value = date_from_text(value, dialect, reading.forms, reading.order, readings, before)
            elif kind is Kind.TIMESTAMP and readings.zone is not None and dialect.has_instants(type_name):
                value = dialect.local_time(value, readings.zone, is_far=before in readings.far)
            value = _coarser_date(value, dialect, transform.name)
        else:
            value = _coarser_number(value, dialect, transform, kind, type_name, _comma(before, read, readings))
        if kind is not Kind.TEXT or transform.name != "prefix":
            type_name = "exact"
    return value


def _comma(before: Attribute, read: Mapping[Attribute, Transform], readings: ColumnReadings) -> bool:
    return before in read and readings.commas[before]


def date_from_text(
    text: Element,
    dialect: SqlDialect,
    forms: Sequence[DateForm],
    order: str,
    readings: ColumnReadings | None = None,
    before: Attribute | None = None,
) -> Element:
    """Return the date in a text of some forms; null if there is none in this order.

    With the readings of the texts ``before``, it is the day in the user's time zone, if there is one.
    """
    read = [dialect.date_of(text, form, order) for form in forms if order in form.orders]
    if not read:
        return sa.cast(sa.null(), sa.Date())
    day = read[0] if len(read) == 1 else sa.func.coalesce(*read)
    if readings is None or readings.zone is None or before not in readings.zoned:
        return day
    return dialect.moved_day(day, text, readings.zone, is_far=before in readings.far)


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
