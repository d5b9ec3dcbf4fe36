"""Events that are counted on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from idbits.counts import Spectrum
from idbits.engines.base import Table
from idbits.engines.open import open_table
from idbits.errors import NotEstimableError
from idbits.kernels.events import Trajectories
from idbits.kernels.pairs import counted_day_spectra, n_pairs_by_day
from idbits.progress import Progress
from idbits.studies.events.days import Period, days_by_month, time_step
from idbits.studies.events.loading import Loaded, load_trajectories
from idbits.studies.events.points import Axes, unicity_rows
from idbits.studies.events.question import EventQuestion, must_have_events, no_pairs, outside
from idbits.studies.events.result import Events, Unicity
from idbits.values.attributes import Attribute

__all__ = ["LocalEvents"]


@dataclass
class LocalEvents(EventQuestion):
    """A table of events that is counted on this machine."""

    canonical: bool

    @property
    def threads(self) -> int:
        """How many threads count."""
        return self.options.threads or os.cpu_count() or 1

    @property
    def base(self) -> tuple[tuple[str, ...], Trajectories]:
        """The attributes as asked for, and their trajectories."""
        return self.attributes, self.loaded.trajectories

    def open(self, person: str, time: str, attributes: list[str], coarser: Sequence[Sequence[str]]) -> None:
        """Open the table and read its events; the engine gets half of the memory."""
        memory = self.options.memory
        half = replace(self.options, memory=max(64 * 10**6, memory // 2) if memory is not None else None)
        with closing(open_table(self.source, half)) as table:
            if self.kept is not None:
                self.kept.begin(table)
            who, when, what = self._columns(table, person, time, attributes)
            others = [self._known(table, names, "--coarser") for names in coarser]
            self.loaded, self.notes = self._load(table, who, when, what, [a for own in others for a in own])
            self.coarser = [
                (tuple(attribute.name for attribute in own), self._read(table, who, when, own).trajectories)
                for own in others
            ]
            table.check_unchanged()

    def _load(
        self, table: Table, who: Attribute, when: Attribute, what: Sequence[Attribute], others: Sequence[Attribute]
    ) -> tuple[Loaded, tuple[str, ...]]:
        found = self.kept.load() if self.kept is not None else None
        if found is not None and not others:
            return found, found.notes
        table.load(dict.fromkeys([who.column, when.column, *(attribute.column for attribute in (*what, *others))]))
        loaded = self._read(table, who, when, what)
        notes = tuple(dict.fromkeys((*table.notes, *loaded.notes)))
        if self.kept is not None:
            self.kept.save(loaded, notes)
        return loaded, notes

    def _read(self, table: Table, who: Attribute, when: Attribute, what: Sequence[Attribute]) -> Loaded:
        loaded = load_trajectories(
            table, who, when, what,
            step=time_step(when), dates=self.options.dates, max_events=self.max_events, memory=self.options.memory,
            progress=self.options.progress, canonical=self.canonical,
        )  # fmt: skip
        must_have_events(loaded, when.column, self.options.where is not None)
        return loaded

    def close(self) -> None:
        """Nothing to give back: the table was closed when its events were read."""

    def unicity(
        self, axes: Axes, wanted: Sequence[int | str], draws: int, seed: int
    ) -> tuple[tuple[Unicity, ...], tuple[Unicity, ...]]:
        """Return the unicities as asked for, and those of the grid."""
        return unicity_rows(
            self.base, self.coarser, self.step, axes.times, wanted, draws, seed, self.threads, self.options.progress
        )

    def answer(self, asked: Period | None) -> Events:
        """Count the pairs."""
        pairs = n_pairs_by_day(self.loaded.trajectories)
        if not pairs:
            raise NotEstimableError(no_pairs(self.loaded, self.person))
        period = asked or Period.everything()
        inside = {day: number for day, number in pairs.items() if period.first <= day <= period.last}
        if not inside:
            raise outside(period, self.step, min(pairs), max(pairs))
        spectra = self._spectra(inside, self.options.progress)
        return self._result(self.loaded, asked, spectra)

    def _spectra(self, pairs: dict[int, int], progress: Progress) -> dict[int, Spectrum]:
        """Count month by month, so that each can be kept when it is done."""
        months = days_by_month(sorted(pairs))
        total, counted_pairs = sum(pairs.values()), [0]
        found: dict[int, Spectrum] = {}

        def done(number: int) -> None:
            counted_pairs[0] += number

        with progress.step(f"counting {total:,} pairs", lambda: counted_pairs[0] / max(1, total)):
            for days in months:
                first, last = days[0], days[-1]
                own = self.kept.spectra(first, last) if self.kept is not None else None
                if own is None:
                    own = counted_day_spectra(self.loaded.trajectories, first, last, self.threads, done)
                    if self.kept is not None:
                        self.kept.save_spectra(first, last, own)
                else:
                    total -= sum(pairs[day] for day in days)
                found |= own
        return found
