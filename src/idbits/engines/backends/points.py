"""The capability to read events as points of people, and to count pairs of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from idbits.counts import Spectrum
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.kernels.events import Trajectories
    from idbits.kernels.points import Matches

__all__ = ["EventCounts", "EventPoints", "EventRequest", "FileStamp", "Points", "SpectrumStore"]

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

    def save_spectra(self, first: int, last: int, spectra: Mapping[int, Spectrum]) -> None:
        """Keep the spectra of these days."""


class Points(Protocol):
    """The distinct points of people: each is a day, since 1970, with the attributes of an event."""

    @property
    def counts(self) -> EventCounts:
        """The records that were read and those that are in no point."""

    @property
    def trajectories(self) -> Trajectories | None:
        """The points as codes on this machine, which need the table no more; None if they stay on a cluster."""

    def lengths(self) -> Mapping[int, int]:
        """Return how many people have each number of points."""

    def first_days(self) -> tuple[int, int] | None:
        """Return the first and the last day on which a pair of points begins; None if nobody has two points."""

    def day_spectra(self, first: int, last: int, store: SpectrumStore | None) -> dict[int, Spectrum]:
        """Return the spectrum of the pairs that begin on each day; days without pairs are left out."""

    def coarser(self, step: str, *, attributes: bool) -> Points:
        """Return the points with a coarser time, with or without their attributes."""

    def matches(self, n_points: int | None, draws: int, seed: int) -> Matches:
        """Return how many people have all of some points of a person; None stands for all points of the person.

        One and two points are counted over every choice, more are drawn.
        """


class EventPoints(Protocol):
    """Reads events as points of people."""

    def event_points(self, request: EventRequest, options: OpenOptions) -> Points:
        """Return the points; ``options`` say what the points, beside the table, may take of the memory."""

    def file_stamps(self) -> list[FileStamp]:
        """Return the files that hold the rows, as they are now; none for frames and databases."""
