"""Distinct rows: each combination of codes once, with the people who have it.

Information gain is the same for equal rows, so we compute it on distinct rows and expand it only on demand.

Implements: DESIGN section 5 (CIG).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Integers
from idbits.kernels.ordering import CodedColumn, bits_of, lexical_order, pack
from idbits.kernels.packed import Layout
from idbits.kernels.run_lengths import run_borders
from idbits.kernels.sorting import sort_keys

__all__ = [
    "Codes", "DistinctRows", "distinct_keys", "distinct_rows", "people_by_code", "repeated_keys", "rows_of_keys",
]  # fmt: skip

_BLOCK = 1 << 16
_SEARCHED = 1 << 20

Codes = NDArray[np.uint32]
Keys = NDArray[np.uint64]
AnyKey = TypeVar("AnyKey", bound=np.unsignedinteger)


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Rows that all differ.

    Attributes:
        sizes: the number of codes of each column.
        n_rows: the number of distinct rows.
        n_people: all people.
        value_people: for each column, the people who have each code.
        people: the people who have each row, or None if each row is one person.
        keys: the rows packed in 32 or 64 bits, ascending, the first column highest; None if they do not fit.
        indices: for each row of the source, the index of its distinct row; None unless requested.
    """

    sizes: tuple[int, ...]
    n_rows: int
    n_people: int
    value_people: tuple[Integers, ...]
    people: Integers | None
    keys: Keys | None
    indices: Codes | None = None
    wide: tuple[Codes, ...] | None = None

    @cached_property
    def codes(self) -> tuple[Codes, ...]:
        """The rows as one array of codes per column."""
        if self.wide is not None:
            return self.wide
        assert self.keys is not None
        return _unpacked(self.keys, Layout(self.sizes))

    def blocks(self, order: Codes | None = None) -> Iterator[tuple[slice, tuple[Codes, ...]]]:
        """Yield the codes of some rows at a time, and where these are: in order of the keys, or in another order."""
        layout = Layout(self.sizes)
        for start in range(0, self.n_rows, _BLOCK):
            part = slice(start, start + _BLOCK)
            rows = part if order is None else order[part]
            if self.keys is not None:
                yield part, _unpacked(self.keys[rows], layout)
            else:
                yield part, tuple(column[rows] for column in self.codes)

    @property
    def columns(self) -> list[CodedColumn]:
        """The columns with the bits that their codes take."""
        return [CodedColumn(codes, bits_of(size)) for codes, size in zip(self.codes, self.sizes, strict=True)]

    def cohorts(self) -> Integers:
        """Return the people who have each row, always as an array."""
        return np.ones(self.n_rows, np.int64) if self.people is None else self.people

    def narrowed(self, columns: Sequence[int], *, with_indices: bool = False) -> DistinctRows:
        """Return the distinct rows of some of the columns only; indices are those of these rows."""
        codes = tuple(self.codes[column] for column in columns)
        rows = CodedRows(codes, tuple(self.sizes[column] for column in columns), self.people)
        return distinct_rows(rows, with_indices=with_indices)


def people_by_code(
    codes: NDArray[np.unsignedinteger] | Integers, size: int, people: NDArray[np.integer] | None
) -> Integers:
    """Count the people of each code.

    >>> people_by_code(np.array([1, 0, 1], np.uint32), 3, np.array([5, 1, 2])).tolist()
    [1, 7, 0]
    """
    counts = np.zeros(size, np.int64)
    # bincount adds weights as floats, which are exact only for whole numbers up to 2^53.
    by_bincount = size <= _BLOCK and (people is None or int(people.sum()) < 1 << 53)
    for start in range(0, len(codes), _BLOCK):
        block = slice(start, start + _BLOCK)
        weights = people[block] if people is not None else None
        if by_bincount:
            counts += np.bincount(codes[block], weights, minlength=size).astype(np.int64)
        else:
            # Narrower integers would take many times as long.
            np.add.at(counts, codes[block], 1 if weights is None else weights.astype(np.int64, copy=False))
    return counts


