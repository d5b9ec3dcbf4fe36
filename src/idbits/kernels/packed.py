"""Counting with packed keys: a row's codes in one unsigned integer, sorted, then run lengths.

Implements: DESIGN section 5 (one spectrum). Sorting ten million 32-bit keys takes a fraction of what hashing
them does, and the sorted keys fall into groups by their high bits for free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.run_lengths import run_borders, size_counts

__all__ = ["Keys", "Layout", "group_spectra_of_keys", "spectrum_of_keys"]

_BLOCK = 1 << 18

Keys = NDArray[np.uint32] | NDArray[np.uint64]


class Layout:
    """The position of each code in a key: the first attribute is in the highest bits.

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
            sets_by_size.update(size_counts(np.diff(changes, prepend=border)))
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
    borders = run_borders(keys)
    lengths = np.diff(borders)
    groups = keys[borders[:-1]] >> np.array(low_bits, keys.dtype)
    edges = run_borders(groups)
    return [
        (int(groups[start]), Spectrum.of(size_counts(lengths[start:end])))
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
