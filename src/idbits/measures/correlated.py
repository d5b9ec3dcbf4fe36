"""Unique people when two correlated numeric attributes are rounded to intervals.

Implements: SPEC section 5 (two correlated numeric attributes); S2 6.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.densities import normal_between
from idbits.measures.distribution import Distribution

__all__ = ["BivariateNormal", "correlated_grids", "mean_for_small_cells"]

Floats = NDArray[np.float64]

_MOST_CELLS = 4_000_000
_NODES = 12
_MOST_PANELS = 500


@dataclass(frozen=True, slots=True)
class BivariateNormal:
    """Two attributes with a joint normal density; without means, its position is unknown."""

    sds: tuple[float, float]
    rho: float
    means: tuple[float, float] | None = None

    def collision_density(self) -> float:
        """Return the integral of f^2: 1 / (4 pi sx sy sqrt(1 - rho^2)). Implements: S2 lemma 6.3.

        >>> round(BivariateNormal((1.0, 1.0), 0.0).collision_density(), 6)
        0.079577
        """
        return 1 / (4 * math.pi * self.sds[0] * self.sds[1] * math.sqrt(1 - self.rho**2))

    def sample(
        self, random: np.random.Generator, shape: tuple[int, int], widths: tuple[float, float]
    ) -> NDArray[np.int64]:
        """Draw pairs of values and return their cells, each as one whole number."""
        x = random.standard_normal(shape)
        y = self.rho * x + math.sqrt(1 - self.rho**2) * random.standard_normal(shape)
        cells = []
        for score, sd, width, axis in zip((x, y), self.sds, widths, (0, 1), strict=True):
            middle = self.means[axis] if self.means is not None else random.uniform(0, width, (shape[0], 1))
            cells.append(np.floor((score * sd + middle) / width).astype(np.int64))
        return np.asarray((cells[0] << 32) ^ (cells[1] & 0xFFFFFFFF))


def mean_for_small_cells(pair: BivariateNormal, widths: tuple[float, float], k: int) -> float:
    """k - dx dy k (k-1) / (4 pi sx sy sqrt(1 - rho^2)). Implements: S2 6.4.1.

    >>> round(mean_for_small_cells(BivariateNormal((5.289, 4.83), 0.5028), (1.0, 1.0), 10), 4)
    9.6757
    """
    return k - widths[0] * widths[1] * k * (k - 1) * pair.collision_density()


def correlated_grids(
    pair: BivariateNormal, widths: tuple[float, float], k: int
) -> Iterator[tuple[float, Distribution]] | None:
    """Yield weights and distributions over the cells, for the grid positions over which figures are averaged.

    None if there are too many cells to list, or the correlation is too close to 1.
    """
    reach = _reach(k)
    cells = math.prod(2 * reach * sd / width + 2 for sd, width in zip(pair.sds, widths, strict=True))
    if cells > _MOST_CELLS or _panels(pair, widths) > _MOST_PANELS:
        return None
    if pair.means is not None:
        return iter([(1.0, _grid(pair, widths, pair.means, reach))])
    steps = [_phases(width / sd) for sd, width in zip(pair.sds, widths, strict=True)]
    return (
        (1 / math.prod(steps), _grid(pair, widths, (i / steps[0] * widths[0], j / steps[1] * widths[1]), reach))
        for i in range(steps[0])
        for j in range(steps[1])
    )


def _reach(k: int) -> float:
    from statistics import NormalDist

    return -NormalDist().inv_cdf(1e-13 / max(1, k))


def _phases(relative_width: float) -> int:
    """Return the number of grid positions to average over: narrow cells need few, wide ones at most 64."""
    if relative_width < 2.5:
        return 4 if relative_width < 0.5 else 8 if relative_width < 1 else 16
    return min(64, math.ceil(8 * relative_width))


def _panels(pair: BivariateNormal, widths: tuple[float, float]) -> int:
    """Return the number of parts of an interval of x, so that in each y moves by at most half its own spread."""
    rest = math.sqrt(1 - pair.rho**2)
    return max(1, math.ceil(2 * widths[0] / pair.sds[0] * max(1.0, abs(pair.rho) / rest)))


def _grid(pair: BivariateNormal, widths: tuple[float, float], means: tuple[float, float], reach: float) -> Distribution:
    """Return the chances of the cells: over each interval of x the chance of each interval of y, by Gauss rules."""
    lows = [math.floor((mean - reach * sd) / width) for mean, sd, width in zip(means, pair.sds, widths, strict=True)]
    highs = [math.ceil((mean + reach * sd) / width) for mean, sd, width in zip(means, pair.sds, widths, strict=True)]
    rest = math.sqrt(1 - pair.rho**2)
    panels = _panels(pair, widths)
    nodes, masses = np.polynomial.legendre.leggauss(_NODES)
    offsets = ((np.arange(panels)[:, None] + (nodes + 1) / 2) / panels).ravel()
    share = np.tile(masses / 2 / panels, panels)
    y_edges = (np.arange(lows[1], highs[1] + 1) * widths[1] - means[1]) / pair.sds[1]
    chances = []
    for column in range(lows[0], highs[0]):
        x = ((column + offsets) * widths[0] - means[0]) / pair.sds[0]
        density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * share * widths[0] / pair.sds[0]
        z = (y_edges[None, :] - pair.rho * x[:, None]) / rest
        chances.append(density @ normal_between(z))
    joint = np.concatenate(chances)
    return Distribution.of(joint[joint > 0])
