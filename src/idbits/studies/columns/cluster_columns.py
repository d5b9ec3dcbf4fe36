"""Counting many sets of columns on a cluster: the same search, with every set counted where the rows are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from idbits.counts import Spectrum
from idbits.engines.spark.distinct import DistinctFrame
from idbits.kernels.coded import CodedColumns
from idbits.measures.entropy import entropy_bits
from idbits.progress import Progress
from idbits.studies.columns.counting import Counting
from idbits.studies.columns.tasks import Counted, Task

__all__ = ["ClusterCounting"]

_KEY_BITS = 64
_WORTH = 4


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a search asks of a table before it counts."""

    n_rows: int
    n_people: int
    sizes: tuple[int, ...]


class ClusterCounting(Counting):
    """The figures of the sets of columns that a cluster has counted so far."""

    table: _Shape  # type: ignore[assignment]

    def __init__(self, rows: DistinctFrame, progress: Progress, *, max_seconds: float | None = None) -> None:
        self._rows = rows
        self.n_columns = rows.n_columns
        self.figures = {}
        self._progress = progress
        self._part = 0.0
        self._end = None if max_seconds is None else time.monotonic() + max_seconds
        singles = dict(rows.spectra([1 << column for column in range(self.n_columns)]))
        sizes = tuple(singles[1 << column].n_sets for column in range(self.n_columns))
        self.n_source_rows = rows.n_source_rows()
        self.table = _Shape(self._rows_looked_at(sizes), rows.n_people, sizes)
        for mask, spectrum in singles.items():
            self.note(mask, spectrum)

    def _rows_looked_at(self, sizes: Sequence[int]) -> int:
        """Return how many rows a single machine would look at: it puts equal ones together where that is worth it."""
        bits = sum((size - 1).bit_length() for size in sizes)
        counted = self._rows.counting.options.count is not None
        together = not counted and bits <= _KEY_BITS and _WORTH * self._rows.n_rows <= self.n_source_rows
        return self._rows.n_rows if together else self.n_source_rows

    def _count(self, masks: Sequence[int], done: Callable[[float], None]) -> None:
        wanted = [mask for mask in masks if mask not in self.figures]
        for number, (mask, spectrum) in enumerate(self._rows.spectra(wanted), start=1):
            self.note(mask, spectrum)
            done(number / len(wanted))

    def count_all(self) -> None:
        """Count every subset."""
        total = 2**self.n_columns - 1
        with self.step(f"counting {total:,} sets of columns"):
            # Sets of few columns first: they are the shortest to count.
            self._count(sorted(range(1, total + 1), key=lambda mask: (mask.bit_count(), mask)), self.advance)

    def count_ends(self) -> None:
        """Count each column alone, all columns, and all but one."""
        everything = (1 << self.n_columns) - 1
        singles = [1 << column for column in range(self.n_columns)]
        with self.step("counting single columns"):
            self._count(
                [*singles, *(everything ^ one for one in singles if everything ^ one), everything], self.advance
            )

    def drawn(self, shares: tuple[float, ...], least: int) -> list[CodedColumns]:  # noqa: ARG002
        """Return no samples: rows do not leave the cluster."""
        return []

    def count_columns(self, columns: tuple[int, ...]) -> Spectrum:
        """Return the spectrum of some columns together."""
        mask = sum(1 << column for column in columns)
        return next(self._rows.spectra([mask]))[1]

    def run_tasks(
        self,
        tasks: Sequence[Task],
        drawn: Sequence[CodedColumns],  # noqa: ARG002
        known: Sequence[int],  # noqa: ARG002
        store: Callable[[Task, Counted], None],
    ) -> None:
        """Count the sets of tasks and store what comes back."""
        owner = {_mask(task, pair): task for task in tasks for pair in task.pairs}
        found: dict[int, list[tuple[int, Spectrum]]] = {id(task): [] for task in tasks}
        for mask, spectrum in self._rows.spectra(list(owner)):
            task = owner[mask]
            found[id(task)].append((mask, spectrum))
            if len(found[id(task)]) == len(task.pairs):
                store(task, Counted(found[id(task)], [], []))

    def run_orders(self, orders: Sequence[Sequence[int]], store: Callable[[int, list[float]], None]) -> None:
        """Store the entropies of the growing beginnings of each order of the columns."""
        prefixes = [
            [sum(1 << column for column in order[: length + 1]) for length in range(len(order))] for order in orders
        ]
        known: dict[int, float] = {}
        wanted = list(dict.fromkeys(mask for masks in prefixes for mask in masks))
        for number, (mask, spectrum) in enumerate(self._rows.spectra(wanted), start=1):
            known[mask] = entropy_bits(spectrum)
            self.advance(number / len(wanted))
        for place, masks in enumerate(prefixes):
            store(place, [known[mask] for mask in masks])


def _mask(task: Task, pair: tuple[int, int]) -> int:
    return sum(1 << column for column in (*task.shared, *pair))
