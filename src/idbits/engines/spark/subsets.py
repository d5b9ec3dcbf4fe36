"""Counting sets of columns on the cluster, and the records that they single out, from distinct rows that stay there.

Records are singled out by minimal sample uniques: the smallest combinations of columns that nobody else shares
with a row. Results stay on the cluster with the row's number; rows are joined with them once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum, Value
from idbits.engines.backends.subsets import RecordBatch, StoreFound, StoreSpectra, too_many_sets
from idbits.engines.local_subsets import LocalSubsetCounts
from idbits.engines.spark.counting import numbered, numbered_batches
from idbits.engines.spark.distinct import DistinctFrame, shown_value, values_of
from idbits.engines.spark.set_copies import batches, by_sets, number_at
from idbits.kernels.coded import is_worth_collapsing
from idbits.kernels.sample_uniques import SampleUniques, n_sets_up_to
from idbits.kernels.subsets import Chain, columns_of
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["FetchedSubsetCounts", "SparkRecordUniques", "SparkSubsetCounts"]

Item = TypeVar("Item")
# Each combination is counted over all rows of the cluster, a few at a time.
_MOST_SETS = 5_000
_TRIALS_AT_ONCE = 1_024
_HALF = (1 << 63) - 1
_SETS = "array<struct<index:int,size:int,low:bigint,high:bigint>>"


class FetchedSubsetCounts(LocalSubsetCounts):
    """Counts combinations of columns of rows that were fetched."""

    def __init__(self, table: Table, attributes: Sequence[Attribute], options: OpenOptions, n_held_rows: int) -> None:
        super().__init__(table, attributes, options)
        # The cluster may have merged equal rows that one machine would not merge.
        self.n_rows = _rows_per_count(self.n_rows, self.sizes, n_held_rows, is_counted=options.count is not None)


class SparkSubsetCounts:
    """Counts combinations of columns, several at once over all distinct rows."""

    def __init__(self, rows: DistinctFrame, n_held_rows: int) -> None:
        self._rows = rows
        self._n_held_rows = n_held_rows

    @cached_property
    def _single(self) -> dict[int, Spectrum]:
        """Each column by itself, counted once, which gives its number of values."""
        return dict(self._rows.spectra([1 << column for column in range(self._rows.n_columns)]))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self._single[1 << column].n_sets for column in range(self._rows.n_columns))

    @property
    def n_people(self) -> int:
        return self._rows.n_people

    @property
    def n_rows(self) -> int:
        """The rows that one machine would process per combination."""
        is_counted = self._rows.counting.options.count is not None
        return _rows_per_count(self._rows.n_rows, self.sizes, self._n_held_rows, is_counted=is_counted)

    def count_every_set(self, store: StoreSpectra) -> None:
        """Count all combinations except the empty one; small ones are the fastest and come first."""
        self._count(sorted(range(1, 1 << self._rows.n_columns), key=lambda mask: (mask.bit_count(), mask)), store)

    def count_single_columns(self, store: StoreSpectra) -> None:
        store(self._single)

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        everything = (1 << len(order)) - 1
        masks = [everything ^ 1 << column for column in sorted(order)]
        self._count([*filter(None, masks), everything], store)

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        self._count([mask for order in orders for mask in Chain(tuple(order), 1).masks()], store)

    def count_sets(
        self,
        masks: Sequence[int],
        order: Sequence[int],  # noqa: ARG002 (the cluster splits by all columns of a set at once)
        only_unique: Collection[int],  # noqa: ARG002
        store: StoreFound,
    ) -> None:
        """Count combinations of columns."""
        self._count(masks, store)

    def are_alike(self, mask: int) -> bool:  # noqa: ARG002
        """Return False: the cluster does not return rows to this machine."""
        return False

    def record_uniques(self, max_size: int) -> SparkRecordUniques:
        return SparkRecordUniques(self._rows, max_size, self._n_held_rows)

    def _count(self, masks: Sequence[int], store: StoreSpectra) -> None:
        if known := {mask: self._single[mask] for mask in masks if mask in self._single}:
            store(known)
        for spectra in self._rows.spectra_in_batches([mask for mask in masks if mask not in self._single]):
            store(spectra)


def _rows_per_count(n_distinct: int, sizes: Sequence[int], n_held_rows: int, *, is_counted: bool) -> int:
    """Return the rows that one machine processes per combination: it merges equal rows if that pays off."""
    together = not is_counted and is_worth_collapsing(n_distinct, sizes, n_held_rows)
    return n_distinct if together else n_held_rows


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial for rows whose smallest combination has this index: one of its columns is coarsened."""

    index: int
    column: int
    mask: int


