"""People's points as codes on this machine, read from the rows of any table and counted by the kernels."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Spectrum, Value
from idbits.engines.backends.points import EventCounts, EventRequest, SpectrumStore
from idbits.engines.base import Table
from idbits.errors import DataError, EngineError
from idbits.kernels.events import Collector, Integers, Trajectories, coarser
from idbits.kernels.packed import Combinations, Layout
from idbits.kernels.pairs import counted_day_spectra, n_pairs_by_day
from idbits.kernels.points import Matches, drawn_matches, in_fixed_order, one_point, two_points, whole_trajectories
from idbits.reading import OpenOptions
from idbits.storage import temporary_folder
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.days import LabelDays, coarser_days, days_by_month, days_of_labels

__all__ = ["CodedPoints", "day_attribute", "load_points"]

_SLICE = 1 << 20
# The points may use half of the memory.
_POINTS_PART = 2


class _Done:
    """The amount of work done so far; kernels call it after each piece."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, number: int) -> None:
        self.number += number


@dataclass(frozen=True, eq=False)
class CodedPoints:
    """People's points as codes on this machine.

    Attributes:
        trajectories: the points of each person.
        counts: the records that were read, and those without a point.
        options: the number of threads, and the progress display.
        is_ordered: whether the order of people depends only on their points.
    """

    trajectories: Trajectories
    counts: EventCounts
    options: OpenOptions
    is_ordered: bool = False

    @property
    def step(self) -> str:
        return self.counts.step

    @property
    def _threads(self) -> int:
        return self.options.threads or os.cpu_count() or 1

    @cached_property
    def ordered(self) -> Trajectories:
        """The trajectories in an order that depends only on the points, so that draws and sums are repeatable."""
        return self.trajectories if self.is_ordered else in_fixed_order(self.trajectories)

    @cached_property
    def _lengths(self) -> dict[int, int]:
        people = np.bincount(self.trajectories.lengths())
        return {int(length): int(people[length]) for length in np.flatnonzero(people)}

    def lengths(self) -> Mapping[int, int]:
        return self._lengths

    def first_days(self) -> tuple[int, int] | None:
        pairs = n_pairs_by_day(self.trajectories)
        return (min(pairs), max(pairs)) if pairs else None

    def day_spectra(self, first: int, last: int, store: SpectrumStore | None) -> dict[int, Spectrum]:
        """Count the pairs month by month, so that each month can be saved when it is done."""
        pairs = {day: n for day, n in n_pairs_by_day(self.trajectories).items() if first <= day <= last}
        total, done = sum(pairs.values()), _Done()
        spectra: dict[int, Spectrum] = {}
        with self.options.progress.step(f"counting {total:,} pairs", lambda: done.number / max(1, total)):
            for days in days_by_month(sorted(pairs)):
                month = store.spectra(days[0], days[-1]) if store is not None else None
                if month is None:
                    month = counted_day_spectra(self.trajectories, days[0], days[-1], self._threads, done)
                    if store is not None:
                        store.save_spectra(days[0], days[-1], month)
                else:
                    total -= sum(pairs[day] for day in days)
                spectra |= month
        return spectra

    def coarser(self, step: str, *, attributes: bool) -> CodedPoints:
        """Return the points with a coarser time, with or without their attributes; people keep their order."""
        points = self.ordered
        labels = points.labels if attributes else np.zeros(len(points.labels), np.uint64)
        made = coarser(points, coarser_days(points.days, step), labels)
        return replace(self, trajectories=made, counts=replace(self.counts, step=step), is_ordered=True)

    def matches(self, n_points: int | None, draws: int, seed: int) -> Matches:
        """Return how many people share some, or all, of a person's points."""
        points, progress, done = self.ordered, self.options.progress, _Done()
        what = f"points by {self.step}"
        if n_points is None:
            with progress.step(f"comparing whole trajectories, {what}"):
                return whole_trajectories(points)
        if n_points == 1:
            return one_point(points)
        if n_points == 2:
            total = sum(n_pairs_by_day(points).values())
            with progress.step(f"counting pairs of {what}", lambda: done.number / total):
                return two_points(points, self._threads, done)
        with progress.step(f"counting {n_points} {what}", lambda: done.number / draws):
            return drawn_matches(points, n_points, draws, seed, done)


