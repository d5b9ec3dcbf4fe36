"""Information gain from coded rows: distinct rows on this machine, attacked column by column."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers, Spectrum, Value
from idbits.engines.backends.gains import Belief, BeliefByCode, GainsOfRow, MissingValues
from idbits.errors import EngineError, InputError
from idbits.kernels.cohorts import (
    CohortCells,
    CohortSizes,
    LeaveOneOut,
    Ranks,
    cells_of,
    pair_spectrum,
    ranks_of,
    spectrum_of,
)
from idbits.kernels.distinct import DistinctRows, distinct_rows
from idbits.kernels.exact_sums import weighted_total
from idbits.kernels.ranked import RankedRows, largest_share, people_with_share
from idbits.progress import Count, Progress
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    import pyarrow

    from idbits.engines.base import Table

__all__ = ["KnownColumns", "LocalBelievedRows", "LocalGainRows", "LocalRowGains", "cohort_cells", "local_gain_rows"]

_BLOCK = 1 << 17

Floats = NDArray[np.float64]
Labels = Callable[[int], Sequence[Value]]


def local_gain_rows(
    table: Table, attributes: Sequence[Attribute], options: OpenOptions, *, with_cells: bool = False
) -> LocalGainRows:
    """Return the distinct rows of a table on this machine, wherever the table is."""
    coded = table.coded_rows(attributes)
    _check_memory(coded, options.memory, with_cells=with_cells)

    def labels(column: int) -> list[Value]:
        return table.labels(attributes[column])

    if not with_cells:
        rows = distinct_rows(coded, threads=options.threads or os.cpu_count() or 1)
        return LocalGainRows(rows, labels, options.threads)
    if coded.numbers is None:
        raise InputError("cells cannot be written: this source gives distinct rows with their counts, not single rows")
    numbers = coded.numbers
    if coded.people is not None and not coded.people.all():
        held = np.flatnonzero(coded.people)
        numbers = numbers[held]
        coded = CodedRows(tuple(column[held] for column in coded.codes), coded.sizes, coded.people[held])
    return LocalGainRows(distinct_rows(coded, with_indices=True), labels, options.threads, numbers)


def _check_memory(coded: CodedRows, memory: int | None, *, with_cells: bool) -> None:
    """Raise an error early if the rows, their keys and their gains need more memory than allowed."""
    columns = len(coded.codes)
    needed = coded.n_rows * (4 * columns + 64 + (12 * columns if with_cells else 0))
    if memory is not None and needed > memory:
        raise EngineError(
            f"computing the information gain of these rows takes {needed // 10**6:,} MB; allow at least "
            f"{needed // 10**6 + 1:,}MB with --memory, or look at fewer columns"
        )


class LocalGainRows:
    """The distinct rows of some attributes as codes.

    Attributes:
        distinct: the rows.
        labels: returns the label of each code of a column.
        numbers: the number of each row of the source, if cells are needed.
    """

    def __init__(
        self, distinct: DistinctRows, labels: Labels, threads: int | None = None, numbers: Integers | None = None
    ) -> None:
        self.distinct = distinct
        self.n_rows, self.n_people, self.n_columns = distinct.n_rows, distinct.n_people, len(distinct.sizes)
        self.threads = threads
        self.numbers = numbers
        self.labels = labels
        self._leave_one_out: tuple[Spectrum, ...] | None = None

    @cached_property
    def spectrum(self) -> Spectrum:
        people = self.distinct.people
        return spectrum_of(people) if people is not None else Spectrum.of({1: self.n_rows})

    @cached_property
    def value_spectra(self) -> tuple[Spectrum, ...]:
        return tuple(spectrum_of(people) for people in self.distinct.value_people)

    def leave_one_out_spectra(self, progress: Progress) -> tuple[Spectrum, ...]:
        """Return for each column the people who share all other columns, as the strongest attacker counts them."""
        if self._leave_one_out is None:
            cohorts, count, spectra = LeaveOneOut(self.distinct), Count(self.n_columns), []
            with progress.step("computing conditional entropies", count):
                for column in range(self.n_columns):
                    sizes = CohortSizes()
                    for block in cohorts.blocks(column):
                        people = self.distinct.people[block.rows] if self.distinct.people is not None else None
                        sizes.add(CohortCells(block.codes, people, block.starts).sizes())
                    spectra.append(sizes.spectrum())
                    count.done += 1
            self.keep_leave_one_out(spectra)
            return tuple(spectra)
        return self._leave_one_out

    def keep_leave_one_out(self, spectra: Sequence[Spectrum]) -> None:
        """Keep intermediate counts for later."""
        self._leave_one_out = tuple(spectra)

    def pair_spectra(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Spectrum]:
        codes, sizes = self.distinct.codes, self.distinct.sizes
        for first, second in pairs:
            yield pair_spectrum(codes[first], sizes[first], codes[second], sizes[second], self.distinct.people)

    def believed(self, beliefs: Sequence[Belief]) -> LocalBelievedRows:
        def labels_of(column: int) -> Callable[[], Sequence[Value]]:
            return lambda: self.labels(column)

        coded = tuple(
            belief.by_code(people, labels_of(column))
            for column, (belief, people) in enumerate(zip(beliefs, self.distinct.value_people, strict=True))
        )
        return LocalBelievedRows(self, coded)


class LocalBelievedRows:
    """Distinct rows, and what an attacker believes about them."""

    def __init__(self, rows: LocalGainRows, beliefs: tuple[BeliefByCode, ...]) -> None:
        self.rows = rows
        self.beliefs = beliefs

    @property
    def missing(self) -> list[MissingValues]:
        return [MissingValues(belief.missing_values, belief.missing_people) for belief in self.beliefs]

    def narrowed(self, columns: Sequence[int]) -> LocalBelievedRows:
        def labels(column: int) -> Sequence[Value]:
            return self.rows.labels(columns[column])

        rows = LocalGainRows(self.rows.distinct.narrowed(columns), labels, self.rows.threads)
        return LocalBelievedRows(rows, tuple(self.beliefs[column] for column in columns))

    def attack(self, known: Sequence[int] | None, progress: Progress, *, cells: bool, csf: bool) -> LocalRowGains:
        if known is None:
            return _strongest(self, progress, cells=cells, csf=csf)
        return _named(self, known, progress, csf=csf)


class LocalRowGains:
    """The information gained about each distinct row.

    Attributes:
        rig_bits: the sum over the features of each distinct row, added in the order of the columns.
        totals: FIG of each feature, exactly, in units of 2^-50.
        cig_bits: one line per feature, one column per distinct row; None unless cells are needed.
        csf: cell surprise factors in the same form, if asked for.
    """

    def __init__(
        self,
        rows: LocalGainRows,
        rig_bits: Floats,
        totals: Sequence[int],
        cig_bits: Floats | None = None,
        csf: Floats | None = None,
    ) -> None:
        self.rows = rows
        self.rig_bits = rig_bits
        self.totals = tuple(totals)
        self.cig_bits = cig_bits
        self.csf = csf

    @property
    def surprise_totals(self) -> list[int] | None:
        """The cell surprise factor of each feature summed over people, in units of 2^-50."""
        return [weighted_total(line, self.rows.distinct.people) for line in self.csf] if self.csf is not None else None

    def ranking(self) -> RankedRows:
        return RankedRows.of(self.rig_bits, self.rows.distinct.people)

    def largest_share(self) -> float:
        return largest_share(self.rig_bits, self.rows.distinct.people)

    def people_with_share(self, least: Sequence[float]) -> list[int]:
        return people_with_share(self.rig_bits, self.rows.distinct.people, least)

    def most_exposed(self, most: int) -> list[GainsOfRow] | None:
        """Return the rows with the largest gain, in an order that depends only on their numbers."""
        if self.cig_bits is None:
            return None
        cohorts = self.rows.distinct.cohorts()
        least = np.partition(self.rig_bits, -most)[-most] if self.rows.n_rows > most else -1.0
        # All ties at the border are considered, so that labels do not decide which rows are included.
        candidates = np.flatnonzero(self.rig_bits >= least)
        exposed = [
            GainsOfRow(int(cohorts[row]), float(self.rig_bits[row]), tuple(self.cig_bits[:, row].tolist()))
            for row in candidates[: 100 * most]
        ]
        return sorted(exposed, key=lambda row: (-row.rig_bits, row.people, row.cig_bits))[:most]

    def cells(self, names: Sequence[str], weights: Sequence[float], *, csf: bool) -> Iterator[pyarrow.Table]:
        """Yield number, cells, RIG and people of all rows in the order of the source."""
        import pyarrow

        shown, indices, numbers = self.csf if csf else self.cig_bits, self.rows.distinct.indices, self.rows.numbers
        assert shown is not None
        assert indices is not None
        assert numbers is not None
        cohorts = self.rows.distinct.cohorts()
        for start in range(0, len(indices), _BLOCK):
            rows = indices[start : start + _BLOCK]
            cells = [line[rows] * weight for line, weight in zip(shown, weights, strict=True)]
            columns = [numbers[start : start + _BLOCK], *cells, self.rig_bits[rows], cohorts[rows]]
            yield pyarrow.table(columns, names=list(names))


def _strongest(believed: LocalBelievedRows, progress: Progress, *, cells: bool, csf: bool) -> LocalRowGains:
    """The attacker knows all features of a person except the one to be learnt. Implements: S3 III.D."""
    rows = believed.rows
    n_rows, features = rows.n_rows, rows.n_columns
    workers = max(1, min(features, rows.threads or os.cpu_count() or 1))
    # One line more than threads, so that no thread waits for a slow feature.
    bits = np.empty((features if cells else min(features, workers + 1), n_rows))
    surprises = np.empty((features, n_rows)) if csf else None
    work = _LeaveOneOutGains(believed, workers)
    rig = np.zeros(n_rows)
    done: list[tuple[int, Spectrum]] = []
    running: deque[tuple[Future[tuple[int, Spectrum]], Floats]] = deque()

    def take() -> None:
        # The oldest first: rows are added in the order of the columns, whichever thread finishes first.
        nonlocal rig
        future, line = running.popleft()
        done.append(future.result())
        rig += line

    with progress.step("computing information gain", work.count), ThreadPoolExecutor(workers) as pool:
        try:
            for column in range(features):
                if len(running) == len(bits):
                    take()
                line = bits[column % len(bits)]
                moved = surprises[column] if surprises is not None else None
                running.append((pool.submit(work.feature, column, line, moved), line))
            while running:
                take()
        except BaseException:
            work.stopped = True
            raise
    rows.keep_leave_one_out([cohorts for _, cohorts in done])
    return LocalRowGains(rows, rig, [total for total, _ in done], bits if cells else None, surprises)


class _LeaveOneOutGains:
    def __init__(self, believed: LocalBelievedRows, workers: int) -> None:
        rows = believed.rows.distinct
        self._cohorts = LeaveOneOut(rows)
        # One sort buffer per thread.
        self._rooms = [np.empty(rows.n_rows, np.uint64) for _ in range(workers)]
        self._beliefs = believed.beliefs
        self.count = Count(len(rows.sizes) * rows.n_rows)
        self.stopped = False
        # Looking people up takes longest; small integers stay in the cache.
        self._people = (
            rows.people.astype(np.min_scalar_type(int(rows.people.max()))) if rows.people is not None else None
        )

    def feature(self, column: int, line: Floats, moved: Floats | None) -> tuple[int, Spectrum]:
        """Write the gain of each row to ``line``; return FIG and the sizes of the cohorts."""
        room = self._rooms.pop()
        belief, total, sizes = self._beliefs[column], 0, CohortSizes()
        for block in self._cohorts.blocks(column, room):
            if self.stopped:
                break
            people = self._people[block.rows].astype(np.int64) if self._people is not None else None
            cells = CohortCells(block.codes, people, block.starts)
            gains = belief.gains(cells)
            line[block.rows] = np.repeat(gains.cig_bits, cells.lengths())
            if moved is not None:
                moved[block.rows] = belief.surprise(cells, gains.sizes)
            total += gains.total
            sizes.add(gains.sizes)
            self.count.done += len(block.rows)
        self._rooms.append(room)
        return total, sizes.spectrum()


def _named(believed: LocalBelievedRows, known: Sequence[int], progress: Progress, *, csf: bool) -> LocalRowGains:
    """The attacker knows these features, except the one to be learnt. Implements: SPEC section 4 (named)."""
    n_rows, features = believed.rows.n_rows, believed.rows.n_columns
    bits = np.empty((features, n_rows))
    surprises = np.empty((features, n_rows)) if csf else None
    totals = []
    count = Count(features)
    rig = np.zeros(n_rows)
    with progress.step("computing information gain", count):
        for column in range(features):
            others = KnownColumns(believed, [other for other in known if other != column])
            bits[column], total = others.gains(column)
            totals.append(total)
            if surprises is not None:
                surprises[column] = others.surprises(column)
            rig += bits[column]
            count.done += 1
    return LocalRowGains(believed.rows, rig, totals, bits, surprises)


def cohort_cells(
    ranks: Ranks, codes: NDArray[np.uint32], size: int, people: Integers | None
) -> tuple[CohortCells, NDArray[np.uint32]]:
    """Return the values of a feature within cohorts, and the number of each cohort that occurs."""
    cohort, code, cell_people = cells_of(ranks, codes, size, people)
    starts = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(cohort[1:] != cohort[:-1]) + 1))
    return CohortCells(code, cell_people, starts), cohort[starts]


class KnownColumns:
    """The gains of an attacker who knows some columns, feature by feature."""

    def __init__(self, believed: LocalBelievedRows, known: Sequence[int]) -> None:
        self._rows, self._beliefs = believed.rows.distinct, believed.beliefs
        columns, sizes = self._rows.columns, self._rows.sizes
        self.ranks = ranks_of(
            [columns[column] for column in known], [sizes[column] for column in known], self._rows.n_rows
        )

    def _cells(self, column: int) -> tuple[CohortCells, NDArray[np.uint32]]:
        rows = self._rows
        return cohort_cells(self.ranks, rows.codes[column], rows.sizes[column], rows.people)

    def gains(self, column: int) -> tuple[Floats, int]:
        """Return the gain of each distinct row, and the exact sum over people."""
        cells, cohorts = self._cells(column)
        gains = self._beliefs[column].gains(cells)
        by_cohort = np.zeros(self.ranks.number)
        by_cohort[cohorts] = gains.cig_bits
        return by_cohort[self.ranks.ranks], gains.total

    def surprises(self, column: int) -> Floats:
        """Return the cell surprise factor of each distinct row."""
        cells, cohorts = self._cells(column)
        moved = self._beliefs[column].surprise(cells, cells.sizes())
        # CohortCells are sorted by (cohort, code), so a row's cell is found by a search for its pair.
        size = self._rows.sizes[column]
        keys = np.repeat(cohorts.astype(np.int64), cells.lengths()) * size + cells.codes
        wanted = self.ranks.ranks.astype(np.int64) * size + self._rows.codes[column]
        return moved[np.searchsorted(keys, wanted)]
