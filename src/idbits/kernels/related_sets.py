"""Count sets of columns that share most of their columns: people are split by the shared columns only once."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns
from idbits.kernels.partition import Partition
from idbits.kernels.subsets import columns_of, has_twins

__all__ = ["AlikePeople", "CountedSets", "RelatedSets", "count_related", "put_together"]

_SETS_TOGETHER = 64
_PAIRS = 8


@dataclass(frozen=True, slots=True)
class RelatedSets:
    """Sets of columns that share all but two columns, and the two columns that each set adds."""

    shared: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CountedSets:
    """The result of counting related sets.

    Attributes:
        spectra: each set, as a mask, with its spectrum; None if it cannot make everyone unique and only
            that mattered.
        alike: columns in which two people are equal, as masks.
    """

    spectra: dict[int, Spectrum | None]
    alike: list[int]


class AlikePeople:
    """Pairs of people found so far, each as the mask of all columns in which the two are equal."""

    def __init__(self) -> None:
        self.masks: list[int] = []

    def add(self, masks: Iterable[int]) -> None:
        """Remember pairs, except those whose equal columns are a subset of known ones."""
        for mask in sorted(set(masks), key=lambda mask: (-mask.bit_count(), mask)):
            if not self.are_alike_in(mask):
                self.masks.append(mask)

    def are_alike_in(self, mask: int) -> bool:
        """Return whether two people are known to be equal in all columns of a set."""
        return _is_within_one(mask, self.masks)


def _is_within_one(mask: int, larger: Iterable[int]) -> bool:
    return any(mask & ~other == 0 for other in larger)


def put_together(masks: Iterable[int], order: Sequence[int]) -> list[RelatedSets]:
    """Group sets that share all but the two columns that come last in the order.

    >>> put_together([0b011, 0b101, 0b111], [0, 1, 2])
    [RelatedSets(shared=(), pairs=((0, 1), (0, 2))), RelatedSets(shared=(0,), pairs=((1, 2),))]
    """
    rank = {column: number for number, column in enumerate(order)}
    grouped: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for mask in masks:
        *shared, first, last = sorted(columns_of(mask), key=rank.__getitem__)
        grouped.setdefault(tuple(shared), []).append((first, last))
    related = []
    for columns, pairs in sorted(grouped.items()):
        pairs.sort()
        chunks = (pairs[start : start + _SETS_TOGETHER] for start in range(0, len(pairs), _SETS_TOGETHER))
        related += [RelatedSets(columns, tuple(chunk)) for chunk in chunks]
    return related


def count_related(
    table: CodedColumns,
    related: RelatedSets,
    only_unique: Collection[int],
    samples: Sequence[CodedColumns],
    known_alike: Sequence[int],
) -> CountedSets:
    """Count related sets; of those that must be unique, skip the ones ruled out by samples or known equal people."""
    base = sum(1 << column for column in related.shared)
    spectra: dict[int, Spectrum | None] = {}
    alike: list[int] = []
    partition: Partition | None = None
    for first, pairs in itertools.groupby(related.pairs, key=lambda pair: pair[0]):
        finer: Partition | None = None
        for _, last in pairs:
            mask = base | 1 << first | 1 << last
            must_be_unique = mask in only_unique
            if must_be_unique and (
                _is_within_one(mask, itertools.chain(known_alike, alike))
                or any(has_twins(sample, columns_of(mask)) for sample in samples)
            ):
                spectra[mask] = None
                continue
            if partition is None:
                partition = Partition.whole(table)
                for column in related.shared:
                    partition = partition.refined(column)
            if finer is None:
                finer = partition.refined(first)
            spectrum = finer.refined_spectrum(last)
            spectra[mask] = spectrum
            if must_be_unique and spectrum.n_sets < table.n_people:
                alike.extend(_columns_alike(table, finer.refined(last)))
    return CountedSets(spectra, alike)


def _columns_alike(table: CodedColumns, partition: Partition) -> list[int]:
    """Return, for a few pairs of rows in the same set, all columns in which they are equal."""
    if partition.sets is None or partition.rows is None or not partition.n_sets:
        return []
    masks = set()
    for number in np.unique(np.linspace(0, partition.n_sets - 1, _PAIRS).astype(np.int64)).tolist():
        first, second = partition.rows[np.flatnonzero(partition.sets == number)[:2]].tolist()
        masks.add(sum(1 << column for column, codes in enumerate(table.codes) if codes[first] == codes[second]))
    return sorted(masks)
