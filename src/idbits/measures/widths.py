"""Unique people when a numeric attribute is rounded to intervals.

Implements: SPEC section 5 (interval width); S2 6.3 with the errata of SPEC section 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from idbits.measures.densities import Density, Uniform, cell_chances, n_cells
from idbits.measures.distribution import Distribution

__all__ = [
    "four_digits", "grids", "mean_for_small_widths", "sample_cells", "second_order_mean", "sets_for_small_widths",
    "variance_for_small_widths", "widths_between",
]  # fmt: skip

_MOST_CELLS = 20_000_000
_TAIL = 1e-13


def grids(density: Density, width: float, k: int) -> Iterator[tuple[float, Distribution]] | None:
    """Yield weights and distributions over the intervals, for the grid positions over which figures are averaged.

    One position if that of the density is known. None if there are too many intervals to list.
    """
    tail = _TAIL / max(1, k)
    if n_cells(density, width, tail) > _MOST_CELLS:
        return None
    return (
        (weight, Distribution.of(cell_chances(density, width, tail, phase)))
        for phase, weight in _phases(density, width, tail)
    )


def _phases(density: Density, width: float, tail: float) -> list[tuple[float, float]]:
    """Return the positions of the grid, as parts of a width, with their weights.

    Figures of a smooth density vary smoothly with the position, so equal weights converge fast: narrow intervals need
    few positions. Those of a uniform density have a corner where an end meets the grid: Gauss rules between the
    corners are exact for polynomials of degree 63, and so for up to 64 people.
    """
    if density.is_placed:
        return [(0.0, 1.0)]
    if isinstance(density, Uniform):
        nodes, masses = np.polynomial.legendre.leggauss(32)
        corner = density.length / width % 1.0
        pieces = [(0.0, corner), (corner, 1.0)]
        return [
            (low + (high - low) * (float(node) + 1) / 2, (high - low) * float(mass) / 2)
            for low, high in pieces
            if high - low > 1e-12
            for node, mass in zip(nodes, masses, strict=True)
        ]
    # The density covers about 15 standard deviations. Wide intervals need more positions.
    cells = n_cells(density, width, tail)
    n_phases = min(1_024, max(8, math.ceil(500 / cells))) if cells < 100_000 else 2
    return [(phase / n_phases, 1 / n_phases) for phase in range(n_phases)]


def mean_for_small_widths(density: Density, width: float, k: int) -> float:
    """k - d k (k-1) Int f^2. Implements: S2 6.3.1, first order.

    >>> from idbits.measures.densities import Normal
    >>> round(mean_for_small_widths(Normal(5.289), 0.5, 10), 4)
    7.5999
    """
    return k - width * k * (k - 1) * density.power_integral(2)


def second_order_mean(density: Density, width: float, k: int) -> float:
    """k - d k (k-1) Int f^2 + d^2/2 k (k-1) (k-2) Int f^3. Implements: S2 6.3.1, second order.

    >>> from idbits.measures.densities import Normal
    >>> round(second_order_mean(Normal(5.289), 0.5, 10), 4)
    7.8955
    """
    return mean_for_small_widths(density, width, k) + (width**2 / 2 * k * (k - 1) * (k - 2) * density.power_integral(3))


def sets_for_small_widths(density: Density, width: float, k: int, size: int, order: int) -> float:
    """Mean number of sets of 2 or 3 people, k phi_j / j, to the first or second order in the width.

    phi_2 = d (k-1) Int f^2 - d^2 (k-1)(k-2) Int f^3 and phi_3 = d^2/2 (k-1)(k-2) Int f^3. Implements: S2 6.3.1.

    >>> from idbits.measures.densities import Normal
    >>> [round(j * sets_for_small_widths(Normal(5.289), 0.1, 10, j, 2) / 10, 5) for j in (2, 3)]
    [0.04564, 0.00118]
    """
    pairs = width * (k - 1) * density.power_integral(2)
    triples = width**2 / 2 * (k - 1) * (k - 2) * density.power_integral(3)
    if size == 2:
        return k / 2 * (pairs - (2 * triples if order == 2 else 0.0))
    return k / 3 * (triples if order == 2 else 0.0)


def variance_for_small_widths(density: Density, width: float, k: int) -> float:
    """2 d k (k-1) Int f^2. Implements: SPEC section 5, in place of S2 remark 6.2.

    >>> from idbits.measures.densities import Normal
    >>> round(variance_for_small_widths(Normal(5.289), 0.5, 10), 4)
    4.8003
    """
    return 2 * width * k * (k - 1) * density.power_integral(2)


def widths_between(narrowest: float, widest: float, per_octave: int) -> list[float]:
    """Return widths from the narrowest to the widest or just above, ``per_octave`` in each octave.

    >>> widths_between(1.0, 4.0, 1)
    [1.0, 2.0, 4.0]
    """
    steps = math.ceil(math.log2(widest / narrowest) * per_octave)
    return [narrowest * 2 ** (step / per_octave) for step in range(steps + 1)]


def four_digits(width: float, *, up: bool) -> float:
    """Return a width with four digits, rounded to one side.

    >>> four_digits(12.3456, up=True), four_digits(12.3456, up=False)
    (12.35, 12.34)
    """
    unit = 10.0 ** (math.floor(math.log10(width)) - 3)
    return (math.ceil if up else math.floor)(width / unit) * unit


def sample_cells(
    density: Density, width: float, random: np.random.Generator, shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Draw values and return the intervals they fall in."""
    values = density.sample(random, shape)
    if not density.is_placed:
        values = values + random.uniform(0, width, (shape[0], 1))
    return np.asarray(np.floor(values / width), dtype=np.int64)
