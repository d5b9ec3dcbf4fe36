"""Events that are counted on a cluster: their points stay there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from idbits.counts import Spectrum
from idbits.engines.open import open_table
from idbits.engines.spark import SparkTable
from idbits.engines.spark.events import EventCounts, PointFrame, read_points
from idbits.errors import NotEstimableError
from idbits.kernels.points import Matches, matches_of, matches_of_whole
from idbits.studies.events.days import STEPS, Period, day_attribute, days_by_month
from idbits.studies.events.points import Axes, no_unicity, unicity_of
from idbits.studies.events.question import EventQuestion, must_have_events, no_pairs, outside
from idbits.studies.events.result import Events, Unicity
from idbits.studies.events.resume import Kept
from idbits.values.attributes import Attribute
from idbits.wording import counted

__all__ = ["ClusterEvents"]

Named = tuple[tuple[str, ...], PointFrame]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterLoaded:
    """Points on the cluster, and the records that could not become one."""

    points: PointFrame
    counts: EventCounts

    @property
    def records(self) -> int:
        """All records of the table."""
        return self.counts.records

    @property
    def nobody(self) -> int:
        """Records that name no person."""
        return self.counts.nobody

    @property
    def no_time(self) -> int:
        """Records with an empty time."""
        return self.counts.no_time

    @property
    def unread_time(self) -> int:
        """Records with a time that cannot be read."""
        return self.counts.unread_time

    @property
    def notes(self) -> tuple[str, ...]:
        """How times were read."""
        return self.counts.notes

    @property
    def n_people(self) -> int:
        """The people who have a point."""
        return sum(self.points.lengths().values())

    @property
    def n_points(self) -> int:
        """The points of all people."""
        return sum(length * people for length, people in self.points.lengths().items())

    @property
    def excluded(self) -> tuple[int, int]:
        """The people left out because they have too many records, and those records."""
        return self.counts.excluded_people, self.counts.excluded_events


class ClusterEvents(EventQuestion):
    """A table of events that is being measured on a cluster, where its points stay."""

    def open(self, person: str, time: str, attributes: list[str], coarser: Sequence[Sequence[str]]) -> None:
        """Open the table, and let the cluster keep the points."""
        self._stack = ExitStack()
        table = self._stack.enter_context(closing(open_table(self.source, self.options)))
        assert isinstance(table, SparkTable)
        self.table = table
        if self.kept is not None:
            self.kept.begin(table)
        who, when, what = self._columns(table, person, time, attributes)
        others = [self._known(table, names, "--coarser") for names in coarser]
        everything = [who, when, *what, *(attribute for own in others for attribute in own)]
        table.load(dict.fromkeys(attribute.column for attribute in everything))
        self.loaded = self._points(who, when, what)
        self.notes = tuple(dict.fromkeys((*table.notes, *self.loaded.notes)))
        self.views = [(tuple(a.name for a in own), self._points(who, when, own).points) for own in others]

    def _points(self, who: Attribute, when: Attribute, what: Sequence[Attribute]) -> ClusterLoaded:
        loaded = _load_points(self.table, who, when, what, step=self.step, max_events=self.max_events)
        must_have_events(loaded, when.column, self.options.where is not None)
        return loaded

    def answer(self, asked: Period | None) -> Events:
        """Count the pairs, all days at once; month by month where each is to be kept when it is done."""
        points, period = self.loaded.points, asked or Period.everything()
        if self.kept is None:
            spectra = points.day_spectra(period.first, period.last)
        else:
            spectra = self._spectra(period, self.kept)
        if not spectra:
            days = points.first_days()
            if days is None:
                raise NotEstimableError(no_pairs(self.loaded, self.person))
            raise outside(period, self.step, *days)
        return self._result(self.loaded, asked, spectra)

    def _spectra(self, period: Period, kept: Kept) -> dict[int, Spectrum]:
        begin, end = self.loaded.points.first_days() or (0, -1)
        months = days_by_month(range(max(begin, period.first), min(end, period.last) + 1))
        found: dict[int, Spectrum] = {}
        done = 0
        label = f"counting pairs of {counted(len(months), 'month')}"
        with self.options.progress.step(label, lambda: done / max(1, len(months))):
            for days in months:
                own = kept.spectra(days[0], days[-1])
                if own is None:
                    own = self.loaded.points.day_spectra(days[0], days[-1])
                    kept.save_spectra(days[0], days[-1], own)
                found |= own
                done += 1
        return found

    def unicity(
        self,
        axes: Axes,
        wanted: Sequence[int | str],
        draws: int,  # noqa: ARG002 (nothing is drawn)
        seed: int,  # noqa: ARG002
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities as asked for, and those of the grid."""
        return _unicity_rows((self.attributes, self.loaded.points), self.views, self.step, axes.times, wanted)

    def close(self) -> None:
        """Close the table."""
        self._stack.close()


def _load_points(
    table: SparkTable,
    person: Attribute,
    time: Attribute,
    attributes: Sequence[Attribute],
    *,
    step: str,
    max_events: int,
) -> ClusterLoaded:
    """Read the events of a table."""
    by_day, notes = day_attribute(table, time)
    counts, points = read_points(
        table.counting, person, by_day, attributes, step=step, max_events=max_events, notes=notes
    )
    return ClusterLoaded(points, counts)


def _unicity_rows(
    base: Named, others: Sequence[Named], step: str, times: Sequence[str], wanted: Sequence[int | str]
) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
    """Return the unicities as asked for, and those of the grid, these among them."""
    steps = [step, *(time for time in times if STEPS.index(time) > STEPS.index(step))]
    rows = [base, *others]
    if base[0]:
        rows.append(((), base[1].coarser(step, attributes=False)))
    main: tuple[Unicity, ...] = ()
    grid: list[Unicity] = []
    for names, points in rows:
        for time in steps:
            view = points if time == step else points.coarser(time, attributes=True)
            found = tuple(_unicity(view, known, time, names) for known in wanted)
            main = main or found
            grid.extend(found)
    return main, tuple(grid)


def _unicity(points: PointFrame, known: int | str, time: str, names: tuple[str, ...]) -> Unicity:
    lengths = points.lengths()
    n_people = sum(lengths.values())
    able = n_people if known == "all" else sum(n for length, n in lengths.items() if length >= int(known))
    if not able:
        return no_unicity(known, time, names, n_people)
    matches: Matches
    if known == "all":
        matches = matches_of_whole(points.whole())
    else:
        matches = matches_of(points.one_point() if known == 1 else points.two_points(), int(known), able)
    return unicity_of(matches, known, time, names, n_people)
