"""Counts people who have several rows in combinations of columns, in threads of this machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows
from idbits.engines.backends.persons import PersonRequest, Persons, require_people
from idbits.engines.backends.subsets import StoreFound, StoreSpectra
from idbits.engines.person_codes import null_code, with_people
from idbits.kernels.person_partition import (
    AllRecords,
    DrawnRecord,
    Knowledge,
    OneRecord,
    PersonColumns,
    PersonPartition,
)
from idbits.kernels.person_subsets import (
    count_all_but_one,
    count_beginnings,
    count_related_people,
    count_subsets_with,
    first_columns,
)
from idbits.kernels.persons import people_by
from idbits.kernels.subsets import put_together
from idbits.kernels.threads import run_in_threads
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["PERSON_SUBSET_BYTES", "LocalPersonSubsets", "refuse_records"]

# Rows, people and values of each level of splitting, and the keys that are sorted, for each row that a thread splits.
PERSON_SUBSET_BYTES = 160
_MEMORY_BYTES = 2_000_000_000


class LocalPersonSubsets:
    """Counts people in combinations of the columns of coded rows."""

    are_slow = False

    def __init__(
        self,
        table: Table,
        persons: Persons,
        attributes: Sequence[Attribute],
        request: PersonRequest,
        options: OpenOptions,
    ) -> None:
        require_people(options.count is not None)
        person = Attribute(persons.column, table.columns[persons.column])
        rows = _each_row(table.coded_rows([*attributes, person]))
        named = with_people(rows, null_code(table, person), null_is_own=persons.null_is_own)
        # Equal rows of a person say the same, unless one of them is drawn.
        self._people = PersonColumns.of(named.codes, named.sizes, merged=not request.records)
        self.sizes = tuple(map(_n_occurring, rows.codes[:-1]))
        self.n_people, self.n_rows = self._people.n_people, int(self._people.rows_of_person.sum())
        self._whole = PersonPartition.whole(self._people, _knowledge(request, self.n_people))
        memory = options.memory // 2 if options.memory is not None else _MEMORY_BYTES
        room = memory // max(1, PERSON_SUBSET_BYTES * self._people.columns.n_rows)
        self._threads = max(1, min(options.threads or os.cpu_count() or 1, room))

    @property
    def people_by_rows(self) -> tuple[tuple[int, int], ...]:
        return people_by(self._people.rows_of_person)

    def count_every_set(self, store: StoreSpectra) -> None:
        """Count all combinations; columns with many values come first, since they settle most rows."""
        order = sorted(range(len(self.sizes)), key=lambda column: -self.sizes[column])
        beginnings, free = first_columns(order)
        run_in_threads(
            lambda first: count_subsets_with(self._whole, first, free),
            beginnings,
            lambda _, counted: store(counted),
            self._threads,
        )

    def count_beginnings(self, orders: Sequence[Sequence[int]], store: StoreSpectra) -> None:
        run_in_threads(
            lambda order: count_beginnings(self._whole, order), orders, lambda _, counted: store(counted), self._threads
        )

    def count_single_columns(self, store: StoreSpectra) -> None:
        for column in range(len(self.sizes)):
            store({1 << column: self._whole.refined_counts(column)})

    def count_all_but_one(self, order: Sequence[int], store: StoreSpectra) -> None:
        for mask, counts in count_all_but_one(self._whole, order):
            store({mask: counts})

    def count_sets(
        self,
        masks: Sequence[int],
        order: Sequence[int],
        only_unique: Collection[int],  # noqa: ARG002 (two people who share a value may still be unique by others)
        store: StoreFound,
    ) -> None:
        """Count combinations of two or more columns; those that share columns are counted together."""
        run_in_threads(
            lambda related: count_related_people(self._whole, related),
            put_together(masks, order),
            lambda _, counted: store(counted),
            self._threads,
        )

    def are_alike(self, mask: int) -> bool:  # noqa: ARG002
        """Return False: two people who share a value may still be unique by others."""
        return False

    def record_uniques(self, max_size: int) -> NoReturn:  # noqa: ARG002
        refuse_records()


def refuse_records() -> NoReturn:
    """Raise an error: a row that is unique does not say whether its person is."""
    raise AssertionError("the minimal sample uniques of rows need one row per person")


def _each_row(rows: CodedRows) -> CodedRows:
    """Return rows of which some engines send equal ones once, with their number, as often as they occur.

    >>> [codes.tolist() for codes in _each_row(CodedRows((np.array([5, 6], np.uint32),), (8,), np.array([2, 1]))).codes]
    [[5, 5, 6]]
    """
    if rows.people is None:
        return rows
    return CodedRows(tuple(np.repeat(codes, rows.people) for codes in rows.codes), rows.sizes)


def _n_occurring(codes: NDArray[np.uint32]) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _knowledge(request: PersonRequest, n_people: int) -> Knowledge:
    if request.sets:
        return AllRecords()
    return DrawnRecord(Counter()) if request.records else OneRecord(np.zeros(n_people, np.bool_))
