"""The forms in which people write dates in text, and a plain implementation of reading them.

A form is a regular expression for the whole text. Every text has at most one form. The order of year, month and day
decides what its numbers mean; 01/04/2019 can be read in two orders, 2019-04-01 in one. The expressions use only what
RE2, PCRE, ICU, Java, PostgreSQL and Python have in common, and adjacent parts never match the same characters, so that
backtracking takes no quadratic time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from idbits.values.zones import Zone

__all__ = [
    "CLOCK_PATTERNS", "DATE_FORMS", "DATE_ORDERS", "FIRST_SHORT_YEAR", "MAY_BE_DATE_PATTERN", "MONTH_NUMBERS",
    "DateForm", "DateGroups", "day_in_zone", "form_of", "forms_in_order", "has_time", "has_zone", "is_possible",
    "read_date",
]  # fmt: skip

DATE_ORDERS = ("ymd", "dmy", "mdy")

FIRST_SHORT_YEAR = 69
"""Two-digit years are 1969 to 2068, as in POSIX, Python and R."""

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH_NUMBERS: Mapping[str, int] = {
    **{name[:3]: number for number, name in enumerate(_NAMES, start=1)},
    **{name: number for number, name in enumerate(_NAMES, start=1)},
    "sept": 9,
    **{f"q{quarter}": 3 * quarter - 2 for quarter in range(1, 5)},
}
"""The English names of months, in small letters, and quarters with their first month."""


class DateGroups(NamedTuple):
    """The groups of a form's expression that have the year, the month and the day; 0 if it has none."""

    year: int
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class DateForm:
    """One way to write dates.

    Attributes:
        name: how it is called here.
        head: the expression of the date, with groups.
        tail: the expression of the time of day.
        orders: the groups in each order that can read it.
        step: the finest part: day, month, quarter or year.
        has_month_name: whether the month, or the quarter, is a word.
        has_short_year: whether the year has two digits.
        is_evident: whether nobody would read it in another order.
        possible: for forms that three orders can read, the expression of the texts that each order might mean: a wrong
            date such as 31/04/19 must not be read as 19 April 2031.
    """

    name: str
    head: str
    tail: str
    orders: Mapping[str, DateGroups]
    step: str = "day"
    has_month_name: bool = False
    has_short_year: bool = False
    is_evident: bool = True
    possible: Mapping[str, str] = field(default_factory=dict)

    @property
    def pattern(self) -> str:
        """The expression of the whole text."""
        return rf"\s*{self.head}{self.tail}\s*"


_YEAR, _SHORT, _PART, _MONTH = "([0-9]{4})", "([0-9]{2})", "([0-9]{1,2})", "([A-Za-z]{3,9})"
_QUARTER = "([Qq][1-4])"
_SEPARATOR, _AROUND_NAME = r"(?:[-/]|\. ?)", r"(?:[-/ ]|[.,] ?)"
_SECOND = r"(?:[0-5][0-9]|60)(?:[.,][0-9]+)?"
_CLOCK = rf"(?:(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::{_SECOND})?|24:00(?::00(?:[.,]0+)?)?)(?: ?[AaPp]\.?[Mm]\.?)?"
_DIGITS = r"(?:[01][0-9]|2[0-3])[0-5][0-9]"
_OFFSET = r"[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9](?::?[0-5][0-9])?)?"
_ZONE = rf"(?:[Zz]|UTC|GMT|{_OFFSET})"

_TIME = rf"(?:(?:[Tt]|,? {{1,2}}){_CLOCK}(?:\s*{_ZONE})?)?"
_COMPACT_TIME = rf"(?:(?:[Tt ]?{_DIGITS}{_SECOND}|[Tt ]{_DIGITS}|[Tt ]{_CLOCK})(?:\s*{_ZONE})?)?"
# SAS writes 01APR2019:00:02:34, web servers 01/Apr/2019:00:02:34 +0200.
_NAMED_TIME = rf"(?:(?:[Tt]|,? {{1,2}}|:){_CLOCK}(?:\s*{_ZONE})?)?"
_DAY_NAMES = (
    "[Mm][Oo][Nn]",
    "[Tt][Uu][Ee]",
    "[Ww][Ee][Dd]",
    "[Tt][Hh][Uu]",
    "[Ff][Rr][Ii]",
    "[Ss][Aa][Tt]",
    "[Ss][Uu][Nn]",
)
_WEEKDAY = rf"(?:(?:{'|'.join(_DAY_NAMES)})[A-Za-z]{{0,6}}\.?,? )?"

_ANY_YEAR, _MONTH_NUMBER, _DAY_NUMBER = "[0-9]{2}", "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12][0-9]|3[01])"


def _possible(*parts: str) -> str:
    return rf"\s*{_SEPARATOR.join(parts)}\.?{_TIME}\s*"


_YMD, _DMY, _MDY = DateGroups(1, 2, 3), DateGroups(3, 2, 1), DateGroups(3, 1, 2)

