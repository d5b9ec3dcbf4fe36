"""Values in plain Python: the meaning of each transform, written as directly as possible.

The reference for every engine: a database may compute these in any way that gives the same values.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial

from idbits.errors import DataError
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.date_readings import choose_reading, count_forms, require_dates
from idbits.values.dates import DATE_FORMS, DATE_ORDERS, DateForm, form_of, read_date
from idbits.values.decimals import Number, as_decimal, coarser_number
from idbits.values.labels import OTHER_VALUES, plain_label
from idbits.values.profile import NULL_WORDS, SHAPED_KINDS, Profile, profile_of_figures
from idbits.values.readings import (
    COMMA_NUMBER_PATTERN,
    COUNT_PATTERN,
    NUMBER_PATTERN,
    SURE_COMMA_PATTERN,
    has_decimal_comma,
)
from idbits.values.shapes import shape_of
from idbits.values.value_shapes import WHOLE_NUMBER, count_shapes
from idbits.values.zones import Zone

__all__ = ["OtherValues", "canonical", "profile_column", "read_count", "read_numbers", "transform_column"]


class OtherValues:
    """The single value that replaces the values merged by ``top``."""

    def __str__(self) -> str:
        return OTHER_VALUES


_OTHER = OtherValues()


def canonical(value: object) -> object:
    """Return a value for comparison: NaN is null, -0.0 is 0, a moment with a time zone is its time in UTC."""
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return value


def read_count(value: object) -> int:
    """Return the number of people in a cell of the count column."""
    if isinstance(value, str):
        match = re.fullmatch(COUNT_PATTERN, value, flags=re.ASCII)
        if match is not None:
            return int(match[1])
    elif isinstance(value, Number) and math.isfinite(value) and value >= 0 and value == int(value):
        return int(value)
    raise DataError("a row has no whole number of at least 0 in the count column")


def transform_column(
    values: Sequence[object],
    weights: Sequence[int],
    attribute: Attribute,
    dates: str | None,
    zone: Zone | None = None,
) -> Sequence[object]:
    """Return the values of an attribute from the values of its column; parts of dates are those of the zone."""
    for transform, kind in attribute.steps():
        if kind is Kind.TEXT and transform.wants_dates:
            values = _read_dates(values, attribute, transform, dates, zone)
        elif kind is Kind.TIMESTAMP and transform.wants_dates:
            values = [_local(value, zone) for value in values]
        elif kind is Kind.TEXT and transform.wants_numbers:
            values = read_numbers(values)
        if transform.name == "top":
            values = _top(values, weights, transform)
        else:
            values = [None if value is None else _transformed(value, transform, kind) for value in values]
    return values


def profile_column(values: Sequence[object], weights: Sequence[int], kind: Kind) -> Profile:
    """Describe a column in numbers."""
    counts: Counter[object] = Counter()
    for value, weight in zip(values, weights, strict=True):
        counts[value] += weight
    people, nulls = sum(weights), counts.pop(None, 0)
    present = {value: number for value, number in counts.items() if number}
    texts = {str(plain_label(value)): number for value, number in present.items()}

    def having(condition: Callable[[str], object]) -> int:
        return sum(number for text, number in texts.items() if condition(text))

    figures = {
        "distinct": len(present),
        "unique": sum(number == 1 for number in present.values()),
        "most": max(present.values(), default=0),
        "characters": sum(len(text) * number for text, number in texts.items()),
        "longest": max(map(len, texts), default=0),
        "shortest": min(map(len, texts), default=-1),
        "spaced": having(lambda text: " " in text.strip(" ")),
        "padded": having(lambda text: text != text.strip(" ")),
        "null_words": having(lambda text: text.strip(" ").lower() in NULL_WORDS),
    }
    if kind is Kind.TEXT:
        figures |= _readings(having)
    elif kind in (Kind.INTEGER, Kind.NUMBER):
        numbers = {value: number for value, number in present.items() if isinstance(value, Number)}
        figures["fractions"] = sum(n for value, n in numbers.items() if math.isfinite(value) and value % 1)
        figures["negatives"] = sum(n for value, n in numbers.items() if value < 0)
    whole = [int(match[1]) for text in texts if (match := re.fullmatch(WHOLE_NUMBER, text))]
    figures["span"] = max(whole) - min(whole) + 1 if whole and kind in SHAPED_KINDS else 0
    shapes = count_shapes(list(texts)) if kind in SHAPED_KINDS else None
    return profile_of_figures(figures, kind, people, nulls, shapes)


def _readings(having: Callable[[Callable[[str], object]], int]) -> dict[str, int]:
    """Return how many people have a text that can be read as a date, a number and so on."""

    def is_number(text: str) -> bool:
        return re.fullmatch(NUMBER_PATTERN, text) is not None

    return {
        **{order: having(partial(_has_date, order=order, step="day")) for order in DATE_ORDERS},
        **{f"{order}_months": having(partial(_has_date, order=order, step="month")) for order in DATE_ORDERS},
        "numbers": having(is_number),
        "fractions": having(lambda text: is_number(text) and re.search("[.][0-9]*[1-9]", text)),
        "negatives": having(lambda text: text.lstrip(" ").startswith("-")),
        "zeros": having(lambda text: re.fullmatch("0[0-9]+", text)),
    }


def _read_number(text: str) -> Decimal:
    if re.fullmatch(NUMBER_PATTERN, text, flags=re.ASCII) is None or not math.isfinite(float(text)):
        raise DataError("a value is not a number")
    return as_decimal(text)


def read_numbers(values: Sequence[object]) -> list[Decimal | None]:
    """Return texts as numbers, with a decimal comma if that fits all of them."""
    texts = _texts(values)
    known = [text for text in texts if text is not None]

    def matching(pattern: str) -> int:
        return sum(re.fullmatch(pattern, text) is not None for text in known)

    unfit = len(known) - matching(NUMBER_PATTERN), len(known) - matching(COMMA_NUMBER_PATTERN)
    comma = has_decimal_comma(*unfit, matching(SURE_COMMA_PATTERN))
    return [None if text is None else _read_number(text.replace(",", ".") if comma else text) for text in texts]


def _texts(values: Sequence[object]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _has_date(text: str, order: str, step: str) -> bool:
    form = form_of(text)
    return form is not None and form.step == step and read_date(text, form, order) is not None


def _read_dates(
    values: Sequence[object], attribute: Attribute, transform: Transform, dates: str | None, zone: Zone | None
) -> list[date | None]:
    texts = _texts(values)
    known = [text for text in texts if text is not None]
    reading = choose_reading(count_forms(known, zone), attribute.column, dates, zone=zone)

    def read(text: str, forms: Sequence[DateForm] = DATE_FORMS) -> date | None:
        form = form_of(text)
        return None if form is None or form not in forms else read_date(text, form, reading.order, zone)

    def most_frequent_shape(forms: Sequence[DateForm]) -> str:
        shapes = Counter(shape_of(text) for text in known if read(text, forms) is None)
        return min(shapes, key=lambda shape: (-shapes[shape], shape))

    require_dates(reading, attribute, transform, most_frequent_shape)
    return [None if text is None else read(text) for text in texts]


def _local(value: object, zone: Zone | None) -> object:
    """Return a moment with a time zone as its local time, in the given zone or else in its own."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    own = value.replace(tzinfo=None)
    return own if zone is None else zone.local(value.astimezone(UTC).replace(tzinfo=None))


def _top(values: Sequence[object], weights: Sequence[int], transform: Transform) -> list[object]:
    counts: Counter[object] = Counter()
    for value, weight in zip(values, weights, strict=True):
        counts[value] += weight
    del counts[None]
    ranked = sorted(counts, key=lambda value: (-counts[value], (plain_label(value) or "").encode()))
    kept = set(ranked[: int(transform.argument or 0)])
    return [value if value is None or value in kept else _OTHER for value in values]


def _transformed(value: object, transform: Transform, kind: Kind) -> object:
    if transform.name == "prefix":
        return str(plain_label(value))[: int(transform.argument or 0)]
    if transform.wants_dates:
        assert isinstance(value, date)
        return _coarser_date(value.date() if isinstance(value, datetime) else value, transform.name)
    assert isinstance(value, Number | str)
    number = coarser_number(value, transform)
    return int(number) if transform.result_kind(kind) is Kind.INTEGER else number


def _coarser_date(day: date, name: str) -> date | int:
    if name == "year":
        return day.year
    if name == "monthofyear":
        return day.month
    if name == "week":
        return day - timedelta(days=day.weekday())
    if name == "quarter":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(day=1) if name == "month" else day
