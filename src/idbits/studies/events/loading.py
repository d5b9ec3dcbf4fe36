"""From the rows of a table to trajectories: who was when where, as codes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Value
from idbits.engines.base import Table
from idbits.errors import EngineError
from idbits.kernels.combinations import Combinations
from idbits.kernels.events import Collector, Integers, Trajectories
from idbits.kernels.packed import Layout
from idbits.progress import Progress
from idbits.storage import temporary_folder
from idbits.studies.events.days import Days, coarser_days, day_attribute, read_days
from idbits.values.attributes import Attribute

__all__ = ["Loaded", "load_trajectories"]

_SLICE = 1 << 20
# The points may take half of the memory.
_POINTS_PART = 2


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """Trajectories, and the records that could not become part of one.

    Attributes:
        records: all records of the table.
        nobody: records that name no person.
        no_time: records with an empty time.
        unread_time: records with a time that cannot be read.
        notes: how times were read.
    """

    trajectories: Trajectories
    records: int
    nobody: int
    no_time: int
    unread_time: int
    notes: tuple[str, ...]

    @property
    def n_people(self) -> int:
        """The people who have a point."""
        return self.trajectories.n_people

    @property
    def n_points(self) -> int:
        """The points of all people."""
        return len(self.trajectories.points)

    @property
    def excluded(self) -> tuple[int, int]:
        """The people left out because they have too many records, and those records."""
        return self.trajectories.excluded_people, self.trajectories.excluded_events


def load_trajectories(
    table: Table,
    person: Attribute,
    time: Attribute,
    attributes: Sequence[Attribute],
    *,
    step: str,
    dates: str | None,
    max_events: int,
    memory: int | None,
    progress: Progress,
    canonical: bool,
) -> Loaded:
    """Read the events of a table; ``canonical`` puts equal tables into equal codes, which draws need."""
    by_day, notes = day_attribute(table, time)
    total = table.n_people()
    with ExitStack() as stack, _temporary_files():

        def folder() -> Path:
            return stack.enter_context(temporary_folder())

        work = _Work(table, person, by_day, dates, notes, step, folder, memory, max_events)
        with progress.step("looking at the attributes"):
            batches = _batches(table, [person, by_day, *attributes], _most_points(memory), canonical=canonical)
        work.add(next(batches))
        with progress.step("reading events", lambda: work.records / max(1, total)):
            for rows in batches:
                work.add(rows)
        table.give_back_memory()
        sorted_records = [0]

        def done(records: int) -> None:
            sorted_records[0] += records

        with progress.step("sorting events by person", lambda: sorted_records[0] / max(1, work.records)):
            return work.loaded(done)


@contextmanager
def _temporary_files() -> Iterator[None]:
    """Say it when records cannot wait on the disk."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            f'the folder for temporary files, "{tempfile.gettempdir()}", cannot be written; make room there, '
            "or name another one with TMPDIR"
        ) from error


def _batches(
    table: Table, attributes: Sequence[Attribute], check_bytes: Callable[[int], None], *, canonical: bool
) -> Iterator[CodedRows]:
    """Return rows; where the codes of a row take more than 64 bits, those of further columns become one."""
    batches = table.coded_batches(attributes)
    first = next(batches)
    sizes = first.sizes
    orders = [_order_of_labels(table.labels(attribute)) for attribute in attributes[2:]] if canonical else None
    if Collector.fits(sizes[0], sizes[1], 1 << Layout(sizes[2:]).total_bits):
        return (_ordered(rows, orders) for rows in chain([first], batches))
    del first, batches

    def ordered() -> Iterator[CodedRows]:
        return (_ordered(rows, orders) for rows in table.coded_batches(attributes))

    known = Combinations(sizes[2:])
    known.read(lambda: (rows.codes[2:] for rows in ordered()), check_bytes)
    if not Collector.fits(sizes[0], sizes[1], known.size):
        raise EngineError("there are too many people, times and values together; coarsen the attributes")
    return (
        CodedRows((*rows.codes[:2], known.codes(rows.codes[2:])), (*sizes[:2], known.size), rows.people)
        for rows in ordered()
    )


def _order_of_labels(labels: Sequence[Value]) -> NDArray[np.uint32]:
    """Return for each code its place in the order of labels: codes themselves differ from run to run."""
    order = sorted(range(len(labels)), key=lambda code: (labels[code] is not None, labels[code] or ""))
    places = np.empty(len(labels), np.uint32)
    places[order] = np.arange(len(labels), dtype=np.uint32)
    return places


