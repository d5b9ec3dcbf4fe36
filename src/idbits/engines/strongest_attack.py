"""The strongest attacker, who knows all features of a person except the one to be learnt. Implements: S3 III.D."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.engines.backends.gains import BeliefByCode
from idbits.kernels.cohorts import CohortCells, CohortSizes
from idbits.kernels.distinct import DistinctRows
from idbits.kernels.freed_memory import keep_freed_memory
from idbits.kernels.leave_one_out import CohortBlock, GroupBlock, KeyHalf, LeaveOneOut
from idbits.progress import Count

__all__ = ["StrongestAttack", "cohort_sizes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What one thread has counted of each feature: its gain summed over people (FIG), and its cohorts."""

    totals: list[int]
    sizes: list[CohortSizes]

    @classmethod
    def none(cls, n_columns: int) -> _Counts:
        return cls([0] * n_columns, [CohortSizes() for _ in range(n_columns)])

    def include(self, others: _Counts) -> None:
        for column, (total, sizes) in enumerate(zip(others.totals, others.sizes, strict=True)):
            self.totals[column] += total
            self.sizes[column].include(sizes)


class StrongestAttack:
    """The information gained about each distinct row.

    Attributes:
        rig: the sum over the features of each row, added in the order of the columns.
        bits: one line per feature, one column per row; None unless cells are needed.
        surprises: cell surprise factors in the same form, if asked for.
    """

    def __init__(
        self,
        rows: DistinctRows,
        beliefs: Sequence[BeliefByCode],
        threads: int | None,
        count: Count,
        *,
        cells: bool,
        csf: bool,
    ) -> None:
        shape = self._n_columns, n_rows = len(rows.sizes), rows.n_rows
        self.rig = np.zeros(n_rows)
        self.bits = np.empty(shape) if cells else None
        self.surprises = np.empty(shape) if csf else None
        self._n_rows = n_rows
        self._cohorts = LeaveOneOut(rows)
        self._beliefs = beliefs
        self._threads = threads or os.cpu_count() or 1
        self._count = count
        self._counts = _Counts.none(self._n_columns)
        self._is_stopped = False
        # Looking people up takes longest; small integers stay in the cache.
        self._people = (
            rows.people.astype(np.min_scalar_type(int(rows.people.max()))) if rows.people is not None else None
        )

    @property
    def totals(self) -> list[int]:
        """FIG of each feature, exactly, in units of 2^-50."""
        return self._counts.totals

    @property
    def sizes(self) -> list[CohortSizes]:
        """The cohorts of each feature, by the people who share all others."""
        return self._counts.sizes

    def run(self) -> None:
        """Attack all features."""
        keep_freed_memory()
        if not self._cohorts.is_packed:
            self._attack_columns()
            return
        # First the first columns: RIG is added in the order of the columns, whichever thread is faster.
        for half in (self._cohorts.first_half, self._cohorts.last_half):
            self._attack_half(half())

    def _attack_half(self, half: KeyHalf) -> None:
        borders = half.borders() if half.columns else []
        workers = max(1, min(self._threads, len(borders)))
        waiting = iter(borders)

        def work() -> _Counts:
            counts = _Counts.none(self._n_columns)
            for start, end in waiting:
                if self._is_stopped:
                    break
                self._attack_block(half, half.block(start, end), counts)
            return counts

        with self._pool(workers) as pool:
            for future in [pool.submit(work) for _ in range(workers)]:
                self._counts.include(future.result())

    def _attack_block(self, half: KeyHalf, block: GroupBlock, counts: _Counts) -> None:
        people = self._people[block.rows] if self._people is not None else None
        # The first half begins with 0; in the last one this is a view, so that sums are added in place.
        rig = self.rig[block.rows] if isinstance(block.rows, slice) else np.zeros(len(block.keys))
        line = np.empty(len(block.keys))
        moved = np.empty(len(block.keys)) if self.surprises is not None else None
        for column, shift, bits in half.columns:
            self._attack_feature(column, block.cohorts(shift, bits), people, line, moved, counts)
            rig += line
            if self.bits is not None:
                self.bits[column, block.rows] = line
            if self.surprises is not None and moved is not None:
                self.surprises[column, block.rows] = moved
        if not isinstance(block.rows, slice):
            self.rig[block.rows] = rig

    def _attack_feature(
        self,
        column: int,
        blocks: Iterator[CohortBlock],
        people: NDArray[np.unsignedinteger] | None,
        line: Floats,
        moved: Floats | None,
        counts: _Counts,
    ) -> None:
        """Write the gain of each row to ``line``."""
        belief = self._beliefs[column]
        for block in blocks:
            if self._is_stopped:
                break
            cells = CohortCells(
                block.codes, people[block.rows].astype(np.int64) if people is not None else None, block.starts
            )
            gains = belief.gains(cells)
            line[block.rows] = np.repeat(gains.cig_bits, cells.lengths())
            if moved is not None:
                moved[block.rows] = belief.surprise(cells, gains.sizes)
            counts.totals[column] += gains.total
            counts.sizes[column].add(gains.sizes)
            self._count.done += len(block.rows)

    def _attack_columns(self) -> None:
        """Attack rows that are too wide for one key, each feature in one thread."""
        workers = max(1, min(self._threads, self._n_columns))
        # One line more than threads, so that no thread waits for a slow feature.
        lines = np.empty((min(self._n_columns, workers + 1), self._n_rows)) if self.bits is None else self.bits
        running: deque[tuple[Future[_Counts], Floats]] = deque()

        def work(column: int, line: Floats) -> _Counts:
            counts = _Counts.none(self._n_columns)
            moved = self.surprises[column] if self.surprises is not None else None
            self._attack_feature(column, self._cohorts.blocks(column), self._people, line, moved, counts)
            return counts

        def take() -> None:
            # The oldest first: rows are added in the order of the columns, whichever thread finishes first.
            future, line = running.popleft()
            self._counts.include(future.result())
            self.rig += line

        with self._pool(workers) as pool:
            for column in range(self._n_columns):
                if len(running) == len(lines):
                    take()
                line = lines[column % len(lines)]
                running.append((pool.submit(work, column, line), line))
            while running:
                take()

    @contextmanager
    def _pool(self, workers: int) -> Iterator[ThreadPoolExecutor]:
        """Stop all threads if one fails or the user interrupts."""
        with ThreadPoolExecutor(workers, thread_name_prefix="idbits-gain") as pool:
            try:
                yield pool
            except BaseException:
                self._is_stopped = True
                raise


def cohort_sizes(rows: DistinctRows, count: Count) -> list[CohortSizes]:
    """Return the cohorts of each column, by the people who share all others, without any attack."""
    cohorts, made = LeaveOneOut(rows), [CohortSizes() for _ in rows.sizes]

    def add(column: int, blocks: Iterator[CohortBlock], people: Integers | None) -> None:
        for block in blocks:
            weights = people[block.rows] if people is not None else None
            made[column].add(CohortCells(block.codes, weights, block.starts).sizes())
            count.done += len(block.rows)

    if not cohorts.is_packed:
        for column in range(len(rows.sizes)):
            add(column, cohorts.blocks(column), rows.people)
        return made
    for half in (cohorts.first_half(), cohorts.last_half()):
        for start, end in half.borders() if half.columns else []:
            block = half.block(start, end)
            people = rows.people[block.rows] if rows.people is not None else None
            for column, shift, bits in half.columns:
                add(column, block.cohorts(shift, bits), people)
    return made
