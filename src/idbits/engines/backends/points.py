"""The capability to read events as people's points, and to count pairs of points."""

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
"""The path of a file, its size and its modification time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRequest:
    """The events to read, and what makes two events the same point.

    Attributes:
        person: the person of an event.
        time: the time of an event; ``step`` is the unit it is coarsened to, None for the finest unit that it has.
        attributes: what else is known about an event.
        max_events: people with at least this many records are left out and counted.
        is_repeatable: whether equal tables must get equal codes, whatever their row order.
        is_drawn: whether points are drawn or people compared one by one, which needs the points on this machine.
    """

    person: Attribute
    time: Attribute
    step: str | None
    attributes: tuple[Attribute, ...]
    max_events: int
    is_repeatable: bool
    is_drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCounts:
    """The records that have no point, and the people left out because of too many records.

    Attributes:
        records: all records of the table.
        without_person: records without a person.
        without_time: records with an empty time.
        unreadable_time: records with a time that cannot be read.
        excluded_people: people left out because they have too many records.
        excluded_events: the records of those people.
        step: the unit that time is coarsened to.
        notes: how times were read.
    """

    records: int
    without_person: int
    without_time: int
    unreadable_time: int
    excluded_people: int
    excluded_events: int
    step: str
    notes: tuple[str, ...]


class SpectrumStore(Protocol):
    """Saves the spectra of finished months, so that a stopped count can be resumed."""

    def spectra(self, first: int, last: int) -> dict[int, Spectrum] | None:
        """Return the spectra of the days from ``first`` to ``last``, if they are saved."""

    def save_spectra(self, first: int, last: int, spectra: Mapping[int, Spectrum]) -> None:
        """Save the spectra of these days."""


class Points(Protocol):
    """People's distinct points: each is a day (since 1970) with the attributes of an event."""

    @property
    def counts(self) -> EventCounts:
        """The records that were read, and those without a point."""

    @property
    def step(self) -> str:
        """The unit that time is coarsened to."""

    @property
    def trajectories(self) -> Trajectories | None:
        """The points as codes on this machine, independent of the table; None if they stay on a cluster."""

    def lengths(self) -> Mapping[int, int]:
        """Return the number of people per number of points."""

    def first_days(self) -> tuple[int, int] | None:
        """Return the first and last day on which a pair of points begins; None if nobody has two points."""

    def day_spectra(self, first: int, last: int, store: SpectrumStore | None) -> dict[int, Spectrum]:
        """Return the spectrum of the pairs that begin on each day; days without pairs are left out."""

    def coarser(self, step: str, *, attributes: bool) -> Points:
        """Return the points with a coarser time, with or without their attributes."""

    def matches(self, n_points: int | None, draws: int, seed: int) -> Matches:
        """Return how many people share ``n_points`` of a person's points; None for all points of the person.

        For one and two points every choice is counted; more are drawn at random.
        """


class EventPoints(Protocol):
    """Reads events as people's points."""

    def event_points(self, request: EventRequest, options: OpenOptions) -> Points:
        """Return the points; ``options`` limit the memory for points in addition to the table."""

    def file_stamps(self) -> list[FileStamp]:
        """Return the current files of the table; empty for frames and databases."""
