"""How the values of a table's columns are read: texts as dates or numbers, and times in their zone.

The columns of a question are checked together, so that the number of jobs does not grow with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.base import OpenOptions
from idbits.engines.spark import dates, values
from idbits.engines.spark.cells import AttributeExpressions
from idbits.engines.spark.session import ClusterSession
from idbits.engines.spark.source import SparkSource
from idbits.engines.spark.text_dates import count_texts, most_frequent_shape
from idbits.errors import DataError
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.date_readings import choose_reading, require_dates, zone_note
from idbits.values.readings import (
    COMMA_NUMBER_PATTERN,
    SURE_COMMA_PATTERN,
    before_reading,
    has_decimal_comma,
    has_numbers_to_check,
)
from idbits.wording import counted

__all__ = ["ClusterReadings", "NumberTexts", "count_numbers"]

Name = TypeVar("Name")
Item = TypeVar("Item")
# A plan grows with the columns that are checked at once.
_COLUMNS_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class NumberTexts:
    """How many texts of a column do not fit each way to write numbers, and how many surely have a decimal comma."""

    unfit_with_point: int
    unfit_with_comma: int
    sure: int
    unfit_once_translated: int

    @property
    def has_comma(self) -> bool:
        """Whether the numbers have a decimal comma."""
        return has_decimal_comma(self.unfit_with_point, self.unfit_with_comma, self.sure)

    def require(self, column: str, consequence: str) -> None:
        """Raise an error if some texts are not numbers."""
        _require_numbers(self.unfit_once_translated if self.has_comma else self.unfit_with_point, column, consequence)


class _TextUse(NamedTuple):
    """A text that an attribute reads, by one of its transforms."""

    text: Attribute
    attribute: Attribute
    transform: Transform


class ClusterReadings:
    """Decides how to read the columns of one table, and remembers it in the expressions of its attributes."""

    def __init__(
        self,
        session: ClusterSession,
        source: SparkSource,
        cells: AttributeExpressions,
        options: OpenOptions,
        note: Callable[[str], None],
    ) -> None:
        self._session, self._source, self._cells, self._options = session, source, cells, options
        self._note = note
        self._checked: set[Attribute] = set()

    def are_known(self, attributes: Iterable[Attribute]) -> bool:
        """Whether all attributes were checked before."""
        return self._checked.issuperset(attributes)

    def decide(self, rows: DataFrame, attributes: Iterable[Attribute]) -> None:
        """Detect how to read texts, and check that each value can be read."""
        new = [attribute for attribute in dict.fromkeys(attributes) if attribute not in self._checked]
        # Usually one round: only a text made from a date that was read can be read again.
        while unread := self._unread(new):
            for uses in _parts(unread):
                self._read(rows, uses)
        for attributes_part in _parts(new):
            self._check_times_and_numbers(rows, attributes_part)
        for attribute in new:
            self._require_dates(rows, attribute)
            self._add_notes(attribute)
            self._checked.add(attribute)

    def _unread(self, attributes: Sequence[Attribute]) -> list[_TextUse]:
        """Return the first text of each attribute that nobody has read so."""
        unread: dict[tuple[Attribute, bool], _TextUse] = {}
        for attribute in attributes:
            for text, transform in before_reading(attribute):
                if text not in self._known(transform):
                    unread.setdefault((text, transform.wants_dates), _TextUse(text, attribute, transform))
                    break
        return list(unread.values())

    def _known(self, transform: Transform) -> Mapping[Attribute, object]:
        readings = self._cells.readings
        return readings.dates if transform.wants_dates else readings.commas

    def _read(self, rows: DataFrame, uses: Sequence[_TextUse]) -> None:
        expressions = {use.text: self._cells.expression(use.text) for use in uses}
        as_dates = {use.text: expressions[use.text] for use in uses if use.transform.wants_dates}
        as_numbers = {use.text: expressions[use.text] for use in uses if not use.transform.wants_dates}
        forms = count_texts(self._session, rows, as_dates, self._options) if as_dates else {}
        numbers = count_numbers(self._session, rows, as_numbers) if as_numbers else {}
        for text, attribute, transform in uses:
            if transform.wants_dates:
                counts, is_far = forms[text]
                reading = choose_reading(counts, text.column, self._options.dates, zone=self._options.zone)
                self._cells.readings.dates[text] = reading
                self._cells.far |= {text} if is_far else set()
                self._require_dates(rows, attribute)
            else:
                numbers[text].require(text.column, f'so "{attribute.name}" cannot be computed')
                self._cells.readings.commas[text] = numbers[text].has_comma

    def _require_dates(self, rows: DataFrame, attribute: Attribute) -> None:
        for text, transform in before_reading(attribute):
            reading = self._cells.readings.dates.get(text)
            if transform.wants_dates and reading is not None:
                texts = rows.select(self._cells.expression(text).alias("v"))
                find_shape = partial(most_frequent_shape, self._session, texts, reading.order)
                require_dates(reading, attribute, transform, find_shape)

    def _check_times_and_numbers(self, rows: DataFrame, attributes: Sequence[Attribute]) -> None:
        """Find the zones of instants, and refuse numbers that are not finite; one job for all."""
        instants = {
            Attribute(attribute.column, attribute.kind): attribute
            for attribute in attributes
            if self._source.has_instants(attribute.column)
            and any(transform.wants_dates for transform in attribute.transforms)
        }
        new_instants = [column for column in instants if column not in self._cells.zones]
        with_numbers = [attribute for attribute in attributes if has_numbers_to_check(attribute)]
        sums = [F.count_if(dates.is_far(self._source.value(column.column))) for column in new_instants]
        sums += [_infinite(self._source.value(attribute.column)) for attribute in with_numbers]
        if not sums:
            return
        counts = iter(map(int, self._session.only_row(rows.agg(*sums), "checking the values")))
        for column in new_instants:
            self._cells.far |= {column} if next(counts) else set()
            self._cells.zones[column] = self._options.zone or self._source.zone_of(column.column)
        for attribute in with_numbers:
            _require_numbers(next(counts), attribute.column, f'so "{attribute.name}" cannot be computed')

    def _add_notes(self, attribute: Attribute) -> None:
        for text, transform in before_reading(attribute):
            if transform.wants_dates:
                for note in self._cells.readings.dates[text].notes:
                    self._note(note)
            elif self._cells.readings.commas[text]:
                self._note(f'column "{text.column}" was read as numbers with a decimal comma')
        zone = self._cells.zones.get(Attribute(attribute.column, attribute.kind))
        is_dated = any(transform.wants_dates for transform in attribute.transforms)
        if is_dated and zone is not None and self._options.zone is None and zone.is_utc:
            self._note(zone_note(attribute.column))


def count_numbers(session: ClusterSession, rows: DataFrame, texts: Mapping[Name, Column]) -> dict[Name, NumberTexts]:
    """Count how the texts of some rows can be read as numbers; one job for all."""
    columns = [value.alias(f"v{index}") for index, value in enumerate(texts.values())]
    sums = [total for index in range(len(columns)) for total in _number_sums(F.col(f"v{index}"))]
    numbers = list(map(int, session.only_row(rows.select(*columns).agg(*sums), "checking the numbers")))
    return {name: NumberTexts(*numbers[4 * index : 4 * index + 4]) for index, name in enumerate(texts)}


def _number_sums(v: Column) -> list[Column]:
    point, comma = values.is_number(v, Kind.TEXT), values.is_number(F.translate(v, ",", "."), Kind.TEXT)
    return [
        F.count_if(v.isNotNull() & ~point),
        F.count_if(~values.has_pattern(v, COMMA_NUMBER_PATTERN)),
        F.count_if(values.has_pattern(v, SURE_COMMA_PATTERN)),
        F.count_if(v.isNotNull() & ~comma),
    ]


def _infinite(value: Column) -> Column:
    return F.count_if(value.isNotNull() & ~values.is_number(value, Kind.NUMBER))


def _require_numbers(unfit: int, column: str, consequence: str) -> None:
    if unfit:
        raise DataError(
            f'column "{column}" has {counted(unfit, "value")} that cannot be read as a number, {consequence}'
        )


def _parts(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[begin : begin + _COLUMNS_AT_ONCE] for begin in range(0, len(items), _COLUMNS_AT_ONCE))
