"""Counting many sets of columns in threads, within limits of time and memory, with an end that loses nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns
from idbits.kernels.partition import Partition
from idbits.kernels.subsets import Chain, chain_spectra, samples, spectrum_of_columns, symmetric_chains
from idbits.measures.entropy import entropy_bits
from idbits.progress import Progress
from idbits.studies.columns.figures import SubsetFigures

if TYPE_CHECKING:
    from idbits.studies.columns.tasks import Counted, Task

__all__ = ["Counting", "TimeIsUpError", "columns_of"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# Keys, their sorted runs and what is made from them, for each row that a thread looks at.
_BYTES_PER_ROW = 48
_MEMORY_BYTES = 2_000_000_000


class TimeIsUpError(Exception):
    """The time that was given is over."""


def columns_of(mask: int) -> tuple[int, ...]:
    """Return the columns of a mask.

    >>> columns_of(0b1010)
    (1, 3)
    """
    return tuple(column for column in range(mask.bit_length()) if mask >> column & 1)


class Counting:
    """The figures of the sets of columns that have been counted so far."""

    def __init__(
        self,
        table: CodedColumns,
        progress: Progress,
        *,
        threads: int | None = None,
        memory: int | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.table = table
        self.n_columns = len(table.codes)
        self.figures: dict[int, SubsetFigures] = {}
        self._progress = progress
        self._part = 0.0
        room = (memory // 2 if memory is not None else _MEMORY_BYTES) // max(1, _BYTES_PER_ROW * table.n_rows)
        self._workers = max(1, min(threads or os.cpu_count() or 1, room))
        self._end = None if max_seconds is None else time.monotonic() + max_seconds

    def note(self, mask: int, spectrum: Spectrum) -> SubsetFigures:
        """Keep the figures of a set of columns."""
        if mask not in self.figures:
            self.figures[mask] = SubsetFigures.of(spectrum)
        return self.figures[mask]

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Show what is being counted."""
        self._part = 0.0
        with self._progress.step(label, lambda: self._part):
            yield

    def advance(self, part: float) -> None:
        """Say how much of the step is done, and stop when the time is over."""
        self._part = part
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeIsUpError

    def run(self, work: Callable[[Item], Result], items: Iterable[Item], store: Callable[[Item, Result], None]) -> None:
        """Do the work for each item in threads and store what comes back, as it comes.

        Whatever ends it early, nothing that is finished is lost and no thread is left behind.
        """
        waiting = iter(items)
        running: dict[Future[Result], Item] = {}
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="idbits")
        try:
            while True:
                for item in waiting:
                    running[pool.submit(work, item)] = item
                    if len(running) >= 2 * self._workers:
                        break
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    store(running.pop(future), future.result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for future, item in running.items():
                if not future.cancelled() and future.exception() is None:
                    self._store_late(store, item, future.result())

    @staticmethod
    def _store_late(store: Callable[[Item, Result], None], item: Item, result: Result) -> None:
        try:
            store(item, result)
        except TimeIsUpError:
            return

    def drawn(self, shares: tuple[float, ...], least: int) -> list[CodedColumns]:
        """Return some of the rows, in which what is alike is alike in the table."""
        return samples(self.table, shares, least)

    def count_columns(self, columns: tuple[int, ...]) -> Spectrum:
        """Return the spectrum of some columns together."""
        return spectrum_of_columns(self.table, columns)

    def run_tasks(
        self,
        tasks: Sequence[Task],
        drawn: Sequence[CodedColumns],
        known: Sequence[int],
        store: Callable[[Task, Counted], None],
    ) -> None:
        """Count the sets of tasks and store what comes back."""
        from idbits.studies.columns.tasks import count_task

        self.run(lambda task: count_task(self.table, task, drawn, known), tasks, store)

    def run_orders(self, orders: Sequence[Sequence[int]], store: Callable[[int, list[float]], None]) -> None:
        """Store the entropies of the growing beginnings of each order of the columns."""

        def work(place: int) -> list[float]:
            chain = Chain(tuple(orders[place]), 1)
            return [entropy_bits(spectrum) for _, spectrum in chain_spectra(self.table, chain)]

        self.run(work, range(len(orders)), store)

    def count_all(self) -> None:
        """Count every subset."""
        chains = symmetric_chains(self.n_columns)
        total = 2**self.n_columns - 1

        def store(_: object, found: list[tuple[int, Spectrum]]) -> None:
            for mask, spectrum in found:
                self.note(mask, spectrum)
            self.advance(len(self.figures) / total)

        with self.step(f"counting {total:,} sets of columns"):
            self.run(lambda chain: chain_spectra(self.table, chain), chains, store)

    def count_ends(self) -> None:
        """Count each column alone, all columns, and all but one."""
        found: dict[int, Spectrum] = {}
        start = Partition.whole(self.table)
        with self.step("counting single columns"):
            for column in range(self.n_columns):
                self.note(1 << column, start.refined_spectrum(column))
                self.advance((column + 1) / self.n_columns / 2)
            # Columns with the most bits first: whoever they single out is never looked at again.
            order = sorted(range(self.n_columns), key=lambda column: -self.figures[1 << column].entropy_bits)
            everything = (1 << self.n_columns) - 1
            self._without_one(start, order, everything, found)
            for mask, spectrum in found.items():
                self.note(mask, spectrum)

    def _without_one(self, partition: Partition, left: list[int], everything: int, found: dict[int, Spectrum]) -> None:
        """Split by all columns but one, for each one: halves share the columns that they have in common."""
        self.advance(0.5 + len(found) / self.n_columns / 2)
        if len(left) == 1:
            if self.n_columns > 1:
                found[everything ^ 1 << left[0]] = partition.spectrum()
            found.setdefault(everything, partition.refined_spectrum(left[0]))
            return
        half = len(left) // 2
        for kept, split in ((left[half:], left[:half]), (left[:half], left[half:])):
            finer = partition
            for column in split:
                finer = finer.refined(column)
            self._without_one(finer, kept, everything, found)