DATE_FORMS: tuple[DateForm, ...] = (
    DateForm("year-month-day", rf"{_YEAR}{_SEPARATOR}{_PART}{_SEPARATOR}{_PART}\.?", _TIME, {"ymd": _YMD}),
    DateForm(
        "day/month/year", rf"{_PART}{_SEPARATOR}{_PART}{_SEPARATOR}{_YEAR}\.?", _TIME,
        {"dmy": _DMY, "mdy": _MDY}, is_evident=False,
    ),
    DateForm("digits", "([0-9]{4})([0-9]{2})([0-9]{2})", _COMPACT_TIME, {"ymd": _YMD}),
    DateForm(
        "day-name-year", rf"{_WEEKDAY}{_PART}{_AROUND_NAME}?{_MONTH}{_AROUND_NAME}?{_YEAR}", _NAMED_TIME,
        {"dmy": _DMY}, has_month_name=True,
    ),
    DateForm(
        "name-day-year", rf"{_WEEKDAY}{_MONTH}{_AROUND_NAME}{_PART}{_AROUND_NAME}{_YEAR}", _TIME,
        {"mdy": _MDY}, has_month_name=True,
    ),
    # The programming language C writes Mon Apr  1 00:02:34 2019, some services +0000 before the year.
    DateForm(
        "name-day-time-year", rf"{_WEEKDAY}{_MONTH} {{1,2}}{_PART} {_CLOCK}(?: {_ZONE})? {_YEAR}", "",
        {"mdy": _MDY}, has_month_name=True,
    ),
    DateForm(
        "year-name-day", rf"{_YEAR}{_AROUND_NAME}{_MONTH}{_AROUND_NAME}{_PART}\.?", _TIME,
        {"ymd": _YMD}, has_month_name=True,
    ),
    DateForm(
        "two digits", rf"{_SHORT}{_SEPARATOR}{_PART}{_SEPARATOR}{_SHORT}\.?", _TIME,
        {"ymd": _YMD, "dmy": _DMY, "mdy": _MDY}, has_short_year=True, is_evident=False,
        possible={
            "ymd": _possible(_ANY_YEAR, _MONTH_NUMBER, _DAY_NUMBER),
            "dmy": _possible(_DAY_NUMBER, _MONTH_NUMBER, _ANY_YEAR),
            "mdy": _possible(_MONTH_NUMBER, _DAY_NUMBER, _ANY_YEAR),
        },
    ),
    DateForm(
        "one digit", rf"([0-9]){_SEPARATOR}{_PART}{_SEPARATOR}{_SHORT}\.?", _TIME,
        {"dmy": _DMY, "mdy": _MDY}, has_short_year=True, is_evident=False,
        possible={
            "dmy": _possible(_DAY_NUMBER, _MONTH_NUMBER, _ANY_YEAR),
            "mdy": _possible(_MONTH_NUMBER, _DAY_NUMBER, _ANY_YEAR),
        },
    ),
    DateForm(
        "day-name-two digits", rf"{_PART}{_AROUND_NAME}?{_MONTH}{_AROUND_NAME}?{_SHORT}", _NAMED_TIME,
        {"dmy": _DMY}, has_month_name=True, has_short_year=True, is_evident=False,
    ),
    DateForm(
        "name-day-two digits", rf"{_MONTH}{_AROUND_NAME}{_PART}{_AROUND_NAME}{_SHORT}", _TIME,
        {"mdy": _MDY}, has_month_name=True, has_short_year=True, is_evident=False,
    ),
    DateForm("year-month", rf"{_YEAR}[-/]{_PART}", "", {"ymd": DateGroups(1, 2)}, "month"),
    # Other numbers of six digits are no months.
    DateForm(
        "month in digits", "((?:1[89]|2[01])[0-9]{2})(0[1-9]|1[0-2])", "", {"ymd": DateGroups(1, 2)}, "month",
    ),
    DateForm(
        "month/year", rf"{_PART}{_SEPARATOR}{_YEAR}", "", {"dmy": DateGroups(2, 1), "mdy": DateGroups(2, 1)}, "month"
    ),
    DateForm(
        "name-year", rf"{_MONTH}{_AROUND_NAME}?{_YEAR}", "",
        {"dmy": DateGroups(2, 1), "mdy": DateGroups(2, 1)}, "month", has_month_name=True,
    ),
    DateForm(
        "year-name", rf"{_YEAR}{_AROUND_NAME}?{_MONTH}", "", {"ymd": DateGroups(1, 2)}, "month", has_month_name=True
    ),
    DateForm(
        "year-quarter", rf"{_YEAR}[-/ ]?{_QUARTER}", "", {"ymd": DateGroups(1, 2)}, "quarter", has_month_name=True
    ),
    DateForm(
        "quarter-year", rf"{_QUARTER}[-/ ]?{_YEAR}", "",
        {"dmy": DateGroups(2, 1), "mdy": DateGroups(2, 1)}, "quarter", has_month_name=True,
    ),
    DateForm("year", _YEAR, "", dict.fromkeys(DATE_ORDERS, DateGroups(1)), "year"),
)  # fmt: skip
"""The most frequent forms first."""

