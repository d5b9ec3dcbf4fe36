"""The whole distribution of the number of unique people, and the chance that nobody is unique.

Implements: SPEC section 5 (distribution of S; no singleton at all, zeta); S2 5.4, with 5.4.3 for uneven probabilities;
DESIGN section 5.

For Poisson counts of mean k p_i on the values, let X be their total and S the number of ones. Given X = k, they have
the distribution of k people. The characteristic function of (X, S) is a product over values; the trapezoid rule over
both angles inverts it. A coarse version of the distribution shows which nodes contribute less than 1e-20; these are
skipped. The result is checked against the exact mean and variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idbits.measures.contour import condensed, log_factorial_rest, mean_on_circle, n_nodes, solve_increasing
from idbits.measures.distribution import Distribution
from idbits.measures.singletons import mean_singletons, variance_singletons

__all__ = [
    "SingletonDistribution", "exact_uniform_no_singleton", "log_no_singleton", "log_no_singleton_from_kappa",
    "log_no_singleton_poisson", "singleton_distribution",
]  # fmt: skip

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_MOST_NODES = 6_000_000
_EVERY_NODE = 30_000_000
_NEGLIGIBLE = -60.0
_BLOCK = 500_000
_LARGEST_EXPONENT = 340.0
_WHOLE_NUMBERS = 300
_TINY_MEAN = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class SingletonDistribution:
    """Chances of first, first + 1, ... unique people; all other numbers together have less than 1e-15."""

    first: int
    chances: Floats

    @property
    def people(self) -> NDArray[np.int64]:
        """The numbers of unique people, one per chance."""
        return np.arange(self.first, self.first + len(self.chances))

    def quantile(self, level: float) -> int:
        """Return the smallest number that is not exceeded with at least this chance."""
        index = int(np.searchsorted(np.cumsum(self.chances), level - 1e-12))
        return self.first + min(index, len(self.chances) - 1)


def singleton_distribution(distribution: Distribution, k: int) -> SingletonDistribution | None:
    """Return the chances of 0 to k unique people among k, or None if that takes too long.

    Implements: S2 5.4.2, 5.4.3. Absolute error below 1e-12. About a hundred thousand people or more take too long.

    >>> distribution = singleton_distribution(Distribution.of([0.5, 0.5]), 3)
    >>> [round(float(chance), 12) for chance in distribution.chances]
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
    singles = SingletonDistribution(first, chances)
    return singles if _agrees(singles, mean, variance_singletons(distribution, k), k) else None


def _agrees(singles: SingletonDistribution, mean: float, variance: float, k: int) -> bool:
    """Return whether the distribution has the mean and variance given by simpler formulas."""
    people, chances = singles.people - mean, singles.chances
    moments = float(chances.sum()), float(chances @ people), float(chances @ people**2)
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
            # The likeliest value by itself makes the product negligible.
            continue
        # Reduce k times the angle in whole numbers: a large phase would lose digits.
        common = k * (turn - 1) - 2j * math.pi * (k * node % n_totals) / n_totals
        kept: slice | NDArray[np.intp] = slice(None)
        if coarse is not None:
            heights = common.real + _log_product(*coarse, turn, lifts, real=True).real
            kept = np.flatnonzero(heights > _NEGLIGIBLE)
        sums[kept] += np.exp(common + _log_product(rates, weights, turn, lifts[kept]))
    # Divided by the chance that the Poisson total is k.
    return sums / n_totals * math.exp(log_factorial_rest(k))


