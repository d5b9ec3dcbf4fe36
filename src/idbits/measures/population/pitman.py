"""The Pitman-Yor model of a population, fitted to a spectrum, in closed form.

Implements: SPEC page population.md, 8.3 (pitman), 8.2 (other population sizes), 8.8b (how it is maximised). Pitman
1995; Hoshino 2001; Favaro, Lijoi and Pruenster 2013 for what follows about the rest of the population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, expit, gammaln

from idbits.counts import Floats, Spectrum
from idbits.measures.population.gamma_ratios import log_rising, log_rising_slopes
from idbits.measures.population.optimisation import minimum_within

__all__ = ["NOT_IDENTIFIED", "PitmanModel", "fit_pitman"]

NOT_IDENTIFIED = "no two people in the sample are alike, so group sizes say nothing about the population"

_SIGMA_RANGE = (-14.0, 14.0)
_THETA_RANGE = (-5.0, 40.0)
_LEAST_GAIN = 1e-9
_LEAST_SIGMA = 1e-5


@dataclass(frozen=True, slots=True)
class PitmanModel:
    """A fitted model; sigma = 0 is Ewens' sampling formula.

    Attributes:
        n: the people in the sample.
        n_sets: the sets in the sample.
        uniques: the sets of one person in the sample.
    """

    sigma: float
    theta: float
    n: int
    n_sets: int
    uniques: int

    def pi(self, people: float) -> float:
        """Probability that a sample unique is unique among ``people``.

        >>> round(fit_pitman(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4})).pi(1400), 6)
        0.168096
        """
        return self._stays(self.theta + self.n - 1, self.theta + people - 1)

    def uniques_among(self, people: float) -> float:
        """Expected population uniques, in the sample or not.

        >>> round(fit_pitman(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4})).uniques_among(1400), 3)
        106.252
        """
        theta, n, rest = self.theta, self.n, people - self.n
        if rest <= 0:
            return float(self.uniques)
        new = rest * (theta + self.n_sets * self.sigma) / (theta + n)
        return self.uniques * self.pi(people) + new * self._stays(theta + n, theta + people - 1)

    def _stays(self, first: float, last: float) -> float:
        """Product of (x + sigma)/(x + 1) for x = first, first + 1, .. last - 1: nobody joins a person who is alone.

        Gamma(last + sigma)/Gamma(last + 1) over the same of first; each ratio is of neighbours, so no digits are lost.
        """
        if self.sigma == 0:
            return first / last
        rest = 1 - self.sigma
        return math.exp(log_rising(first + self.sigma, rest) - log_rising(last + self.sigma, rest))

    def asymptotic_share(self, people: float) -> float:
        """Share of population uniques as ARX computes it: Gamma(theta+1)/Gamma(theta+sigma) N^sigma / N.

        An asymptotic formula for the whole population; it ignores what is known of the sample.
        """
        log_ratio = log_rising(self.theta + self.sigma, 1 - self.sigma)
        return math.exp(log_ratio + (self.sigma - 1) * math.log(people))

    def correctness(self, people: float) -> float:
        """Rocher's curve: the expected share of distinct values among ``people``, E K_N / N.

        >>> round(PitmanModel(0.5, 1.0, 10, 5, 2).correctness(1.0), 9)
        1.0
        """
        theta, sigma = self.theta, self.sigma
        if sigma == 0:
            return min(1.0, theta * log_rising_slopes(theta, people) / people)
        growth = math.expm1(log_rising(theta + people, sigma) - log_rising(theta, sigma))
        return min(1.0, theta / sigma * growth / people)


def fit_pitman(spectrum: Spectrum) -> PitmanModel | None:
    """Fit sigma and theta by maximum likelihood; None if all people differ, which does not identify the model.

    Maximises (K-1) ln sigma + D(theta/sigma + 1, K-1) - D(theta + 1, n-1) + sum m_k (lgamma(k-sigma) -
    lgamma(1-sigma)) over logit sigma and ln theta, with K sets and D(a, b) = lgamma(a+b) - lgamma(a).

    >>> model = fit_pitman(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}))
    >>> model.sigma, round(model.theta, 3)
    (0.0, 115.598)
    """
    n, n_sets = spectrum.n_people, spectrum.n_sets
    if n_sets == n or n_sets == 0:
        return None
    likelihood = _Likelihood(spectrum)
    log_sets = math.log(n_sets)
    starts = [np.array(start) for start in ((0.0, log_sets), (1.0, log_sets / 2), (-4.0, log_sets + 1))]
    low, high = np.array([_SIGMA_RANGE, _THETA_RANGE]).T
    best, value = minimum_within(likelihood.negative, starts, low, high)
    sigma, theta = float(expit(best[0])), math.exp(best[1])
    ewens_theta, ewens_likelihood = likelihood.ewens()
    if ewens_likelihood >= -value - _LEAST_GAIN or sigma < _LEAST_SIGMA:
        sigma, theta = 0.0, ewens_theta
    uniques = int(spectrum.sets[spectrum.sizes == 1].sum())
    return PitmanModel(sigma, theta, n, n_sets, uniques)


class _Likelihood:
    """The log-likelihood of a spectrum."""

    def __init__(self, spectrum: Spectrum) -> None:
        self._sizes = spectrum.sizes.astype(np.float64)
        self._sets = spectrum.sets.astype(np.float64)
        self._n, self._n_sets = spectrum.n_people, spectrum.n_sets

    def negative(self, x: Floats) -> tuple[float, Floats]:
        """Return minus the log-likelihood and its gradient, at logit sigma and ln theta."""
        sigma, theta = float(expit(x[0])), math.exp(x[1])
        n, n_sets = self._n, self._n_sets
        ratio = theta / sigma
        value = (
            (n_sets - 1) * math.log(sigma)
            + log_rising(ratio + 1, n_sets - 1)
            - log_rising(theta + 1, n - 1)
            + float(self._sets @ (gammaln(self._sizes - sigma) - gammaln(1 - sigma)))
        )
        by_ratio = log_rising_slopes(ratio + 1, n_sets - 1)
        by_sigma = (
            (n_sets - 1) / sigma
            - by_ratio * ratio / sigma
            - float(self._sets @ (digamma(self._sizes - sigma) - digamma(1 - sigma)))
        )
        by_theta = by_ratio / sigma - log_rising_slopes(theta + 1, n - 1)
        return -value, -np.array([by_sigma * sigma * (1 - sigma), by_theta * theta])

    def ewens(self) -> tuple[float, float]:
        """Return the theta that maximises the likelihood for sigma = 0, and the log-likelihood there."""
        n, n_sets = self._n, self._n_sets

        def slope(log_theta: float) -> float:
            theta = math.exp(log_theta)
            return (n_sets - 1) - theta * log_rising_slopes(theta + 1, n - 1)

        low, high = _THETA_RANGE
        if slope(low) <= 0 or slope(high) >= 0:
            log_theta = low if slope(low) <= 0 else high
        else:
            log_theta = float(brentq(slope, low, high, xtol=1e-14, rtol=8.9e-16))
        theta = math.exp(log_theta)
        rest = float(self._sets @ gammaln(self._sizes))
        return theta, (n_sets - 1) * log_theta - log_rising(theta + 1, n - 1) + rest