def _ordered(rows: CodedRows, orders: Sequence[NDArray[np.uint32]] | None) -> CodedRows:
    if orders is None:
        return rows
    others = (order[codes] for order, codes in zip(orders, rows.codes[2:], strict=True))
    return CodedRows((*rows.codes[:2], *others), rows.sizes, rows.people)


class _Work:
    """Records on their way into the collector."""

    def __init__(
        self,
        table: Table,
        person: Attribute,
        by_day: Attribute,
        dates: str | None,
        notes: tuple[str, ...],
        step: str,
        folder: Callable[[], Path],
        memory: int | None,
        max_events: int,
    ) -> None:
        self._table, self._person, self._by_day = table, person, by_day
        self._dates, self._notes, self._step = dates, notes, step
        self._folder, self._memory, self._max_events = folder, memory, max_events
        self._surplus = 0
        self._collector: Collector | None = None
        self._days: Days | None = None
        self._nobody: int | None = None
        self.records = self.nobody = self.no_time = self.unread = 0

    def add(self, rows: CodedRows) -> None:
        """Take a batch of rows."""
        if self._collector is None:
            self._begin(rows)
        for start in range(0, rows.n_rows, _SLICE):
            inside = slice(start, start + _SLICE)
            codes = [column[inside] for column in rows.codes]
            self._add(codes, rows.sizes, None if rows.people is None else rows.people[inside])

    def _begin(self, rows: CodedRows) -> None:
        table = self._table
        self._days = read_days(table, self._by_day, self._dates, self._notes)
        if table.null_people(self._person):
            self._nobody = table.labels(self._person).index(None)
        days = self._days
        known = ~(days.missing | days.unread)
        numbers = coarser_days(days.numbers, self._step)
        distinct = np.unique(numbers[known])
        codes = np.searchsorted(distinct, numbers)
        codes[~known] = len(distinct)
        self._codes: NDArray[np.uint32] = codes.astype(np.uint32)
        self._layout = Layout(rows.sizes[2:])
        buffer = None if self._memory is None else max(1 << 16, self._memory // 128)
        self._collector = Collector(
            rows.sizes[0], distinct, 1 << self._layout.total_bits, self._folder, buffer_keys=buffer
        )

    def _add(self, codes: list[NDArray[np.uint32]], sizes: tuple[int, ...], weights: Integers | None) -> None:
        assert self._collector is not None
        assert self._days is not None
        before = len(codes[0]) if weights is None else int(weights.sum())
        self.records += before
        if self._nobody is not None:
            known = codes[0] != self._nobody
            codes = [column[known] for column in codes]
            weights = weights[known] if weights is not None else None
            self.nobody += before - (len(codes[0]) if weights is None else int(weights.sum()))
        # Sums of whole numbers below 2^53 are exact in floats.
        seen = np.bincount(codes[1], weights=weights, minlength=sizes[1])
        self.no_time += int(seen[self._days.missing].sum())
        self.unread += int(seen[self._days.unread].sum())
        if weights is not None:
            # A row of a database stands for all records like it; more of them than leave a person out are only counted.
            few = np.minimum(weights, self._max_events)
            self._surplus += int((weights - few).sum())
            codes = [np.repeat(column, few) for column in codes]
        people, times, *others = codes
        labels = np.zeros(len(people), np.uint64)
        for column, shift in zip(others, self._layout.shifts, strict=True):
            labels |= column.astype(np.uint64) << np.uint64(shift)
        self._collector.add(people, self._codes[times], labels)

    def loaded(self, done: Callable[[int], None]) -> Loaded:
        """Return the trajectories."""
        assert self._collector is not None
        assert self._days is not None
        made = self._collector.trajectories(self._max_events, done, _most_points(self._memory))
        made = replace(made, excluded_events=made.excluded_events + self._surplus)
        return Loaded(made, self.records, self.nobody, self.no_time, self.unread, self._days.notes)


def _most_points(memory: int | None) -> Callable[[int], None]:
    def check(size: int) -> None:
        if memory is not None and size > memory // _POINTS_PART:
            raise EngineError(
                f"the events take more than {size // 10**6:,} MB; allow more with --memory, "
                "coarsen the time or the attributes, or narrow the table with --where"
            )

    return check
