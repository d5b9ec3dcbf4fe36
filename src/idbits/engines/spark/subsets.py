"""Counts combinations of columns on the cluster, from distinct rows that stay there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

from idbits.counts import Spectrum
from idbits.engines.backends.subsets import StoreSpectra
from idbits.engines.spark.distinct import DistinctFrame
from idbits.engines.spark.sample_uniques import SparkRecordUniques
from idbits.kernels.coded import is_worth_collapsing
from idbits.kernels.subsets import Chain

__all__ = ["SparkSubsetCounts"]


class SparkSubsetCounts:
    """Counts combinations of columns, several at once over all distinct rows."""

    def __init__(self, rows: DistinctFrame) -> None:
        self._rows = rows

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
        """The rows that one machine would process per combination: it merges equal rows if that pays off."""
        rows, n_source_rows = self._rows, self._rows.n_source_rows
        is_counted = rows.counting.options.count is not None
        together = not is_counted and is_worth_collapsing(rows.n_rows, self.sizes, n_source_rows)
        return rows.n_rows if together else n_source_rows

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
        store: Callable[[Mapping[int, Spectrum | None]], None],
    ) -> None:
        """Count combinations of columns."""
        self._count(masks, store)

    def are_alike(self, mask: int) -> bool:  # noqa: ARG002
        """Return False: the cluster does not return rows to this machine."""
        return False

    def record_uniques(self, max_size: int) -> SparkRecordUniques:
        return SparkRecordUniques(self._rows, max_size)

    def _count(self, masks: Sequence[int], store: StoreSpectra) -> None:
        if known := {mask: self._single[mask] for mask in masks if mask in self._single}:
            store(known)
        for spectra in self._rows.spectra_in_batches([mask for mask in masks if mask not in self._single]):
            store(spectra)
