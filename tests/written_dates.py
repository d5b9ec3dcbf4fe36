"""Ways in which people and programs write dates, each as a function: independent of the forms that idbits reads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

SHORT = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONG = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A way to write a date.

    Attributes:
        order: the order in which it can be read; several for dates without day, or with a day that may be a month.
        step: the finest part that is written.
        years: the years that can be written.
    """

    name: str
    orders: tuple[str, ...]
    write: Callable[[datetime], str]
    step: str = "day"
    years: tuple[int, int] = (1, 9999)


def _short(t: datetime) -> str:
    return SHORT[t.month - 1]


def _long(t: datetime) -> str:
    return LONG[t.month - 1]


def _twelve(t: datetime) -> str:
    return f"{t.hour % 12 or 12:02}:{t:%M:%S} {'AM' if t.hour < 12 else 'PM'}"


def _y(t: datetime) -> str:
    return f"{t.year:04}"


NUMERIC = ("dmy", "mdy")
SHAPES = [
    Shape("iso", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%d}"),
    Shape("iso with time", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%dT%H:%M:%S}"),
    Shape("iso, short time", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%d %H:%M}"),
    Shape("iso with fraction", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%d %H:%M:%S}.{t.microsecond:06}"),
    Shape("iso, decimal comma", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%dT%H:%M:%S},{t.microsecond // 1000:03}"),
    Shape("iso, Z", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%dT%H:%M:%SZ}"),
    Shape("iso, UTC", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%d %H:%M:%S} UTC"),
    Shape("iso, offset", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%dT%H:%M:%S}+02:00"),
    Shape("iso, offset of four digits", ("ymd",), lambda t: f"{_y(t)}-{t:%m-%d %H:%M:%S} -0330"),
    Shape("slashes, year first", ("ymd",), lambda t: f"{_y(t)}/{t.month}/{t.day}"),
    Shape("Hungarian", ("ymd",), lambda t: f"{_y(t)}. {t:%m}. {t:%d}. {t.hour}:{t:%M}"),
    Shape("eight digits", ("ymd",), lambda t: f"{_y(t)}{t:%m%d}"),
    Shape("compact", ("ymd",), lambda t: f"{_y(t)}{t:%m%dT%H%M%S}"),
    Shape("compact, Z", ("ymd",), lambda t: f"{_y(t)}{t:%m%dT%H%M%SZ}"),
    Shape("fourteen digits", ("ymd",), lambda t: f"{_y(t)}{t:%m%d%H%M%S}"),
    Shape("year-name-day", ("ymd",), lambda t: f"{_y(t)}-{_short(t)}-{t:%d}"),
    Shape("day.month.year", ("dmy",), lambda t: f"{t:%d.%m}.{_y(t)}"),
    Shape("day.month.year with time", ("dmy",), lambda t: f"{t:%d.%m}.{_y(t)} {t:%H:%M}"),
    Shape("day/month/year", ("dmy",), lambda t: f"{t.day}/{t.month}/{_y(t)}"),
    Shape("day-month-year with time", ("dmy",), lambda t: f"{t:%d-%m}-{_y(t)} {t:%H:%M:%S}"),
    Shape("month/day/year", ("mdy",), lambda t: f"{t:%m/%d}/{_y(t)}"),
    Shape("American with time", ("mdy",), lambda t: f"{t:%m/%d}/{_y(t)} {_twelve(t)}"),
    Shape("browser", ("mdy",), lambda t: f"{t.month}/{t.day}/{_y(t)}, {_twelve(t)}"),
    Shape("day name year", ("dmy",), lambda t: f"{t.day} {_short(t)} {_y(t)}"),
    Shape("day long name year", ("dmy",), lambda t: f"{t.day}. {_long(t)} {_y(t)}"),
    Shape("SAS", ("dmy",), lambda t: f"{t:%d}{_short(t).upper()}{_y(t)}"),
    Shape("SAS with time", ("dmy",), lambda t: f"{t:%d}{_short(t).upper()}{_y(t)}:{t:%H:%M:%S}"),
    Shape("Oracle", ("dmy",), lambda t: f"{t:%d}-{_short(t).upper()}-{_y(t)}"),
    Shape("name day, year", ("mdy",), lambda t: f"{_short(t)} {t.day}, {_y(t)}"),
    Shape("long name day, year, time", ("mdy",), lambda t: f"{_long(t)} {t.day}, {_y(t)} {_twelve(t)}"),
    Shape("mail", ("dmy",), lambda t: f"Mon, {t:%d} {_short(t)} {_y(t)} {t:%H:%M:%S} GMT"),
    Shape("weekday, day name year", ("dmy",), lambda t: f"Wednesday, {t.day} {_long(t)} {_y(t)}"),
    Shape("weekday, name day, year", ("mdy",), lambda t: f"Sun {_long(t)} {t.day}, {_y(t)}"),
    Shape("web server", ("dmy",), lambda t: f"{t:%d}/{_short(t)}/{_y(t)}:{t:%H:%M:%S} +0200"),
    Shape("C", ("mdy",), lambda t: f"Mon {_short(t)} {t.day:2} {t:%H:%M:%S} {_y(t)}"),
    Shape("C with offset", ("mdy",), lambda t: f"Tue {_short(t)} {t:%d %H:%M:%S} +0000 {_y(t)}"),
    Shape("two digits, day first", ("dmy",), lambda t: f"{t:%d/%m/%y}", years=(1969, 2068)),
    Shape("two digits, month first", ("mdy",), lambda t: f"{t.month}/{t.day}/{t:%y}", years=(1969, 2068)),
    Shape("two digits, year first", ("ymd",), lambda t: f"{t:%y-%m-%d}", years=(1969, 2068)),
    Shape("two digits, name", ("dmy",), lambda t: f"{t.day}-{_short(t)}-{t:%y}", years=(1969, 2068)),
    Shape("SAS, two digits", ("dmy",), lambda t: f"{t:%d}{_short(t).upper()}{t:%y}", years=(1969, 2068)),
    Shape("two digits, name first", ("mdy",), lambda t: f"{_short(t)} {t.day}, {t:%y}", years=(1969, 2068)),
    Shape("year-month", ("ymd",), lambda t: f"{_y(t)}-{t:%m}", "month"),
    Shape("month in digits", ("ymd",), lambda t: f"{_y(t)}{t:%m}", "month", years=(1800, 2199)),
    Shape("month/year", NUMERIC, lambda t: f"{t:%m}/{_y(t)}", "month"),
    Shape("month.year", NUMERIC, lambda t: f"{t.month}.{_y(t)}", "month"),
    Shape("name year", NUMERIC, lambda t: f"{_short(t)} {_y(t)}", "month"),
    Shape("SAS, month", NUMERIC, lambda t: f"{_short(t).upper()}{_y(t)}", "month"),
    Shape("year-name", ("ymd",), lambda t: f"{_y(t)}-{_short(t)}", "month"),
    Shape("year and quarter", ("ymd",), lambda t: f"{_y(t)}Q{(t.month + 2) // 3}", "quarter"),
    Shape("quarter and year", NUMERIC, lambda t: f"Q{(t.month + 2) // 3} {_y(t)}", "quarter"),
    Shape("year", ("ymd", "dmy", "mdy"), _y, "year"),
]  # fmt: skip
