"""Bounds that no model can overrule: all populations that could have produced the sample's group sizes.

Implements: SPEC page population.md, 8.4 and 8.8b. A population is M_j sets of j people. Its expected sample spectrum
must be within the limits of Poisson means given the observed one, and its people must add up. The smallest and the
largest share of sample uniques that are population uniques are two linear programs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import gammaincinv, gammaln, xlog1py, xlogy

from idbits.counts import Floats, Integers, Spectrum

__all__ = ["ModelFreeBounds", "pi_bounds"]

_MOST_SIZE = 30
_SMALL_SIZES = 60
_ALL_SIZES = 400
_LARGE_SIZES = 260


@dataclass(frozen=True, slots=True)
class ModelFreeBounds:
    """Limits of the share of sample uniques that are population uniques.

    Attributes:
        is_feasible: whether any population fits; if not, the limits are 0 and 1.
    """

    low: float
    high: float
    is_feasible: bool = True


def pi_bounds(spectrum: Spectrum, fraction: float, level: float = 0.9) -> ModelFreeBounds | None:
    """Return the limits at a confidence level; None without sample uniques.

    >>> bounds = pi_bounds(Spectrum.of({1: 500}), 0.1)
    >>> round(bounds.low, 3), round(bounds.high, 9)
    (0.779, 1.0)
    """
    if spectrum.sizes[0] != 1:
        return None
    most = max(2, min(_MOST_SIZE, int(spectrum.sizes[-1])))
    sizes = _population_sizes(most, fraction)
    limits, probabilities = _spectrum_limits(spectrum, most, level), _thinned(sizes, most, fraction)
    beyond = int(spectrum.people[spectrum.sizes > most].sum())
    slack = max(1.0, 3 * math.sqrt(beyond))
    # The unknowns are j f M_j, the expected people of sets of j in the sample: with M_j themselves, coefficients would
    # be below what the solver takes for 0 (1e-9).
    probabilities = probabilities / (sizes * fraction)
    people = np.ones(len(sizes))
    rows = np.vstack((probabilities, -probabilities, people, -people))
    within = spectrum.n_people - beyond
    ceilings = np.concatenate((limits[1], -limits[0], [within + slack, slack - within]))
    uniques = float(spectrum.sets[0])
    found = []
    for sign in (1.0, -1.0):
        goal = np.zeros(len(sizes))
        goal[0] = sign / uniques
        run = linprog(goal, A_ub=rows, b_ub=ceilings, bounds=(0, None), method="highs")
        if run.status != 0:
            return ModelFreeBounds(0.0, 1.0, is_feasible=False)
        found.append(sign * float(run.fun))
    return ModelFreeBounds(min(1.0, max(0.0, found[0])), min(1.0, max(0.0, found[1])))


def _population_sizes(most: int, fraction: float) -> Floats:
    """Return the sizes of population sets that can matter: the small ones all, the large ones log-spaced."""
    largest = math.ceil((most + 6 * math.sqrt(most) + 10) / fraction)
    if largest <= _ALL_SIZES:
        return np.arange(1, largest + 1, dtype=np.float64)
    spaced = np.unique(np.rint(np.geomspace(_SMALL_SIZES + 1, largest, _LARGE_SIZES)))
    return np.concatenate((np.arange(1, _SMALL_SIZES + 1, dtype=np.float64), spaced))


def _spectrum_limits(spectrum: Spectrum, most: int, level: float) -> tuple[Floats, Floats]:
    """Return the limits of the Poisson means of m_1 .. m_most; their errors add up to 1 - level."""
    observed: Integers = np.zeros(most, np.int64)
    small = spectrum.sizes <= most
    observed[spectrum.sizes[small] - 1] = spectrum.sets[small]
    errors = np.exp2(-(np.arange(1, most + 1) / 3 + 1))
    errors *= (1 - level) / errors.sum()
    # Half the quantile of chi-squared with 2m degrees of freedom is that of a gamma distribution with shape m.
    low = np.where(observed > 0, gammaincinv(np.maximum(observed, 1), errors / 2), 0.0)
    return low, gammaincinv(observed + 1, 1 - errors / 2)


def _thinned(sizes: Floats, most: int, fraction: float) -> Floats:
    """Return the probability that k = 1 .. most of j people are in the sample, one row per k."""
    k = np.arange(1, most + 1, dtype=np.float64)[:, None]
    # Factor by factor, because the difference of two lgammas of 1e12 has no digit left.
    log_ways = np.cumsum(np.log(np.maximum(sizes - k + 1, 1.0)), axis=0) - gammaln(k + 1)
    logs = log_ways + xlogy(k, fraction) + xlog1py(np.maximum(sizes - k, 0.0), -fraction)
    return np.where(k <= sizes, np.exp(logs), 0.0)
