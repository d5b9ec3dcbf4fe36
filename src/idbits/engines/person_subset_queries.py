"""Counts people who have several rows in combinations of columns, one count per combination, where the rows are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from idbits.counts import DrawnRecords, PeopleBySize, PeopleCounts
from idbits.engines.backends.persons import PersonCounts, PersonRequest, Persons, require_people
from idbits.engines.backends.subsets import StoreFound, StoreSpectra
from idbits.engines.local_person_subsets import refuse_records
from idbits.kernels.subsets import Chain, columns_of
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["PersonSubsetQueries"]


class PersonSubsetQueries:
    """Asks a table for the people of each combination of columns; only counts are returned."""

    def __init__(
        self,
        table: Table,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> None:
        require_people(options.count is not None)
        self._table, self._persons, self._attributes = table, persons, tuple(attributes)
        self._request, self._options = request, options
        self._single: dict[int, PersonCounts] = {}
        self.are_slow = not table.trials_are_cheap

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self._table.spectrum((attribute,)).n_sets for attribute in self._attributes)

    @property
    def n_people(self) -> int:
        return self._first.n_people

    @property
    def n_rows(self) -> int:
        return self._first.n_rows

    @property
    def people_by_rows(self) -> tuple[tuple[int, int], ...]:
        return self._first.rows

    @property
    def _first(self) -> PersonCounts:
        """The first column, counted once: every combination has the same people."""
        ((_, counts),) = self._counted([1])
        return counts

    def count_every_set(self, store: StoreSpectra) -> None:
        """Count all combinations, small ones first."""
        everything = range(1, 1 << len(self._attributes))
        self._count(sorted(everything, key=lambda mask: (mask.bit_count(), mask)), store)

    def count_single_columns(self, store: StoreSpectra) -> None:
        self._count([1 << column for column in range(len(self._attributes))], store)

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        everything = (1 << len(order)) - 1
        others = [everything ^ 1 << column for column in sorted(order)]
        self._count([everything, *filter(None, others)], store)

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        self._count([mask for order in orders for mask in Chain(tuple(order), 1).masks()], store)

    def count_sets(
        self,
        masks: Sequence[int],
        order: Sequence[int],  # noqa: ARG002 (each combination is counted by itself)
        only_unique: Collection[int],  # noqa: ARG002
        store: StoreFound,
    ) -> None:
        """Count combinations of columns."""
        self._count(masks, store)

    def are_alike(self, mask: int) -> bool:  # noqa: ARG002
        """Return False: two people who share a value may still be unique by others."""
        return False

    def record_uniques(self, max_size: int) -> NoReturn:  # noqa: ARG002
        refuse_records()

    def _count(self, masks: Sequence[int], store: StoreSpectra) -> None:
        for mask, counts in self._counted(masks):
            store({mask: self._people(counts)})

    def _people(self, counts: PersonCounts) -> PeopleCounts:
        if self._request.sets:
            assert counts.sets is not None
            return counts.sets
        if self._request.records:
            return DrawnRecords.of_pairs(counts.records, counts.n_people)
        return PeopleBySize.of(counts.smallest, counts.n_people)

    def _counted(self, masks: Sequence[int]) -> Iterator[tuple[int, PersonCounts]]:
        """Yield the people of each combination, counted by itself; those of single columns are remembered."""
        for mask in dict.fromkeys(masks):
            counts = self._single[mask] if mask in self._single else self._person_counts(mask)
            if mask.bit_count() == 1:
                self._single[mask] = counts
            yield mask, counts

    def _person_counts(self, mask: int) -> PersonCounts:
        attributes = [self._attributes[column] for column in columns_of(mask)]
        return self._table.person_counts(self._persons, attributes, self._request, self._options)