def distinct_rows(rows: CodedRows, *, with_indices: bool = False, threads: int = 1) -> DistinctRows:
    """Merge equal rows; rows of 0 people are left out.

    >>> distinct = distinct_rows(CodedRows((np.array([1, 0, 1], np.uint32),), (2,)), with_indices=True)
    >>> distinct.codes[0].tolist(), distinct.people.tolist(), distinct.indices.tolist()
    ([0, 1], [1, 2], [1, 0, 1])
    """
    codes, people = rows.codes, rows.people
    if people is not None and not people.all():
        if with_indices:
            raise AssertionError("rows of 0 people have no index")
        held = np.flatnonzero(people)
        codes, people = tuple(column[held] for column in codes), people[held]
    layout = Layout(rows.sizes)
    with ThreadPoolExecutor(threads) as pool:
        values = tuple(pool.map(people_by_code, codes, rows.sizes, itertools.repeat(people)))
    if people is None and layout.fits:
        columns = [CodedColumn(column, bits) for column, bits in zip(codes, layout.bits, strict=True)]
        keys = pack(columns, rows.n_rows, threads=threads)
        if not with_indices:
            return _by_keys(keys, rows.sizes, values)
        made = _by_keys(keys.copy(), rows.sizes, values)
        assert made.keys is not None
        return replace(made, indices=_indices_in(made.keys, keys))
    return _by_order(codes, rows.sizes, people, values, with_indices=with_indices)


def _by_keys(keys: Keys, sizes: tuple[int, ...], values: tuple[Integers, ...]) -> DistinctRows:
    n = len(keys)
    distinct, people = distinct_keys(keys)
    return DistinctRows(sizes, len(distinct), n, values, people, distinct)


def _indices_in(distinct: Keys, keys: Keys) -> Codes:
    """Return the index of each key among the distinct ones."""
    indices = np.empty(len(keys), np.uint32)
    for start in range(0, len(keys), _SEARCHED):
        block, found = keys[start : start + _SEARCHED], indices[start : start + _SEARCHED]
        # Ascending keys are found near each other, in the cache.
        order = np.argsort(block)
        found[order] = np.searchsorted(distinct, block[order])
    return indices


def rows_of_keys(keys: NDArray[np.uint32] | Keys, sizes: tuple[int, ...]) -> DistinctRows:
    """Return the distinct rows of people whose rows are packed in keys, which are sorted in place.

    >>> rows = rows_of_keys(np.array([6, 3, 6], np.uint32), (2, 4))
    >>> [codes.tolist() for codes in rows.codes], rows.people.tolist(), rows.value_people[1].tolist()
    ([[0, 1], [3, 2]], [1, 2], [0, 0, 2, 1])
    """
    n_people = len(keys)
    distinct, people = distinct_keys(keys)  # type: ignore[arg-type]
    # A copy, without the rows, of which there may be many more.
    rows = DistinctRows(sizes, len(distinct), n_people, (), people, distinct.copy())
    totals = tuple(np.zeros(size, np.int64) for size in sizes)
    for part, codes in rows.blocks():
        for total, column in zip(totals, codes, strict=True):
            np.add.at(total, column, 1 if people is None else people[part])
    return replace(rows, value_people=totals)


