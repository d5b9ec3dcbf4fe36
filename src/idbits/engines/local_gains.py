"""Information gain from coded rows: distinct rows on this machine, attacked column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum, Value
from idbits.engines.backends.gains import Belief, BeliefByCode, GainsOfRow, MissingValues, PersonGains
from idbits.engines.strongest_attack import StrongestAttack, cohort_sizes
from idbits.kernels.cohorts import (
    CohortCells,
    Ranks,
    cells_of,
    pair_spectrum,
    ranks_of,
    spectrum_of,
)
from idbits.kernels.distinct import DistinctRows
from idbits.kernels.exact_sums import weighted_total
from idbits.kernels.ranked import RankedRows, largest_share, people_with_share
from idbits.kernels.row_people import RowPeople
from idbits.progress import Count, Progress

if TYPE_CHECKING:
    import pyarrow


__all__ = ["KnownColumns", "LocalBelievedRows", "LocalGainRows", "LocalRowGains", "cohort_cells"]

_BLOCK = 1 << 17

Floats = NDArray[np.float64]
Labels = Callable[[int], Sequence[Value]]


class LocalGainRows:
    """The distinct rows of some attributes as codes.

    Attributes:
        distinct: the rows.
        labels: returns the label of each code of a column.
        numbers: the number of each row of the source, if cells are needed.
        people: the people who have the rows; None if each row is a person.
    """

    def __init__(
        self,
        distinct: DistinctRows,
        labels: Labels,
        threads: int | None = None,
        numbers: Integers | None = None,
        people: RowPeople | None = None,
    ) -> None:
        self.people = people
        self.distinct = distinct
        self.n_rows, self.n_people, self.n_columns = distinct.n_rows, distinct.n_people, len(distinct.sizes)
        self.threads = threads
        self.numbers = numbers
        self.labels = labels
        self._leave_one_out: tuple[Spectrum, ...] | None = None

    @property
    def n_persons(self) -> int:
        return self.n_people if self.people is None else self.people.n_people

    @property
    def people_by_rows(self) -> tuple[tuple[int, int], ...]:
        return ((1, self.n_people),) if self.people is None else self.people.by_rows

    @property
    def smallest_cohort(self) -> int:
        return int(self.spectrum.sizes[0]) if self.people is None else int(self.people.cohorts.min())

    @property
    def people_alone(self) -> int:
        if self.people is not None:
            return self.people.n_unique
        sizes = self.spectrum
        return int(sizes.people[sizes.sizes == 1].sum())

    def cohorts(self) -> Integers:
        """Return the people who have each distinct row."""
        return self.distinct.cohorts() if self.people is None else self.people.cohorts

    def null_rows(self, column: int) -> int:
        labels = self.labels(column)
        return int(self.distinct.value_people[column][labels.index(None)]) if None in labels else 0

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
            count = Count(self.n_columns * self.n_rows)
            with progress.step("computing conditional entropies", count):
                spectra = [sizes.spectrum() for sizes in cohort_sizes(self.distinct, count)]
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

        people = self.rows.people
        distinct = self.rows.distinct.narrowed(columns, with_indices=people is not None)
        if people is not None and distinct.indices is not None:
            people = people.narrowed(distinct.indices, distinct.n_rows)
        rows = LocalGainRows(distinct, labels, self.rows.threads, people=people)
        return LocalBelievedRows(rows, tuple(self.beliefs[column] for column in columns))

    def attack(self, known: Sequence[int] | None, progress: Progress, *, cells: bool, csf: bool) -> LocalRowGains:
        if known is None:
            return self._strongest(progress, cells=cells, csf=csf)
        return _named(self, known, progress, csf=csf)

    def _strongest(self, progress: Progress, *, cells: bool, csf: bool) -> LocalRowGains:
        rows = self.rows
        count = Count(rows.n_columns * rows.n_rows)
        with progress.step("computing information gain", count):
            attack = StrongestAttack(rows.distinct, self.beliefs, rows.threads, count, cells=cells, csf=csf)
            attack.run()
        rows.keep_leave_one_out([sizes.spectrum() for sizes in attack.sizes])
        return LocalRowGains(rows, attack.rig, attack.totals, attack.bits, attack.surprises)


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
        if self.rows.people is not None:
            return RankedRows.of(self.rows.people.largest(self.rig_bits), None)
        return RankedRows.of(self.rig_bits, self.rows.distinct.people)

    def person_gains(self) -> PersonGains | None:
        people = self.rows.people
        if people is None:
            return None
        total = weighted_total(people.largest(self.rig_bits), None)
        return PersonGains(total, RankedRows.of(people.sums(self.rig_bits), None))

    def largest_share(self) -> float:
        people = self.rows.distinct.people if self.rows.people is None else self.rows.people.cohorts
        return largest_share(self.rig_bits, people)

    def people_with_share(self, least: Sequence[float]) -> list[int]:
        people = self.rows.people
        if people is not None:
            return people_with_share(people.largest(self.rig_bits / people.cohorts), None, least)
        return people_with_share(self.rig_bits, self.rows.distinct.people, least)

    def most_exposed(self, most: int) -> list[GainsOfRow] | None:
        """Return the rows with the largest gain, in an order that depends only on their numbers."""
        if self.cig_bits is None:
            return None
        cohorts = self.rows.cohorts()
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
        cohorts = self.rows.cohorts()
        for start in range(0, len(indices), _BLOCK):
            rows = indices[start : start + _BLOCK]
            cells = [line[rows] * weight for line, weight in zip(shown, weights, strict=True)]
            columns = [numbers[start : start + _BLOCK], *cells, self.rig_bits[rows], cohorts[rows]]
            yield pyarrow.table(columns, names=list(names))


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
