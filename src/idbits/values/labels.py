"""How values are written when the user asks to see them: the same text on every engine."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal

from idbits.counts import Value
from idbits.values.attributes import Attribute
from idbits.values.decimals import as_decimal, number_text

__all__ = ["OTHER_VALUES", "label", "match_text", "plain_label"]

OTHER_VALUES = "(other values)"
"""The label of the values that ``top`` merges."""


def label(value: object, attribute: Attribute) -> Value:
    """Return the text of a value of an attribute; whole numbers have no decimals, months no days.

    >>> from idbits.values.attributes import Kind, parse_attribute
    >>> label(date(1985, 5, 1), parse_attribute("born:quarter", {"born": Kind.DATE}))
    '1985-Q2'
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        steps = [transform.name for transform in attribute.transforms if transform.wants_dates]
        return _date_label(value, steps[-1] if steps else "day")
    return plain_label(value)


def plain_label(value: object) -> Value:
    """Return the text of a value without regard to an attribute."""
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        # First, because millions of values may be whole numbers.
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | Decimal):
        return number_text(as_decimal(value)) if math.isfinite(value) else str(value)
    if isinstance(value, datetime):
        whole, point, part = value.isoformat(sep=" ").partition(".")
        return whole + point + part.rstrip("0")
    return str(value)


def match_text(value: object, attribute: Attribute) -> Value:
    """Return the text that makes equal values of different kinds equal: 10^16 is 1e16.

    >>> from idbits.values.attributes import Kind
    >>> match_text(10**16, Attribute("n", Kind.INTEGER)) == match_text(1e16, Attribute("n", Kind.NUMBER))
    True
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return number_text(Decimal(value))
    return label(value, attribute)


def _date_label(day: date, step: str) -> str:
    if step == "quarter":
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    if step == "month":
        return f"{day.year:04}-{day.month:02}"
    if step == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()