def distinct_keys(keys: Keys) -> tuple[Keys, Integers | None]:
    """Sort keys and keep each one once, at the front of the same array; also return how often each one occurs.

    The counts are None if all keys differ.

    >>> distinct_keys(np.array([7, 3, 7], np.uint64))
    (array([3, 7], dtype=uint64), array([1, 2]))
    """
    sort_keys(keys)
    blocks = [slice(start - 1, start + _BLOCK) for start in range(1, len(keys), _BLOCK)]
    n_distinct = min(1, len(keys)) + sum(int(np.count_nonzero(keys[part][1:] != keys[part][:-1])) for part in blocks)
    if n_distinct == len(keys):
        return keys, None
    counts = np.empty(n_distinct, np.int64)
    n_kept = border = 0
    for part in blocks:
        block = keys[part]
        # Where a run has ended; what is overwritten lies before it.
        ends = np.flatnonzero(block[1:] != block[:-1]) + part.start + 1
        if len(ends):
            counts[n_kept : n_kept + len(ends)] = np.diff(ends, prepend=border)
            keys[n_kept : n_kept + len(ends)] = keys[ends - 1]
            n_kept, border = n_kept + len(ends), int(ends[-1])
    counts[n_kept], keys[n_kept] = len(keys) - border, keys[-1]
    return keys[:n_distinct], counts


def repeated_keys(keys: NDArray[AnyKey]) -> tuple[NDArray[AnyKey], Integers, Integers]:
    """Sort keys and keep each one once, at the front of the same array; also return which occur how often, if not once.

    >>> repeated_keys(np.array([7, 3, 7], np.uint64))
    (array([3, 7], dtype=uint64), array([1]), array([2]))
    """
    sort_keys(keys)
    repeated: list[Integers] = [np.zeros(0, np.int64)]
    n_distinct = 0
    last: object = None
    for start in range(0, len(keys), _BLOCK):
        block = keys[start : start + _BLOCK]
        repeats = np.empty(len(block), np.bool_)
        repeats[0] = block[0] == last
        repeats[1:] = block[1:] == block[:-1]
        last = block[-1]
        places = np.flatnonzero(repeats)
        # A repeat belongs to the key before it, of which as many are left as there were no repeats so far.
        repeated.append(n_distinct - 1 + places - np.arange(len(places)))
        n_kept = len(block) - len(places)
        if len(places) or n_distinct < start:
            keys[n_distinct : n_distinct + n_kept] = block[~repeats] if len(places) else block
        n_distinct += n_kept
    indices = np.concatenate(repeated)
    borders = run_borders(indices)
    return keys[:n_distinct], indices[borders[:-1]], np.diff(borders) + 1


def _unpacked(keys: Keys, layout: Layout) -> tuple[Codes, ...]:
    made = tuple(np.zeros(len(keys), np.uint32) for _ in layout.bits)
    parts = [
        (np.uint64(shift), np.uint64((1 << bits) - 1), codes)
        for shift, bits, codes in zip(layout.shifts, layout.bits, made, strict=True)
        if bits
    ]
    for start in range(0, len(keys), _BLOCK):
        block = keys[start : start + _BLOCK]
        for shift, mask, codes in parts:
            codes[start : start + _BLOCK] = (block >> shift) & mask
    return made


def _by_order(
    codes: tuple[Codes, ...],
    sizes: tuple[int, ...],
    people: Integers | None,
    values: tuple[Integers, ...],
    *,
    with_indices: bool,
) -> DistinctRows:
    n = len(codes[0])
    columns = [CodedColumn(column, bits_of(size)) for column, size in zip(codes, sizes, strict=True)]
    order, changes = lexical_order(columns, n)
    borders = np.flatnonzero(changes)
    counted: Integers | None = None
    if people is not None:
        counted = np.add.reduceat(people[order], borders) if n else people
    elif len(borders) < n:
        counted = np.diff(borders, append=n)
    index = None
    if with_indices:
        index = np.empty(n, np.uint32)
        index[order] = np.cumsum(changes, dtype=np.uint32) - np.uint32(1)
    kept = order[borders]
    rows = tuple(column[kept] for column in codes)
    total = n if people is None else int(people.sum())
    fits = Layout(sizes).fits
    keys = pack([CodedColumn(c, bits_of(s)) for c, s in zip(rows, sizes, strict=True)], len(kept)) if fits else None
    return DistinctRows(sizes, len(kept), total, values, counted, keys, index, None if fits else rows)