class SparkRecordUniques:
    """Finds, on the cluster, the combinations of columns that make each numbered row unique."""

    def __init__(self, source: DistinctFrame, max_size: int, n_rows: int) -> None:
        n_sets = n_sets_up_to(source.n_columns, max_size)
        if n_sets > _MOST_SETS:
            raise too_many_sets(n_sets)
        self._source, self._counting, self._attributes = source, source.counting, source.attributes
        self._max_size = max_size
        self.n_rows = n_rows
        self._coarser: Mapping[int, Attribute] = {}
        # A combination is identified by its index; the first is empty and belongs to no row.
        self._sets = (0, *_sets_up_to(source.n_columns, max_size))
        self._smallest: list[int] = []
        # Number, people, and the values g0, ... (o0, ...) of attributes and their coarser views.
        self._rows: DataFrame
        self._distinct: DataFrame
        self._uniques: DataFrame
        self._best: DataFrame | None = None

    def find(self, coarser: Mapping[int, Attribute], advance: Callable[[float], None]) -> None:
        """Search combinations of columns, small ones first; coarser views may be tried afterwards."""
        self._coarser = coarser
        self._number_rows()
        index_of = {mask: index for index, mask in enumerate(self._sets)}
        alone = self._materialised(
            list(batches(self._sets[1:], self.n_rows)),
            lambda masks: self._alone(masks, index_of),
            lambda masks: advance(index_of[masks[-1]] / (len(self._sets) - 1)),
            "counting unique people",
        )
        sizes = range(1, self._max_size + 1)
        minimal = alone.groupBy("number").agg(_minimal(F.array_sort(F.collect_list("set"))).alias("sets"))
        self._uniques = self._counting.keep(
            minimal.select("number", F.col("sets")[0]["index"].alias("smallest"), *(_of_size(size) for size in sizes))
        )
        rows = self._counting.session.rows(self._uniques.select("smallest").distinct(), "counting unique people")
        self._smallest = sorted(int(row["smallest"]) for row in rows)

    def _number_rows(self) -> None:
        counting, attributes = self._counting, self._with_views()
        rows = numbered(counting, attributes)
        people = F.lit(1).cast("bigint") if counting.options.count is None else F.col("weight")
        shown = [F.col(name) for name in counting.keys(attributes)]
        self._rows = counting.keep(rows.select("number", people.alias("people"), *shown))
        values = [value.alias(f"v{index}") for index, value in enumerate(values_of(self._rows, len(attributes)))]
        # A unique row has the only number of its group.
        self._distinct = counting.keep(
            self._rows.groupBy(*values).agg(F.sum("people").alias("people"), F.min("number").alias("number"))
        )

    def _with_views(self) -> list[Attribute]:
        return [*self._attributes, *self._coarser.values()]

    def _materialised(
        self,
        items: Sequence[Item],
        make: Callable[[Item], DataFrame],
        done: Callable[[Item], None],
        label: str,
    ) -> DataFrame:
        """Return the union of one frame per item, computed one after the other."""
        made = []
        for item in items:
            kept = self._counting.keep(make(item))
            self._counting.session.only_row(kept.agg(F.count(F.lit(1))), label)
            made.append(kept)
            done(item)
        return _union(made)

    def _alone(self, masks: Sequence[int], index_of: Mapping[int, int]) -> DataFrame:
        """Return the rows that are unique in each of some combinations (number, set)."""
        people, number = F.sum("people").alias("people"), F.min("number").alias("number")
        grouped, by_id = by_sets(self._distinct, masks, people, number)
        sets, found = list(by_id.values()), F.col("id")
        meaning = F.struct(
            number_at(found, [index_of[mask] for mask in sets]).cast("int").alias("index"),
            number_at(found, [mask.bit_count() for mask in sets]).cast("int").alias("size"),
            number_at(found, [mask & _HALF for mask in sets]).alias("low"),
            number_at(found, [mask >> 63 for mask in sets]).alias("high"),
        )
        return grouped.where(F.col("people") == 1).select("number", meaning.alias("set"))

    def try_coarser(self, advance: Callable[[float], None]) -> None:
        """Find the column that, coarsened by itself, puts a row in the largest group."""
        trials = self._trials()
        if not trials:
            return
        marked = self._counting.keep(self._distinct.join(self._uniques.select("number", "smallest"), "number", "left"))
        left = self._materialised(
            [trials[begin : begin + _TRIALS_AT_ONCE] for begin in range(0, len(trials), _TRIALS_AT_ONCE)],
            lambda some: _people_left(marked, some),
            lambda some: advance((trials.index(some[-1]) + 1) / len(trials)),
            "trying coarser columns",
        )
        # On ties, the first column.
        best = F.max(F.struct("left", (-F.col("column")).alias("before"))).alias("best")
        self._best = (
            left.groupBy("number")
            .agg(best)
            .select("number", F.col("best.left").alias("left"), (-F.col("best.before")).alias("column"))
        )

    def _trials(self) -> list[Trial]:
        view_of = {column: len(self._attributes) + number for number, column in enumerate(self._coarser)}
        return [
            Trial(index, column, self._sets[index] ^ 1 << column | 1 << view_of[column])
            for index in self._smallest
            for column in columns_of(self._sets[index])
            if column in view_of
        ]

    def in_order(self, *, values: bool) -> Iterator[RecordBatch]:
        shown = self._counting.with_times_as_text(self._rows, self._with_views())
        rows = (shown if values else self._rows.select("number", "people")).join(self._uniques, "number", "left")
        if self._best is None:
            rows = rows.withColumns({"left": F.lit(None), "column": F.lit(None)})
        else:
            rows = rows.join(self._best, "number", "left")
        for batch in numbered_batches(self._counting, rows, self.n_rows):
            yield self._batch(batch, values=values)

    def _batch(self, rows: Sequence[Row], *, values: bool) -> RecordBatch:
        counts = [
            np.array([row[f"of_{size}"] or 0 for row in rows], np.uint32) for size in range(1, self._max_size + 1)
        ]
        smallest = np.array([row["smallest"] or 0 for row in rows], np.int32)
        left = np.array([row["left"] or 1 for row in rows], np.int64)
        best = np.array([-1 if row["column"] is None else row["column"] for row in rows], np.int16)
        is_counted = self._counting.options.count is not None
        return RecordBatch(
            numbers=np.array([row["number"] for row in rows], np.int64),
            people=np.array([row["people"] for row in rows], np.int64) if is_counted else None,
            uniques=SampleUniques.scored(counts, self._sets, smallest, len(self._attributes)),
            coarser=np.where(left > 1, best, np.int16(-1)),
            left=left,
            values=[self._values(row) for row in rows] if values else None,
        )

    def _values(self, row: Row) -> tuple[Value, ...]:
        """Return the values of a row in its smallest minimal sample unique."""
        columns = columns_of(self._sets[row["smallest"] or 0])
        return tuple(shown_value(row, column, self._attributes[column]) for column in columns)


