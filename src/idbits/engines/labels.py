"""How a value is written when a user has asked to see it: the same text on every engine."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from idbits.attributes import Attribute
from idbits.counts import Value

__all__ = ["OTHER_VALUES", "label"]

OTHER_VALUES = "(other values)"
"""What ``top`` puts together."""


def label(value: object, attribute: Attribute) -> Value:
    """Return the text of a value of an attribute; whole numbers have no decimals, months no days.

    >>> from idbits.attributes import Kind, parse_attribute
    >>> label(date(1985, 5, 1), parse_attribute("born:quarter", {"born": Kind.DATE}))
    '1985-Q2'
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return _date_label(value, attribute.transforms[-1].name if attribute.transforms else "day")
    return plain_label(value)


def plain_label(value: object) -> Value:
    """Return the text of a value as it stands."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return str(value)


def _date_label(day: date, step: str) -> str:
    if step == "quarter":
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    if step == "month":
        return f"{day.year:04}-{day.month:02}"
    if step == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()
