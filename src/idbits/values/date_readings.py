"""Decides how the dates of a text column are read, from counts of its values by form and order.

A column is read in one order, or it is an error: a note says which order, and what was assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from idbits.errors import DataError, InputError, UnreadDatesError
from idbits.values.attributes import Attribute, Transform
from idbits.values.dates import (
    DATE_FORMS,
    DATE_ORDERS,
    FIRST_SHORT_YEAR,
    DateForm,
    form_of,
    has_zone,
    is_possible,
    read_date,
)
from idbits.values.zones import Zone
from idbits.wording import counted

__all__ = [
    "DateReading", "FindShape", "FormCount", "assumed_reading", "choose_reading", "count_forms",
    "needed_step", "order_pairs", "require_dates", "written_like", "zone_note",
]  # fmt: skip

_ORDER_PAIRS = tuple(combinations(DATE_ORDERS, 2))
FindShape = Callable[[Sequence[DateForm]], str | None]
"""Returns the most frequent shape of the values that are not dates of the given forms."""

_STEPS = ("year", "quarter", "month", "day")
_NEEDED = {"day": "day", "week": "day", "quarter": "quarter", "year": "year"}
_DIGIT_SHAPES = {
    "999999": "six digits may be a plain number and are only read as a year and a month (201904)",
    "99999999": "eight digits are only read with the year first (20190401)",
}
_ORDER_WORDS = {"ymd": "year-month-day", "dmy": "day-month-year", "mdy": "month-day-year"}
_FIRST_WORDS = {"ymd": "the year", "dmy": "the day", "mdy": "the month"}


def needed_step(transform: Transform) -> str:
    """Return the finest part of a date that a transform needs: day, month, quarter or year."""
    return _NEEDED.get(transform.name, "month")


def order_pairs(form: DateForm) -> list[tuple[str, str]]:
    """Return the pairs of orders in which a text of a form may be two different dates."""
    return [pair for pair in _ORDER_PAIRS if set(pair) <= set(form.orders)]


@dataclass(frozen=True, slots=True)
class FormCount:
    """The values of a column that have one form.

    Attributes:
        form: the form; None for values that have none.
        values: their number.
        read: for each order, how many of them are dates.
        possible: for forms that three orders can read, how many may be meant in each order.
        differing: for each pair of orders, how many are dates in both, but different ones.
        readable: how many are dates in some order.
        zoned: how many have a time of day with a time zone.
    """

    form: DateForm | None
    values: int
    read: Mapping[str, int] = field(default_factory=dict)
    differing: Mapping[tuple[str, str], int] = field(default_factory=dict)
    readable: int = 0
    zoned: int = 0
    possible: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, form: DateForm, values: int, zoned: int, numbers: Iterator[int]) -> FormCount:
        """Take from numbers, in this order: read by order, differing by pair, readable, and possible by order."""
        read = {order: next(numbers) for order in form.orders}
        differing = {pair: next(numbers) for pair in order_pairs(form)}
        readable = next(numbers)
        return cls(form, values, read, differing, readable, zoned, {order: next(numbers) for order in form.possible})

    def fits(self, order: str) -> bool:
        """Whether all values may be meant in this order."""
        return (self.possible or self.read).get(order, 0) >= self.values

    def meant_elsewhere(self, order: str) -> int:
        """Return how many values cannot be meant in this order, but are dates in another one."""
        others = self.readable - self.read.get(order, 0)
        return min(others, self.values - self.possible.get(order, 0)) if self.possible else others

    def is_doubtful(self, pair: tuple[str, str]) -> bool:
        """Whether it matters which of two orders is chosen."""
        return bool(self.differing.get(pair) or (self.possible and self.values))


@dataclass(frozen=True, slots=True)
class DateReading:
    """How the dates of a text column are read.

    Attributes:
        order: the order of year, month and day.
        counts: the forms of this order that occur, with the number of their values that are dates.
        unread: values that are not dates in this order.
        elsewhere: how many of those can only be meant in another order.
        better: the order that reads more values, if there is one.
        notes: what was decided.
    """

    order: str
    counts: tuple[tuple[DateForm, int], ...] = ()
    unread: int = 0
    elsewhere: int = 0
    better: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_dates(self) -> int:
        """The number of values that are dates."""
        return sum(number for _, number in self.counts)

    @property
    def forms(self) -> tuple[DateForm, ...]:
        """The forms to read."""
        return tuple(form for form, _ in self.counts)

    @property
    def finest_step(self) -> str:
        """The finest part that a date of the column has: day, month, quarter or year."""
        steps = {form.step for form, number in self.counts if number}
        return max(steps, key=_STEPS.index, default="day")

    def coarser_than(self, step: str) -> int:
        """Return the number of dates that do not have this part."""
        return sum(number for form, number in self.counts if _STEPS.index(form.step) < _STEPS.index(step))

    def forms_with(self, step: str) -> tuple[DateForm, ...]:
        """Return the forms that have this part."""
        return tuple(form for form in self.forms if _STEPS.index(form.step) >= _STEPS.index(step))


def count_forms(texts: Iterable[str], zone: Zone | None = None) -> list[FormCount]:
    """Count texts by form, in plain Python.

    >>> [(count.form.name, count.read) for count in count_forms(["31/12/2019", "12/31/2019", "01/02/2019"])]
    [('day/month/year', {'dmy': 2, 'mdy': 2})]
    """
    groups: dict[str | None, list[str]] = {}
    for text in texts:
        form = form_of(text)
        groups.setdefault(form.name if form is not None else None, []).append(text)
    counts = [_count_form(form, groups[form.name], zone) for form in DATE_FORMS if form.name in groups]
    return [*counts, *([FormCount(None, len(groups[None]))] if None in groups else [])]


def _count_form(form: DateForm, texts: Sequence[str], zone: Zone | None) -> FormCount:
    read = {order: [read_date(text, form, order, zone) for text in texts] for order in form.orders}

    def differing(one: str, other: str) -> int:
        return sum(a is not None and b is not None and a != b for a, b in zip(read[one], read[other], strict=True))

    return FormCount(
        form,
        len(texts),
        {order: sum(day is not None for day in days) for order, days in read.items()},
        {pair: differing(*pair) for pair in order_pairs(form)},
        sum(any(day is not None for day in days) for days in zip(*read.values(), strict=True)),
        sum(map(has_zone, texts)),
        {order: sum(is_possible(text, form, order) for text in texts) for order in form.possible},
    )


def assumed_reading(order: str) -> DateReading:
    """Return the reading of the most frequent form of an order, for queries that are only shown."""
    return DateReading(order, ((next(form for form in DATE_FORMS if order in form.orders), 0),))


def choose_reading(
    counts: Sequence[FormCount], column: str, dates: str | None, *, zone: Zone | None = None, partly: bool = False
) -> DateReading:
    """Return how to read a column, from the counts of its forms.

    The order that reads all values is chosen; if several do, and some values are then different dates, that is an
    error. An order that the user gives is kept, except for columns that can only be meant in another order. With
    ``partly``, values that are dates in no order do not matter, and the counts are of different values.
    """
    if partly:
        counts = [replace(count, values=count.readable) for count in counts if count.readable]
    unread = {order: sum(count.values - count.read.get(order, 0) for count in counts) for order in DATE_ORDERS}
    best = min(DATE_ORDERS, key=lambda order: unread[order])
    fitting = [order for order in DATE_ORDERS if all(count.fits(order) for count in counts)]
    evident = all(count.form is not None and count.form.is_evident for count in counts)
    if dates is not None and (unread[dates] == 0 or not (fitting and evident)):
        reading = _reading(dates, counts, best if unread[best] < unread[dates] and dates not in fitting else dates)
    else:
        order = _only_order(fitting, counts, column) if fitting else best
        reading = _reading(order, counts, order)
    what = "different date" if partly else "date"
    return replace(reading, notes=_notes(reading, counts, column, what, dates, zone) if reading.n_dates else ())


def _only_order(fitting: Sequence[str], counts: Sequence[FormCount], column: str) -> str:
    """Return the order of a column that several orders can read, if they agree."""
    pairs = [pair for pair in _ORDER_PAIRS if set(pair) <= set(fitting)]
    doubtful = {order for pair in pairs for order in pair if any(count.is_doubtful(pair) for count in counts)}
    if doubtful:
        orders = [order for order in DATE_ORDERS if order in doubtful]
        words = " or ".join(_FIRST_WORDS[order] for order in orders)
        choices = " or ".join(f"--dates {order}" for order in orders)
        raise InputError(f'the dates in column "{column}" may have {words} first; choose with {choices}')
    return fitting[0]


def _reading(order: str, counts: Sequence[FormCount], better: str) -> DateReading:
    forms = [(count.form, count.read.get(order, 0)) for count in counts]
    read = sum(number for _, number in forms)
    return DateReading(
        order,
        tuple((form, number) for form, number in forms if form is not None and number),
        unread=sum(count.values for count in counts) - read,
        elsewhere=sum(count.meant_elsewhere(order) for count in counts),
        better=better if better != order else None,
    )


def _notes(
    reading: DateReading, counts: Sequence[FormCount], column: str, what: str, dates: str | None, zone: Zone | None
) -> tuple[str, ...]:
    notes = []
    if dates != reading.order:
        notes.append(_order_note(column, reading))
    short = sum(number for form, number in reading.counts if form.has_short_year)
    if short:
        first, last = FIRST_SHORT_YEAR, FIRST_SHORT_YEAR - 1
        notes.append(
            f'column "{column}" has {counted(short, what)} with a year of two digits: {first} to 99 were read as '
            f"19{first} to 1999, and 00 to {last} as 2000 to 20{last}"
        )
    zoned = sum(count.zoned for count in counts if count.read.get(reading.order))
    if zoned and zone is None:
        notes.append(
            f'column "{column}" has {counted(zoned, what)} with a time zone: each counts on the day that is written '
            "(change with --zone)"
        )
    return tuple(notes)


def _order_note(column: str, reading: DateReading) -> str:
    step = reading.finest_step
    if step != "day":
        return f'column "{column}" was read as {step}s'
    return f'column "{column}" was read as dates in the order {_ORDER_WORDS[reading.order]}'


def zone_note(column: str) -> str:
    """Return a note on instants that have no other time zone than UTC.

    >>> zone_note("admitted")
    'the times in column "admitted" count on their day in UTC (change with --zone)'
    """
    return f'the times in column "{column}" count on their day in UTC (change with --zone)'


def require_dates(reading: DateReading, attribute: Attribute, transform: Transform, find_shape: FindShape) -> None:
    """Raise an error if some values are not dates, or have no part as fine as a transform needs."""
    consequence = f'so "{attribute.name}" cannot be computed'
    if reading.unread:
        shape = find_shape(reading.forms)
        raise UnreadDatesError(
            f'column "{attribute.column}" has {counted(reading.unread, "value")} that cannot be read as a date'
            f"{written_like(shape, reading.unread)}, {consequence}; {_help(reading, attribute, shape)}",
            shape,
        )
    step = needed_step(transform)
    coarser = reading.coarser_than(step)
    if coarser:
        written = written_like(find_shape(reading.forms_with(step)), coarser)
        raise DataError(
            f'column "{attribute.column}" has {counted(coarser, "date")} without a {step}{written}, {consequence}; '
            f"use {_coarser_views(attribute, reading)}"
        )


def written_like(shape: str | None, number: int) -> str:
    """Return the part of a sentence that says how texts are written.

    >>> written_like("99/99/99", 7)
    ' (most often written like "99/99/99")'
    """
    often = "most often " if number > 1 else ""
    return f' ({often}written like "{shape}")' if shape else ""


def _help(reading: DateReading, attribute: Attribute, shape: str | None) -> str:
    if reading.better is not None:
        return f"try --dates {reading.better}"
    if reading.elsewhere:
        return (
            f"the column mixes orders ({reading.n_dates:,} {_ORDER_WORDS[reading.order]}, {reading.elsewhere:,} only "
            "in another order), so write all dates in one order"
        )
    if not reading.n_dates and shape in _DIGIT_SHAPES:
        return f"{_DIGIT_SHAPES[shape]}, so write dates like 2019-04-01"
    if not reading.n_dates:
        return f"write dates like 2019-04-01, or measure the beginning of the text, such as {attribute.column}:prefix4"
    return "correct them, or leave them out with --where or --null"


def _coarser_views(attribute: Attribute, reading: DateReading) -> str:
    worst = min((form.step for form, number in reading.counts if number), key=_STEPS.index)
    names = {"month": ["month", "quarter", "year"], "quarter": ["quarter", "year"]}.get(worst, ["year"])
    return " or ".join(f"{attribute.column}:{name}" for name in names)
