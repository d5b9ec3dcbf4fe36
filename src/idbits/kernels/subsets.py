"""The spectra of all subsets of columns: one sort per chain, one pass per prefix.

Implements: DESIGN section 5 (all subsets of columns). A key is the codes of a chain's columns in one integer.
Sorted once, the keys are also sorted for every prefix: dropping low bits only joins neighbouring runs.

Symmetric chains are few lists of columns whose prefixes are all the subsets there are: the recursive construction of
de Bruijn, Tengbergen and Kruyswijk (1951). The 2^n subsets of n columns fall into C(n, n // 2) chains, each growing by
one column at a time; no decomposition has fewer.

Sets that have most of their columns in common are split once by those, for all of the sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns, packed_keys
from idbits.kernels.grouped_rows import GroupedRows
from idbits.kernels.partition import Partition, sorted_with_positions
from idbits.kernels.run_lengths import RunLengths
from idbits.kernels.sorting import sort_keys

__all__ = [
    "AlikePeople", "Chain", "CountedSets", "RelatedSets", "all_but_one", "chain_spectra", "columns_of",
    "count_related", "has_twins", "put_together", "sampled_rows", "spectra_without_one", "spectrum_of_columns",
    "symmetric_chains",
]  # fmt: skip

_KEY_BITS = 64
_BLOCK = 1 << 17

Keys = NDArray[np.uint32] | NDArray[np.uint64]
_SETS_TOGETHER = 128
_PAIRS = 8


def columns_of(mask: int) -> tuple[int, ...]:
    """Return the columns of a mask.

    >>> columns_of(0b1010)
    (1, 3)
    """
    return tuple(column for column in range(mask.bit_length()) if mask >> column & 1)


@dataclass(frozen=True, slots=True)
class Chain:
    """An order of columns in which every prefix of at least ``first`` columns is a subset to count.

    Attributes:
        order: positions of columns.
        first: the length of the shortest prefix that belongs to the chain.
    """

    order: tuple[int, ...]
    first: int

    def masks(self) -> list[int]:
        """Return the subsets of the chain, smallest first: bit i is column i."""
        mask, masks = 0, []
        for length, column in enumerate(self.order, start=1):
            mask |= 1 << column
            if length >= self.first:
                masks.append(mask)
        return masks


def symmetric_chains(n: int) -> list[Chain]:
    """Return chains that contain each non-empty subset of ``n`` columns once.

    >>> [chain.masks() for chain in symmetric_chains(2)]
    [[1, 3], [2]]
    >>> len(symmetric_chains(8)), sum(len(chain.masks()) for chain in symmetric_chains(8))
    (70, 255)
    """
    chains = [Chain((), 0)]
    for column in range(n):
        longer = []
        for chain in chains:
            longer.append(Chain((*chain.order, column), chain.first))
            if len(chain.order) > chain.first:
                # The largest subset has its place in the longer chain already. The new column stands after the
                # columns of the smallest subset, before those that the chain grows by.
                start = chain.first
                order = (*chain.order[:start], column, *chain.order[start:-1])
                longer.append(Chain(order, start + 1))
        chains = longer
    # A chain that would begin with the empty set begins with one column.
    return [Chain(chain.order, max(1, chain.first)) for chain in chains if chain.order]


def chain_spectra(table: CodedColumns, chain: Chain) -> list[tuple[int, Spectrum]]:
    """Return each subset of a chain, as a mask, with its spectrum.

    >>> table = CodedColumns((np.array([0, 0, 1]), np.array([0, 1, 1])), (2, 2), None, 3)
    >>> [(mask, spectrum.pairs()) for mask, spectrum in chain_spectra(table, Chain((0, 1), 1))]
    [(1, [(1, 1), (2, 1)]), (3, [(1, 3)])]
    """
    if not table.n_rows:
        return [(mask, Spectrum.of({})) for mask in chain.masks()]
    fits = sum(map(table.bits, chain.order)) <= _KEY_BITS
    spectra = _by_one_sort(table, chain) if fits else _column_by_column(table, chain)
    return list(zip(chain.masks(), spectra, strict=True))


def spectrum_of_columns(table: CodedColumns, columns: tuple[int, ...]) -> Spectrum:
    """Return the spectrum of some columns together."""
    return chain_spectra(table, Chain(columns, len(columns)))[0][1]


def sampled_rows(table: CodedColumns, shares: tuple[float, ...], least: int) -> list[CodedColumns]:
    """Return samples of the rows of a table, always the same: rows that are equal in a sample are equal in the table.

    A share with fewer than ``least`` rows takes ``least`` rows; a share with nearly all rows is left out.
    """
    drawn = []
    for share in shares:
        size = max(least, int(share * table.n_rows))
        if 2 * size <= table.n_rows:
            rows = np.sort(np.random.default_rng(size).choice(table.n_rows, size, replace=False))
            people = None if table.people is None else table.people[rows]
            total = size if people is None else int(people.sum())
            drawn.append(CodedColumns(tuple(codes[rows] for codes in table.codes), table.sizes, people, total))
    return drawn


def spectra_without_one(table: CodedColumns, order: Sequence[int]) -> Iterator[tuple[int, Spectrum]]:
    """Yield the spectrum of all columns together, and of all but each one, as masks.

    The first columns of the order should split people most, because unique people are skipped from then on.

    >>> table = CodedColumns((np.array([0, 0, 1]), np.array([0, 1, 1])), (2, 2), None, 3)
    >>> [(mask, spectrum.pairs()) for mask, spectrum in spectra_without_one(table, [0, 1])]
    [(3, [(1, 3)]), (1, [(1, 1), (2, 1)]), (2, [(1, 1), (2, 1)])]
    """
    everything = (1 << len(order)) - 1
    first = True
    for column, partition in all_but_one(Partition.whole(table), order):
        if first:
            yield everything, partition.refined_spectrum(column)
            first = False
        if len(order) > 1:
            yield everything ^ 1 << column, partition.spectrum()


class Refinable(Protocol):
    """People who are split by columns."""

    def refined(self, column: int) -> Self:
        """Split them by one more column."""


Split = TypeVar("Split", bound=Refinable)


def all_but_one(partition: Split, left: Sequence[int]) -> Iterator[tuple[int, Split]]:
    """Yield each column with the people split by all others; the halves of the columns reuse shared splits."""
    if len(left) == 1:
        yield left[0], partition
        return
    half = len(left) // 2
    for kept, split in ((left[half:], left[:half]), (left[:half], left[half:])):
        finer = partition
        for column in split:
            finer = finer.refined(column)
        yield from all_but_one(finer, kept)


def has_twins(table: CodedColumns, columns: tuple[int, ...]) -> bool:
    """Return whether two rows are equal in all of some columns.

    >>> table = CodedColumns((np.array([0, 0, 1]), np.array([0, 1, 1])), (2, 2), None, 3)
    >>> has_twins(table, (0,)), has_twins(table, (0, 1))
    (True, False)
    """
    if sum(map(table.bits, columns)) <= _KEY_BITS:
        keys, _ = packed_keys(table, columns)
        sort_keys(keys)
        return bool((keys[1:] == keys[:-1]).any())
    return _split(table, columns).n_sets > 0


def _by_one_sort(table: CodedColumns, chain: Chain) -> list[Spectrum]:
    keys, bits = packed_keys(table, chain.order)
    ends: NDArray[np.int64] | None = None
    if table.people is None:
        sort_keys(keys)
    else:
        keys, positions = sorted_with_positions(keys)
        ends = np.concatenate(([0], np.cumsum(table.people[positions])))
        del positions
    # How many low bits each prefix drops, the longest prefix first.
    dropped = [sum(bits[length:]) for length in range(len(bits), chain.first - 1, -1)]
    tallies = [RunLengths(ends) for _ in dropped]
    # In blocks that stay in the cache; a run that crosses a block's end is counted with the next block.
    for start in range(0, len(keys) - 1, _BLOCK):
        block = keys[start : start + _BLOCK + 1]
        _count_block(block[1:] ^ block[:-1], start + 1, dropped, tallies)
    return [tally.spectrum(len(keys)) for tally in reversed(tallies)]


def _count_block(changes: Keys, first: int, dropped: list[int], tallies: list[RunLengths]) -> None:
    """Count the runs of each prefix; ``changes`` are the bits in which each key from ``first`` on differs."""
    positions: NDArray[np.int64] | None = None
    for low, tally in zip(dropped, tallies, strict=True):
        # Neighbours differ in a prefix when they differ in a bit that is not dropped.
        gone = low >= 8 * changes.itemsize
        differs = np.zeros(len(changes), bool) if gone else changes >> changes.dtype.type(low) != 0
        if positions is None and tally.rather_repeats(int(np.count_nonzero(differs)), len(differs)):
            tally.add_repeats(np.flatnonzero(~differs) + first, first, len(differs))
            continue
        positions = np.flatnonzero(differs) + first if positions is None else positions[differs]
        changes = changes[differs]
        tally.add_begins(positions)


def _column_by_column(table: CodedColumns, chain: Chain) -> list[Spectrum]:
    return [spectrum for length, spectrum in _prefixes(table, chain.order) if length >= chain.first]


def _prefixes(table: CodedColumns, order: tuple[int, ...]) -> Iterator[tuple[int, Spectrum]]:
    partition = Partition.whole(table)
    for length, column in enumerate(order, start=1):
        partition = partition.refined(column)
        yield length, partition.spectrum()


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
    count = _count_pairs if table.people is None and table.n_rows else _count_pairs_of_people
    spectra: dict[int, Spectrum | None] = {}
    alike: list[int] = []
    pairs = []
    for pair in related.pairs:
        mask = base | 1 << pair[0] | 1 << pair[1]
        if mask not in only_unique:
            pairs.append(pair)
            continue
        ruled_out = _is_within_one(mask, itertools.chain(known_alike, alike)) or any(
            has_twins(sample, columns_of(mask)) for sample in samples
        )
        spectra[mask] = None if ruled_out else count(table, related.shared, [pair])[0]
        spectrum = spectra[mask]
        if spectrum is not None and spectrum.n_sets < table.n_people:
            alike.extend(_columns_alike(table, _split(table, (*related.shared, *pair))))
    if pairs:
        masks = [base | 1 << first | 1 << last for first, last in pairs]
        spectra.update(zip(masks, count(table, related.shared, pairs), strict=True))
    return CountedSets(spectra, alike)


def _count_pairs(table: CodedColumns, shared: Sequence[int], pairs: Sequence[tuple[int, int]]) -> list[Spectrum]:
    return GroupedRows.of(table, shared).spectra(pairs)


def _count_pairs_of_people(
    table: CodedColumns, shared: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> list[Spectrum]:
    """Count sets if a row may be several people."""
    partition = _split(table, shared)
    spectra = []
    for first, same_first in itertools.groupby(pairs, key=lambda pair: pair[0]):
        finer = partition.refined(first)
        spectra += [finer.refined_spectrum(last) for _, last in same_first]
    return spectra


def _split(table: CodedColumns, columns: Sequence[int]) -> Partition:
    partition = Partition.whole(table)
    for column in columns:
        partition = partition.refined(column)
    return partition


def _columns_alike(table: CodedColumns, partition: Partition) -> list[int]:
    """Return, for a few pairs of rows in the same set, all columns in which they are equal."""
    if partition.sets is None or partition.rows is None or not partition.n_sets:
        return []
    masks = set()
    for number in np.unique(np.linspace(0, partition.n_sets - 1, _PAIRS).astype(np.int64)).tolist():
        first, second = partition.rows[np.flatnonzero(partition.sets == number)[:2]].tolist()
        masks.add(sum(1 << column for column, codes in enumerate(table.codes) if codes[first] == codes[second]))
    return sorted(masks)
