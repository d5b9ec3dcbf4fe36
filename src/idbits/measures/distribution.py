"""The distribution that people draw from: probabilities, each with the number of values that have it.

Implements: SPEC section 5; S2 4.2 (F_i values of probability alpha_i / N). Values of equal probability are kept as
one group, so that the work grows with the number of different probabilities and not with the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.errors import InputError, NotEstimableError

__all__ = ["Distribution", "largest_kappa_nats", "two_level_distributions"]

Floats = NDArray[np.float64]

_SUM_TOLERANCE = 1e-6
_GROUPS = 24
_HALVINGS = 100
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """How likely the possible values are.

    Attributes:
        probabilities: the different probabilities above 0, ascending; times ``multiplicities`` they add up to 1.
        multiplicities: how many values have each (whole numbers, as floats).
        n_values: possible values (N), with those of probability 0.

    >>> Distribution.of([0.5, 0.25, 0.25, 0.0])
    Distribution(n_values=4, different=2)
    """

    probabilities: Floats
    multiplicities: Floats
    n_values: int

    def __repr__(self) -> str:
        return f"Distribution(n_values={self.n_values}, different={len(self.probabilities)})"

    @classmethod
    def uniform(cls, n_values: int) -> Distribution:
        """Return the distribution of equally likely values."""
        if n_values < 1:
            raise InputError("there is at least one possible value (--values)")
        return cls(np.array([1.0 / n_values]), np.array([float(n_values)]), n_values)

    @classmethod
    def of(cls, probabilities: Iterable[float], n_values: int | None = None) -> Distribution:
        """Return the distribution with these probabilities; they must add up to 1."""
        given = np.asarray(
            probabilities if isinstance(probabilities, np.ndarray) else list(probabilities), dtype=np.float64
        )
        if given.ndim != 1 or not len(given):
            raise InputError("give at least one probability")
        if not np.all(np.isfinite(given)) or given.min() < 0:
            raise InputError("probabilities are numbers from 0 to 1")
        total = math.fsum(given.tolist())
        if abs(total - 1) > _SUM_TOLERANCE:
            raise InputError(f"the probabilities add up to {total:.9g}, not to 1")
        distinct, counts = np.unique(given[given > 0] / total, return_counts=True)
        return cls(distinct, counts.astype(np.float64), _possible(len(given), n_values))

    @classmethod
    def from_spectrum(cls, spectrum: Spectrum, n_values: int | None = None) -> Distribution:
        """Return the distribution of a table's values; values that nobody has stay possible."""
        if not spectrum.n_people:
            raise NotEstimableError("there is nobody in the table, so it gives no distribution")
        probabilities = spectrum.sizes / float(spectrum.n_reference)
        # What is given counts all possible values; what the table holds cannot be more.
        possible = _possible(spectrum.n_sets, n_values) if n_values is not None else spectrum.n_values
        return cls(probabilities, spectrum.sets.astype(np.float64), possible)

    @property
    def n_occurring(self) -> int:
        """The number of values with a probability above 0."""
        return round(float(self.multiplicities.sum()))

    @property
    def is_uniform(self) -> bool:
        """Whether all possible values are equally likely."""
        return len(self.probabilities) == 1 and self.n_occurring == self.n_values

    def total(self, terms: Floats) -> float:
        """Return the sum of a function of the probabilities over all values above 0."""
        return float(np.dot(self.multiplicities, terms))

    @property
    def collision(self) -> float:
        """The chance that two people draw the same value: sum p^2."""
        return self.total(self.probabilities**2)

    @property
    def kappa_nats(self) -> float:
        """KL distance to the uniform distribution over the possible values, nats. Implements: S2 4.3.

        >>> Distribution.of([0.5, 0.25, 0.25]).kappa_nats
        0.05889151782819174
        """
        # With d = N p - 1, kappa is the mean of (1 + d) ln(1 + d) - d over the possible values: all terms are >= 0.
        d = self.probabilities * self.n_values - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            wide = (1 + d) * np.log1p(d) - d
        near = d * d / 2 - d**3 / 6 + d**4 / 12 - d**5 / 20 + d**6 / 30
        terms = self.multiplicities * np.where(np.abs(d) < 1e-3, near, wide)
        if self.is_uniform:
            return 0.0
        return (math.fsum(terms.tolist()) + (self.n_values - self.n_occurring)) / self.n_values

    @property
    def entropy_bits(self) -> float:
        """Mean information of a value, bits."""
        p = self.probabilities
        return abs(math.fsum((-self.multiplicities * p * np.log2(p)).tolist()))

    @property
    def largest_alpha(self) -> float:
        """How much likelier than 1/N the likeliest value is."""
        return float(self.probabilities[-1] * self.n_values)

    @property
    def smallest_alpha(self) -> float:
        """How much likelier than 1/N the least likely value is; 0 where a possible value never occurs."""
        return float(self.probabilities[0] * self.n_values) if self.n_occurring == self.n_values else 0.0


