"""Counts combinations of columns, and the records that they single out, in threads of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Spectrum, Value
from idbits.engines.backends.subsets import RecordBatch, StoreFound, StoreSpectra, too_many_sets
from idbits.errors import InputError
from idbits.kernels.coded import CodedColumns, collapsed, ready
from idbits.kernels.partition import Partition
from idbits.kernels.sample_uniques import SampleUniques, minimal_sample_uniques, n_sets_up_to
from idbits.kernels.subsets import (
    AlikePeople,
    Chain,
    CountedSets,
    chain_spectra,
    columns_of,
    count_related,
    put_together,
    sampled_rows,
    spectra_without_one,
    symmetric_chains,
)
from idbits.kernels.threads import run_in_threads
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["SUBSET_BYTES", "LocalRecordUniques", "LocalSubsetCounts"]

Integers = NDArray[np.int64]

SUBSET_BYTES = 48
"""Keys, their sorted runs and the results, for each row that a thread processes."""
_MEMORY_BYTES = 2_000_000_000
_AT_ONCE = 32
_SAMPLED_SHARES = (0.02, 0.2)
_FEWEST_SAMPLED = 5_000
# Kept for each row: one bit per combination that may be part of another.
_REMEMBERED_BYTES = 4_000_000_000
_MOST_SETS = 200_000
_BATCH_ROWS = 500_000


class LocalSubsetCounts:
    """Counts combinations of the columns of coded rows."""

    def __init__(self, table: Table, attributes: Sequence[Attribute], options: OpenOptions) -> None:
        self._table, self._attributes = table, tuple(attributes)
        rows = table.coded_rows(attributes)
        # Rows without numbers are not records: only their counts are kept.
        self._rows = rows if rows.numbers is not None else None
        self._columns = collapsed(ready(rows))
        self.sizes, self.n_people, self.n_rows = self._columns.sizes, self._columns.n_people, self._columns.n_rows
        memory = options.memory // 2 if options.memory is not None else _MEMORY_BYTES
        room = memory // max(1, SUBSET_BYTES * self.n_rows)
        self._threads = max(1, min(options.threads or os.cpu_count() or 1, room))
        self._alike = AlikePeople()

    def count_every_set(self, store: StoreSpectra) -> None:
        self._count_chains(symmetric_chains(len(self.sizes)), store)

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        self._count_chains([Chain(tuple(order), 1) for order in orders], store)

    def _count_chains(self, chains: Sequence[Chain], store: StoreSpectra) -> None:
        def work(chain: Chain) -> dict[int, Spectrum]:
            return dict(chain_spectra(self._columns, chain))

        run_in_threads(work, chains, lambda _, spectra: store(spectra), self._threads)

    def count_single_columns(self, store: StoreSpectra) -> None:
        everyone = Partition.whole(self._columns)
        for column in range(len(self.sizes)):
            store({1 << column: everyone.refined_spectrum(column)})

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        for mask, spectrum in spectra_without_one(self._columns, order):
            store({mask: spectrum})

    def count_sets(
        self, masks: Sequence[int], order: Sequence[int], only_unique: Collection[int], store: StoreFound
    ) -> None:
        """Count combinations of two or more columns; those that share columns are counted together."""
        related = put_together(masks, order)
        samples = self._samples if only_unique else []
        alike: list[int] = []

        def store_counted(_: object, counted: CountedSets) -> None:
            alike.extend(counted.alike)
            store(counted.spectra)

        # The rounds do not depend on the number of threads, so neither does the answer.
        for start in range(0, len(related), _AT_ONCE):
            known = tuple(self._alike.masks)
            count = partial(count_related, self._columns, only_unique=only_unique, samples=samples, known_alike=known)
            run_in_threads(count, related[start : start + _AT_ONCE], store_counted, self._threads)
            self._alike.add(alike)
            alike.clear()

    @cached_property
    def _samples(self) -> list[CodedColumns]:
        return sampled_rows(self._columns, _SAMPLED_SHARES, _FEWEST_SAMPLED)

    def are_alike(self, mask: int) -> bool:
        return self._alike.are_alike_in(mask)

    def record_uniques(self, max_size: int) -> LocalRecordUniques:
        if self._rows is None:
            raise InputError("--records needs single rows, but this source only gives counts")
        return LocalRecordUniques(self._rows, self._attributes, self._table, max_size, self._threads)


class LocalRecordUniques:
    """Finds the minimal sample uniques of numbered, coded rows."""

    def __init__(
        self, rows: CodedRows, attributes: Sequence[Attribute], table: Table, max_size: int, threads: int
    ) -> None:
        assert rows.numbers is not None
        n_columns = len(attributes)
        self._n_sets = n_sets_up_to(n_columns, max_size)
        remembered = n_sets_up_to(n_columns, max_size - 1) * rows.n_rows // 8
        if self._n_sets > _MOST_SETS or remembered > _REMEMBERED_BYTES:
            raise too_many_sets(self._n_sets)
        self._rows, self._numbers = rows, rows.numbers
        self._attributes, self._table, self._max_size, self._threads = attributes, table, max_size, threads
        self._coarser: Mapping[int, Attribute] = {}
        self._uniques: SampleUniques
        self._best: NDArray[np.int16]
        self._left: Integers

    @property
    def n_rows(self) -> int:
        return len(self._uniques.smallest)

    def find(self, coarser: Mapping[int, Attribute], advance: Callable[[float], None]) -> None:
        n_done = 0

        def tick() -> None:
            nonlocal n_done
            n_done += 1
            advance(n_done / self._n_sets)

        self._coarser = coarser
        self._uniques = minimal_sample_uniques(ready(self._rows), self._max_size, tick)
        self._best = np.full(len(self._uniques.smallest), -1, np.int16)
        self._left = np.ones(len(self._uniques.smallest), np.int64)

    def try_coarser(self, advance: Callable[[float], None]) -> None:
        """Find the column that, coarsened by itself, puts a row in the largest group."""
        rows, smallest, sets = self._rows, self._uniques.smallest, self._uniques.sets
        views = self._table.coded_rows(list(self._coarser.values()))
        everything = ready(CodedRows((*rows.codes, *views.codes), (*rows.sizes, *views.sizes), rows.people))
        view_of = {column: len(rows.codes) + index for index, column in enumerate(self._coarser)}
        trials = [
            (index, column)
            for index in np.unique(smallest).tolist()
            for column in columns_of(sets[index])
            if column in view_of
        ]
        best, left = self._best, self._left
        n_done = 0

        def try_one(trial: tuple[int, int]) -> tuple[Integers, Integers]:
            index, column = trial
            columns = [view_of[column] if other == column else other for other in columns_of(sets[index])]
            concerned = np.flatnonzero(smallest == index)
            return concerned, _people_alike(everything, columns)[concerned]

        def store(trial: tuple[int, int], outcome: tuple[Integers, Integers]) -> None:
            nonlocal n_done
            concerned, people = outcome
            _, column = trial
            # On ties, the first column, whichever thread finished first.
            as_good = (people == left[concerned]) & (people > 1) & (column < best[concerned])
            better = (people > left[concerned]) | as_good
            best[concerned[better]], left[concerned[better]] = column, people[better]
            n_done += 1
            advance(n_done / len(trials))

        run_in_threads(try_one, trials, store, self._threads)

    def in_order(self, *, values: bool) -> Iterator[RecordBatch]:
        rows = self._rows
        somebody = rows.people > 0 if rows.people is not None else slice(None)
        numbers, codes = self._numbers[somebody], [column[somebody] for column in rows.codes]
        people = rows.people[somebody] if rows.people is not None else None
        labels = [self._table.labels(attribute) for attribute in self._attributes] if values else []
        for start in range(0, len(numbers), _BATCH_ROWS):
            part = slice(start, start + _BATCH_ROWS)
            uniques = self._uniques.part(part)
            yield RecordBatch(
                numbers=numbers[part],
                people=people[part] if people is not None else None,
                uniques=uniques,
                coarser=self._best[part],
                left=self._left[part],
                values=_values(uniques, [column[part] for column in codes], labels) if values else None,
            )


def _people_alike(table: CodedColumns, columns: list[int]) -> Integers:
    """Return how many people share the values of each row in some columns."""
    partition = Partition.whole(table)
    for column in sorted(columns, key=lambda column: -table.sizes[column]):
        partition = partition.refined(column)
    people = np.ones(table.n_rows, np.int64) if table.people is None else table.people.copy()
    people[partition.rows] = partition.people_of_rows()
    return people


def _values(
    uniques: SampleUniques, codes: Sequence[NDArray[np.uint32]], labels: Sequence[Sequence[Value]]
) -> list[tuple[Value, ...]]:
    """Return, for each row, its values in its smallest minimal sample unique."""
    values: list[tuple[Value, ...]] = [()] * len(uniques.smallest)
    for index in np.unique(uniques.smallest[uniques.smallest > 0]).tolist():
        rows = np.flatnonzero(uniques.smallest == index)
        columns = columns_of(uniques.sets[index])
        texts = [[labels[column][code] for code in codes[column][rows].tolist()] for column in columns]
        for row, shown in zip(rows.tolist(), zip(*texts, strict=True), strict=True):
            values[row] = shown
    return values
