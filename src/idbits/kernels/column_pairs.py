"""The people of each pair of values of two columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, Spectrum
from idbits.kernels.known_columns import Ranks, cells_of

__all__ = ["pair_spectrum", "spectrum_of"]


def spectrum_of(people: Integers) -> Spectrum:
    """Return the spectrum of values with so many people each; those with none are left out.

    >>> spectrum_of(np.array([1, 0, 2, 1])).pairs()
    [(1, 2), (2, 1)]
    """
    if len(people) and int(people.max()) <= 4 * len(people) + 1024:
        counts = np.bincount(people)
        counts[0] = 0
        sizes = np.flatnonzero(counts)
        sets = counts[sizes]
    else:
        sizes, sets = np.unique(people[people > 0], return_counts=True)
    return Spectrum.of(zip(sizes.tolist(), sets.tolist(), strict=True))


def pair_spectrum(
    first: NDArray[np.uint32], first_size: int, second: NDArray[np.uint32], second_size: int, people: Integers | None
) -> Spectrum:
    """Return the spectrum of two columns together.

    >>> pair_spectrum(np.array([0, 0, 1], np.uint32), 2, np.array([1, 1, 1], np.uint32), 2, None).pairs()
    [(1, 1), (2, 1)]
    """
    return spectrum_of(cells_of(Ranks(first, first_size), second, second_size, people)[2])
