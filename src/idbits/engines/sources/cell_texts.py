"""What the text of a cell looks like: a number, a date, a unit, a missing value, or how it is written."""

from __future__ import annotations

import re

from idbits.values.dates import form_of, read_date
from idbits.values.readings import NUMBER_PATTERN

__all__ = ["is_unit", "is_value", "looks_like_data", "looks_like_year", "looks_missing", "may_be_unit", "shape_of"]

_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])[TeEZ](?=[0-9+-]|$)")
_YEAR = re.compile("(19|20)[0-9]{2}")
_MISSING = re.compile(
    r"n/?[ad]|n\.[ad]\.|nan|null|none|nil|missing|unknown|undefined|refused|unspecified|k\.a\.|-+|\.+|\?+",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\(.+\)|\[.+\]|\{.+\}")
_UNIT = re.compile(
    "[mck]m[23²³]?|m[23²³]|inch(es)?|ft|feet|miles|[mµk]g|lbs?|oz|[mcd]l|litres|[%‰€$£]|eur|usd|gbp|chf|huf|"
    "years|yrs|months|weeks|days|hours|hrs|minutes|seconds|ms|°[cf]|mmhg|bpm|[mkµ]?g/[dm]?l|mmol/l|kg/m[2²]|km/h|m/s|"
    "kwh|hpa|int(eger)?|bigint|float|double|numeric|decimal|string|varchar|character|datetime|timestamp|boolean|"
    "logical|factor",
    re.IGNORECASE,
)
# These are names of columns more often than units.
_DOUBTFUL_UNIT = re.compile(
    "[mgtlshdycfkn]|in|id|date|time|text|number|year|count|min|sec|char|bool|real|category", re.IGNORECASE
)


def looks_like_data(name: str) -> bool:
    """Whether the name of a column is a number or a date."""
    return re.fullmatch(NUMBER_PATTERN, name) is not None or _is_day(name)


def _is_day(name: str) -> bool:
    # A month or a year may well be the name of a column.
    form = form_of(name)
    return form is not None and form.step == "day" and any(read_date(name, form, order) for order in form.orders)


def is_value(text: str) -> bool:
    """Whether a text consists of digits and signs: a number, a date, a time, a share, an amount of money.

    >>> [is_value(text) for text in ("1,234.50", "31.12.2020", "2020-01-01T10:30Z", "45%", "AB1", "")]
    [True, True, True, True, False, False]
    """
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, _BETWEEN_DIGITS.sub("", text)))


def looks_like_year(text: str) -> bool:
    """Whether a text is a year of the last or of this century."""
    return _YEAR.fullmatch(text) is not None


def looks_missing(text: str) -> bool:
    """Whether a text may stand for a missing value."""
    return _MISSING.fullmatch(text) is not None


def is_unit(text: str) -> bool:
    """Whether a text is a unit or a type, such as kg, (cm) or varchar."""
    return _UNIT.fullmatch(text) is not None or _BRACKETED.fullmatch(text) is not None


def may_be_unit(text: str) -> bool:
    """Whether a text is a unit or a type, or may as well be the name of a column."""
    return is_unit(text) or _DOUBTFUL_UNIT.fullmatch(text) is not None


def shape_of(text: str) -> str:
    """Return how a text is written, so that Ann and Bob, or AB1 and CD23, have the same shape."""
    return re.sub("[A-Z]+", "A", re.sub("[a-z]+", "a", re.sub("[0-9]+", "9", text)))