def largest_kappa_nats(n_values: int) -> float:
    """Return the KL distance of a certain value to the uniform distribution, ln N: no distribution is further away.

    >>> largest_kappa_nats(1)
    0.0
    """
    return math.log(n_values)


def _possible(n_listed: int, n_values: int | None) -> int:
    if n_values is None:
        return n_listed
    if n_values < n_listed:
        raise InputError(f"{n_listed:,} values are listed, so {n_values:,} cannot be all that are possible (--values)")
    return n_values


@lru_cache(maxsize=64)
def two_level_distributions(n_values: int, kappa_nats: float) -> tuple[Distribution, ...]:
    """Return distributions with this kappa in which m values share one probability and the others another.

    Kappa says how far a distribution is from equally likely values, not how: one value may be much likelier than the
    others, or half of them a little. A figure that differs between such distributions cannot be known from kappa.
    Implements: SPEC section 5 (where an approximation stops being trusted).

    m goes from 1 (one outlier) over a few (some likely values) to half of them, and the m values are likelier or less
    likely than the rest. The same follows for distributions in which as many values as kappa allows never occur. Under
    a fixed kappa, sums over the values take their extremes at distributions with two or three different
    probabilities, so these span nearly all that kappa leaves open.

    >>> distributions = two_level_distributions(95, 0.0914)
    >>> len(distributions) > 20, all(abs(each.kappa_nats - 0.0914) < 1e-9 for each in distributions)
    (True, True)
    """
    if n_values < 2 or kappa_nats <= 0:
        return ()
    distributions = _two_levels(n_values, kappa_nats, n_values)
    # Values that never occur take ln(N / the others) of kappa; what is left tilts the others.
    never = min(n_values - 1, math.floor(n_values * -math.expm1(-kappa_nats)))
    if never:
        left = kappa_nats + math.log1p(-never / n_values)
        distributions += _two_levels(n_values - never, max(0.0, left), n_values)
    return tuple(distributions)


def _two_levels(n_occurring: int, kappa_nats: float, n_values: int) -> list[Distribution]:
    """Return distributions over some of the values that are so far from uniform on them."""
    if kappa_nats < _ROUNDING or n_occurring < 2:
        return [Distribution(np.array([1.0 / n_occurring]), np.array([float(n_occurring)]), n_values)]
    spaced = np.exp(np.linspace(0, math.log(n_occurring / 2), _GROUPS)).tolist()
    distributions = []
    for m in sorted(
        {size for near in spaced for size in (math.floor(near), math.ceil(near)) if 2 * size <= n_occurring}
    ):
        for mass in _masses(m / n_occurring, kappa_nats):
            levels = np.array([mass / m, (1 - mass) / (n_occurring - m)])
            sizes = np.array([float(m), float(n_occurring - m)])
            order = np.argsort(levels)
            kept = order[levels[order] > 0]
            distributions.append(Distribution(levels[kept], sizes[kept], n_values))
    return distributions


def _masses(share: float, kappa_nats: float) -> list[float]:
    """Return the chances of a group with this share of the values: above it, and below it where that can be."""
    masses = []
    for end in (1.0, 0.0):
        if _distance(end, share) < kappa_nats:
            continue
        near, far = share, end
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if _distance(middle, share) < kappa_nats else (near, middle)
        masses.append((near + far) / 2)
    return masses


def _distance(mass: float, share: float) -> float:
    """Return the KL distance of (mass, 1 - mass) to (share, 1 - share), nats."""
    parts = ((mass, share), (1 - mass, 1 - share))
    return math.fsum(part * math.log(part / even) for part, even in parts if part > 0)
