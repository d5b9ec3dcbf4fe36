"""Counting with packed keys: a row's codes in one unsigned integer, sorted, then run lengths.

Implements: DESIGN section 5 (one spectrum). Sorting ten million 32-bit keys takes a fraction of what hashing
them does, and the sorted keys fall into groups by their high bits for free.

Combinations of codes are numbered in several readings of rows that come in pieces. What is kept of these are the
distinct combinations, never the rows, so that the memory does not grow with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.errors import EngineError
from idbits.kernels.run_lengths import run_borders, size_counts
from idbits.kernels.sorting import distinct_sorted, sort_keys

__all__ = ["Combinations", "Keys", "Layout", "group_spectra_of_keys", "spectrum_of_keys"]

_BLOCK = 1 << 18

Keys = NDArray[np.uint32] | NDArray[np.uint64]
LongKeys = NDArray[np.uint64]
Piece = Sequence[NDArray[np.uint32]]
_KEY_BITS = 64
_CODE_BITS = 32
_LEAST_WAITING = 1 << 20


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
    sort_keys(keys)
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
    sort_keys(keys)
    borders = run_borders(keys)
    lengths = np.diff(borders)
    groups = keys[borders[:-1]] >> np.array(low_bits, keys.dtype)
    edges = run_borders(groups)
    return [
        (int(groups[start]), Spectrum.of(size_counts(lengths[start:end])))
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]


class Combinations:
    """The distinct combinations of columns, in the order of their codes.

    Args:
        sizes: the number of codes of each column.

    >>> rows = [np.array([1, 0, 1], np.uint32), np.array([0, 5, 0], np.uint32)]
    >>> pairs = Combinations([2, 6])
    >>> pairs.read(lambda: [rows], lambda _: None)
    >>> pairs.size, pairs.codes(rows).tolist()
    (2, [1, 0, 1])
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._groups = _groups(Layout(sizes).bits)
        self._distinct: list[LongKeys] = []

    @property
    def size(self) -> int:
        """The number of combinations."""
        return len(self._distinct[-1])

    def codes(self, piece: Piece) -> NDArray[np.uint32]:
        """Return the number of each row's combination."""
        codes: NDArray[np.uint32] = np.searchsorted(self._distinct[-1], self._keys(piece)).astype(np.uint32)
        return codes

    def read(self, pieces: Callable[[], Iterable[Piece]], check_bytes: Callable[[int], None]) -> None:
        """Find the combinations; ``pieces`` is read once per group of columns that fits in a key."""
        while len(self._distinct) < len(self._groups):
            known, waiting = np.zeros(0, np.uint64), [np.zeros(0, np.uint64)]
            for piece in pieces():
                waiting.append(distinct_sorted(self._keys(piece)))
                check_bytes(known.nbytes + sum(keys.nbytes for keys in waiting))
                # Rare enough that all merges together take little longer than the last one.
                if sum(map(len, waiting)) >= max(_LEAST_WAITING, len(known)):
                    known, waiting = distinct_sorted(np.concatenate([known, *waiting])), []
            self._distinct.append(distinct_sorted(np.concatenate([known, *waiting])))
            if self.size > 1 << _CODE_BITS:
                raise EngineError("there are more combinations of values than can be numbered; coarsen the attributes")

    def _keys(self, piece: Piece) -> LongKeys:
        """Return the key of each row from the groups done so far, and the first group still to be done."""
        keys = np.zeros(len(piece[0]), np.uint64)
        for index, group in enumerate(self._groups[: len(self._distinct) + 1]):
            if index:
                keys = np.searchsorted(self._distinct[index - 1], keys).astype(np.uint64)
            layout = Layout([self._sizes[column] for column in group])
            keys <<= np.uint64(layout.total_bits)
            for column, shift in zip(group, layout.shifts, strict=True):
                keys |= piece[column].astype(np.uint64) << np.uint64(shift)
        return keys


def _groups(bits: Sequence[int]) -> list[list[int]]:
    """Split columns into groups: the first fills a key, the others leave room for the number of the one before.

    >>> _groups([30, 30, 20, 10, 20])
    [[0, 1], [2, 3], [4]]
    """
    groups: list[list[int]] = [[]]
    room = _KEY_BITS
    for column, width in enumerate(bits):
        if width > room:
            groups.append([])
            room = _KEY_BITS - _CODE_BITS
        groups[-1].append(column)
        room -= width
    return groups
