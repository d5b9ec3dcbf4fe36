"""Combinations of codes as one small code, numbered in several passes over rows that come in pieces.

Only the distinct combinations are kept, never the rows, so memory does not grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.errors import EngineError
from idbits.kernels.packed import Layout

__all__ = ["Combinations"]

Keys = NDArray[np.uint64]
Piece = Sequence[NDArray[np.uint32]]

_KEY_BITS = 64
_CODE_BITS = 32
_LEAST_WAITING = 1 << 20


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
        self._distinct: list[Keys] = []

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
                waiting.append(np.unique(self._keys(piece)))
                check_bytes(known.nbytes + sum(keys.nbytes for keys in waiting))
                # Rare enough that all merges together take little longer than the last one.
                if sum(map(len, waiting)) >= max(_LEAST_WAITING, len(known)):
                    known, waiting = np.unique(np.concatenate([known, *waiting])), []
            self._distinct.append(np.unique(np.concatenate([known, *waiting])))
            if self.size > 1 << _CODE_BITS:
                raise EngineError("there are more combinations of values than can be numbered; coarsen the attributes")

    def _keys(self, piece: Piece) -> Keys:
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
