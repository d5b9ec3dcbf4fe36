"""The file about records of a table on a cluster: each row's minimal sample uniques, found where the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from idbits.engines.spark import SparkTable
from idbits.engines.spark.sample_uniques import UniqueRows
from idbits.kernels.sample_uniques import SampleUniques, n_sets_up_to, subset_score
from idbits.studies.columns.choice import Chosen
from idbits.studies.columns.cluster_columns import ClusterCounting
from idbits.studies.columns.counting import columns_of
from idbits.studies.columns.figures import RecordsFile
from idbits.studies.columns.records import RecordsWish, coarser_columns, remedy_words, too_many_sets
from idbits.studies.columns.records_file import RecordsTable, write_tables
from idbits.values.attributes import Attribute

__all__ = ["check_cluster_rows", "write_cluster_records"]

# Each set is counted over all rows of the cluster, a few at a time.
_MOST_SETS = 5_000


def check_cluster_rows(wish: RecordsWish, chosen: Chosen) -> None:
    """Refuse more sets of columns than a cluster can look for in bearable time."""
    n_columns = len(chosen.attributes)
    total = n_sets_up_to(n_columns, min(wish.max_size, n_columns))
    if total > _MOST_SETS:
        raise too_many_sets(total)


def write_cluster_records(
    table: SparkTable, chosen: Chosen, wish: RecordsWish, counting: ClusterCounting
) -> RecordsFile:
    """Find the minimal sample uniques of each record on the cluster, and write them as they come."""
    n_columns = len(chosen.attributes)
    max_size = min(wish.max_size, n_columns)
    coarser = coarser_columns(table, chosen.attributes, counting.table.sizes)
    rows = UniqueRows(table.counting, [*chosen.attributes, *coarser.values()])
    sets = _sets(n_columns, max_size)
    with counting.step(f"records: {len(sets):,} sets of columns"):
        firsts = rows.find(sets, lambda done: counting.advance(done / len(sets)))
    trials = _trials(sets, firsts, coarser, n_columns)
    if trials:
        with counting.step("what a coarser column would leave"):
            rows.try_coarser(trials, lambda done: counting.advance(done / len(trials)))
    records = _Records(table, chosen, (0, *sets), max_size, remedy_words(chosen, coarser), wish.reveal)
    with counting.step("writing records"):
        write_tables(records.tables(rows, counting), wish.path)
    found = [0] * (max_size + 1)
    for place, number in firsts.items():
        found[sets[place - 1].bit_count()] += number
    return RecordsFile(
        file=str(wish.path),
        rows=records.n_rows,
        with_uniques=sum(found),
        max_size=max_size,
        max_score=records.max_score,
        smallest=tuple(found[1:]),
    )


def _sets(n_columns: int, max_size: int) -> list[int]:
    """Return the masks of all sets, small ones first, and of the same size as numbers ascend."""
    masks = [
        sum(1 << column for column in columns)
        for size in range(1, max_size + 1)
        for columns in combinations(range(n_columns), size)
    ]
    return sorted(masks, key=lambda mask: (mask.bit_count(), mask))


def _trials(
    sets: list[int], places: Mapping[int, int], coarser: Mapping[int, Attribute], n_columns: int
) -> list[tuple[int, int, int]]:
    """Return what to try: in each set that is some row's smallest, one column coarser at a time."""
    coarse = {column: n_columns + place for place, column in enumerate(coarser)}
    return [
        (place, column, sets[place - 1] ^ 1 << column | 1 << coarse[column])
        for place in sorted(places)
        for column in columns_of(sets[place - 1])
        if column in coarse
    ]


@dataclass
class _Records:
    """Rows of the cluster as tables of the file."""

    table: SparkTable
    chosen: Chosen
    sets: tuple[int, ...]
    max_size: int
    words: list[str]
    reveal: bool
    n_rows: int = field(default=0, init=False)
    max_score: int = field(default=0, init=False)

    def tables(self, rows: UniqueRows, counting: ClusterCounting) -> Iterator[RecordsTable]:
        """Yield what is written about each row."""
        for batch in rows.in_order(counting.n_source_rows, values=self.reveal):
            made = self._table(batch)
            self.n_rows += len(batch)
            self.max_score = max(self.max_score, int(made.uniques.scores.max()))
            counting.advance(self.n_rows / counting.n_source_rows)
            yield made

    def _table(self, batch: list[Any]) -> RecordsTable:
        columns = {name: [row[name] or 0 for row in batch] for name in ("number", "people", "smallest")}
        counts = tuple(
            np.array([row[f"of_{size}"] or 0 for row in batch], np.uint32) for size in range(1, self.max_size + 1)
        )
        scores = np.zeros(len(batch), np.int64)
        for size, count in enumerate(counts, start=1):
            scores += count.astype(np.int64) * subset_score(size, len(self.chosen.attributes), self.max_size)
        left = np.array([row["left"] or 1 for row in batch], np.int64)
        best = np.array([-1 if row["column"] is None else row["column"] for row in batch], np.int16)
        counted = self.table.counting.options.count is not None
        return RecordsTable(
            numbers=np.array(columns["number"], np.int64),
            people=np.array(columns["people"], np.int64) if counted else None,
            uniques=SampleUniques(counts, self.sets, np.array(columns["smallest"], np.int32), scores),
            names=self.chosen.names,
            remedies=(self.words, np.where(left > 1, best, np.int16(-1)), left),
            values=np.array([self._values(row) for row in batch], object) if self.reveal else None,
        )

    def _values(self, row: Any) -> str | None:
        """Return the values of a row in its smallest minimal sample unique."""
        if row["smallest"] is None:
            return None
        shown = []
        for column in columns_of(self.sets[row["smallest"]]):
            text = self.table.shown(row, column, self.chosen.attributes[column])
            shown.append(f"{self.chosen.names[column]}={'(null)' if text is None else text}")
        return ", ".join(shown)
