"""The plain-Python engine: a table as a list of rows, counted with a Counter.

Slow, short and obvious: every other engine is tested against it, and it shows that the protocol is all an engine
needs.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Histogram, Spectrum, Value
from idbits.engines import where
from idbits.engines.backends.explaining import NothingToExplain
from idbits.engines.backends.sampling import MOST_DRAWN, TableSample
from idbits.engines.backends.treating import NoTreating
from idbits.engines.base import OpenOptions, OrderedRows, PersonRows, PopulationMatch, Table, match_histograms
from idbits.engines.local import LocalCapabilities
from idbits.engines.plain_persons import PlainPersonCounting
from idbits.errors import ColumnNotFoundError
from idbits.values.attributes import Attribute, Kind
from idbits.values.decimals import as_decimal
from idbits.values.labels import label
from idbits.values.plain import OtherValues, canonical, profile_column, read_count, read_numbers, transform_column
from idbits.values.profile import Profile

__all__ = ["PlainTable", "satisfies", "with_numbers"]

PlainRow = dict[object, object]
"""A row by column name; see ``with_numbers`` and ``_clean_row`` for further keys."""


class PlainTable(PlainPersonCounting, LocalCapabilities, NothingToExplain, NoTreating):
    """Counts rows in memory: one dictionary per row, values in Python types."""

    def __init__(
        self, rows: Sequence[Mapping[str, object]], kinds: Mapping[str, Kind], options: OpenOptions | None = None
    ) -> None:
        options = options or OpenOptions()
        for name in (*(options.columns or ()), *([options.count] if options.count else [])):
            if name not in kinds:
                raise ColumnNotFoundError(name, kinds)
        self.columns = (
            dict(kinds)
            if options.columns is None
            else {name: kind for name, kind in kinds.items() if name in options.columns}
        )
        self.notes: list[str] = []
        self.names_may_be_data = False
        self.trials_are_cheap = True
        self.files: tuple[Path, ...] = ()
        self.is_counted = options.count is not None
        self._dates, self._zone = options.dates, options.zone
        self._sampled: list[str] = []
        self._hashed: dict[str, list[int]] = {}
        clean: list[PlainRow] = [_clean_row(row, kinds) for row in rows]
        numbers = list(range(1, len(clean) + 1))
        self._unfiltered, self._kept = clean, [True] * len(clean)
        if options.where is not None:
            condition = where.parse(options.where, kinds)
            self._kept = [bool(satisfies(condition, seen)) for seen in with_numbers(clean, condition)]
            clean, numbers = list(compress(clean, self._kept)), list(compress(numbers, self._kept))
        self._rows = clean
        self._numbers = numbers
        self._weights = [1 if options.count is None else read_count(row[options.count]) for row in clean]

    def load(self, columns: Iterable[str], sampled: Iterable[str] = (), spare: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Remember what may be sampled: the rows are in memory."""
        self._sampled = list(sampled)

    def n_people(self) -> int:
        return sum(self._weights)

    def _values(self, attribute: Attribute) -> Sequence[object]:
        name = attribute.column
        is_dated = bool(attribute.transforms) and attribute.transforms[0].wants_dates
        values = [row.get((name, "moment"), row[name]) if is_dated else row[name] for row in self._rows]
        return transform_column(values, self._weights, attribute, self._dates, self._zone)

    def value_rows(self, attributes: Sequence[Attribute]) -> list[tuple[object, ...]]:
        """Return the values of each row."""
        return list(zip(*(self._values(attribute) for attribute in attributes), strict=True))

    def _counts(self, attributes: Sequence[Attribute]) -> Counter[tuple[object, ...]]:
        counts: Counter[tuple[object, ...]] = Counter()
        for value, weight in zip(self.value_rows(attributes), self._weights, strict=True):
            counts[value] += weight
        return counts

    def spectrum(self, attributes: Sequence[Attribute]) -> Spectrum:
        return Spectrum.of(Counter(self._counts(attributes).values()))

    def null_people(self, attribute: Attribute) -> int:
        return self._counts([attribute])[(None,)]

    def group_spectra(
        self,
        by: Attribute,
        attributes: Sequence[Attribute],
        *,
        at_least: int = 1,  # noqa: ARG002 (the labels are here anyway)
    ) -> list[tuple[Value, Spectrum]]:
        groups: dict[object, Counter[int]] = {}
        for (group, *_), people in self._counts([by, *attributes]).items():
            groups.setdefault(group, Counter())[people] += 1
        spectra = [(self.shown(group, by), Spectrum.of(sizes)) for group, sizes in groups.items()]
        return [(shown, spectrum) for shown, spectrum in spectra if spectrum.n_people]

    def histogram(self, attributes: Sequence[Attribute], *, at_least: int = 1, most: int | None = None) -> Histogram:
        counts = self._counts(attributes)
        shown = [
            (tuple(map(self.shown, value, attributes)), people)
            for value, people in counts.items()
            if people >= max(1, at_least)
        ]
        sign = -1 if most is None else 1
        shown.sort(key=lambda item: (sign * item[1], [(text is not None, text or "") for text in item[0]]))
        shown = shown[:most]
        sets = sum(people > 0 for people in counts.values())
        return Histogram(
            tuple(value for value, _ in shown),
            tuple(people for _, people in shown),
            sets - len(shown),
            self.n_people() - sum(people for _, people in shown),
        )

    def _codes(self, attribute: Attribute) -> dict[object, int]:
        return {value: code for code, value in enumerate(dict.fromkeys(self._values(attribute)))}

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        dictionaries = [self._codes(attribute) for attribute in attributes]
        codes = (
            np.array([dictionary[value] for value in self._values(attribute)], np.uint32)
            for attribute, dictionary in zip(attributes, dictionaries, strict=True)
        )
        counted = any(weight != 1 for weight in self._weights)
        return CodedRows(
            tuple(codes),
            tuple(map(len, dictionaries)),
            np.array(self._weights, np.int64) if counted else None,
            np.array(self._numbers, np.int64),
        )

    def coded_batches(self, attributes: Sequence[Attribute]) -> Iterator[CodedRows]:
        """Yield all rows at once."""
        yield self.coded_rows(attributes)

    @staticmethod
    def shown(value: object, attribute: Attribute) -> Value:
        """Return the label of a value."""
        return str(value) if isinstance(value, OtherValues) else label(value, attribute)

    def labels(self, attribute: Attribute) -> list[Value]:
        return [self.shown(value, attribute) for value in self._codes(attribute)]

    def match(
        self, attributes: Sequence[Attribute], population: Table, population_attributes: Sequence[Attribute]
    ) -> PopulationMatch:
        return match_histograms(self.histogram(attributes), population.histogram(population_attributes))

    def person_rows(self, column: str) -> PersonRows:
        counts = self._counts([Attribute(column, self.columns[column])])
        nobody = counts.pop((None,), 0)
        return PersonRows(self.n_people(), sum(rows > 1 for rows in counts.values()), nobody)

    def profile(self, column: str) -> Profile:
        return profile_column([row[column] for row in self._rows], self._weights, self.columns[column])

    def rows_in_order(self, columns: Sequence[str]) -> OrderedRows:
        """Return columns in the order of the rows."""
        import pyarrow

        table = pyarrow.table({name: pyarrow.array([row[name] for row in self._unfiltered]) for name in columns})
        return OrderedRows(table, np.array(self._kept, dtype=np.bool_))

    def draw_sample(self) -> TableSample:
        """Take the rows whose hashes are smallest, of all columns."""
        names = [name for name in self._sampled if name in self.columns]
        hashes = list(zip(*(self._hashes(name) for name in names), strict=True))
        order = sorted(range(len(hashes)), key=lambda index: _hash(hashes[index]))[:MOST_DRAWN]
        columns = {name: [self._rows[index][name] for index in order] for name in names}
        profiles = {
            name: profile_column(cells, [1] * len(cells), self.columns[name]) for name, cells in columns.items()
        }
        codes = np.array([hashes[index] for index in order], np.uint64).reshape(len(order), len(names))
        return TableSample(len(self._rows), len(order), profiles, codes)

    def count_values(self, columns: Sequence[str]) -> Mapping[str, int]:
        return {name: len({row[name] for row in self._rows} - {None}) for name in columns}

    def unique_people(self, columns: Sequence[str]) -> Mapping[str, int]:
        counts = {name: self._counts([Attribute(name, self.columns[name])]) for name in columns}
        return {name: sum(people == 1 for people in counted.values()) for name, counted in counts.items()}

    def hashed_rows(self, by: str, columns: Sequence[str]) -> NDArray[np.uint64]:
        """Return the hashes of all rows: tables in memory are small."""
        present = np.array([row[by] is not None for row in self._rows], np.bool_)
        hashes = [np.array(self._hashes(name), np.uint64) for name in (by, *columns)]
        return np.stack(hashes, axis=1)[present]

    def _hashes(self, name: str) -> list[int]:
        if name not in self._hashed:
            self._hashed[name] = [_hash(row[name]) for row in self._rows]
        return self._hashed[name]

    def rising_pairs(self, column: str) -> tuple[int, int]:
        numbers = [int(as_decimal(str(row[column]))) for row in self._rows if row[column] is not None]
        return sum(low <= high for low, high in itertools.pairwise(numbers)), max(0, len(numbers) - 1)

    def check_unchanged(self) -> None:
        """Do nothing: rows in memory cannot change."""

    def give_back_memory(self) -> None:
        """Do nothing: the rows stay in memory."""

    def close(self) -> None:
        """Do nothing."""