def _log_product(rates: Floats, weights: Floats, turn: complex, lifts: Complexes, *, real: bool = False) -> Complexes:
    """Return sum over values of ln(1 + (y - 1) x e^-x), with x the rate turned by the angle; its real part only."""
    turned = rates * turn
    bumps = turned * np.exp(-turned)
    logarithms = np.zeros(len(lifts), dtype=np.complex128)
    step = max(1, _BLOCK // len(rates))
    with np.errstate(divide="ignore"):
        for start in range(0, len(lifts), step):
            part = slice(start, start + step)
            grown = np.outer(lifts[part], bumps)
            # By parts: NumPy's complex log1p takes several times as long.
            logarithms.real[part] = (
                np.log1p(np.maximum((2 + grown.real) * grown.real + grown.imag**2, -1.0)) @ weights / 2
            )
            if not real:
                logarithms.imag[part] = np.arctan2(grown.imag, 1 + grown.real) @ weights
    return logarithms


def _coarse(rates: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return about sixty rates that represent all of them, to see which nodes matter."""
    bins = np.floor(np.where(rates < 1e-3, np.log(rates / 1e-3) / math.log(4), np.log(rates / 1e-3) / math.log(1.25)))
    starts = np.flatnonzero(np.diff(bins, prepend=np.nan))
    held = np.add.reduceat(weights, starts)
    return np.add.reduceat(weights * rates, starts) / held, held


def exact_uniform_no_singleton(k: int, n_values: int) -> Fraction:
    """zeta(k, N) for equally likely values, as a fraction of whole numbers.

    The number of ways without a singleton is k! times the coefficient of x^k in (e^x - x)^N, which is
    sum over j of (-1)^j C(N, j) k!/(k-j)! (N-j)^(k-j). It is what the recursion of S2 5.4.1 gives, in one sum.
    Implements: S2 5.4.1, table A.1.

    >>> exact_uniform_no_singleton(4, 5) == Fraction(3 * 5 - 2, 5**3)
    True
    """
    ways = factor = 1
    ways = n_values**k
    for j in range(1, min(k, n_values) + 1):
        factor = -factor * (n_values - j + 1) * (k - j + 1) // j
        ways += factor * (n_values - j) ** (k - j)
    return Fraction(ways, n_values**k)


def log_no_singleton(distribution: Distribution, k: int) -> float:
    """Natural logarithm of the chance that nobody among k people is unique; -inf for one person.

    k! times the coefficient of x^k of prod (e^(p x) - p x), on a circle through its saddle; for equally likely values
    and few people by whole numbers. Implements: SPEC section 5; S2 5.4.1, 5.4.3 without its sum over all vectors.

    >>> round(math.exp(log_no_singleton(Distribution.of([0.5, 0.25, 0.25]), 3)), 10)
    0.15625
    """
    if k == 0:
        return 0.0
    if k == 1:
        return -math.inf
    n = distribution.n_occurring
    if n == 1:
        return 0.0
    if len(distribution.probabilities) == 1 and k <= _WHOLE_NUMBERS and n <= 10**9:
        return _log_of(exact_uniform_no_singleton(k, n))
    return _on_circle(distribution, k)


def _log_of(chance: Fraction) -> float:
    if chance > Fraction(1, 2):
        return math.log1p(-float(1 - chance))
    # Python's logarithm takes whole numbers of any length.
    return math.log(chance.numerator) - math.log(chance.denominator) if chance else -math.inf


def _on_circle(distribution: Distribution, k: int) -> float:
    p, weights = distribution.probabilities, distribution.multiplicities

    def mean(r: float) -> float:
        x = p * r
        return float(np.dot(weights, x * -np.expm1(-x) / (1 - x * np.exp(-x))))

    r = solve_increasing(mean, k, float(k))
    p, weights = condensed(p, weights, r)
    x = p * r
    fade = x * np.exp(-x)
    # Each value's count is a Poisson count that cannot be 1: its second moment is (x^2 + x - x e^-x) / (1 - x e^-x).
    first = x * -np.expm1(-x) / (1 - fade)
    variance = float(np.dot(weights, (x * x + x * -np.expm1(-x)) / (1 - fade) - first**2))
    # ln(e^x - x) = x + ln(1 - x e^-x). For a tiny x these cancel, so the logarithm is taken of 1 + x^2/2 + ... there.
    tiny, common = x < _TINY_MEAN, x >= _TINY_MEAN
    rare, likely = x[tiny], x[common]
    rare_logarithm, fading = _log_without_one(rare), np.log1p(-fade[common])
    # All the x add up to r.
    around = float(np.dot(weights[common], likely)) if tiny.any() else r
    height = float(np.dot(weights[tiny], rare_logarithm)) + float(np.dot(weights[common], fading))
    height += k * (around / k - 1 - math.log(r / k))

    def log_ratio(angle: float) -> complex:
        turn = complex(math.cos(angle) - 1, math.sin(angle))
        turned = likely * (1 + turn)
        rest = np.dot(weights[tiny], _log_without_one(rare * (1 + turn)) - rare_logarithm)
        # If a value has many people, the far side of the circle overflows but is negligible (NaN is skipped).
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = np.log1p(-turned * np.exp(-turned)) - fading
            return complex(np.dot(weights[common], step)) + around * turn + complex(rest)

    average = mean_on_circle(log_ratio, k, n_nodes(max(variance, 1.0)), falls=False)
    return min(0.0, log_factorial_rest(k) + height + math.log(average))


def _log_without_one(z: NDArray[Any]) -> NDArray[Any]:
    """Return ln(e^z - z) for a small z, real or complex, from the series of e^z - z - 1 and of the logarithm."""
    series = np.ones_like(z)
    for number in range(10, 2, -1):
        series = 1 + z / number * series
    u: NDArray[Any] = z * z / 2 * series
    logarithm: NDArray[Any] = u * (1 - u * (1 / 2 - u * (1 / 3 - u * (1 / 4 - u * (1 / 5 - u / 6)))))
    return logarithm


def log_no_singleton_poisson(distribution: Distribution, k: int) -> float:
    """Natural logarithm of prod (1 - k p e^(-k p)): people come as Poisson counts. Implements: S2 5.4.3.

    >>> round(math.exp(log_no_singleton_poisson(Distribution.uniform(20), 100)), 4)
    0.5039
    """
    x = distribution.probabilities * k
    with np.errstate(divide="ignore"):
        return distribution.total(np.log1p(-x * np.exp(-x)))


def log_no_singleton_from_kappa(n_values: int, kappa_nats: float, k: int) -> float:
    """The Poisson product from kappa alone: N (g(a) + a^2 g''(a) kappa), with g(x) = ln(1 - x e^-x), a = k/N.

    Beyond S2, in its manner: the mean of g(a alpha) over the values, to second order in alpha - 1, whose mean square
    is 2 kappa. Bounds: at most 0.

    >>> round(math.exp(log_no_singleton_from_kappa(20, 0.0, 100)), 4)
    0.5039
    """
    a = k / n_values
    fade = math.exp(-a)
    h, h1, h2 = 1 - a * fade, -(1 - a) * fade, (2 - a) * fade
    curvature = h2 / h - (h1 / h) ** 2
    return min(0.0, n_values * (math.log1p(-a * fade) + a * a * curvature * kappa_nats))