def _sets_up_to(n_columns: int, max_size: int) -> list[int]:
    """Return the masks of all combinations, small ones first, then in ascending order.

    >>> _sets_up_to(3, 2)
    [1, 2, 4, 3, 5, 6]
    """
    masks = [
        sum(1 << column for column in columns)
        for size in range(1, max_size + 1)
        for columns in combinations(range(n_columns), size)
    ]
    return sorted(masks, key=lambda mask: (mask.bit_count(), mask))


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda first, second: first.union(second), frames)


def _minimal(sets: Column) -> Column:
    """Drop combinations that contain another one; small ones come first."""

    def with_next(kept: Column, candidate: Column) -> Column:
        def is_part(other: Column) -> Column:
            low = other["low"].bitwiseAND(candidate["low"]) == other["low"]
            return low & (other["high"].bitwiseAND(candidate["high"]) == other["high"])

        return F.when(F.exists(kept, is_part), kept).otherwise(F.concat(kept, F.array(candidate)))

    return F.aggregate(sets, F.array().cast(_SETS), with_next)


def _of_size(size: int) -> Column:
    return F.size(F.filter("sets", lambda candidate: candidate["size"] == size)).alias(f"of_{size}")


def _people_left(marked: DataFrame, trials: Sequence[Trial]) -> DataFrame:
    """Return how many people share the values of a trial's combination with each row that it applies to."""
    columns = range(max(trial.mask for trial in trials).bit_length())
    number = F.explode(F.sequence(F.lit(0), F.lit(len(trials) - 1))).alias("trial")
    copies = marked.select("*", number)
    keys = []
    for column in columns:
        concerned = [number for number, trial in enumerate(trials) if trial.mask >> column & 1]
        keys.append(F.when(F.col("trial").isin(concerned), F.col(f"v{column}")).alias(f"k{column}"))
    index = number_at(F.col("trial"), [trial.index for trial in trials])
    about = F.when(F.col("smallest") == index, F.col("number"))
    grouped = (
        copies.select("trial", "people", about.alias("about"), *keys)
        .groupBy("trial", *(f"k{column}" for column in columns))
        # The rows of a group differ in the coarsened column, so there are at most as many as it has values.
        .agg(F.sum("people").alias("left"), F.collect_list("about").alias("numbers"))
    )
    changed = number_at(F.col("trial"), [trial.column for trial in trials])
    helpful = grouped.where((F.col("left") > 1) & (F.size("numbers") > 0))
    return helpful.select(F.explode("numbers").alias("number"), changed.cast("int").alias("column"), "left")
