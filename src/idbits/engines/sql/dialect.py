"""The SQL differences between databases: how values are compared, coarsened and read, one class per database.

Every expression means the same as in the plain engine (``values/plain.py``), byte for byte; if a database cannot
express something, the error says so. This class contains what standard SQL can express.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import sqlalchemy as sa
from sqlalchemy import ColumnElement, func
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from idbits.engines.sql.tokens import RULES, LexicalRules
from idbits.errors import EngineError, InputError
from idbits.values.attributes import Kind
from idbits.values.dates import CLOCK_PATTERNS, DATE_FORMS, FIRST_SHORT_YEAR, MONTH_NUMBERS, DateForm
from idbits.values.decimals import Number
from idbits.values.shapes import LONGEST_SHAPE, SHAPE_STEPS
from idbits.values.zones import Zone

if TYPE_CHECKING:
    from idbits.engines.sql.connection import DatabaseConnection
    from idbits.engines.sql.one_select import OneSelect

__all__ = ["ALWAYS", "NEVER", "ONE", "ZERO", "Element", "OrderedTexts", "SqlDialect", "require_single_statements"]

Element = ColumnElement[Any]

# Some databases do not have true and false.
ALWAYS: Element = sa.literal_column("1") == sa.literal_column("1")
NEVER: Element = sa.literal_column("1") == sa.literal_column("0")
# A number as a parameter would make two equal expressions differ, and grouping by one of them fail.
ZERO: Element = sa.literal_column("0")
ONE: Element = sa.literal_column("1")


class OrderedTexts(GenericFunction[str]):
    """STRING_AGG(text, ',' ORDER BY text)."""

    name = "idbits_ordered_texts"
    inherit_cache = True


@compiles(OrderedTexts)
def _ordered_texts(element: OrderedTexts, compiler: sa.sql.compiler.SQLCompiler, **kw: object) -> str:
    text = compiler.process(element.clauses, **kw)
    return f"string_agg({text}, ',' ORDER BY {text})"


class SqlDialect:
    """Standard SQL; the class of a database overrides the differences."""

    label = "this database"
    knows_instants = True  # whether the name of a type tells if its days depend on the time zone
    exact_type: sa.types.TypeEngine[Any] = sa.Numeric(38, 10)
    text_type: sa.types.TypeEngine[str] = sa.String()

    def refuse(self, what: str) -> NoReturn:
        """Return the error about something that this database cannot express."""
        raise InputError(f"{what} cannot be counted in {self.label}; export the table to Parquet and measure that file")

    # Comparing values.

    def comparable(self, column: Element, type_name: str, kind: Kind) -> Element:  # noqa: ARG002
        """Return a column's value: NaN is null, rare types are text."""
        return self.as_text(column) if kind is Kind.OTHER else column

    def count(self) -> Element:
        """Return the aggregate that counts rows."""
        return func.count()

    def key(self, value: Element, kind: Kind) -> Element:  # noqa: ARG002
        """Return a value that the database compares by bytes."""
        return value

    def shown(self, value: Element, kind: Kind) -> Element | None:  # noqa: ARG002
        """Return the expression fetched to show a value, or None if that is the key."""
        return None

    def readable(self, shown: Element) -> Element:
        """Return the result of ``shown`` as text."""
        return shown

    def as_text(self, value: Element) -> Element:
        """Return the text of a value."""
        return sa.cast(value, self.text_type)

    def decoded(self, value: object, kind: Kind) -> object:
        """Convert a fetched value to the type that labels expect."""
        if value is None:
            return None
        if isinstance(value, bytes | bytearray | memoryview):
            value = bytes(value).decode("utf-8", "replace")
        if kind is Kind.INTEGER and isinstance(value, Number | str):
            return int(value)
        if kind is Kind.BOOLEAN:
            return bool(value)
        if kind is Kind.NUMBER and isinstance(value, str):
            return Decimal(value)
        if kind is Kind.DATE:
            if isinstance(value, datetime):
                return value.date()
            return date.fromisoformat(value) if isinstance(value, str) else value
        if kind is Kind.TIMESTAMP and isinstance(value, datetime) and value.tzinfo is not None:
            return value.replace(tzinfo=None)
        return value

    # Text.

    def prefix(self, text: Element, length: int) -> Element:
        """Return the first code points of a text."""
        return func.substr(text, 1, length)

    def length(self, text: Element) -> Element:
        """Return the number of code points."""
        return func.char_length(text)

    def like(self, text: Element, pattern: str) -> Element:
        """Return whether a text matches a LIKE pattern, without an escape character."""
        return text.like(sa.literal(pattern))

    def trimmed(self, text: Element) -> Element:
        """Return a text without leading and trailing spaces."""
        return func.trim(text)

    def matches(self, text: Element, pattern: str) -> Element:  # noqa: ARG002
        """Return whether a whole text matches a pattern of ``values/readings.py``."""
        self.refuse("numbers or dates in text columns")

    def number_of(self, text: Element) -> Element:
        """Return a text that matches the pattern of a number as an exact number."""
        return sa.cast(self.trimmed(text), self.exact_type)

    def too_long(self, text: Element) -> Element:  # noqa: ARG002
        """Return whether a text number has more digits than the database computes exactly."""
        return NEVER

    def point_for_comma(self, text: Element) -> Element:
        """Replace the decimal comma of a text number with a point."""
        return func.replace(text, ",", ".")

    def shape(self, text: Element) -> Element:
        """Return the shape of a text, one sign longer than what is shown (``values/shapes.py``)."""
        written = self.prefix(text, LONGEST_SHAPE + 1)
        for pattern, sign in SHAPE_STEPS:
            written = self.replaced(written, pattern, sign)
        return written

    def replaced(self, text: Element, pattern: str, sign: str) -> Element:  # noqa: ARG002
        """Replace everything in a text that matches a pattern."""
        self.refuse("dates in text columns")

    def count_of(self, text: Element, pattern: str) -> Element:  # noqa: ARG002
        """Return the whole number in a text that matches a pattern, else null."""
        self.refuse("a count column of text")

    # Numbers.

    def exact(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        """Return a number as the decimal that people read."""
        return sa.cast(value, self.exact_type)

    def inexact(self, value: Element, type_name: str) -> Element:
        """Return whether a number has more digits than the database computes exactly."""
        return self.exact(value, type_name) != value

    def is_finite(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        """Return whether a number is finite."""
        return ALWAYS

    def as_double(self, value: Element) -> Element:
        """Return a number in double precision."""
        return sa.cast(value, sa.Double())

    def remainder(self, value: Element, width: Element) -> Element:
        """Return the remainder of a division, with the sign of the value."""
        return func.mod(value, width)

    def decimal(self, number: Decimal | int) -> Element:
        """Return an exact number as a literal."""
        return sa.literal_column(f"{number:f}" if isinstance(number, Decimal) else str(number))

    def coarser(self, value: Element, name: str, argument: Decimal) -> Element:
        """Return the band, the rounded number or the capped number of an exact number."""
        width = self.decimal(argument)
        if name == "cap":
            return sa.case((value > width, width), else_=value)
        if name == "band":
            return value - self.remainder(self.remainder(value, width) + width, width)
        moved = func.abs(value) + self.decimal(argument / 2)
        rounded = moved - self.remainder(moved, width)
        return sa.case((value < 0, -rounded), else_=rounded)

    def whole(self, value: Element) -> Element:
        """Return a whole exact number as an integer."""
        return value

    def integer(self, value: Element, type_name: str) -> Element:  # noqa: ARG002
        """Return a whole number in a type whose bands cannot overflow."""
        return sa.cast(value, self.exact_type)

    def summed_parts(self, number: Element) -> Sequence[Element]:
        """Return the parts of a whole number that can be summed over all rows without an overflow."""
        return [number]

    def sum_of_parts(self, sums: Sequence[int]) -> int:
        """Return the sum of numbers from the sums of their parts."""
        return sums[0]

    # Dates in text.

    def form_number(self, text: Element) -> Element:
        """Return the number of a text's form (``values/dates.py``); null if it has none."""
        return sa.case(*((self.matches(text, form.pattern), number) for number, form in enumerate(DATE_FORMS)))

    def has_zone(self, text: Element) -> Element:
        """Return whether a text of a form has a time of day with a time zone."""
        return sa.or_(*(self.matches(text, pattern) for pattern in CLOCK_PATTERNS))

    def date_of(self, text: Element, form: DateForm, order: str) -> Element:  # noqa: ARG002
        """Return the date in a text; null if it does not have this form, or the day does not exist."""
        self.refuse("dates in text columns")

    def calendar_numbers(
        self, form: DateForm, order: str, part: Callable[[int], Element]
    ) -> tuple[Element, Element, Element]:
        """Return year, month and day as numbers; ``part`` returns the text of a group."""
        groups = form.orders[order]

        def number(group: int) -> Element:
            return self.digits(part(group)) if group else sa.literal_column("1")

        year = number(groups.year)
        if form.has_short_year:
            year = sa.case((year >= FIRST_SHORT_YEAR, year + 1900), else_=year + 2000)
        month = number(groups.month)
        if form.has_month_name:
            name = self.lowered(part(groups.month))
            month = sa.case(*((name == word, sa.literal_column(str(n))) for word, n in MONTH_NUMBERS.items()))
        return year, month, number(groups.day)

    def digits(self, text: Element) -> Element:
        """Return a text of digits as a whole number."""
        return sa.cast(text, sa.Integer())

    def lowered(self, text: Element) -> Element:
        """Return a text in small letters, compared by its bytes."""
        return self.key(func.lower(text), Kind.TEXT)

    def clock_seconds(self, part: Callable[[int], Element]) -> Element:
        """Return the seconds from the written day to the instant in UTC; ``part`` returns a group of the clock."""

        def number(group: int) -> Element:
            return func.coalesce(self.digits(func.nullif(part(group), "")), 0)

        hour, half = number(1), self.lowered(part(4))
        afternoon = hour % 12 + sa.case((half == "p", 12), else_=0)
        hours = sa.case((sa.and_(half.in_(["a", "p"]), hour <= 12), afternoon), else_=hour)
        east = number(6) * 3600 + number(7) * 60 + number(8)
        return hours * 3600 + number(2) * 60 + number(3) + sa.case((part(5) == "-", east), else_=-east)

    def moved_day(self, day: Element, text: Element, zone: Zone, *, is_far: bool) -> Element:  # noqa: ARG002
        """Return the day in a zone of a text whose time has a time zone; other days as they are."""
        self.refuse("--zone for dates in text columns")

    # Times.

    def has_instants(self, type_name: str) -> bool:  # noqa: ARG002
        """Return whether the days of a type depend on the time zone; its values are compared in UTC."""
        return False

    def local_time(self, instant: Element, zone: Zone, *, is_far: bool) -> Element:  # noqa: ARG002
        """Return the local time of an instant, which is a timestamp in UTC."""
        self.refuse("--zone for this column")

    def within_calendar(self, day: Element) -> Element:
        """Return a day, or null if it is before the year 1 or after 9999."""
        return sa.case((sa.and_(day >= self.calendar_day(date.min), day <= self.calendar_day(date.max)), day))

    # Dates.

    def day(self, value: Element) -> Element:
        """Return the day of a date or timestamp."""
        return sa.cast(value, sa.Date())

    def year(self, value: Element) -> Element:
        """Return the year."""
        return sa.cast(sa.extract("year", value), sa.Integer())

    def month_of_year(self, value: Element) -> Element:
        """Return the month, 1 to 12."""
        return sa.cast(sa.extract("month", value), sa.Integer())

    def is_day(self, year: Element, month: Element, day: Element) -> Element:
        """Return whether a day exists in the calendar."""
        leap = sa.and_(year % 4 == 0, sa.or_(year % 100 != 0, year % 400 == 0))
        days = sa.case((month == 2, sa.case((leap, 29), else_=28)), (month.in_([4, 6, 9, 11]), 30), else_=31)
        return sa.and_(year >= 1, month.between(1, 12), day >= 1, day <= days)

    def truncated(self, value: Element, unit: str) -> Element:
        """Return the first day of the quarter, the month or the week (Monday)."""
        return sa.cast(func.date_trunc(sa.literal_column(f"'{unit}'"), value), sa.Date())

    # Filters.

    def compared_text(self, text: Element, operator: str, other: Element) -> Element:
        """Compare two texts by their bytes."""
        return self.key(text, Kind.TEXT).op(operator, is_comparison=True)(self.key(other, Kind.TEXT))

    def moment(self, value: datetime) -> Element:
        """Return a timestamp as a literal."""
        return sa.cast(sa.literal(value.isoformat(sep=" ")), sa.DateTime())

    def calendar_day(self, value: date) -> Element:
        """Return a day as a literal."""
        return sa.cast(sa.literal(value.isoformat()), sa.Date())

    def compared_number(self, value: Element, type_name: str, operator: str, number: Decimal | int) -> Element:
        """Compare a number column with a number."""
        if "float" in type_name or "double" in type_name or "real" in type_name:
            return value.op(operator, is_comparison=True)(self.as_double(sa.literal_column(f"'{number}'")))
        return value.op(operator, is_comparison=True)(self.decimal(number))

    # Lists of whole numbers, to compare all records of people.

    cuts_lists = False
    """Whether the database may cut a list without an error."""

    def list_item(self, *numbers: Element) -> Element:
        """Return one or two whole numbers as the text of an item."""
        texts = [self.as_text(number) for number in numbers]
        return texts[0] if len(texts) == 1 else func.concat(texts[0], sa.literal_column("':'"), texts[1])

    def ordered_list(self, item: Element) -> Element:  # noqa: ARG002
        """Return the aggregate that lists items in an order, separated by commas."""
        raise EngineError(
            f"{self.label} cannot compare all records of people exactly; export the table to Parquet and measure that "
            "file"
        )

    def list_key(self, listed: Element) -> Element:
        """Return a list in a form that the database compares exactly."""
        return self.key(listed, Kind.TEXT)

    def list_settings(self) -> list[str]:
        """Return the statements after which lists can have any length, to be run one by one."""
        return []

    # The session.

    def session(self, timeout: int | None) -> list[str]:  # noqa: ARG002
        """Return the statements that make a session read-only with a time limit, to be run one by one."""
        return []

    # The user's query, or a view.

    def lexical_rules(self, connection: DatabaseConnection) -> LexicalRules:
        """Return the rules by which the database splits a query into tokens."""
        return RULES[connection.engine.dialect.name]

    def check_query(self, connection: DatabaseConnection, query: OneSelect) -> None:
        """Raise an error if a query does more than read."""
        raise NotImplementedError

    def check_view(self, connection: DatabaseConnection, schema: str | None, table: str) -> None:
        """Raise an error if a view does more than read, unless the database itself prevents that."""


def require_single_statements(connection: DatabaseConnection) -> None:
    """Raise an error if the driver would send several statements at once."""
    if not connection.one_statement_each:
        raise InputError(
            "a --query needs a driver that sends one statement at a time: "
            "postgresql+psycopg://, or mysql+pymysql:// without multiple statements"
        )
