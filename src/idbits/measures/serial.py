"""Choose what to compare a release with: do neighbouring rows resemble each other, and does the level drift?

Implements: Ljung and Box, Biometrika 65 (1978), on ranks and on their distance from the middle; the augmented test of
Dickey and Fuller, Journal of the American Statistical Association 74 (1979), with a constant, Schwert's number of lags
and the critical values of MacKinnon, Queen's Economics Department working paper 1227 (2010).

- ``shuffles``: fair only if the order of the rows is arbitrary in at least one of the two columns.
- ``shifts``: fair if rows resemble their neighbours in both columns, and the level of both returns to a mean.
- ``differences``: rows resemble their neighbours in both columns, and a level may drift (a unit root is not rejected).
  Two unrelated random walks move together for long stretches; their changes from row to row do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from idbits.measures.dependence import average_ranks, standardised
from idbits.measures.dependence_test import Pair
from idbits.measures.resampling import SHIFTS, SHUFFLES

__all__ = [
    "DIFFERENCES", "NullComparison", "autocorrelations", "choose_null", "column_changes", "dickey_fuller",
    "dickey_fuller_critical_value", "ljung_box_p_value", "rejects_unit_root", "resembles_neighbours",
    "returns_to_a_mean",
]  # fmt: skip

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MOST_LAGS = 12
_UNIT_ROOT_LEVEL = 0.05
_NEXT_ROW_LEVEL = 0.01
_SEVERAL_ROWS_LEVEL = 0.005
_ROUNDING = 1e-9
_BLOCK_ROWS = 128
# With a constant and no trend: the limit, then the coefficients of 1/n, 1/n^2 and 1/n^3 (MacKinnon 2010, table 2).
_CRITICAL = {
    0.01: (-3.43035, -6.5393, -16.786, -79.433),
    0.05: (-2.86154, -2.8903, -4.234, -40.040),
    0.10: (-2.56677, -1.5384, -2.809, 0.0),
}
DIFFERENCES = "differences"


def autocorrelations(values: Floats, lags: int) -> Floats:
    """Return the correlation of a series with itself 1, 2, .. ``lags`` rows later; 0 for a constant series.

    >>> autocorrelations(np.array([1.0, -1.0, 1.0, -1.0]), 2).tolist()
    [-0.75, 0.5]
    """
    centred = standardised(values)
    if centred is None:
        return np.zeros(lags)
    return np.array([float(centred[lag:] @ centred[:-lag]) for lag in range(1, lags + 1)])


def ljung_box_p_value(values: Floats, lags: int) -> float:
    """How often rows in any order would have autocorrelations as large: n (n + 2) sum r_k^2 / (n - k) against chi2.

    >>> ljung_box_p_value(np.arange(50.0), 10) < 1e-9
    True
    """
    n = len(values)
    weights = n - np.arange(1, lags + 1)
    statistic = n * (n + 2) * float(np.sum(autocorrelations(values, lags) ** 2 / weights))
    return float(chi2.sf(statistic, lags))


def resembles_neighbours(codes: Integers) -> bool:
    """Return whether a column (dense codes, ascending) is in an order that is unlikely by chance, at a level of 2%.

    Tests ranks one row apart (1%) and up to 12 rows apart (0.5%), and the distance of ranks from the middle (0.5%),
    because calm and volatile stretches may have no trend.

    >>> resembles_neighbours(np.arange(50)), resembles_neighbours(np.array([0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1]))
    (True, False)
    """
    lags = min(_MOST_LAGS, len(codes) // 4)
    if lags < 1:
        return False
    ranks = average_ranks(codes)
    from_the_middle = np.abs(ranks - (len(codes) + 1) / 2)
    return (
        ljung_box_p_value(ranks, 1) < _NEXT_ROW_LEVEL
        or ljung_box_p_value(ranks, lags) < _SEVERAL_ROWS_LEVEL
        or ljung_box_p_value(from_the_middle, lags) < _SEVERAL_ROWS_LEVEL
    )


def dickey_fuller_critical_value(level: float, n: int) -> float:
    """Return the value below which the statistic of ``n`` rows rejects a unit root at 1%, 5% or 10%.

    >>> round(dickey_fuller_critical_value(0.05, 100), 2)
    -2.89
    """
    return math.fsum(coefficient / n**power for power, coefficient in enumerate(_CRITICAL[level]))


def dickey_fuller(values: Floats) -> tuple[float, int] | None:
    """Return the t statistic of the level in the regression of changes on it, and the number of rows used.

    change_t = constant + b level_(t-1) + c_1 change_(t-1) + .. + c_p change_(t-p); a walk has b = 0. Of p up to
    Schwert's 12 (n/100)^(1/4), the one with the least information criterion (Akaike). None for too few rows.

    >>> dickey_fuller(np.tile([1.0, 3.0, 2.0, 0.0], 25))
    (-inf, 87)
    >>> dickey_fuller(np.arange(100.0))
    (0.0, 87)
    """
    level = standardised(values)
    if level is None:
        return None
    most = min(int(12 * (len(level) / 100) ** 0.25), len(level) // 5)
    changes = np.diff(level)
    used = len(changes) - most
    if used < most + 10:
        return None
    earlier = [changes[most - lag : len(changes) - lag] for lag in range(1, most + 1)]
    # The last column of the triangle is the changes along each orthogonal direction.
    triangle = _triangle(np.stack([level[most:-1], np.ones(used), *earlier, changes[most:]], axis=1))
    upper, parts = triangle[:-1, :-1], triangle[:-1, -1]
    total = float(changes[most:] @ changes[most:])
    # Residuals of the changes with 2, 3, .. columns; residuals below rounding count as 0.
    left = total - np.cumsum(parts**2)[1:]
    left[left < total * _ROUNDING] = 0.0
    size = 2 + _best_fit(left, used)
    inverse = np.linalg.pinv(upper[:size, :size])
    slope = float(inverse[0] @ parts[:size])
    variance = left[size - 2] / (used - size) * float(inverse[0] @ inverse[0])
    if variance > 0:
        return slope / math.sqrt(variance), used
    # The past determines the series without error: a cycle returns to its mean, a counter does not.
    return (-math.inf if slope < -_ROUNDING else 0.0), used


def _triangle(matrix: Floats) -> Floats:
    """Return the triangle R of matrix = Q R, from blocks of a few rows.

    For many rows the linear algebra library starts threads; on a busy machine they take 40 times as long.
    """
    width = matrix.shape[1]
    rows = max(_BLOCK_ROWS, 2 * width)
    while len(matrix) > rows:
        blocks = np.zeros((-(-len(matrix) // rows), rows, width))
        blocks.reshape(-1, width)[: len(matrix)] = matrix
        matrix = np.asarray(np.linalg.qr(blocks, mode="r"), np.float64).reshape(-1, width)
    return np.asarray(np.linalg.qr(matrix, mode="r"), np.float64)


def _best_fit(left: Floats, n: int) -> int:
    """Return the nested regression with the least information criterion: n ln(residual squares) + 2 columns."""
    if not left.all():
        return int(np.argmin(left))
    return int(np.argmin(n * np.log(left) + 2 * np.arange(len(left))))


def rejects_unit_root(values: Floats, level: float = _UNIT_ROOT_LEVEL) -> bool:
    """Return whether the test of Dickey and Fuller shows that the level returns to a mean instead of drifting.

    >>> walk = np.cumsum(np.random.default_rng(0).normal(size=500))
    >>> rejects_unit_root(walk), rejects_unit_root(np.diff(walk))
    (False, True)
    """
    result = dickey_fuller(values)
    return result is not None and result[0] < dickey_fuller_critical_value(level, result[1])


@dataclass(frozen=True, slots=True)
class NullComparison:
    """What to compare, and with what.

    Attributes:
        null: ``shuffles``, ``shifts`` or ``differences``.
        pair: the columns, or their changes from row to row.
        resampling: whether ``pair`` is shuffled or shifted; None if even the changes drift.
    """

    null: str
    pair: Pair
    resampling: str | None


def choose_null(pair: Pair) -> NullComparison:
    """Choose what to compare a released column with.

    >>> steps = np.random.default_rng(0).normal(size=(2, 300))
    >>> def pair_of(x, y):
    ...     return Pair(np.argsort(np.argsort(x)), np.argsort(np.argsort(y)), x, y)
    >>> choose_null(pair_of(*steps)).null, choose_null(pair_of(*steps.cumsum(axis=1))).null
    ('shuffles', 'differences')
    """
    sides = ((pair.original, pair.original_numbers), (pair.released, pair.released_numbers))
    if not all(resembles_neighbours(codes) for codes, _ in sides):
        return NullComparison(SHUFFLES, pair, SHUFFLES)
    if all(returns_to_a_mean(codes, numbers) for codes, numbers in sides):
        return NullComparison(SHIFTS, pair, SHIFTS)
    changes = [column_changes(codes, numbers) for codes, numbers in sides]
    ranked = [np.unique(side, return_inverse=True)[1] for side in changes]
    differenced = Pair(ranked[0], ranked[1], changes[0], changes[1])
    if not all(resembles_neighbours(side) for side in ranked):
        return NullComparison(DIFFERENCES, differenced, SHUFFLES)
    returning = all(map(returns_to_a_mean, ranked, changes))
    return NullComparison(DIFFERENCES, differenced, SHIFTS if returning else None)


def returns_to_a_mean(codes: Integers, numbers: Floats) -> bool:
    """Return whether a unit root is rejected, both for the numbers and for their ranks, which resist outliers."""
    return rejects_unit_root(average_ranks(codes)) and rejects_unit_root(_whole(codes, numbers))


def column_changes(codes: Integers, numbers: Floats) -> Floats:
    """Return the change from each row to the next: of numbers, or of ranks if a row has no number.

    >>> column_changes(np.array([0, 2, 1]), np.array([1.0, 9.0, 5.0])).tolist()
    [8.0, -4.0]
    """
    return np.diff(_whole(codes, numbers))


def _whole(codes: Integers, numbers: Floats) -> Floats:
    return numbers if np.isfinite(numbers).all() else codes.astype(np.float64)
