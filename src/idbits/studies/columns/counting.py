"""The sets of columns counted so far, within a time limit; stopping early loses nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from idbits.counts import Spectrum
from idbits.engines.backends.subsets import SubsetCounts
from idbits.progress import Progress, TimeIsUpError
from idbits.studies.columns.result import SubsetFigures

__all__ = ["CountedSubsets"]


class CountedSubsets:
    """The figures of the sets of columns counted so far; bit i of a mask stands for column i."""

    def __init__(self, counts: SubsetCounts, progress: Progress, *, max_seconds: float | None = None) -> None:
        self.counts = counts
        self.n_columns, self.n_people = len(counts.sizes), counts.n_people
        self.everything = (1 << self.n_columns) - 1
        self.figures: dict[int, SubsetFigures] = {}
        self._progress = progress
        self._part_done = 0.0
        self._end = None if max_seconds is None else time.monotonic() + max_seconds

    def note(self, spectra: Mapping[int, Spectrum | None]) -> None:
        """Keep the figures of sets of columns; skip those that were not counted."""
        for mask, spectrum in spectra.items():
            if spectrum is not None and mask not in self.figures:
                self.figures[mask] = SubsetFigures.of(spectrum)

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Show what is being counted."""
        self._part_done = 0.0
        with self._progress.step(label, lambda: self._part_done):
            yield

    def advance(self, part_done: float) -> None:
        """Report how much of the step is done, and stop when the time is up."""
        self._part_done = part_done
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeIsUpError

    def count_all(self) -> None:
        """Count every subset."""
        with self.step(f"counting {self.everything:,} combinations of columns"):
            self.counts.count_every_set(lambda spectra: self._store(spectra, self.everything))

    def count_ends(self) -> None:
        """Count each column by itself, all columns, and all but one."""
        n_ends = 2 * self.n_columns + 1
        with self.step("counting single columns"):
            self.counts.count_single_columns(lambda spectra: self._store(spectra, n_ends))
            self.counts.count_all_but_one(self.most_telling_first(), lambda spectra: self._store(spectra, n_ends))

    def _store(self, spectra: Mapping[int, Spectrum], n_wanted: int) -> None:
        self.note(spectra)
        self.advance(len(self.figures) / n_wanted)

    def most_telling_first(self) -> list[int]:
        """Return the columns with the most bits first: people they single out need not be examined again."""
        return sorted(range(self.n_columns), key=lambda column: -self.figures[1 << column].entropy_bits)
