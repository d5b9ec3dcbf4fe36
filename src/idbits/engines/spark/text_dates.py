"""Decides how the texts of a column are read as dates: the cluster counts them by form, and only counts leave it."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.base import OpenOptions
from idbits.engines.spark import dates
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.values import has_pattern
from idbits.values.date_readings import DateReading, FormCount, choose_reading, order_pairs
from idbits.values.dates import DATE_FORMS, DateForm
from idbits.values.shapes import cut_shape

__all__ = ["count_texts", "most_frequent_shape", "read_texts"]

_CHECKING = "checking the dates"


def read_texts(
    session: ClusterSession, texts: DataFrame, column: str, options: OpenOptions
) -> tuple[DateReading, bool]:
    """Return how the texts v are read as dates, and whether some are in the far future."""
    counts, is_far = count_texts(session, texts, options)
    return choose_reading(counts, column, options.dates, zone=options.zone), is_far


def count_texts(session: ClusterSession, texts: DataFrame, options: OpenOptions) -> tuple[list[FormCount], bool]:
    """Count the texts v by form, and tell whether some are in the far future."""
    known = texts.where(F.col("v").isNotNull()).select("v", dates.form_number(F.col("v")).alias("form"))
    zoned = F.count_if(F.col("form").isNotNull() & dates.has_zone(F.col("v")))
    rows = session.rows(known.groupBy("form").agg(F.count(F.lit(1)), zoned), _CHECKING)
    forms = {DATE_FORMS[form]: (int(values), int(zones)) for form, values, zones in rows if form is not None}
    others = sum(int(values) for form, values, _ in rows if form is None)
    is_far = False
    if options.zone is not None and any(zones for _, zones in forms.values()):
        days = [dates.date_from_text(F.col("v"), [form], order) for form in forms for order in form.orders]
        (number,) = session.only_row(known.agg(F.count_if(dates.is_far(F.greatest(*days, days[0])))), _CHECKING)
        is_far = number > 0
    sums = {form: _sums(form, options, is_far=is_far) for form in sorted(forms, key=DATE_FORMS.index)}
    totals = [total for part in sums.values() for total in part]
    numbers = iter(map(int, session.only_row(known.agg(*totals), _CHECKING)) if totals else ())
    counts = [FormCount.of(form, *forms[form], numbers) for form in sums]
    return [*counts, *([FormCount(None, others)] if others else [])], is_far


def _sums(form: DateForm, options: OpenOptions, *, is_far: bool) -> list[Column]:
    """Return the aggregates of a form, in the order of ``FormCount.of``."""
    v = F.col("v")
    days = {order: dates.date_from_text(v, [form], order, options.zone, is_far=is_far) for order in form.orders}
    return [
        *(F.count_if(day.isNotNull()) for day in days.values()),
        *(F.count_if(days[one] != days[other]) for one, other in order_pairs(form)),
        F.count_if(F.coalesce(*days.values()).isNotNull()),
        *(F.count_if(has_pattern(v, pattern)) for pattern in form.possible.values()),
    ]


def most_frequent_shape(session: ClusterSession, texts: DataFrame, order: str, forms: Sequence[DateForm]) -> str | None:
    """Return the most frequent shape of the texts v that are not dates of some forms."""
    v = F.col("v")
    unread = texts.where(v.isNotNull() & dates.date_from_text(v, forms, order).isNull())
    shapes = unread.groupBy(dates.shape(v).alias("shape")).agg(F.count(F.lit(1)).alias("n"))
    rows = session.rows(shapes.orderBy(F.col("n").desc(), "shape").limit(1), _CHECKING)
    return cut_shape(rows[0]["shape"]) if rows else None
