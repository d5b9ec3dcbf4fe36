"""Coded columns prepared for counting: only codes that occur, in as few bytes as possible, without empty rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows
from idbits.kernels.sorting import sort_keys

__all__ = ["CodedColumns", "collapsed", "is_worth_collapsing", "packed_keys", "ready"]

Codes = NDArray[np.unsignedinteger]
Integers = NDArray[np.int64]

_WORTH = 4
_KEY_BITS = 64
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumns:
    """Columns as codes from 0 to their size - 1, all of which occur.

    Attributes:
        codes: one array per column.
        sizes: the number of codes of each.
        people: the number of people per row (at least one), or None if each row is one person.
        n_people: the number of people.
    """

    codes: tuple[Codes, ...]
    sizes: tuple[int, ...]
    people: Integers | None
    n_people: int

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes[0])

    def bits(self, column: int) -> int:
        """The number of bits that a column's codes need."""
        return (self.sizes[column] - 1).bit_length()


def ready(rows: CodedRows) -> CodedColumns:
    """Return rows prepared for counting, without rows of 0 people.

    >>> rows = CodedRows((np.array([7, 3, 7], np.uint32),), (9,), np.array([1, 0, 2]))
    >>> columns = ready(rows)
    >>> columns.codes[0].tolist(), columns.sizes, columns.people.tolist()
    ([0, 0], (1,), [1, 2])
    """
    people, kept = rows.people, None
    if people is not None and len(people) and people.min() == 0:
        kept = people > 0
        people = people[kept]
    codes, sizes = [], []
    for column, size in zip(rows.codes, rows.sizes, strict=True):
        compact, occurring = _compact(column if kept is None else column[kept], size)
        codes.append(compact)
        sizes.append(occurring)
    n_people = len(codes[0]) if people is None else int(people.sum())
    return CodedColumns(tuple(codes), tuple(sizes), people, n_people)


def _compact(codes: Codes, size: int) -> tuple[Codes, int]:
    occurs = np.zeros(size, bool)
    occurs[codes] = True
    occurring = int(occurs.sum())
    dtype = np.min_scalar_type(max(0, occurring - 1))
    if occurring == size:
        return codes.astype(dtype), occurring
    new_codes = (np.cumsum(occurs) - 1).astype(dtype)
    return new_codes[codes], occurring


def packed_keys(columns: CodedColumns, order: tuple[int, ...] | list[int]) -> tuple[Codes, list[int]]:
    """Return the codes of each row packed in one integer, the first column highest, and their bits.

    >>> table = CodedColumns((np.array([1, 0]), np.array([2, 1])), (2, 3), None, 2)
    >>> packed_keys(table, [0, 1])
    (array([6, 1], dtype=uint32), [1, 2])
    """
    bits = [columns.bits(column) for column in order]
    dtype: type[np.unsignedinteger] = np.uint32 if sum(bits) <= 32 else np.uint64
    keys: Codes = np.empty(columns.n_rows, dtype)
    # In blocks that stay in the cache while we add one column after another.
    for start in range(0, len(keys), _BLOCK):
        part = slice(start, start + _BLOCK)
        block = keys[part]
        block[:] = columns.codes[order[0]][part]
        for column, width in zip(order[1:], bits[1:], strict=True):
            block <<= dtype(width)
            block |= columns.codes[column][part].astype(dtype, copy=False)
    return keys, bits


def is_worth_collapsing(n_distinct: int, sizes: Sequence[int], n_rows: int) -> bool:
    """Return whether counting the distinct rows is faster than counting all rows."""
    return sum((size - 1).bit_length() for size in sizes) <= _KEY_BITS and _WORTH * n_distinct <= n_rows


def collapsed(columns: CodedColumns) -> CodedColumns:
    """Return distinct rows with their people if there are far fewer of them, otherwise the columns unchanged.

    >>> table = CodedColumns((np.array([1, 0, 1, 1, 1]),), (2,), None, 5)
    >>> collapsed(table).people is None
    True
    """
    order = list(range(len(columns.codes)))
    if columns.people is not None or sum(map(columns.bits, order)) > _KEY_BITS or not columns.n_rows:
        return columns
    keys, bits = packed_keys(columns, order)
    sort_keys(keys)
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    if not is_worth_collapsing(len(starts), columns.sizes, len(keys)):
        return columns
    people = np.diff(starts, append=len(keys)).astype(np.int64)
    distinct = keys[starts].astype(np.uint64)
    codes, shift = [], 0
    for column, width in zip(reversed(order), reversed(bits), strict=True):
        part = (distinct >> np.uint64(shift)) & np.uint64((1 << width) - 1)
        codes.append(part.astype(columns.codes[column].dtype))
        shift += width
    return CodedColumns(tuple(reversed(codes)), columns.sizes, people, columns.n_people)
