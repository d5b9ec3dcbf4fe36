"""Events of people as trajectories: each person's distinct points, sorted, one person after the other.

A point is a day with the attributes of an event. Records may come in any order and in any number; they are split
over files by person, so that memory contains only one part of the people at a time and, at the end, the points.

Implements: SPEC section 3 (events), DESIGN section 5 (visit pairs).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.run_lengths import run_borders
from idbits.kernels.sorting import sort_keys
from idbits.kernels.threads import run_in_threads

__all__ = ["Collector", "Trajectories", "coarser"]

Integers = NDArray[np.int64]
Keys = NDArray[np.uint64]

_BUFFER_KEYS = 1 << 23
_PARTS_BITS = 6
_TABLE_BITS = 26
_CHUNK = 1 << 21
_FIRST_POINTS = 1 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """The points of each person.

    Attributes:
        points: for one person after the other, the ranks of the points, ascending: in the order of days, and
            within a day in a fixed order.
        starts: where each person's points begin, and at the end their number.
        days: the day of each rank, in days since 1970, non-decreasing.
        labels: the packed codes of the attributes of the point of each rank.
        people: the number of people who have the point of each rank.
        excluded_people: people left out because they have too many records.
        excluded_events: the records of those.
    """

    points: NDArray[np.uint32]
    starts: Integers
    days: Integers
    labels: Keys
    people: Integers
    excluded_people: int = 0
    excluded_events: int = 0

    @classmethod
    def of(cls, points: NDArray[np.uint32], starts: Integers, days: Integers, labels: Keys) -> Trajectories:
        """Build trajectories from sorted points.

        >>> Trajectories.of(np.array([0, 1, 1], np.uint32), np.array([0, 2, 3]), np.arange(2), np.arange(2)).people
        array([1, 2])
        """
        people = np.zeros(len(days), np.int64)
        # In pieces, because counting makes a copy of the points that is twice as large.
        for start in range(0, len(points), _CHUNK):
            people += np.bincount(points[start : start + _CHUNK], minlength=len(people))
        return cls(points, starts, days, labels, people)

    @property
    def n_people(self) -> int:
        """The people who have a point."""
        return len(self.starts) - 1

    def lengths(self) -> Integers:
        """Return how many points each person has."""
        return np.diff(self.starts)

    def ranks_of_days(self, first: int, last: int) -> tuple[int, int]:
        """Return the ranks of the points on the days from ``first`` to ``last``, as a half-open range."""
        low, high = np.searchsorted(self.days, [first, last + 1])
        return int(low), int(high)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The points of some people, one person after the other, and what was left out."""

    points: NDArray[np.unsignedinteger]
    lengths: Integers
    excluded_people: int
    excluded_events: int
    n_records: int


def _taken(file: Path) -> Keys:
    """Return the records of a file, which is removed."""
    keys = np.fromfile(file, np.uint64)
    file.unlink()
    return keys


