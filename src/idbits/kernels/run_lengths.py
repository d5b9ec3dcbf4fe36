"""Lengths of the runs of a sorted array, given block by block where a run begins or where a key repeats.

If nearly every key differs from the one before it, giving the few that repeat takes a fraction of the time.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum

__all__ = ["RunLengths", "run_borders", "size_counts"]

_SMALL = 1 << 12
_BLOCK = 1 << 16

Places = NDArray[np.int64]


class RunLengths:
    """Counts runs by their length; the first one begins at position 0.

    Args:
        people: the people before each position, and at the end all people; the length of a run is then its people.

    >>> runs = RunLengths()
    >>> runs.add_begins(np.array([1, 4]))
    >>> runs.add_repeats(np.array([7]), first=5, n_places=3)
    >>> runs.spectrum(9).pairs()
    [(1, 3), (3, 2)]
    """

    def __init__(self, people: Places | None = None) -> None:
        self._people = people
        self._open = 0
        self._small = np.zeros(_SMALL, np.int64)
        self._large: Counter[int] = Counter()

    def rather_repeats(self, n_begins: int, n_places: int) -> bool:
        """Return whether so few keys repeat that giving the repeats is faster."""
        return self._people is None and 4 * n_begins > 3 * n_places

    def add_begins(self, begins: Places) -> None:
        """Add the next positions at which a run begins."""
        if not len(begins):
            return
        ends = begins if self._people is None else self._people[begins]
        self._add(np.diff(ends, prepend=self._before(self._open)))
        self._open = int(begins[-1])

    def add_repeats(self, repeats: Places, first: int, n_places: int) -> None:
        """Add the next positions, from ``first`` on, by those at which no run begins."""
        n_begins = n_places - len(repeats)
        if not n_begins:
            return
        last = first + n_places - 1
        # Consecutive repeats belong to one run, which began one position earlier.
        borders = np.flatnonzero(np.diff(repeats) != 1) + 1
        starts = repeats[np.concatenate(([0], borders))] - 1 if len(repeats) else repeats
        ends = repeats[np.concatenate((borders, [len(repeats)])) - 1] + 1 if len(repeats) else repeats
        goes_on = len(repeats) > 0 and starts[0] == first - 1
        if goes_on:
            starts[0] = self._open
        else:
            self._add(np.array([first - self._open]))
        still_open = len(repeats) > 0 and ends[-1] == last + 1
        self._open = int(starts[-1]) if still_open else last
        lengths = ends - starts
        self._add(lengths[:-1] if still_open else lengths)
        # As many runs end as begin; the others have length one.
        self._small[1] += n_begins - len(lengths) + still_open - (not goes_on)

    def spectrum(self, n_places: int) -> Spectrum:
        """End the last run and return the number of runs of each length."""
        sizes = Counter({int(size): int(self._small[size]) for size in np.flatnonzero(self._small)})
        sizes.update(self._large)
        sizes[self._before(n_places) - self._before(self._open)] += 1
        return Spectrum.of(sizes)

    def _before(self, index: int) -> int:
        return index if self._people is None else int(self._people[index])

    def _add(self, lengths: Places) -> None:
        if not len(lengths):
            return
        if int(lengths.max()) >= _SMALL:
            small = lengths < _SMALL
            self._large.update(size_counts(lengths[~small]))
            lengths = lengths[small]
        self._small += np.bincount(lengths, minlength=_SMALL)


def run_borders(ordered: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return where each run of equal numbers begins, and where the last one ends.

    >>> run_borders(np.array([7, 7, 9])).tolist()
    [0, 2, 3]
    """
    if not len(ordered):
        return np.zeros(1, np.int64)
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate(([0], changes, [len(ordered)]))


def size_counts(sizes: NDArray[np.generic]) -> dict[int, int]:
    """Count how often each size occurs, except 0.

    >>> size_counts(np.array([1, 3, 0, 1]))
    {1: 2, 3: 1}
    """
    if not len(sizes):
        return {}
    # bincount is linear but needs an array up to the largest size; a few large sizes are cheaper to sort.
    if int(sizes.max()) <= 4 * len(sizes) + 1024:
        # In blocks, because bincount copies sizes of other types.
        length = len(sizes) if int(sizes.max()) > _BLOCK else _BLOCK
        counts = np.zeros(int(sizes.max()) + 1, np.int64)
        for start in range(0, len(sizes), length):
            counts += np.bincount(sizes[start : start + length].astype(np.int64, copy=False), minlength=len(counts))
        distinct = np.flatnonzero(counts)
        numbers = counts[distinct]
    else:
        distinct, numbers = np.unique(sizes, return_counts=True)
    return {size: number for size, number in zip(distinct.tolist(), numbers.tolist(), strict=True) if size}
