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

__all__ = ["labelled_counts", "local_group_values", "occurring_values"]

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
    found = occurring_values(counted.cells, labels(request.sensitive))
    indices = counted.indices
    rows = None
    if request.with_rows and indices is not None and numbers is not None:
        rows = CellsOfRows(numbers, indices)
    codes = counted.group_codes() if request.by is not None or request.with_labels else ()
    categories = None
    if request.by is not None:
        categories = (codes[0].astype(np.int64), tuple(labels(request.by)))
    group_labels = None
    if request.with_labels:
        columns = [labels(attribute) for attribute in request.attributes[:-1]]

        def group_labels(group: int) -> tuple[Value, ...]:
            return tuple(column[int(code[group])] for column, code in zip(columns, codes, strict=True))

    return GroupValueCounts(found.cells, found.labels, categories, rows, group_labels)


class OccurringValues(NamedTuple):
    """Cells without values that nobody has, and the labels of the others."""

    cells: GroupCells
    labels: tuple[Value, ...]


def occurring_values(cells: GroupCells, labels: Sequence[Value]) -> OccurringValues:
    """Leave out the values that nobody has, and number the others again in the same order.

    >>> cells = GroupCells(np.array([0, 1, 3]), np.array([1, 1, 5]), np.array([0, 2]), 4)
    >>> found = occurring_values(cells, ["b", None, "a", "c"])
    >>> found.cells.values.tolist(), found.labels
    ([0, 1, 2], ('b', None, 'c'))
    """
    held = cells.value_people > 0
    if held.all():
        return OccurringValues(cells, tuple(labels))
    kept = tuple(label for label, occurs in zip(labels, held.tolist(), strict=True) if occurs)
    numbers = np.maximum(np.cumsum(held) - 1, 0)
    return OccurringValues(GroupCells(numbers[cells.values], cells.counts, cells.starts, len(kept)), kept)
