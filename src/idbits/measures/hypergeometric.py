"""The count in one cell of a table whose row and column totals are fixed and whose people are shuffled.

A value of a people and a value of b people, among n, meet in k people by chance: k is hypergeometric with mean
m = ab/n. What a cell adds to mutual information is its deviance, k ln(k/m) - (k - m), which is 0 for k = m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CellMoments", "cell_moments", "deviance", "meeting_counts"]

Floats = NDArray[np.float64]

# Terms beyond this many standard deviations and below this share of the sum are negligible.
_WINDOW = 9.0
_NEGLIGIBLE = 1e-18
# If the standard deviation is at most this share of the mean, a series replaces the sum to within 1e-8: it leaves out
# the skewness of fifth moments, which is at most 1/(10 m^3) of the whole. Below this mean the sum is short anyway.
_SERIES = 0.03
_LEAST_MEAN = 300
_CHUNK = 1 << 14


@dataclass(frozen=True, slots=True)
class CellMoments:
    """Moments of the deviance d of cells, in nats, and the variance of their counts k.

    Attributes:
        mean: E d.
        variance: Var d.
        covariance: Cov(d, k).
        count_variance: Var k.
    """

    mean: Floats
    variance: Floats
    covariance: Floats
    count_variance: Floats


def deviance(k: Floats, mean: Floats | float) -> Floats:
    """Return k ln(k/m) - (k - m), with its limit m at k = 0.

    >>> deviance(np.array([0.0, 2.0]), 2.0).tolist()
    [2.0, 0.0]
    """
    away = k - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        deviances: Floats = np.where(k > 0, k * np.log1p(away / mean) - away, mean)
    return deviances


def cell_moments(a: Floats, b: Floats, n: float) -> CellMoments:
    """Return the moments of cells with row totals a and column totals b among n people; totals may be fractions.

    >>> moments = cell_moments(np.array([1.0]), np.array([1.0]), 2.0)
    >>> round(float(moments.mean[0] / np.log(2)), 12)
    0.5
    """
    spread = a * b / n * (1 - a / n) * (1 - b / n) * (n / max(1.0, n - 1))
    moments = CellMoments(np.zeros(len(a)), np.zeros(len(a)), np.zeros(len(a)), spread)
    smooth = (np.sqrt(spread) <= _SERIES * (a * b / n)) & (a * b / n >= _LEAST_MEAN)
    # The sums of cells of similar size end at about the same term.
    rough = np.flatnonzero(~smooth)
    rough = rough[np.argsort((a * b)[rough], kind="stable")]
    for start in range(0, len(rough), _CHUNK):
        chosen = rough[start : start + _CHUNK]
        _put(moments, chosen, _summed(a[chosen], b[chosen], n))
    chosen = np.flatnonzero(smooth)
    if len(chosen):
        _put(moments, chosen, _series(a[chosen], b[chosen], spread[chosen], n))
    return moments


def meeting_counts(a: float, b: float, n: float) -> tuple[Floats, Floats]:
    """Return the possible counts of one cell, except negligible ones, with their probabilities.

    >>> [part.tolist() for part in meeting_counts(1.0, 1.0, 2.0)]
    [[0.0, 1.0], [0.5, 0.5]]
    """
    first, last = _window(np.array([a]), np.array([b]), n)
    k = np.arange(first[0], last[0] + 1)
    steps = np.log((a - k[:-1]) * (b - k[:-1]) / ((k[:-1] + 1) * (n - a - b + k[:-1] + 1)))
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    weights = np.exp(logs - logs.max())
    return k, weights / weights.sum()


def _window(a: Floats, b: Floats, n: float) -> tuple[Floats, Floats]:
    mean = a * b / n
    reach = _WINDOW * np.sqrt(mean * (1 - a / n) * (1 - b / n)) + 40
    first = np.ceil(np.maximum(np.maximum(0.0, a + b - n), mean - reach))
    return first, np.minimum(np.floor(mean + reach), np.minimum(a, b))


def _put(moments: CellMoments, chosen: NDArray[np.int64], parts: tuple[Floats, Floats, Floats]) -> None:
    moments.mean[chosen], moments.variance[chosen], moments.covariance[chosen] = parts


def _summed(a: Floats, b: Floats, n: float) -> tuple[Floats, Floats, Floats]:
    """Sum over all counts. Each probability is the previous one times a ratio, so no factorial is needed."""
    size, mean = len(a), a * b / n
    k, last = _window(a, b, n)
    weight, live = np.ones(size), np.arange(size)
    sums = np.zeros((4, size))
    held = sums.copy()
    while len(live):
        d = deviance(k, mean)
        part = weight * d
        held += weight, part, part * d, part * (k - mean)
        weight = weight * ((a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1)))
        k = k + 1
        going = (k <= last) & ((k <= mean) | (weight > _NEGLIGIBLE * held[0]))
        if np.count_nonzero(going) > 0.75 * len(going):
            weight[~going] = 0.0
            continue
        sums[:, live[~going]] = held[:, ~going]
        held = held[:, going]
        live, a, b, mean, k, last, weight = (x[going] for x in (live, a, b, mean, k, last, weight))
    total, first, second, crossed = sums
    expected = first / total
    return expected, np.maximum(0.0, second / total - expected**2), crossed / total


def _series(a: Floats, b: Floats, spread: Floats, n: float) -> tuple[Floats, Floats, Floats]:
    """Expand the deviance around the mean: d = x^2/2m - x^3/6m^2 + x^4/12m^3 - ..., with the central moments of x."""
    m = a * b / n
    third = spread * (n - 2 * a) * (n - 2 * b) / (n * (n - 2))
    u, v = a * (n - a), b * (n - b)
    excess = ((n - 1) * n**2 * (n * (n + 1) - 6 * u - 6 * v) + 6 * u * v * (5 * n - 6)) / (u * v * (n - 2) * (n - 3))
    fourth = spread**2 * (3 + excess)
    # The leading terms of the fifth and sixth moments suffice.
    fifth, sixth = 10 * spread * third, 15 * spread**3
    mean = spread / (2 * m) - third / (6 * m**2) + fourth / (12 * m**3) - fifth / (20 * m**4) + sixth / (30 * m**5)
    variance = np.maximum(0.0, (fourth - spread**2) / (4 * m**2))
    return mean, variance, third / (2 * m) - fourth / (6 * m**2)