def _hash(value: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=8).digest())


def _clean_row(row: Mapping[str, object], names: Iterable[str]) -> PlainRow:
    """Return a row for comparison, which also has each moment with its time zone."""
    clean: PlainRow = {}
    for name in names:
        clean[name] = canonical(row.get(name))
        if getattr(row.get(name), "tzinfo", None) is not None:
            clean[(name, "moment")] = row[name]
    return clean


def with_numbers(rows: list[PlainRow], condition: where.Where) -> list[PlainRow]:
    """Return rows that also have, as numbers, the text that a filter compares with numbers."""
    for column in where.columns_of(condition):
        if column.as_number:
            numbers = read_numbers([row[column.name] for row in rows])
            rows = [row | {(column.name, "number"): number} for row, number in zip(rows, numbers, strict=True)]
    return rows


_OPERATORS: Mapping[str, Callable[..., bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def satisfies(node: where.Where, row: PlainRow) -> bool | None:
    """Return whether a row satisfies a filter; None if SQL would say unknown."""
    match node:
        case where.And(left, right):
            both = (satisfies(left, row), satisfies(right, row))
            return False if False in both else None if None in both else True
        case where.Or(left, right):
            both = (satisfies(left, row), satisfies(right, row))
            return True if True in both else None if None in both else False
        case where.Not(operand):
            inner = satisfies(operand, row)
            return None if inner is None else not inner
        case where.IsNull(column):
            return row[column.name] is None
        case _:
            value = row[(node.column.name, "number") if node.column.as_number else node.column.name]
            return None if value is None else _holds(node, _compared(value), row)


def _compared(value: object) -> object:
    # A float counts as the decimal that people read.
    return as_decimal(value) if isinstance(value, float) and math.isfinite(value) else value


def _holds(
    node: where.Like | where.In | where.Between | where.FilterComparison, value: object, row: PlainRow
) -> bool | None:
    match node:
        case where.Like(_, pattern):
            return _is_like(str(value), pattern)
        case where.In(_, literals):
            return value in literals
        case where.Between(_, low, high):
            return _OPERATORS["<="](low, value) and _OPERATORS["<="](value, high)
        case where.FilterComparison(_, symbol, compared):
            other = row[compared.name] if isinstance(compared, where.FilterColumn) else compared
            return None if other is None else _OPERATORS[symbol](value, _compared(other))


def _is_like(text: str, pattern: str) -> bool:
    """Track all positions in the pattern that the text can reach, character by character."""
    positions = _past_percents({0}, pattern)
    for sign in text:
        stay = {position for position in positions if pattern[position : position + 1] == "%"}
        step = {position + 1 for position in positions - stay if pattern[position : position + 1] in ("_", sign)}
        positions = _past_percents(stay | step, pattern)
    return len(pattern) in positions


def _past_percents(positions: set[int], pattern: str) -> set[int]:
    """Add the positions that need no character: a % also matches the empty text."""
    reached = set(positions)
    for position in sorted(positions):
        while pattern[position : position + 1] == "%":
            position += 1
            reached.add(position)
    return reached
