"""What a table can be asked beside one count at a time: one protocol per capability.

A study asks the table for a capability and never looks which engine it has: ``table.subset_counts(...)``. Engines that
can hand out rows as codes inherit the capabilities over those (``engines/local.py``); Spark has its own, which leave
the rows on the cluster. An engine that lacks one raises an ``EngineError`` that says so. What comes back are whole
numbers; where a cluster has to add logarithms up, the study hands them over as whole numbers of a fixed unit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum, Value
from idbits.errors import InputError
from idbits.kernels.events import Trajectories
from idbits.kernels.points import Matches
from idbits.kernels.sample_uniques import SampleUniques
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

__all__ = [
    "Capabilities", "EventCounts", "EventPoints", "EventRequest", "FileStamp", "Points", "RecordBatch", "RecordUniques",
    "SpectrumStore", "SubsetCounting", "SubsetCounts", "too_many_sets",
]  # fmt: skip


# Sets of columns, and the records that they single out.

StoreSpectra: TypeAlias = Callable[[Mapping[int, Spectrum]], None]
"""Takes the spectra of some sets of columns, each known by its mask."""


class SubsetCounts(Protocol):
    """Rows of some attributes, ready to count sets of them: bit i of a mask stands for attribute i.

    What is counted is stored a few sets at a time, as it comes. What ``store`` raises ends the counting; nothing that
    is finished by then is lost.
    """

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        ...

    @property
    def n_people(self) -> int:
        """The number of people."""
        ...

    @property
    def n_rows(self) -> int:
        """How many rows are looked at to count one set, by which the effort is judged: the same on every engine."""
        ...

    def count_every_set(self, store: StoreSpectra) -> None:
        """Count all sets but the empty one."""
        ...

    def count_single_columns(self, store: StoreSpectra) -> None:
        """Count each column by itself."""
        ...

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        """Count all columns together, and all but each one; those first in the order split people most."""
        ...

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        """Count the first columns of each order, from one on to all of them."""
        ...

    def count_sets(
        self,
        masks: Sequence[int],
        order: Sequence[int],
        only_unique: Collection[int],
        store: Callable[[Mapping[int, Spectrum | None]], None],
    ) -> None:
        """Count sets of two columns and more; columns first in the order split people most.

        Sets of ``only_unique`` matter only if they make everyone unique: None stands for one that certainly does not.
        """
        ...

    def are_alike(self, mask: int) -> bool:
        """Whether two people are known who are alike in all columns of a set; of few sets that is known."""
        ...

    def record_uniques(self, max_size: int) -> RecordUniques:
        """Return the search for the minimal sample uniques of up to so many columns, or refuse it at once."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class RecordBatch:
    """Some rows with their minimal sample uniques.

    Attributes:
        numbers: row numbers in the source.
        people: how many people each row stands for, in counted tables.
        coarser: the column that, made coarser, leaves each row with the most people; -1 where none helps.
        left: how many people that leaves.
        values: the values of each row in its smallest minimal sample unique, if they were asked for.
    """

    numbers: NDArray[np.int64]
    people: NDArray[np.int64] | None
    uniques: SampleUniques
    coarser: NDArray[np.int16]
    left: NDArray[np.int64]
    values: list[tuple[Value, ...]] | None


class RecordUniques(Protocol):
    """The minimal sample uniques of each row of a table that was opened with ``in_order``.

    ``advance`` is told which part of the work is done; what it raises ends the work.
    """

    @property
    def n_rows(self) -> int:
        """The number of rows that stand for somebody."""
        ...

    def find(self, coarser: Mapping[int, Attribute], advance: Callable[[float], None]) -> None:
        """Find them; a coarser view of some columns is tried afterwards."""
        ...

    def try_coarser(self, advance: Callable[[float], None]) -> None:
        """Find out which coarser column of its smallest minimal sample unique leaves a row with the most people."""
        ...

    def in_order(self, *, values: bool) -> Iterator[RecordBatch]:
        """Yield all rows that stand for somebody, in the order of the source; with values or without."""
        ...


