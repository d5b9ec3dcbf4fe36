"""Reads the distinct rows whose information gain is computed on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import CodedRows, Integers, Value
from idbits.engines.backends.gains import PeopleRows
from idbits.engines.backends.persons import Persons
from idbits.engines.local_gains import LocalGainRows
from idbits.errors import EngineError, InputError
from idbits.kernels.distinct import distinct_rows
from idbits.kernels.row_people import RowPeople
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["gain_bytes", "local_gain_rows"]


def local_gain_rows(
    table: Table,
    attributes: Sequence[Attribute],
    options: OpenOptions,
    *,
    with_cells: bool = False,
    persons: Persons | None = None,
) -> LocalGainRows:
    """Return the distinct rows of a table on this machine, wherever the table is."""
    if persons is not None:
        return _rows_of_people(table.people_rows(persons, attributes), options, with_cells=with_cells)
    coded = table.coded_rows(attributes)
    _check_memory(coded, options.memory, with_cells=with_cells)

    def labels(column: int) -> list[Value]:
        return table.labels(attributes[column])

    if not with_cells:
        rows = distinct_rows(coded, threads=options.threads or os.cpu_count() or 1)
        return LocalGainRows(rows, labels, options.threads)
    numbers = _numbers(coded)
    if coded.people is not None and not coded.people.all():
        held = np.flatnonzero(coded.people)
        numbers = numbers[held]
        coded = CodedRows(tuple(column[held] for column in coded.codes), coded.sizes, coded.people[held])
    return LocalGainRows(distinct_rows(coded, with_indices=True), labels, options.threads, numbers)


def _rows_of_people(people: PeopleRows, options: OpenOptions, *, with_cells: bool) -> LocalGainRows:
    """Return the distinct rows of people; if everyone has one row, as if nobody had been named."""
    coded = people.rows
    _check_memory(coded, options.memory, with_cells=with_cells, with_people=True)
    numbers = _numbers(coded) if with_cells else None
    distinct = distinct_rows(coded, with_indices=True)
    assert distinct.indices is not None
    pairs = RowPeople.of(people.persons, distinct.indices.astype(np.int64), coded.people, distinct.n_rows)
    several = pairs.n_people < distinct.n_people
    return LocalGainRows(distinct, people.labels, options.threads, numbers, pairs if several else None)


def _numbers(coded: CodedRows) -> Integers:
    if coded.numbers is None:
        raise InputError("cells cannot be written: this source gives distinct rows with their counts, not single rows")
    return coded.numbers


def gain_bytes(columns: int, *, with_cells: bool, with_people: bool = False) -> int:
    """Return the memory that a row, its keys and its gains take."""
    return 4 * columns + 64 + (12 * columns if with_cells else 0) + (48 if with_people else 0)


def _check_memory(coded: CodedRows, memory: int | None, *, with_cells: bool, with_people: bool = False) -> None:
    """Raise an error early if the rows, their keys and their gains need more memory than allowed."""
    needed = coded.n_rows * gain_bytes(len(coded.codes), with_cells=with_cells, with_people=with_people)
    if memory is not None and needed > memory:
        raise EngineError(
            f"computing the information gain of these rows takes {needed // 10**6:,} MB; allow at least "
            f"{needed // 10**6 + 1:,}MB with --memory, or look at fewer columns"
        )
