"""Quantiles of counted values and the correlation of two series.

Implements: SPEC section 12 (linear interpolation, as numpy.quantile by default).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["counted_quantiles", "pearson_correlation"]


def counted_quantiles(
    values: NDArray[np.int64] | NDArray[np.float64], counts: NDArray[np.int64], levels: Sequence[float]
) -> list[float]:
    """Quantiles of the list in which each of the ascending values is repeated by its count.

    >>> counted_quantiles(np.array([1, 5]), np.array([3, 1]), [0.5, 0.75, 1.0])
    [1.0, 2.0, 5.0]
    """
    ends = np.cumsum(counts)
    n = int(ends[-1])
    quantiles = []
    for level in levels:
        # Exact fractions: as a float, a position among very many people would lose its fractional part.
        position = Fraction(str(level)) * (n - 1)
        below = math.floor(position)
        low = float(values[np.searchsorted(ends, below, side="right")])
        high = float(values[np.searchsorted(ends, min(below + 1, n - 1), side="right")])
        quantiles.append(low + (high - low) * float(position - below))
    return quantiles


def pearson_correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's correlation; None if it does not exist (fewer than two points, or a constant side).

    >>> pearson_correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    if len(x) < 2:
        return None
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    dx, dy = [value - mean_x for value in x], [value - mean_y for value in y]
    scale = math.sqrt(math.fsum(d * d for d in dx) * math.fsum(d * d for d in dy))
    if min(x) == max(x) or min(y) == max(y):
        return None
    return min(1.0, max(-1.0, math.fsum(a * b for a, b in zip(dx, dy, strict=True)) / scale))
