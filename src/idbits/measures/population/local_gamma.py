"""Local gamma: the estimate from group sizes alone.

Implements: SPEC page population.md, 8.3 (local gamma) and 8.8b. One curve underlies Pitman, Ewens and the negative
binomial models: the share of uniques in a sample of t n people is (1 + t/kap)^-(1-sigma). This fits it to the small
groups only, where the information about uniques is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln

from idbits.counts import Floats, Spectrum
from idbits.measures.population.optimisation import minimum_within

__all__ = ["LocalGamma", "fit_local_gamma"]

_MOST_SIZE = 10
_BOUNDS = ((-4.0, 2.0), (-12.0, 12.0))
_STARTS = ((-0.7, 0.0), (0.0, 2.0), (-0.3, -3.0))


@dataclass(frozen=True, slots=True)
class LocalGamma:
    """The fitted curve."""

    sigma: float
    kap: float

    def pi(self, fraction: float) -> float:
        """Probability that a sample unique is unique in the population: ((1 + kap)/(1/f + kap))^(1 - sigma).

        >>> round(fit_local_gamma(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4})).pi(0.1), 6)
        0.163994
        """
        return math.exp((1 - self.sigma) * (math.log1p(self.kap) - math.log(1 / fraction + self.kap)))

    @property
    def alpha(self) -> float:
        """The shape of the distribution of set sizes."""
        return 1 - self.sigma

    @property
    def mu(self) -> float:
        """The mean of the distribution of set sizes, in sample units."""
        return (1 - self.sigma) / self.kap


def fit_local_gamma(spectrum: Spectrum) -> LocalGamma | None:
    """Fit the curve to m_1 .. m_10; None if all people differ or all groups are larger, which does not identify it.

    E m_k is proportional to Gamma(k - sigma)/(Gamma(1 - sigma) k!) p^(k-1), p = 1/(1 + kap). Maximises the multinomial
    likelihood with weak priors: - 1/2 ((ln(1 - sigma) + .5)^2 + (ln(kap)/4)^2).

    >>> fit_local_gamma(Spectrum.of({1: 500})) is None
    True
    """
    if spectrum.n_sets in (0, spectrum.n_people):
        return None
    sizes = np.arange(1, min(_MOST_SIZE, int(spectrum.sizes[-1])) + 1)
    sets = np.zeros(len(sizes))
    small = spectrum.sizes <= len(sizes)
    sets[spectrum.sizes[small] - 1] = spectrum.sets[small]
    if not sets.any():
        return None

    def negative(x: Floats) -> tuple[float, Floats]:
        return _negative(x, sizes.astype(np.float64), sets)

    low, high = np.array(_BOUNDS).T
    best, _ = minimum_within(negative, [np.array(start) for start in _STARTS], low, high)
    return LocalGamma(1 - math.exp(best[0]), math.exp(best[1]))


def _negative(x: Floats, sizes: Floats, sets: Floats) -> tuple[float, Floats]:
    """Return minus the penalised log-likelihood and its gradient, at ln(1 - sigma) and ln kap."""
    shape, kap = math.exp(x[0]), math.exp(x[1])
    log_p = -math.log1p(kap)
    terms = gammaln(sizes - 1 + shape) - gammaln(shape) - gammaln(sizes + 1) + (sizes - 1) * log_p
    top = float(terms.max())
    weights = np.exp(terms - top)
    total = float(weights.sum())
    expected = weights / total
    n_sets = float(sets.sum())
    value = float(sets @ terms) - n_sets * (top + math.log(total))
    by_shape = (digamma(sizes - 1 + shape) - digamma(shape)) * shape
    by_kap = -(sizes - 1) * kap / (1 + kap)
    surplus = sets - n_sets * expected
    penalty = ((x[0] + 0.5) ** 2 + (x[1] / 4) ** 2) / 2
    slopes = np.array([surplus @ by_shape - (x[0] + 0.5), surplus @ by_kap - x[1] / 16])
    return -(value - penalty), -slopes