MAY_BE_DATE_PATTERN = r"\s*[0-9A-Za-z][-0-9A-Za-z/.,:+ ]{4,}[0-9A-Za-z.]\s*"
"""What every date with a month matches, to rule out most other texts quickly."""

# Groups: hour, minute, second, A or P of AM and PM, then sign, hours, minutes and seconds of the offset.
_WRITTEN_ZONE = r"\s*(?:[Zz]|UTC|GMT|([+-])([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?)\s*"
CLOCK_PATTERNS = (
    r"(?:[^:]*[Tt ]|[^:]*[0-9]{4}:)"
    rf"([0-9]{{1,2}}):([0-9]{{2}})(?::([0-9]{{2}})(?:[.,][0-9]+)?)?(?: ?([AaPp])\.?[Mm]\.?)?{_WRITTEN_ZONE}",
    rf"\s*[0-9]{{8}}[Tt ]?([0-9]{{2}})([0-9]{{2}})(?:([0-9]{{2}})(?:[.,][0-9]+)?)?([AaPp]?){_WRITTEN_ZONE}",
)
"""Times of day with a time zone, for texts that have a form; other texts of a form have no zone."""


def forms_in_order(order: str, step: str | None = None) -> list[DateForm]:
    """Return the forms that an order can read, all or those with one finest part."""
    return [form for form in DATE_FORMS if order in form.orders and step in (None, form.step)]


def is_possible(text: str, form: DateForm, order: str) -> bool:
    """Whether a text of a form may mean a date in this order, even one that does not exist."""
    return _compiled(form.possible[order]).fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled when they are first used: most commands need none of them.
    return re.compile(pattern, re.ASCII)


@cache
def _of_form(form: DateForm) -> re.Pattern[str]:
    return _compiled(form.pattern)


def form_of(text: str) -> DateForm | None:
    """Return the form of a text, whether the date exists or not.

    >>> form_of("31.02.2019 12:30").name, form_of("1 Apr 2019").name, form_of("soon")
    ('day/month/year', 'day-name-year', None)
    """
    return next((form for form in DATE_FORMS if _of_form(form).fullmatch(text) is not None), None)


def read_date(text: str, form: DateForm, order: str, zone: Zone | None = None) -> date | None:
    """Return the date in a text of a form, or the first day of a longer time; None if it does not exist in this order.

    With a zone, a time with a written offset counts on its day in that zone.

    >>> read_date("01/04/19", form_of("01/04/19"), "dmy"), read_date("2019-02-29", form_of("2019-02-29"), "ymd")
    (datetime.date(2019, 4, 1), None)
    """
    groups, match = form.orders.get(order), _of_form(form).fullmatch(text)
    if groups is None or match is None:
        return None
    month = _month(match[groups.month], form) if groups.month else 1
    try:
        day = date(_year(match[groups.year], form), month or 0, int(match[groups.day]) if groups.day else 1)
        return day if zone is None else day_in_zone(day, text, zone)
    except (ValueError, OverflowError):
        return None


def _month(text: str, form: DateForm) -> int | None:
    return MONTH_NUMBERS.get(text.lower()) if form.has_month_name else int(text)


def _year(text: str, form: DateForm) -> int:
    year = int(text)
    return year if not form.has_short_year else year + (1900 if year >= FIRST_SHORT_YEAR else 2000)


def has_time(text: str) -> bool:
    """Whether a text is a date with a time of day.

    >>> has_time("20190401"), has_time("20190401T000234")
    (False, True)
    """
    form = form_of(text)
    return form is not None and _compiled(rf"\s*{form.head}\s*").fullmatch(text) is None


def has_zone(text: str) -> bool:
    """Whether a text of a form has a time of day with a time zone."""
    return any(_compiled(pattern).fullmatch(text) for pattern in CLOCK_PATTERNS)


def day_in_zone(day: date, text: str, zone: Zone) -> date:
    """Return the day in a zone of a text whose time has a time zone; the written day of other texts."""
    match = next((found for pattern in CLOCK_PATTERNS if (found := _compiled(pattern).fullmatch(text))), None)
    if match is None:
        return day
    hour, minute, second, half, sign, *offset = match.groups()
    hours = int(hour)
    if half and hours <= 12:
        hours = hours % 12 + (12 if half in "Pp" else 0)
    clock = timedelta(hours=hours, minutes=int(minute), seconds=int(second or 0))
    hours_east, minutes_east, seconds_east = (int(part or 0) for part in offset)
    east = timedelta(hours=hours_east, minutes=minutes_east, seconds=seconds_east)
    written = datetime(day.year, day.month, day.day) + clock
    return zone.local(written + east if sign == "-" else written - east).date()
