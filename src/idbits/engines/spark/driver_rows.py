"""Rows of a cluster that fit in the memory of this machine: fetched once as codes, and counted here.

Starting a job takes longer than counting a million rows. The cluster counts what does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from idbits.counts import CodedRows, Spectrum, Value
from idbits.engines.base import numbers_of
from idbits.engines.spark.arrow_codes import ArrowCodes
from idbits.engines.spark.counting import SparkCounting, numbered
from idbits.engines.spark.distinct import DistinctFrame
from idbits.engines.spark.remote import in_kind
from idbits.engines.spark.sizes import TableSizes
from idbits.errors import EngineError
from idbits.kernels.distinct import people_by_code
from idbits.kernels.ordering import CodedColumn, bits_of, lexical_order
from idbits.kernels.run_lengths import size_counts
from idbits.values.attributes import Attribute, Kind
from idbits.values.plain import transform_column
from idbits.values.readings import before_reading

__all__ = ["FEW_ROWS", "DriverRows"]

_MEMORY_BYTES = 1_000_000_000
# A spectrum of more rows is counted faster where they are than after fetching them.
FEW_ROWS = 1_000_000
_PEOPLE_BYTES = 8
_CODE_BYTES = 4
# Whether a value is null, whether it was merged, and rounding, for each value that is sent.
_FRAME_BYTES = 2
_FETCHING = "fetching rows"
# Views of at most this many values are computed one value at a time, which is faster than a job.
_FEW_VALUES = 50_000
_PLAIN_KINDS = (Kind.TEXT, Kind.INTEGER, Kind.DATE)

Key = tuple[Attribute, ...]


class DriverRows:
    """The rows of one table on this machine, as far as they were needed.

    Attributes:
        may_count_here: whether rows that fit are counted here; otherwise only where there is no other way.
    """

    def __init__(self, counting: SparkCounting, sizes: TableSizes) -> None:
        self.may_count_here = counting.session.may_fetch
        self._counting = counting
        self._session = counting.session
        self._sizes = sizes
        self._memory = counting.options.memory or _MEMORY_BYTES
        self._in_order = counting.options.in_order
        self._is_counted = counting.options.count is not None
        self._codes: dict[Attribute, ArrowCodes] = {}
        self._fetched: dict[Key, CodedRows] = {}
        self._numbered: dict[Key, CodedRows] = {}
        self._frames: dict[Key, DistinctFrame] = {}

    def labels(self, attribute: Attribute) -> list[Value]:
        """Return the label of each code of an attribute."""
        return self._codes[attribute].labels()

    def forget(self) -> None:
        """Release the memory of the rows."""
        self._fetched.clear()
        self._numbered.clear()

    def distinct_frame(self, attributes: Sequence[Attribute]) -> DistinctFrame:
        """Return the distinct rows of some attributes, which stay on the cluster."""
        key = tuple(attributes)
        if key not in self._frames:
            self._frames[key] = DistinctFrame(self._counting, key, self._sizes.n_rows)
        return self._frames[key]

    def kept_frame(self, attribute: Attribute) -> DistinctFrame | None:
        """Return distinct rows on the cluster that include an attribute, if there are any."""
        return next((frame for frame in self._frames.values() if attribute in frame.attributes), None)

    def spectrum(self, attributes: Sequence[Attribute]) -> Spectrum | None:
        """Count rows that were fetched, or that are few; return None if the cluster should count."""
        key = tuple(attributes)
        rows = self._known(key)
        if rows is None and len(key) == 1 and (spectrum := self._view_spectrum(key[0])) is not None:
            return spectrum
        if rows is None and self.may_count_here and self._sizes.n_rows <= FEW_ROWS and self._surely_fit(key, 0):
            rows = self._fetch_distinct(key)
        return _spectrum(rows) if rows is not None else None

    def counts_view(self, view: Attribute) -> bool:
        """Whether the spectrum of a column or a view is counted here without another job."""
        return self._known((view,)) is not None or self._column_of_view(view) is not None

    def _column_of_view(self, view: Attribute) -> CodedRows | None:
        """Return the rows of a column whose values are few and need not be read as something else for a view."""
        column = Attribute(view.column, view.kind)
        rows = self._known((column,)) if view.kind in _PLAIN_KINDS and not before_reading(view) else None
        return rows if rows is not None and self._codes[column].size <= _FEW_VALUES else None

    def _view_spectrum(self, view: Attribute) -> Spectrum | None:
        """Count a view of a column that was fetched, one value at a time."""
        column, rows = Attribute(view.column, view.kind), self._column_of_view(view)
        if rows is None:
            return None
        people = people_by_code(rows.codes[0], rows.sizes[0], rows.people).tolist()
        values = [in_kind(value, view.kind) for value in self._codes[column].values()[: len(people)]]
        if view.kind is Kind.DATE and any(isinstance(value, str) for value in values):
            return None  # years that Python does not have
        counts: Counter[object] = Counter()
        for value, number in zip(transform_column(values, people, view, None), people, strict=True):
            counts[value] += number
        return Spectrum.of(Counter(counts.values()))

    def rows(self, attributes: Sequence[Attribute], work_bytes: int = 0) -> CodedRows | None:
        """Return rows as codes, in the order of the source if the table was opened so; None if the cluster counts.

        ``work_bytes`` is the memory per row that counting them takes.
        """
        return self._rows(tuple(attributes), work_bytes) if self.may_count_here else None

    def required_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return rows as codes for a question that only this machine answers; refuse if they do not fit."""
        key = tuple(attributes)
        rows = self._rows(key, 0)
        if rows is None and self._in_order:
            rows = self._distinct_rows(key, 0)
        if rows is None:
            raise EngineError(
                "the distinct rows of these columns do not fit in the memory; allow more with --memory, "
                "or name fewer or coarser columns"
            )
        return rows

    def _rows(self, key: Key, work_bytes: int) -> CodedRows | None:
        if not self._in_order:
            return self._distinct_rows(key, work_bytes)
        rows = _narrowed(self._numbered, key)
        if rows is None and self._surely_fit(key, work_bytes):
            rows = self._fetch_numbered(key)
        return rows if rows is None or self._fits(rows.n_rows, len(key), 0, work_bytes) else None

    def _distinct_rows(self, key: Key, work_bytes: int) -> CodedRows | None:
        if key not in self._fetched and (known := self._known(key)) is not None:
            self._fetched[key] = _merged(known)
        if key in self._fetched:
            rows = self._fetched[key]
            return rows if self._fits(rows.n_rows, len(key), 0, work_bytes) else None
        if self._surely_fit(key, work_bytes):
            return self._fetch_distinct(key)
        # There may be far fewer distinct rows than rows: the cluster counts them.
        frame = self.distinct_frame(key)
        if self._fits(frame.n_rows, len(key), frame.value_bytes, work_bytes):
            return self._fetch_distinct(key, frame)
        return None

    def _known(self, key: Key) -> CodedRows | None:
        """Return rows from those that were fetched."""
        rows = _narrowed(self._fetched, key)
        # Rows of nobody have no number, but their values are possible.
        return rows if rows is not None or self._is_counted else _narrowed(self._numbered, key)

    def _surely_fit(self, key: Key, work_bytes: int) -> bool:
        """Whether all rows fit, so that nobody has to count the distinct ones."""
        if not self._fits(self._sizes.n_rows, len(key), 0, work_bytes):
            return False
        value_bytes = self._sizes.value_bytes([attribute.column for attribute in key])
        return self._fits(self._sizes.n_rows, len(key), value_bytes, work_bytes)

    def _fits(self, n_rows: int, n_columns: int, value_bytes: int, work_bytes: int) -> bool:
        own_bytes = n_rows * (_CODE_BYTES * n_columns + _PEOPLE_BYTES)
        sent_bytes = value_bytes + n_rows * (_PEOPLE_BYTES + _FRAME_BYTES * n_columns)
        most = self._session.most_result_bytes()
        # What was sent and the rows before equal ones are merged are gone when the counting begins.
        peak = own_bytes + max(own_bytes + value_bytes, n_rows * work_bytes)
        return peak <= self._memory and (most is None or sent_bytes < most)

    def _fetch_distinct(self, key: Key, frame: DistinctFrame | None = None) -> CodedRows:
        # Few rows are grouped faster here than by a shuffle.
        is_grouped = frame is not None or self._sizes.n_rows > FEW_ROWS
        grouped = frame.grouped if frame is not None else self._counting.grouped(key) if is_grouped else None
        fetched = self._arrow(self._counting.valued(key) if grouped is None else grouped)
        people = "people" if is_grouped else "weight" if self._is_counted else None
        numbers = numbers_of(fetched.column(people)).astype(np.int64) if people is not None else None
        # In the order of their codes: Spark returns rows in any order, and answers must be repeatable.
        rows = CodedRows(tuple(self._coded(fetched, key)), self._code_sizes(key), numbers)
        self._fetched[key] = _merged(rows)
        return self._fetched[key]

    def _fetch_numbered(self, key: Key) -> CodedRows:
        frame = numbered(self._counting, key)
        fetched = self._arrow(frame)
        numbers = numbers_of(fetched.column("number")).astype(np.int64)
        order = np.argsort(numbers)
        people = numbers_of(fetched.column("weight")).astype(np.int64)[order] if self._is_counted else None
        codes = tuple(column[order] for column in self._coded(fetched, key))
        self._numbered[key] = rows = CodedRows(codes, self._code_sizes(key), people, numbers[order])
        return rows

    def _arrow(self, frame: DataFrame) -> pyarrow.Table:
        return self._session.run(frame.toArrow, _FETCHING)

    def _coded(self, fetched: pyarrow.Table, key: Key) -> list[NDArray[np.uint32]]:
        codes = []
        for index, attribute in enumerate(key):
            known = self._codes.setdefault(attribute, ArrowCodes(attribute))
            merged = fetched.column(f"o{index}") if f"o{index}" in fetched.column_names else None
            codes.append(known.codes(fetched.column(f"g{index}"), merged))
        return codes

    def _code_sizes(self, key: Key) -> tuple[int, ...]:
        return tuple(self._codes[attribute].size for attribute in key)


