"""Counts people in combinations of columns, splitting rows once by the columns that combinations share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from idbits.counts import PeopleCounts
from idbits.kernels.person_partition import PersonPartition
from idbits.kernels.subsets import RelatedSets, all_but_one

__all__ = ["count_all_but_one", "count_beginnings", "count_related_people", "count_subsets_with", "first_columns"]

# The combinations with the same first columns are counted by one thread; results arrive when all of them are counted.
_FREE_COLUMNS = 4

Counted = dict[int, PeopleCounts]


def first_columns(order: Sequence[int]) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Return all combinations of the first columns of an order, and the last columns, which join each of them.

    >>> first_columns([0, 1, 2, 3, 4])
    ([(), (0,)], (1, 2, 3, 4))
    """
    first, last = order[:-_FREE_COLUMNS], order[-_FREE_COLUMNS:]
    sizes = range(len(first) + 1)
    return [chosen for size in sizes for chosen in itertools.combinations(first, size)], tuple(last)


def count_subsets_with(whole: PersonPartition, first: Sequence[int], free: Sequence[int]) -> Counted:
    """Count some columns, and them together with each combination of the free columns."""
    counted: Counted = {}
    partition, mask = whole, 0
    for column in first:
        partition = partition.refined(column)
        mask |= 1 << column
    if partition.counts is not None:
        counted[mask] = partition.counts
    _add_columns(counted, partition, mask, free)
    return counted


def _add_columns(counted: Counted, partition: PersonPartition, mask: int, free: Sequence[int]) -> None:
    for index, column in enumerate(free, start=1):
        if index == len(free):
            counted[mask | 1 << column] = partition.refined_counts(column)
            return
        finer = partition.refined(column)
        assert finer.counts is not None
        counted[mask | 1 << column] = finer.counts
        _add_columns(counted, finer, mask | 1 << column, free[index:])


def count_beginnings(whole: PersonPartition, order: Sequence[int]) -> Counted:
    """Count the first column of an order, the first two, and so on."""
    counted: Counted = {}
    partition, mask = whole, 0
    for column in order:
        partition = partition.refined(column)
        mask |= 1 << column
        assert partition.counts is not None
        counted[mask] = partition.counts
    return counted


def count_all_but_one(whole: PersonPartition, order: Sequence[int]) -> Iterator[tuple[int, PeopleCounts]]:
    """Yield the counts of all columns together, and of all but each one; the first columns should split people most."""
    everything = (1 << len(order)) - 1
    for number, (column, partition) in enumerate(all_but_one(whole, order)):
        if not number:
            yield everything, partition.refined_counts(column)
        if partition.counts is not None:
            yield everything ^ 1 << column, partition.counts


def count_related_people(whole: PersonPartition, related: RelatedSets) -> Counted:
    """Count combinations that share all but two columns."""
    base = sum(1 << column for column in related.shared)
    partition = whole
    for column in related.shared:
        partition = partition.refined(column)
    counted: Counted = {}
    for first, pairs in itertools.groupby(related.pairs, key=lambda pair: pair[0]):
        finer = partition.refined(first)
        for _, last in pairs:
            counted[base | 1 << first | 1 << last] = finer.refined_counts(last)
    return counted