def day_attribute(table: Table, time: Attribute) -> Attribute:
    """Return the attribute that codes the days of a time column: its days, or its values if some have no day."""
    plain = Attribute(time.column, time.kind)
    by_day = Attribute(time.column, time.kind, (Transform("day"),))
    if time.kind is Kind.INTEGER:
        return plain
    try:
        if time.kind is Kind.TEXT:
            table.null_people(by_day)
    except DataError:
        # Some texts are not days: then read each text, and count those.
        return plain
    return by_day


def load_points(table: Table, request: EventRequest, options: OpenOptions) -> CodedPoints:
    """Read the events of a table."""
    by_day = day_attribute(table, request.time)
    total, progress = table.n_people(), options.progress
    with ExitStack() as stack, _temporary_files():

        def folder() -> Path:
            made = stack.enter_context(temporary_folder())
            # Before the folder is removed.
            stack.callback(lambda: reader.close())
            return made

        with progress.step("reading the attributes"):
            attributes = [request.person, by_day, *request.attributes]
            batches = _batches(table, attributes, _most_points(options.memory), is_repeatable=request.is_repeatable)
            first = next(batches)
        reader = _EventReader(table, request, by_day, options, first, folder)
        reader.add(first)
        # This batch may be the whole table.
        del first
        with progress.step("reading events", lambda: reader.records / max(1, total)):
            for rows in batches:
                reader.add(rows)
        table.give_back_memory()
        done = _Done()
        with progress.step("sorting events by person", lambda: done.number / max(1, reader.records)):
            trajectories = reader.trajectories(done)
    return CodedPoints(trajectories, reader.counts(trajectories), options)


