"""Decides how a database reads the dates of a text column, and in which zone its instants have their days.

Each query returns counts, except the one for the shape in an error, which returns no letter or digit of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.base import OpenOptions
from idbits.engines.sql.cells import date_from_text
from idbits.engines.sql.connection import DatabaseConnection
from idbits.engines.sql.dialect import Element
from idbits.engines.sql.queries import Queries, Query
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.date_readings import FormCount, choose_reading, order_pairs, require_dates, zone_note
from idbits.values.dates import DATE_FORMS, DateForm
from idbits.values.shapes import cut_shape
from idbits.values.zones import FAR

__all__ = ["DateReader", "date_check", "far_check", "form_check"]

_CHECKING = "checking the dates"
_FAR_DAY = FAR.date() - timedelta(days=2)


def form_check(queries: Queries, text: Attribute) -> Query:
    """Count the texts by the form in which a date may be written, and those with a time zone."""
    rows, dialect = queries.texts(text), queries.dialect
    known = (
        sa.select(rows.c.v, dialect.form_number(rows.c.v).label("form"))
        .where(rows.c.v.is_not(sa.null()))
        .subquery("forms")
    )
    is_zoned = sa.and_(known.c.form.is_not(sa.null()), dialect.has_zone(known.c.v))
    zoned = func.coalesce(func.sum(sa.case((is_zoned, 1), else_=0)), 0)
    return sa.select(known.c.form, func.count(), zoned).group_by(known.c.form)


def date_check(queries: Queries, text: Attribute, forms: Sequence[DateForm]) -> Query:
    """Count the dates of each form, in the order of ``FormCount.of``."""
    rows, dialect = queries.texts(text), queries.dialect
    conditions: list[Element] = []
    for form in forms:
        days = {
            order: date_from_text(rows.c.v, dialect, [form], order, queries.readings, text) for order in form.orders
        }
        conditions += [
            *(day.is_not(sa.null()) for day in days.values()),
            *(days[one] != days[other] for one, other in order_pairs(form)),
            sa.or_(*(day.is_not(sa.null()) for day in days.values())),
            *(dialect.matches(rows.c.v, pattern) for pattern in form.possible.values()),
        ]
    return queries.sums(rows, *conditions)


def far_check(queries: Queries, column: Attribute) -> Query:
    """Count the times of a column that are in the far future."""
    rows = queries.texts(column)
    return queries.sums(rows, rows.c.v >= queries.dialect.moment(FAR))


def _far_text_check(queries: Queries, text: Attribute, forms: Sequence[DateForm]) -> Query:
    """Count the dates in texts that are in the far future."""
    rows, dialect = queries.texts(text), queries.dialect
    days = (dialect.date_of(rows.c.v, form, order) for form in forms for order in form.orders)
    return queries.sums(rows, sa.or_(*(day >= dialect.calendar_day(_FAR_DAY) for day in days)))


def _shape_check(queries: Queries, text: Attribute, order: str, forms: Sequence[DateForm]) -> Query:
    """Return the most frequent shape of the texts that are not dates of some forms."""
    rows, dialect = queries.texts(text), queries.dialect
    day = date_from_text(rows.c.v, dialect, forms, order)
    unread = (
        sa.select(dialect.shape(rows.c.v).label("shape"))
        .where(rows.c.v.is_not(sa.null()), day.is_(sa.null()))
        .subquery("unread")
    )
    key = dialect.key(unread.c.shape, Kind.TEXT)
    return sa.select(func.min(unread.c.shape)).group_by(key).order_by(func.count().desc(), key).limit(1)


class DateReader:
    """Decides how the dates and times of a table are read; ``note`` receives what was decided."""

    def __init__(
        self, connection: DatabaseConnection, queries: Queries, options: OpenOptions, note: Callable[[str], None]
    ) -> None:
        self._connection = connection
        self._queries = queries
        self._options = options
        self._note = note
        self._zoned: set[Attribute] = set()

    def read(self, text: Attribute, attribute: Attribute, transform: Transform) -> None:
        """Decide how a text is read, and check that a transform finds what it needs in every value."""
        readings = self._queries.readings.dates
        if text not in readings:
            counts = self._count_forms(text)
            readings[text] = choose_reading(counts, text.column, self._options.dates, zone=self._options.zone)
            for note in readings[text].notes:
                self._note(note)
        reading = readings[text]
        require_dates(reading, attribute, transform, lambda forms: self._shape(text, reading.order, forms))

    def _count_forms(self, text: Attribute) -> list[FormCount]:
        readings = self._queries.readings
        rows = self._connection.rows(form_check(self._queries, text), _CHECKING)
        found = {int(form): (int(values), int(zoned)) for form, values, zoned in rows if form is not None}
        forms = [DATE_FORMS[number] for number in sorted(found)]
        if self._options.zone is not None and any(zoned for _, zoned in found.values()):
            readings.zoned.add(text)
            (far,) = self._connection.counts(_far_text_check(self._queries, text, forms), _CHECKING)
            readings.far |= {text} if far else set()
        numbers = iter(self._connection.counts(date_check(self._queries, text, forms), _CHECKING) if forms else ())
        counts = [FormCount.of(form, *found[DATE_FORMS.index(form)], numbers) for form in forms]
        others = sum(int(values) for form, values, _ in rows if form is None)
        return [*counts, *([FormCount(None, others)] if others else [])]

    def _shape(self, text: Attribute, order: str, forms: Sequence[DateForm]) -> str | None:
        rows = self._connection.rows(_shape_check(self._queries, text, order, forms), _CHECKING)
        shape = self._connection.dialect.decoded(rows[0][0], Kind.TEXT) if rows else None
        return cut_shape(str(shape)) if shape is not None else None

    def has_instants(self, attribute: Attribute) -> bool:
        """Whether an attribute has the days, months or years of instants, which depend on the time zone."""
        is_dated = any(transform.wants_dates for transform in attribute.transforms)
        if not is_dated or attribute.kind is not Kind.TIMESTAMP:
            return False
        dialect = self._connection.dialect
        if self._options.zone is not None and not dialect.knows_instants:
            dialect.refuse(f'--zone for the times of column "{attribute.column}"')
        return dialect.has_instants(self._queries.source.types[attribute.column])

    def find_zone(self, attribute: Attribute) -> None:
        """Decide in which zone the instants of a column have their days: a database does not know theirs."""
        column = Attribute(attribute.column, attribute.kind)
        if not self.has_instants(attribute) or column in self._zoned:
            return
        self._zoned.add(column)
        if self._options.zone is None:
            self._note(zone_note(column.column))
            return
        (far,) = self._connection.counts(far_check(self._queries, column), "checking the times")
        self._queries.readings.far |= {column} if far else set()