class Collector:
    """Collects records in any order and builds the trajectories of people who do not have too many of them.

    Args:
        n_people: codes of people are below this number.
        day_numbers: the day of each day code, ascending; the code after the last means no day.
        n_labels: codes of attributes are below this number.
        folder: where records are stored if there are many.
        buffer_keys: how many records may be buffered in memory.
    """

    def __init__(
        self,
        n_people: int,
        day_numbers: Integers,
        n_labels: int,
        folder: Callable[[], Path],
        *,
        buffer_keys: int | None = None,
    ) -> None:
        self._label_bits = bits_for(n_labels)
        self._point_bits = bits_for(len(day_numbers) + 1) + self._label_bits
        self._person_bits = bits_for(n_people)
        self._days = day_numbers
        self._folder = folder
        # Its pages are taken from the memory only when they are filled.
        self._buffer: Keys = np.empty(min(_BUFFER_KEYS, buffer_keys or _BUFFER_KEYS), np.uint64)
        self._waiting = 0
        self._n_records = 0
        self._files: list[Path] = []
        # Once there are files, the buffer is halved: one half is filled while a thread writes the other.
        self._other_half: Keys | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="idbits-events")
        self._writing: Future[None] | None = None

    @staticmethod
    def fits(n_people: int, n_days: int, n_labels: int) -> bool:
        """Whether a record fits in 64 bits."""
        return bits_for(n_people) + bits_for(n_days + 1) + bits_for(n_labels) <= 64

    def add(self, people: NDArray[np.uint32], days: NDArray[np.uint32], labels: NDArray[np.unsignedinteger]) -> None:
        """Add records: the codes of their people, days and attributes."""
        self._n_records += len(people)
        start = 0
        while start < len(people):
            part = slice(start, start + len(self._buffer) - self._waiting)
            keys = self._buffer[self._waiting : self._waiting + len(people[part])]
            keys[:] = people[part]
            keys <<= np.uint64(self._point_bits - self._label_bits)
            keys |= days[part]
            keys <<= np.uint64(self._label_bits)
            keys |= labels[part]
            start += len(keys)
            self._waiting += len(keys)
            if self._waiting == len(self._buffer):
                self._spill()

    def _spill(self) -> None:
        """Write the buffered records to the files; later ones are written while others are added."""
        keys = self._drained()
        if self._other_half is None:
            self._write(keys)
            half = len(self._buffer) // 2
            self._buffer, self._other_half = self._buffer[:half], self._buffer[half:]
            return
        self._finish_writing()
        self._writing = self._writer.submit(self._write, keys)
        self._buffer, self._other_half = self._other_half, self._buffer

    def _finish_writing(self) -> None:
        """Wait until no record is being written; raise what went wrong."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def close(self) -> None:
        """Wait until no record is being written, whether all are needed or not."""
        self._writer.shutdown()

    def _write(self, keys: Keys) -> None:
        """Write records to the files, by the highest bits of the person."""
        sort_keys(keys)
        bits = min(_PARTS_BITS, self._person_bits)
        shift = self._person_bits + self._point_bits - bits
        edges = np.arange(1, 1 << bits, dtype=np.uint64) << np.uint64(shift)
        borders = [0, *np.searchsorted(keys, edges).tolist(), len(keys)]
        if not self._files:
            folder = self._folder()
            self._files = [folder / f"part-{part}" for part in range(1 << bits)]
        for part, file in enumerate(self._files):
            piece = keys[borders[part] : borders[part + 1]]
            if len(piece):
                with file.open("ab") as stream:
                    piece.tofile(stream)

    def _drained(self) -> Keys:
        keys = self._buffer[: self._waiting]
        self._waiting = 0
        return keys

    def _parts(self) -> list[Callable[[], Keys]]:
        """Return functions that read the records of some people each."""
        if not self._files:
            return [self._drained]
        self._spill()
        self._finish_writing()
        self._buffer = self._other_half = np.zeros(0, np.uint64)
        return [partial(_taken, file) for file in self._files if file.exists()]

    def trajectories(
        self,
        max_events: int,
        done: Callable[[int], None] = lambda _: None,
        check_bytes: Callable[[int], None] = lambda _: None,
        threads: int = 1,
    ) -> Trajectories:
        """Return the trajectories; people with ``max_events`` records or more are left out and counted.

        Calls ``done`` with the number of records sorted and ``check_bytes`` with the memory of the points so far.
        """
        narrow = np.uint32 if self._point_bits <= 32 else np.uint64
        parts = self._parts()
        points: NDArray[np.unsignedinteger] = np.empty(min(self._n_records, _FIRST_POINTS), narrow)
        n_points = 0
        waiting: dict[int, _Part] = {}
        in_order: list[_Part] = []

        def read(number: int) -> _Part:
            keys = parts[number]()
            n_records = len(keys)
            sort_keys(keys)
            keys, people, events = self._without_the_busy(keys, max_events)
            distinct, lengths = self._points(keys)
            return _Part(distinct.astype(narrow), lengths, people, events, n_records)

        def store(number: int, part: _Part) -> None:
            nonlocal points, n_points
            waiting[number] = part
            while (following := waiting.pop(len(in_order), None)) is not None:
                end = n_points + len(following.points)
                points = _with_room(points, n_points, end)
                points[n_points:end] = following.points
                n_points = end
                in_order.append(replace(following, points=points[:0]))
            check_bytes((n_points + sum(len(later.points) for later in waiting.values())) * points.itemsize)
            done(part.n_records)

        run_in_threads(read, range(len(parts)), store, threads)
        excluded_people = sum(part.excluded_people for part in in_order)
        excluded_events = sum(part.excluded_events for part in in_order)
        starts = np.concatenate([np.zeros(1, np.int64), *(part.lengths for part in in_order)]).cumsum()
        distinct, ranks = _ranked(points[:n_points], self._point_bits)
        days = self._days[(distinct >> np.uint64(self._label_bits)).astype(np.int64)]
        labels = distinct & np.uint64((1 << self._label_bits) - 1)
        trajectories = Trajectories.of(ranks, starts, days, labels)
        return replace(trajectories, excluded_people=excluded_people, excluded_events=excluded_events)

    def _without_the_busy(self, keys: Keys, max_events: int) -> tuple[Keys, int, int]:
        borders = run_borders(keys >> np.uint64(self._point_bits))
        records = np.diff(borders)
        busy = records >= max_events
        if not busy.any():
            return keys, 0, 0
        return keys[np.repeat(~busy, records)], int(busy.sum()), int(records[busy].sum())

    def _points(self, keys: Keys) -> tuple[Keys, Integers]:
        """Return the distinct points of sorted records, and the number of points per person."""
        mask = np.uint64((1 << self._point_bits) - 1)
        new = np.ones(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        days = keys & mask
        days >>= np.uint64(self._label_bits)
        new &= days != np.uint64(len(self._days))
        del days
        points = keys[new]
        sizes = np.diff(run_borders(points >> np.uint64(self._point_bits)))
        points &= mask
        return points, sizes


def coarser(trajectories: Trajectories, days: Integers, labels: Keys) -> Trajectories:
    """Return the trajectories with the day and the label of each rank replaced by coarser ones."""
    old_days, day_codes = np.unique(days, return_inverse=True)
    old_labels, label_codes = np.unique(labels, return_inverse=True)
    distinct, ranks = np.unique(day_codes.astype(np.int64) * len(old_labels) + label_codes, return_inverse=True)
    people = np.repeat(np.arange(trajectories.n_people, dtype=np.uint64), trajectories.lengths())
    bits = np.uint64(bits_for(len(distinct)))
    keys = (people << bits) | ranks.astype(np.uint64)[trajectories.points]
    del people
    keys.sort()
    if len(keys):
        keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    starts = run_borders(keys >> bits)
    points = (keys & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.uint32)
    n_labels = max(1, len(old_labels))
    made = Trajectories.of(points, starts, old_days[distinct // n_labels], old_labels[distinct % n_labels])
    excluded = trajectories.excluded_people, trajectories.excluded_events
    return replace(made, excluded_people=excluded[0], excluded_events=excluded[1])


def bits_for(n_codes: int) -> int:
    """Return how many bits are needed for codes below ``n_codes``.

    >>> bits_for(1), bits_for(100), bits_for(128), bits_for(129)
    (0, 7, 7, 8)
    """
    return max(0, n_codes - 1).bit_length()


def _with_room(points: NDArray[np.unsignedinteger], n_points: int, needed: int) -> NDArray[np.unsignedinteger]:
    """Return an array with the same points and room for as many as needed.

    Pages are taken from the memory only when they are filled. So the first array, with room for all records, is as
    large as its points, and only very many points are copied.
    """
    if needed <= len(points):
        return points
    larger = np.empty(max(needed, 2 * len(points)), points.dtype)
    larger[:n_points] = points[:n_points]
    return larger


def _ranked(points: NDArray[np.unsignedinteger], point_bits: int) -> tuple[Keys, NDArray[np.uint32]]:
    """Return the distinct points, ascending, and the rank of each point among them."""
    if point_bits <= _TABLE_BITS:
        present = np.zeros(1 << point_bits, bool)
        for start in range(0, len(points), _CHUNK):
            present[points[start : start + _CHUNK]] = True
        table = (np.cumsum(present, dtype=np.uint32) - np.uint32(1)).astype(np.uint32)
        distinct = np.flatnonzero(present).astype(np.uint64)
        ranks = points if points.dtype == np.uint32 else np.empty(len(points), np.uint32)
        for start in range(0, len(points), _CHUNK):
            ranks[start : start + _CHUNK] = table[points[start : start + _CHUNK]]
        return distinct, ranks
    ordered = points.copy()
    ordered.sort()
    first = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, bool)
    distinct = ordered[first]
    del ordered, first
    ranks = np.empty(len(points), np.uint32)
    for start in range(0, len(points), _CHUNK):
        ranks[start : start + _CHUNK] = np.searchsorted(distinct, points[start : start + _CHUNK])
    return distinct.astype(np.uint64), ranks
