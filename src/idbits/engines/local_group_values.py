"""Counts people by group and value from coded rows, for every engine that provides them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from idbits.counts import CodedRows, Integers, Value
from idbits.engines.backends.group_values import CellsOfRows, GroupValueCounts, GroupValueRequest
from idbits.errors import InputError
from idbits.kernels.group_values import CountedRows, GroupCells, counted_rows
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["labelled_counts", "local_group_values", "sorted_values"]

Labels = Callable[[Attribute], Sequence[Value]]


def local_group_values(table: Table, request: GroupValueRequest, options: OpenOptions) -> GroupValueCounts:
    """Count the rows of a table on this machine."""
    rows = table.coded_rows(request.attributes)
    if request.with_rows and rows.numbers is None:
        raise InputError("records cannot be written: this source gives distinct rows with their counts, not rows")
    if request.with_rows and rows.people is not None and not rows.people.all():
        held = np.flatnonzero(rows.people)
        numbers = rows.numbers[held] if rows.numbers is not None else None
        rows = CodedRows(tuple(codes[held] for codes in rows.codes), rows.sizes, rows.people[held], numbers)
    counted = counted_rows(rows, with_indices=request.with_rows, threads=options.threads or os.cpu_count() or 1)
    return labelled_counts(counted, request, table.labels, rows.numbers)


def labelled_counts(
    counted: CountedRows, request: GroupValueRequest, labels: Labels, numbers: Integers | None = None
) -> GroupValueCounts:
    """Return counts with the labels of values, categories and groups, from codes."""
    ordered = sorted_values(counted.cells, labels(request.sensitive))
    indices = counted.indices
    rows = None
    if request.with_rows and indices is not None and numbers is not None:
        rows = CellsOfRows(numbers, _moved(counted.cells, ordered)[indices])
    codes = counted.group_codes() if request.by is not None or request.with_labels else ()
    categories = None
    if request.by is not None:
        categories = (codes[0].astype(np.int64), tuple(labels(request.by)))
    group_labels = None
    if request.with_labels:
        columns = [labels(attribute) for attribute in request.attributes[:-1]]

        def group_labels(group: int) -> tuple[Value, ...]:
            return tuple(column[int(code[group])] for column, code in zip(columns, codes, strict=True))

    return GroupValueCounts(ordered.cells, ordered.labels, categories, rows, group_labels)


class OrderedValues(NamedTuple):
    """Cells whose values are numbered in the order of their labels, and the number of each former code."""

    cells: GroupCells
    labels: tuple[Value, ...]
    numbers: Integers


def sorted_values(cells: GroupCells, labels: Sequence[Value]) -> OrderedValues:
    """Number values in the order of their labels, null last, without those that nobody has.

    >>> cells = GroupCells(np.array([0, 1, 2]), np.array([1, 1, 5]), np.array([0, 2]), 4)
    >>> ordered = sorted_values(cells, ["b", None, "a", "c"])
    >>> ordered.cells.values.tolist(), ordered.cells.counts.tolist(), ordered.labels
    ([1, 2, 0], [1, 1, 5], ('a', 'b', None))
    """
    people = cells.value_people.tolist()
    kept = [code for code, number in enumerate(people) if number]
    kept.sort(key=lambda code: (labels[code] is None, labels[code] or ""))
    numbers = np.zeros(cells.n_values, np.int64)
    numbers[kept] = np.arange(len(kept))
    renumbered = cells if kept == list(range(cells.n_values)) else cells.regrouped(numbers, len(kept)).cells
    return OrderedValues(renumbered, tuple(labels[code] for code in kept), numbers)


def _moved(before: GroupCells, ordered: OrderedValues) -> Integers:
    """Return the new index of each cell: groups keep their order, and values are sorted within them."""
    after, n_values = ordered.cells, len(ordered.labels)
    keys = after.groups * n_values + after.values
    return np.searchsorted(keys, before.groups * n_values + ordered.numbers[before.values])
