"""Dates in Spark's functions: texts read as dates, and instants in a time zone, whatever the zone of the session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.values import has_pattern, whole_text
from idbits.values.dates import CLOCK_PATTERNS, DATE_FORMS, FIRST_SHORT_YEAR, MONTH_NUMBERS, DateForm, forms_in_order
from idbits.values.shapes import LONGEST_SHAPE, SHAPE_STEPS
from idbits.values.zones import FAR, FOLD_YEARS, Zone

__all__ = ["date_from_text", "form_number", "has_date", "has_zone", "in_zone", "is_far", "shape"]

_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"


def form_number(text: Column) -> Column:
    """Return the number of a text's form; null if it has none."""
    number = F.lit(None).cast("int")
    for index, form in reversed(list(enumerate(DATE_FORMS))):
        number = F.when(has_pattern(text, form.pattern), F.lit(index)).otherwise(number)
    return number


def date_from_text(
    text: Column, forms: Sequence[DateForm], order: str, zone: Zone | None = None, *, is_far: bool = False
) -> Column:
    """Return the date in a text of some forms; null if there is none in this order."""
    readings = [_date_of(text, form, order) for form in forms if order in form.orders]
    day = F.coalesce(*readings) if readings else F.lit(None).cast("date")
    return day if zone is None else _day_in_zone(day, text, zone, is_far=is_far)


def has_date(text: Column, order: str, step: str) -> Column:
    """Return whether a text is a date of this order with this finest part."""
    return date_from_text(text, forms_in_order(order, step), order).isNotNull()


def _date_of(text: Column, form: DateForm, order: str) -> Column:
    groups = form.orders[order]
    year = F.regexp_extract(text, whole_text(form.pattern), groups.year)
    month, day = (
        F.lpad(F.regexp_extract(text, whole_text(form.pattern), group), 2, "0") if group else F.lit("01")
        for group in groups[1:]
    )
    if form.has_short_year:
        century = F.when(year.try_cast("int") >= FIRST_SHORT_YEAR, F.lit("19")).otherwise(F.lit("20"))
        year = F.concat(century, year)
    if form.has_month_name:
        names = F.create_map(*(F.lit(part) for name, n in MONTH_NUMBERS.items() for part in (name, f"{n:02}")))
        month = F.try_element_at(names, F.lower(F.regexp_extract(text, whole_text(form.pattern), groups.month)))
    written = F.concat(year, F.lit("-"), month, F.lit("-"), day)
    return F.when(has_pattern(text, form.pattern) & (year != "0000"), written.try_cast("date"))


def has_zone(text: Column) -> Column:
    """Return whether a text of a form has a time of day with a time zone."""
    first, second = (has_pattern(text, pattern) for pattern in CLOCK_PATTERNS)
    return first | second


def _seconds_to_utc(text: Column) -> Column:
    """Return the seconds from the beginning of the written day to the instant in UTC; null without a zone."""
    seconds = F.lit(None).cast("int")
    for pattern in CLOCK_PATTERNS:
        parts = [F.regexp_extract(text, whole_text(pattern), group) for group in range(1, 9)]
        hour, minute, second, _, _, *offset = (F.coalesce(part.try_cast("int"), F.lit(0)) for part in parts)
        half, sign = F.lower(parts[3]), parts[4]
        afternoon = hour % 12 + F.when(half == "p", F.lit(12)).otherwise(F.lit(0))
        hours = F.when((half != "") & (hour <= 12), afternoon).otherwise(hour)
        east = offset[0] * 3600 + offset[1] * 60 + offset[2]
        written = hours * 3600 + minute * 60 + second + F.when(sign == "-", east).otherwise(-east)
        seconds = F.when(has_pattern(text, pattern), written).otherwise(seconds)
    return seconds


def _day_in_zone(day: Column, text: Column, zone: Zone, *, is_far: bool) -> Column:
    seconds = _seconds_to_utc(text)
    instant = F.timestamp_add("SECOND", seconds, day.cast("timestamp_ntz"))
    local = in_zone(instant, zone, is_far=is_far).cast("date")
    inside = F.when(local.between(*(F.lit(end).cast("date") for end in (_FIRST_DAY, _LAST_DAY))), local)
    return F.when(seconds.isNull(), day).otherwise(inside)


def is_far(instant: Column) -> Column:
    """Return whether an instant, or a day, is so late that offsets must be computed for the far future."""
    return instant >= F.lit(f"{FAR.year - 1}-12-30").cast("date")


def in_zone(instant: Column, zone: Zone, *, is_far: bool) -> Column:
    """Return the local time of an instant, a timestamp without time zone in UTC."""
    found = zone.offset_changes(is_far=is_far)
    if not found.changes:
        return F.timestamp_add("SECOND", F.lit(found.first), instant)
    starts = _array(f"TIMESTAMP_NTZ'{start}'" for start, _ in found.changes)
    offsets = _array([found.first, *(offset for _, offset in found.changes)])
    halves = _array(1 << bit for bit in reversed(range(len(found.changes).bit_length())))

    def offset(compared: Column) -> Column:
        """Find the number of changes until an instant by halving the range, then the offset."""

        def search(begin: Column, half: Column) -> Column:
            return F.when(F.get(starts, begin + half - 1) <= compared, begin + half).otherwise(begin)

        return F.get(offsets, F.aggregate(halves, F.lit(0), search))

    # As the variable of a function, so that the instant is computed once and not for each comparison.
    seconds = F.transform(F.array(_folded(instant) if is_far else instant), offset)
    return F.timestamp_add("SECOND", F.get(seconds, F.lit(0)), instant)


def _array(items: Iterable[object]) -> Column:
    # As SQL: each call of a Spark function takes a moment.
    return F.expr(f"array({', '.join(map(str, items))})")


def _folded(instant: Column) -> Column:
    year = F.year(instant)
    months = F.floor((year - FAR.year) / FOLD_YEARS).cast("int") * (-12 * FOLD_YEARS)
    return F.when(year >= FAR.year + FOLD_YEARS, F.timestamp_add("MONTH", months, instant)).otherwise(instant)


def shape(text: Column) -> Column:
    """Return the shape of a text, one sign longer than what is shown."""
    written = F.substring(text, 1, LONGEST_SHAPE + 1)
    for pattern, sign in SHAPE_STEPS:
        written = F.regexp_replace(written, pattern, sign)
    return written