class SubsetCounting(Protocol):
    """A table that counts sets of its columns."""

    def subset_counts(
        self, attributes: Sequence[Attribute], *, threads: int | None = None, memory: int | None = None
    ) -> SubsetCounts:
        """Make the rows of some attributes ready to count sets of them, with so many threads and so much memory."""
        ...


def too_many_sets(number: int) -> InputError:
    """Return the error about more sets of columns than can be looked for in each record."""
    return InputError(
        f"{number:,} sets of columns are too many to look for in each record; "
        "name fewer columns (--candidates) or smaller sets (--record-size)"
    )


# Points of people.

FileStamp = tuple[str, int, str]
"""The path of a file, its size, and when it was last changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRequest:
    """Whose events are wanted, and what makes two of them the same point.

    Attributes:
        person: who had the event.
        time: when; ``step`` is what it is coarsened to.
        attributes: what else is known of an event.
        max_events: people with this many records or more are left out and counted.
        is_repeatable: whether equal tables must get equal codes, whatever the order of their rows.
        is_drawn: whether points will be drawn or people compared one by one: then the points come to this machine.
    """

    person: Attribute
    time: Attribute
    step: str
    attributes: tuple[Attribute, ...]
    max_events: int
    is_repeatable: bool
    is_drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCounts:
    """Records that could not become a point, and people left out because they have too many.

    Attributes:
        records: all records of the table.
        without_person: records that name no person.
        without_time: records with an empty time.
        unreadable_time: records with a time that cannot be read.
        excluded_people: people left out because they have too many records.
        excluded_events: the records of those.
        notes: how times were read.
    """

    records: int
    without_person: int
    without_time: int
    unreadable_time: int
    excluded_people: int
    excluded_events: int
    notes: tuple[str, ...]


class SpectrumStore(Protocol):
    """Where the spectra of finished months are kept, so that a count that was stopped can be carried on."""

    def spectra(self, first: int, last: int) -> dict[int, Spectrum] | None:
        """Return the spectra of the days from ``first`` to ``last``, if they were counted before."""
        ...

    def save_spectra(self, first: int, last: int, spectra: Mapping[int, Spectrum]) -> None:
        """Keep the spectra of these days."""
        ...


class Points(Protocol):
    """The distinct points of people: each is a day, since 1970, with the attributes of an event."""

    @property
    def counts(self) -> EventCounts:
        """The records that were read and those that are in no point."""
        ...

    @property
    def trajectories(self) -> Trajectories | None:
        """The points as codes on this machine, which need the table no more; None if they stay on a cluster."""
        ...

    def lengths(self) -> Mapping[int, int]:
        """Return how many people have each number of points."""
        ...

    def first_days(self) -> tuple[int, int] | None:
        """Return the first and the last day on which a pair of points begins; None if nobody has two points."""
        ...

    def day_spectra(self, first: int, last: int, store: SpectrumStore | None) -> dict[int, Spectrum]:
        """Return the spectrum of the pairs that begin on each day; days without pairs are left out."""
        ...

    def coarser(self, step: str, *, attributes: bool) -> Points:
        """Return the points with a coarser time, with or without their attributes."""
        ...

    def matches(self, n_points: int | None, draws: int, seed: int) -> Matches:
        """Return how many people have all of some points of a person; None stands for all points of the person.

        One and two points are counted over every choice, more are drawn.
        """
        ...


class EventPoints(Protocol):
    """Reads events as points of people."""

    def event_points(self, request: EventRequest, options: OpenOptions) -> Points:
        """Return the points; ``options`` say what the points, beside the table, may take of the memory."""
        ...

    def file_stamps(self) -> list[FileStamp]:
        """Return the files that hold the rows, as they are now; none for frames and databases."""
        ...


class Capabilities(SubsetCounting, EventPoints, Protocol):
    """All that a table can be asked; each capability is a protocol of its own above."""
