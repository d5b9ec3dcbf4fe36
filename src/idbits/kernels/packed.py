"""Counting on packed keys: a row's codes side by side in one unsigned integer, sorted, then run lengths.

Implements: DESIGN section 5 (one spectrum). Sorting ten million 32-bit keys takes a fraction of what hashing
them does, and the sorted keys fall into groups by their high bits for free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum

__all__ = ["Keys", "Layout", "group_spectra_of_keys", "spectrum_of_keys"]

_BLOCK = 1 << 18

Keys = NDArray[np.uint32] | NDArray[np.uint64]


class Layout:
    """Where each code lies in a key: the first attribute in the highest bits.

    >>> layout = Layout([37_000, 3_000, 2])
    >>> layout.bits, layout.shifts, layout.total_bits
    ([16, 12, 1], [13, 1, 0], 29)
    """

    def __init__(self, cardinalities: Sequence[int]) -> None:
        self.bits = [max(0, cardinality - 1).bit_length() for cardinality in cardinalities]
        self.shifts = [sum(self.bits[position + 1 :]) for position in range(len(self.bits))]
        self.total_bits = sum(self.bits)

    @property
    def fits(self) -> bool:
        """Whether a key fits in 64 bits."""
        return self.total_bits <= 64

    @property
    def key_bytes(self) -> int:
        """The size of one key."""
        return 4 if self.total_bits <= 32 else 8


def spectrum_of_keys(keys: Keys) -> Spectrum:
    """Count equal keys, then count those counts. Sorts ``keys`` in place.

    >>> spectrum_of_keys(np.array([7, 3, 7, 9], dtype=np.uint32)).pairs()
    [(1, 2), (2, 1)]
    """
    keys.sort()
    sets_by_size: Counter[int] = Counter()
    border = 0
    # In blocks that stay in the cache; a run that crosses a block's end is counted with the next block.
    for start in range(1, len(keys), _BLOCK):
        block = keys[start - 1 : start + _BLOCK]
        changes = np.flatnonzero(block[1:] != block[:-1]) + start
        if len(changes):
            _add_lengths(sets_by_size, np.diff(changes, prepend=border))
            border = int(changes[-1])
    if len(keys):
        sets_by_size[len(keys) - border] += 1
    return Spectrum.of(sets_by_size)


def group_spectra_of_keys(keys: Keys, low_bits: int) -> list[tuple[int, Spectrum]]:
    """Return the spectrum of the keys within each group, a group being the bits above ``low_bits``.

    >>> [(g, s.pairs()) for g, s in group_spectra_of_keys(np.array([4, 4, 5, 8], dtype=np.uint32), 2)]
    [(1, [(1, 1), (2, 1)]), (2, [(1, 1)])]
    """
    keys.sort()
    borders = _run_borders(keys)
    lengths = np.diff(borders)
    groups = keys[borders[:-1]] >> np.array(low_bits, keys.dtype)
    edges = _run_borders(groups)
    return [
        (int(groups[start]), _spectrum_of_lengths(lengths[start:end]))
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]


def _run_borders(ordered: NDArray[np.generic]) -> NDArray[np.int64]:
    if not len(ordered):
        return np.zeros(1, np.int64)
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate(([0], changes, [len(ordered)]))


def _add_lengths(sets_by_size: Counter[int], lengths: NDArray[np.int64]) -> None:
    # bincount is linear but as long as the largest length; a few long runs are cheaper to sort.
    if lengths.max() <= 4 * len(lengths) + 1024:
        counts = np.bincount(lengths)
        sizes = np.flatnonzero(counts)
        sets = counts[sizes]
    else:
        sizes, sets = np.unique(lengths, return_counts=True)
    for size, number in zip(sizes.tolist(), sets.tolist(), strict=True):
        sets_by_size[size] += number


def _spectrum_of_lengths(lengths: NDArray[np.int64]) -> Spectrum:
    sets_by_size: Counter[int] = Counter()
    if len(lengths):
        _add_lengths(sets_by_size, lengths)
    return Spectrum.of(sets_by_size)
