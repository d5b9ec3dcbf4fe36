"""What attackers of different strength learn about each cell of a table of distinct rows."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.cohorts import LeaveOneOut
from idbits.kernels.distinct import DistinctRows
from idbits.kernels.known_columns import cells_of, ranks_of
from idbits.measures.gain import Bits, Cells, Prior, cohort_gains, size_moment, surprise
from idbits.progress import SILENT, Progress

__all__ = ["Attack", "Belief", "SubsetGains", "named", "strongest"]


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What the attacker holds of each feature: the prior, and how far the table is trusted."""

    priors: tuple[Prior, ...]
    accuracies: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """The outcome for each distinct row.

    Attributes:
        rig_bits: the sum over the features of each distinct row, added in the order of the columns.
        totals: FIG of each feature, exactly, in units of 2^-50.
        cig_bits: one row a feature, one column a distinct row; None unless it was asked for.
        csf: cell surprise factors in the same form, where asked for.
        moments: sum of W log2 W over the cohorts of each feature, exactly, in the same units; empty for
            attackers other than the strongest.
    """

    rig_bits: Bits
    totals: tuple[int, ...]
    cig_bits: NDArray[np.float64] | None = None
    csf: NDArray[np.float64] | None = None
    moments: tuple[int, ...] = ()


@dataclass(slots=True)
class Count:
    """Work done so far, as progress asks for it."""

    number: float
    done: float = field(default=0.0)

    def __call__(self) -> float:
        """Return the part done."""
        return min(1.0, self.done / self.number)


def strongest(
    rows: DistinctRows,
    belief: Belief,
    progress: Progress = SILENT,
    *,
    threads: int | None = None,
    cells: bool = False,
    csf: bool = False,
) -> Attack:
    """The attacker knows all features of a person but the one to be learnt. Implements: S3 III.D."""
    n, features = rows.n_rows, len(rows.sizes)
    workers = max(1, min(features, threads or os.cpu_count() or 1))
    # One line more than threads, so that none of them waits while another is busy with a slow feature.
    bits = np.empty((features if cells else min(features, workers + 1), n))
    surprises = np.empty((features, n)) if csf else None
    work = _Strongest(rows, belief, Count(features * n), workers)
    rig = np.zeros(n)
    done: list[tuple[int, int]] = []
    running: deque[tuple[Future[tuple[int, int]], Bits]] = deque()

    def take() -> None:
        # The oldest first: rows are added up in the order of the columns, whichever thread is first.
        nonlocal rig
        future, line = running.popleft()
        done.append(future.result())
        rig += line

    with progress.step("information gain", work.count), ThreadPoolExecutor(workers) as pool:
        try:
            for place in range(features):
                if len(running) == len(bits):
                    take()
                line = bits[place % len(bits)]
                moved = surprises[place] if surprises is not None else None
                running.append((pool.submit(work.feature, place, line, moved), line))
            while running:
                take()
        except BaseException:
            work.stopped = True
            raise
    return Attack(
        rig, tuple(total for total, _ in done), bits if cells else None, surprises, tuple(moment for _, moment in done)
    )


class _Strongest:
    def __init__(self, rows: DistinctRows, belief: Belief, count: Count, workers: int) -> None:
        self._cohorts = LeaveOneOut(rows)
        # Memory to sort in, one for each thread.
        self._rooms = [np.empty(rows.n_rows, np.uint64) for _ in range(workers)]
        self._belief = belief
        self.count = count
        self.stopped = False
        # Looking people up is what takes longest; small integers stay in the cache.
        self._people = (
            rows.people.astype(np.min_scalar_type(int(rows.people.max()))) if rows.people is not None else None
        )

    def feature(self, place: int, line: Bits, moved: Bits | None) -> tuple[int, int]:
        """Write the gain of each row to ``line``; return FIG and the moment of the cohorts."""
        room = self._rooms.pop()
        prior, accuracy = self._belief.priors[place], self._belief.accuracies[place]
        total = moment = 0
        for block in self._cohorts.blocks(place, room):
            if self.stopped:
                break
            people = self._people[block.rows].astype(np.int64) if self._people is not None else None
            cells = Cells(block.codes, people, block.starts)
            gains = cohort_gains(cells, prior, accuracy)
            line[block.rows] = np.repeat(gains.cig_bits, cells.lengths())
            if moved is not None:
                moved[block.rows] = surprise(cells, gains.sizes, prior, accuracy)
            total += gains.total
            moment += size_moment(gains.sizes)
            self.count.done += len(block.rows)
        self._rooms.append(room)
        return total, moment


def named(
    rows: DistinctRows, belief: Belief, known: Sequence[int], progress: Progress = SILENT, *, csf: bool = False
) -> Attack:
    """The attacker knows these features, less the one to be learnt. Implements: SPEC section 4 (named)."""
    n, features = rows.n_rows, len(rows.sizes)
    bits = np.empty((features, n))
    surprises = np.empty((features, n)) if csf else None
    totals = []
    count = Count(features)
    rig = np.zeros(n)
    with progress.step("information gain", count):
        for place in range(features):
            gains = SubsetGains(rows, tuple(column for column in known if column != place))
            bits[place], total = gains.of(belief, place)
            totals.append(total)
            if surprises is not None:
                surprises[place] = gains.surprises(belief, place)
            rig += bits[place]
            count.done += 1
    return Attack(rig, tuple(totals), bits, surprises)


class SubsetGains:
    """The gains of an attacker who knows some columns, feature by feature."""

    def __init__(self, rows: DistinctRows, known: Sequence[int]) -> None:
        self._rows = rows
        columns = rows.columns
        self._ranks = ranks_of([columns[place] for place in known], [rows.sizes[place] for place in known], rows.n_rows)

    def cells(self, place: int) -> tuple[Cells, NDArray[np.uint32]]:
        """Return the values of a feature within the cohorts, and the number of each cohort."""
        rows = self._rows
        cohort, code, people = cells_of(self._ranks, rows.codes[place], rows.sizes[place], rows.people)
        starts = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(cohort[1:] != cohort[:-1]) + 1))
        return Cells(code, people, starts), cohort[starts]

    def of(self, belief: Belief, place: int) -> tuple[Bits, int]:
        """Return the gain of each distinct row, and the exact sum over people."""
        cells, cohorts = self.cells(place)
        gains = cohort_gains(cells, belief.priors[place], belief.accuracies[place])
        by_cohort = np.zeros(self._ranks.number)
        by_cohort[cohorts] = gains.cig_bits
        return by_cohort[self._ranks.ranks], gains.total

    def surprises(self, belief: Belief, place: int) -> Bits:
        """Return the cell surprise factor of each distinct row."""
        cells, cohorts = self.cells(place)
        moved = surprise(cells, cells.sizes(), belief.priors[place], belief.accuracies[place])
        # Cells are in the order of (cohort, code), so a row's own is found by searching for its pair.
        size = self._rows.sizes[place]
        keys = np.repeat(cohorts.astype(np.int64), cells.lengths()) * size + cells.codes
        wanted = self._ranks.ranks.astype(np.int64) * size + self._rows.codes[place]
        return moved[np.searchsorted(keys, wanted)]
