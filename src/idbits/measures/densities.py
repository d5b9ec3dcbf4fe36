"""Densities of a numeric attribute, cut into intervals of equal width.

Implements: SPEC section 5 (interval width d of a numeric attribute); S2 6.2 and 6.3. Intervals are [i d, (i+1) d).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Density", "Exponential", "Lognormal", "Normal", "Uniform", "cell_chances", "n_cells", "normal_between"]

Floats = NDArray[np.float64]


class Density(Protocol):
    """A density with computable chances of intervals."""

    @property
    def is_placed(self) -> bool:
        """Whether the position of the density is known; otherwise figures are averaged over grid positions."""

    def reach(self, tail: float) -> tuple[float, float]:
        """Return an interval with less than ``tail`` outside on either side."""

    def between(self, edges: Floats) -> Floats:
        """Return the chances between neighbouring edges; the ends of the axis also count as edges."""

    def power_integral(self, power: int) -> float:
        """Return the integral of f^2 or f^3."""

    def sample(self, random: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Draw values."""


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal density; without a mean, its position is unknown."""

    sd: float
    mean: float | None = None

    @property
    def is_placed(self) -> bool:
        """Whether the mean is given."""
        return self.mean is not None

    def reach(self, tail: float) -> tuple[float, float]:
        """Return the interval without the tails."""
        half = self.sd * _normal_quantile(tail)
        return (self.mean or 0.0) - half, (self.mean or 0.0) + half

    def between(self, edges: Floats) -> Floats:
        """Return the chances between edges."""
        return normal_between((edges - (self.mean or 0.0)) / self.sd)

    def power_integral(self, power: int) -> float:
        """Implements: S2 lemma 6.1: 1 / (sqrt(m) (sqrt(2 pi) sigma)^(m-1)).

        >>> round(Normal(1.0).power_integral(2), 6)
        0.282095
        """
        return 1 / (math.sqrt(power) * (math.sqrt(2 * math.pi) * self.sd) ** (power - 1))

    def sample(self, random: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Draw values."""
        return random.normal(self.mean or 0.0, self.sd, shape)


@dataclass(frozen=True, slots=True)
class Uniform:
    """The uniform density on an interval; with only a length, its position is unknown."""

    length: float
    low: float | None = None

    @property
    def is_placed(self) -> bool:
        """Whether the start of the interval is known."""
        return self.low is not None

    def reach(self, tail: float) -> tuple[float, float]:  # noqa: ARG002 (there are no tails)
        """Return the interval."""
        return self.low or 0.0, (self.low or 0.0) + self.length

    def between(self, edges: Floats) -> Floats:
        """Return the chances between edges."""
        inside = np.clip((edges - (self.low or 0.0)) / self.length, 0.0, 1.0)
        return np.diff(inside)

    def power_integral(self, power: int) -> float:
        """Return 1 / length^(m-1)."""
        return self.length ** (1 - power)

    def sample(self, random: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Draw values."""
        return random.uniform(self.low or 0.0, (self.low or 0.0) + self.length, shape)


@dataclass(frozen=True, slots=True)
class Exponential:
    """The exponential density from 0 on; its mean is 1 / rate."""

    rate: float

    @property
    def is_placed(self) -> bool:
        """It starts at 0."""
        return True

    def reach(self, tail: float) -> tuple[float, float]:
        """Return the interval without the tail."""
        return 0.0, -math.log(tail) / self.rate

    def between(self, edges: Floats) -> Floats:
        """Return the chances between edges."""
        start = np.maximum(edges, 0.0) * self.rate
        return np.exp(-start[:-1]) * -np.expm1(start[:-1] - start[1:])

    def power_integral(self, power: int) -> float:
        """Return rate^(m-1) / m."""
        return self.rate ** (power - 1) / power

    def sample(self, random: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Draw values."""
        return random.exponential(1 / self.rate, shape)


@dataclass(frozen=True, slots=True)
class Lognormal:
    """The density of e^X, X normal with mean mu and standard deviation sigma."""

    mu: float
    sigma: float

    @property
    def is_placed(self) -> bool:
        """It starts at 0."""
        return True

    def reach(self, tail: float) -> tuple[float, float]:
        """Return the interval without the tails."""
        half = self.sigma * _normal_quantile(tail)
        return math.exp(self.mu - half), math.exp(self.mu + half)

    def between(self, edges: Floats) -> Floats:
        """Return the chances between edges."""
        with np.errstate(divide="ignore"):
            return normal_between((np.log(np.maximum(edges, 0.0)) - self.mu) / self.sigma)

    def power_integral(self, power: int) -> float:
        """Return the integral of f^m: exp(-(m-1) mu + (m-1)^2 sigma^2 / (2m)) / (sqrt(m) (sqrt(2 pi) sigma)^(m-1)).

        >>> round(Lognormal(0.0, 1.0).power_integral(2), 6)
        0.362217
        """
        lean = math.exp(-(power - 1) * self.mu + (power - 1) ** 2 * self.sigma**2 / (2 * power))
        return lean * Normal(self.sigma).power_integral(power)

    def sample(self, random: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Draw values."""
        return random.lognormal(self.mu, self.sigma, shape)


def normal_between(z: Floats) -> Floats:
    """Return the chances between neighbouring standard scores, accurate in both tails."""
    from scipy.special import ndtr

    # Above 0, use the upper tail: 1 minus nearly 1 would lose digits.
    below, above = ndtr(z), ndtr(-z)
    return np.asarray(np.where(z[..., :-1] > 0, above[..., :-1] - above[..., 1:], below[..., 1:] - below[..., :-1]))


def _normal_quantile(tail: float) -> float:
    from statistics import NormalDist

    return -NormalDist().inv_cdf(max(tail, 1e-300))


def n_cells(density: Density, width: float, tail: float) -> float:
    """Return the number of intervals of this width that the density covers."""
    low, high = density.reach(tail)
    return (high - low) / width + 2


def cell_chances(density: Density, width: float, tail: float, phase: float = 0.0) -> Floats:
    """Return the chance of each interval [i d, (i+1) d) that the density covers; they add up to 1.

    ``phase`` moves the grid by a part of the width. The tails are added to the outermost intervals.

    >>> cell_chances(Uniform(1.0, 0.0), 0.3, 1e-12).round(12).tolist()
    [0.3, 0.3, 0.3, 0.1]
    """
    low, high = density.reach(tail)
    # Slightly wider: an end that is on the grid except for rounding must not start another interval.
    first = math.floor(low / width - phase + 1e-9)
    last = max(first + 1, math.ceil(high / width - phase - 1e-9))
    edges = (np.arange(first, last + 1, dtype=np.float64) + phase) * width
    edges[0], edges[-1] = -math.inf, math.inf
    chances = density.between(edges)
    return chances[chances > 0]