def _columns(codes: Sequence[NDArray[np.uint32]], sizes: Sequence[int]) -> list[CodedColumn]:
    return [CodedColumn(column, bits_of(size)) for column, size in zip(codes, sizes, strict=True)]


def _narrowed(fetched: dict[Key, CodedRows], key: Key) -> CodedRows | None:
    """Return the rows of some attributes from rows that have them; equal rows may occur several times."""
    if key in fetched:
        return fetched[key]
    for wider, rows in fetched.items():
        if set(key) <= set(wider):
            columns = [wider.index(attribute) for attribute in key]
            codes = tuple(rows.codes[column] for column in columns)
            return CodedRows(codes, tuple(rows.sizes[column] for column in columns), rows.people, rows.numbers)
    return None


def _merged(rows: CodedRows) -> CodedRows:
    """Return each row once, with the people of all that are equal to it."""
    order, changes = lexical_order(_columns(rows.codes, rows.sizes), rows.n_rows)
    begins = np.flatnonzero(changes)
    if rows.people is None:
        people = np.diff(begins, append=rows.n_rows)
    else:
        people = np.add.reduceat(rows.people[order], begins) if rows.n_rows else rows.people
    return CodedRows(tuple(codes[order[begins]] for codes in rows.codes), rows.sizes, people)


def _spectrum(rows: CodedRows) -> Spectrum:
    """Count the people of each value, then the counts; values that nobody has are possible, too."""
    people = _merged(rows).people
    assert people is not None
    return Spectrum.of(size_counts(people) | {0: int(np.count_nonzero(people == 0))})
