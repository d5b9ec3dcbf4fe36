"""Decides how the texts of columns are read as dates: the cluster counts them by form, and only counts leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.base import OpenOptions
from idbits.engines.spark import dates
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.values import has_pattern
from idbits.values.date_readings import FormCount, order_pairs
from idbits.values.dates import DATE_FORMS, DateForm
from idbits.values.shapes import cut_shape

__all__ = ["count_texts", "most_frequent_shape"]

Name = TypeVar("Name")
_CHECKING = "checking the dates"
_Forms = dict[DateForm | None, tuple[int, int]]


def count_texts(
    session: ClusterSession, rows: DataFrame, texts: Mapping[Name, Column], options: OpenOptions
) -> dict[Name, tuple[list[FormCount], bool]]:
    """Count each text of some rows by form, and tell whether some are in the far future; a few jobs count all."""
    columns = [value.alias(f"v{index}") for index, value in enumerate(texts.values())]
    frame = rows.select(*columns)
    forms = _forms(session, frame, len(columns))
    is_zoned = [options.zone is not None and any(zones for _, zones in found.values()) for found in forms]
    is_far = _far(session, frame, forms, is_zoned)
    sums = [
        {form: _sums(form, F.col(f"v{index}"), options, is_far=is_far[index]) for form in _in_order(found)}
        for index, found in enumerate(forms)
    ]
    totals = [total for of_text in sums for part in of_text.values() for total in part]
    numbers = iter(map(int, session.only_row(frame.agg(*totals), _CHECKING)) if totals else ())
    counted: dict[Name, tuple[list[FormCount], bool]] = {}
    for index, name in enumerate(texts):
        found = forms[index]
        counts = [FormCount.of(form, *found[form], numbers) for form in sums[index]]
        others = [FormCount(None, found[None][0])] if None in found else []
        counted[name] = ([*counts, *others], is_far[index])
    return counted


def _forms(session: ClusterSession, frame: DataFrame, columns: int) -> list[_Forms]:
    """Count the texts v0, v1, ... by form, and those of each form that have a time zone."""
    texts = F.array(*(F.struct(F.lit(index).alias("text"), F.col(f"v{index}").alias("v")) for index in range(columns)))
    known = frame.select(F.inline(texts)).where(F.col("v").isNotNull())
    formed = known.select("text", "v", dates.form_number(F.col("v")).alias("form"))
    zoned = F.count_if(F.col("form").isNotNull() & dates.has_zone(F.col("v")))
    found: list[_Forms] = [{} for _ in range(columns)]
    for text, form, values, zones in session.rows(
        formed.groupBy("text", "form").agg(F.count(F.lit(1)), zoned), _CHECKING
    ):
        found[text][None if form is None else DATE_FORMS[form]] = (int(values), int(zones))
    return found


def _in_order(found: _Forms) -> list[DateForm]:
    return sorted((form for form in found if form is not None), key=DATE_FORMS.index)


def _far(session: ClusterSession, frame: DataFrame, forms: Sequence[_Forms], is_zoned: Sequence[bool]) -> list[bool]:
    """Tell for each text whether some are in the far future, where that matters."""
    sums = {}
    for index, found in enumerate(forms):
        if is_zoned[index]:
            v = F.col(f"v{index}")
            days = [dates.date_from_text(v, [form], order) for form in _in_order(found) for order in form.orders]
            sums[index] = F.count_if(dates.is_far(F.greatest(*days, days[0])))
    numbers = session.only_row(frame.agg(*sums.values()), _CHECKING) if sums else ()
    far = {index for index, number in zip(sums, numbers, strict=True) if number > 0}
    return [index in far for index in range(len(forms))]


def _sums(form: DateForm, v: Column, options: OpenOptions, *, is_far: bool) -> list[Column]:
    """Return the aggregates of a form, in the order of ``FormCount.of``."""
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
