"""The spectra of all subsets of columns: one sort per chain, one pass per prefix.

Implements: DESIGN section 5 (all subsets of columns). A key is the codes of a chain's columns in one integer.
Sorted once, the keys are also sorted for every prefix: dropping low bits only joins neighbouring runs.

Symmetric chains are few lists of columns whose prefixes are all the subsets there are: the recursive construction of
de Bruijn, Tengbergen and Kruyswijk (1951). The 2^n subsets of n columns fall into C(n, n // 2) chains, each growing by
one column at a time; no decomposition has fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.coded import CodedColumns, packed_keys
from idbits.kernels.partition import Partition, sorted_with_positions
from idbits.kernels.run_lengths import RunLengths

__all__ = [
    "Chain", "chain_spectra", "columns_of", "has_twins", "sampled_rows", "spectra_without_one", "spectrum_of_columns",
    "symmetric_chains",
]  # fmt: skip

_KEY_BITS = 64
_BLOCK = 1 << 17

Keys = NDArray[np.uint32] | NDArray[np.uint64]


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
    for column, partition in _all_but_one(Partition.whole(table), order):
        if first:
            yield everything, partition.refined_spectrum(column)
            first = False
        if len(order) > 1:
            yield everything ^ 1 << column, partition.spectrum()


def _all_but_one(partition: Partition, left: Sequence[int]) -> Iterator[tuple[int, Partition]]:
    """Yield each column with the people split by all others; the halves of the columns reuse shared splits."""
    if len(left) == 1:
        yield left[0], partition
        return
    half = len(left) // 2
    for kept, split in ((left[half:], left[:half]), (left[:half], left[half:])):
        finer = partition
        for column in split:
            finer = finer.refined(column)
        yield from _all_but_one(finer, kept)


def has_twins(table: CodedColumns, columns: tuple[int, ...]) -> bool:
    """Return whether two rows are equal in all of some columns.

    >>> table = CodedColumns((np.array([0, 0, 1]), np.array([0, 1, 1])), (2, 2), None, 3)
    >>> has_twins(table, (0,)), has_twins(table, (0, 1))
    (True, False)
    """
    if sum(map(table.bits, columns)) <= _KEY_BITS:
        keys, _ = packed_keys(table, columns)
        keys.sort()
        return bool((keys[1:] == keys[:-1]).any())
    partition = Partition.whole(table)
    for column in columns:
        partition = partition.refined(column)
    return partition.n_sets > 0


def _by_one_sort(table: CodedColumns, chain: Chain) -> list[Spectrum]:
    keys, bits = packed_keys(table, chain.order)
    ends: NDArray[np.int64] | None = None
    if table.people is None:
        keys.sort()
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