@contextmanager
def _temporary_files() -> Iterator[None]:
    """Report that records cannot be stored on the disk."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            f'the folder for temporary files, "{tempfile.gettempdir()}", cannot be written; make room there, '
            "or name another one with TMPDIR"
        ) from error


def _batches(
    table: Table, attributes: Sequence[Attribute], check_bytes: Callable[[int], None], *, is_repeatable: bool
) -> Iterator[CodedRows]:
    """Return rows; if the codes of a row take more than 64 bits, merge the codes of several columns."""
    batches = table.coded_batches(attributes)
    first = next(batches)
    sizes = first.sizes
    orders = [_order_of_labels(table.labels(attribute)) for attribute in attributes[2:]] if is_repeatable else None
    if Collector.fits(sizes[0], sizes[1], 1 << Layout(sizes[2:]).total_bits):
        return (_ordered(rows, orders) for rows in chain([first], batches))
    del first, batches

    def ordered() -> Iterator[CodedRows]:
        return (_ordered(rows, orders) for rows in table.coded_batches(attributes))

    known = Combinations(sizes[2:])
    known.read(lambda: (rows.codes[2:] for rows in ordered()), check_bytes)
    if not Collector.fits(sizes[0], sizes[1], known.size):
        raise EngineError("people, times and values have too many combinations; coarsen the attributes")
    return (
        CodedRows((*rows.codes[:2], known.codes(rows.codes[2:])), (*sizes[:2], known.size), rows.people)
        for rows in ordered()
    )


def _order_of_labels(labels: Sequence[Value]) -> NDArray[np.uint32]:
    """Return the rank of each code in the order of labels, because codes differ from run to run."""
    order = sorted(range(len(labels)), key=lambda code: (labels[code] is not None, labels[code] or ""))
    ranks = np.empty(len(labels), np.uint32)
    ranks[order] = np.arange(len(labels), dtype=np.uint32)
    return ranks


def _ordered(rows: CodedRows, orders: Sequence[NDArray[np.uint32]] | None) -> CodedRows:
    if orders is None:
        return rows
    others = (order[codes] for order, codes in zip(orders, rows.codes[2:], strict=True))
    return CodedRows((*rows.codes[:2], *others), rows.sizes, rows.people)


class _EventReader:
    """Passes records to the collector."""

    def __init__(
        self,
        table: Table,
        request: EventRequest,
        by_day: Attribute,
        options: OpenOptions,
        first: CodedRows,
        folder: Callable[[], Path],
    ) -> None:
        self._max_events, self._memory = request.max_events, options.memory
        self._threads = options.threads or os.cpu_count() or 1
        # Labels are available once the first rows are.
        self._days: LabelDays = days_of_labels(table.labels(by_day), by_day, request.step, options.dates, options.zone)
        self._nobody = table.labels(request.person).index(None) if table.null_people(request.person) else None
        is_known = ~(self._days.missing | self._days.unread)
        self._all_have_days = bool(is_known.all())
        numbers = coarser_days(self._days.numbers, self._days.step)
        distinct = np.unique(numbers[is_known])
        codes = np.searchsorted(distinct, numbers)
        codes[~is_known] = len(distinct)
        self._day_codes: NDArray[np.uint32] = codes.astype(np.uint32)
        self._layout = Layout(first.sizes[2:])
        buffer = None if options.memory is None else max(1 << 16, options.memory // 128)
        self._collector = Collector(first.sizes[0], distinct, 1 << self._layout.total_bits, folder, buffer_keys=buffer)
        self._surplus = 0
        self.records = self._without_person = self._without_time = self._unreadable_time = 0

    def add(self, rows: CodedRows) -> None:
        """Add a batch of rows."""
        for start in range(0, rows.n_rows, _SLICE):
            inside = slice(start, start + _SLICE)
            codes = [column[inside] for column in rows.codes]
            self._add(codes, rows.sizes, None if rows.people is None else rows.people[inside])

    def _add(self, codes: list[NDArray[np.uint32]], sizes: tuple[int, ...], weights: Integers | None) -> None:
        before = len(codes[0]) if weights is None else int(weights.sum())
        self.records += before
        if self._nobody is not None:
            is_named = codes[0] != self._nobody
            codes = [column[is_named] for column in codes]
            weights = weights[is_named] if weights is not None else None
            self._without_person += before - (len(codes[0]) if weights is None else int(weights.sum()))
        if not self._all_have_days:
            # Sums of whole numbers below 2^53 are exact in floats.
            seen = np.bincount(codes[1], weights=weights, minlength=sizes[1])
            self._without_time += int(seen[self._days.missing].sum())
            self._unreadable_time += int(seen[self._days.unread].sum())
        if weights is not None:
            # A database row represents all equal records; beyond the limit per person they are only counted.
            few = np.minimum(weights, self._max_events)
            self._surplus += int((weights - few).sum())
            codes = [np.repeat(column, few) for column in codes]
        people, times, *others = codes
        self._collector.add(people, self._day_codes[times], self._labels(others, len(people)))

    def _labels(self, columns: Sequence[NDArray[np.uint32]], n_rows: int) -> NDArray[np.unsignedinteger]:
        """Return the codes of the attributes in one number."""
        if len(columns) == 1:
            return columns[0]
        labels = np.zeros(n_rows, np.uint64)
        for column, shift in zip(columns, self._layout.shifts, strict=True):
            labels |= column.astype(np.uint64) << np.uint64(shift)
        return labels

    def close(self) -> None:
        """Wait until no record is being written."""
        self._collector.close()

    def trajectories(self, done: Callable[[int], None]) -> Trajectories:
        """Return the trajectories of all records."""
        made = self._collector.trajectories(self._max_events, done, _most_points(self._memory), self._threads)
        return replace(made, excluded_events=made.excluded_events + self._surplus)

    def counts(self, trajectories: Trajectories) -> EventCounts:
        """Return the numbers of records that were used and left out."""
        return EventCounts(
            records=self.records,
            without_person=self._without_person,
            without_time=self._without_time,
            unreadable_time=self._unreadable_time,
            excluded_people=trajectories.excluded_people,
            excluded_events=trajectories.excluded_events,
            step=self._days.step,
            notes=self._days.notes,
        )


def _most_points(memory: int | None) -> Callable[[int], None]:
    def check(size: int) -> None:
        if memory is not None and size > memory // _POINTS_PART:
            raise EngineError(
                f"the events take more than {size // 10**6:,} MB; allow more with --memory, "
                "coarsen the time or the attributes, or narrow the table with --where"
            )

    return check
