"""The whole distribution of the number of unique people.

Implements: SPEC section 5 (distribution of S); S2 5.4.2, and 5.4.3 for uneven probabilities; DESIGN section 5.

With Poisson counts of mean k p_i on the values, let X be their total and S the number of ones. Given X = k these are
the people who draw k times. The characteristic function of (X, S) is a product over values; the trapezoid rule over
both angles inverts it. Every node whose share of the answer is below 1e-20 is left out, after a look at a coarse
version of the distribution. The answer is checked against the exact mean and variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.measures.contour import log_factorial_rest, n_nodes
from idbits.measures.distribution import Distribution
from idbits.measures.quadrature import condensed
from idbits.measures.singletons import mean_singletons, variance_singletons

__all__ = ["SingletonDistribution", "singleton_distribution"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_MOST_NODES = 6_000_000
_EVERY_NODE = 30_000_000
_NEGLIGIBLE = -60.0
_BLOCK = 500_000
_LARGEST_EXPONENT = 340.0


@dataclass(frozen=True, slots=True, eq=False)
class SingletonDistribution:
    """Chances of first, first + 1, ... unique people; what lies outside has less than 1e-15 together."""

    first: int
    chances: Floats

    @property
    def people(self) -> NDArray[np.int64]:
        """The numbers of unique people that the chances belong to."""
        return np.arange(self.first, self.first + len(self.chances))

    def quantile(self, level: float) -> int:
        """Return the least number that is not exceeded with this chance."""
        place = int(np.searchsorted(np.cumsum(self.chances), level - 1e-12))
        return self.first + min(place, len(self.chances) - 1)


def singleton_distribution(distribution: Distribution, k: int) -> SingletonDistribution | None:
    """Return the chances of 0 to k unique people among k, or None where that is out of reach.

    Implements: S2 5.4.2, 5.4.3. Absolute error below 1e-12. Out of reach are about a hundred thousand people and more.

    >>> found = singleton_distribution(Distribution.of([0.5, 0.5]), 3)
    >>> [round(float(chance), 12) for chance in found.chances]
    [0.25, 0.75, 0.0, 0.0]
    """
    if k == 1 or distribution.n_occurring == 1:
        return SingletonDistribution(0, np.array([0.0, 1.0] if k == 1 else [1.0]))
    rates = distribution.probabilities * k
    single = rates * np.exp(-rates)
    spread = distribution.total(single * (1 - single))
    window = 2 * math.ceil(24 + math.sqrt(190 + 82 * spread)) + 1
    n_singles, n_totals = min(window, k + 1), n_nodes(k)
    if n_singles * n_totals > 2 * _MOST_NODES:
        return None
    mean = mean_singletons(distribution, k)
    first = max(0, min(round(mean) - n_singles // 2, k + 1 - n_singles))
    rates, weights = condensed(distribution.probabilities, distribution.multiplicities, k)
    rates = rates * k
    transform = _transform(rates, weights, k, n_singles, n_totals)
    chances = np.fft.irfft(np.conj(transform), n_singles)
    chances = np.clip(np.roll(chances, -(first % n_singles)), 0.0, 1.0)
    found = SingletonDistribution(first, chances)
    return found if _agrees(found, mean, variance_singletons(distribution, k), k) else None


def _agrees(found: SingletonDistribution, mean: float, variance: float, k: int) -> bool:
    """Whether the distribution has the mean and the variance that simpler formulas give."""
    people = found.people - mean
    moments = float(found.chances.sum()), float(found.chances @ people), float(found.chances @ people**2)
    tolerance = 1e-9 * max(1.0, k)
    return abs(moments[0] - 1) < 1e-9 and abs(moments[1]) < tolerance and abs(moments[2] - variance) < k * tolerance


def _transform(rates: Floats, weights: Floats, k: int, n_singles: int, n_totals: int) -> Complexes:
    """Return E[y^S] for y on the upper half of the unit circle, n_singles nodes on all of it."""
    lifts = np.exp(2j * math.pi * np.arange(n_singles // 2 + 1) / n_singles) - 1
    everything = len(lifts) * n_totals * len(rates) <= _EVERY_NODE
    coarse = None if everything else _coarse(rates, weights)
    sums = np.zeros(len(lifts), dtype=np.complex128)
    for node in range(n_totals):
        angle = 2 * math.pi * node / n_totals
        turn = complex(math.cos(angle), math.sin(angle))
        if -turn.real * rates[-1] > _LARGEST_EXPONENT:
            # The likeliest value alone makes the product negligible.
            continue
        # k times the angle, reduced in whole numbers: a large phase would cost digits.
        common = k * (turn - 1) - 2j * math.pi * (k * node % n_totals) / n_totals
        places: slice | NDArray[np.intp] = slice(None)
        if coarse is not None:
            heights = common.real + _log_product(*coarse, turn, lifts, real=True).real
            places = np.flatnonzero(heights > _NEGLIGIBLE)
        sums[places] += np.exp(common + _log_product(rates, weights, turn, lifts[places]))
    # Divided by the chance that the Poisson total is k.
    return sums / n_totals * math.exp(log_factorial_rest(k))


def _log_product(rates: Floats, weights: Floats, turn: complex, lifts: Complexes, *, real: bool = False) -> Complexes:
    """Return sum over values of ln(1 + (y - 1) x e^-x), with x the rate turned by the angle; its real part only."""
    turned = rates * turn
    bumps = turned * np.exp(-turned)
    found = np.zeros(len(lifts), dtype=np.complex128)
    step = max(1, _BLOCK // len(rates))
    with np.errstate(divide="ignore"):
        for start in range(0, len(lifts), step):
            part = slice(start, start + step)
            grown = np.outer(lifts[part], bumps)
            # By parts: NumPy's complex log1p takes several times as long.
            found.real[part] = np.log1p(np.maximum((2 + grown.real) * grown.real + grown.imag**2, -1.0)) @ weights / 2
            if not real:
                found.imag[part] = np.arctan2(grown.imag, 1 + grown.real) @ weights
    return found


def _coarse(rates: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return about sixty rates that stand for all of them, to see which nodes matter."""
    bins = np.floor(np.where(rates < 1e-3, np.log(rates / 1e-3) / math.log(4), np.log(rates / 1e-3) / math.log(1.25)))
    starts = np.flatnonzero(np.diff(bins, prepend=np.nan))
    held = np.add.reduceat(weights, starts)
    return np.add.reduceat(weights * rates, starts) / held, held
