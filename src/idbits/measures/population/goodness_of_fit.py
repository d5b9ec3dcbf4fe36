"""Does the calibrated model reproduce the group sizes of the sample?

Implements: SPEC page population.md, 8.8b (goodness of fit).
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from idbits.counts import Floats
from idbits.measures.population.calibration import Calibration, CalibrationCells

__all__ = ["LEAST_FIT", "fit_probability", "pooled_chi2"]

LEAST_FIT = 0.001
"""A worse fit than this refutes the model."""

_SIZES = np.arange(1.0, 9.0)
_LEAST_EXPECTED = 5.0


def fit_probability(calibration: Calibration, cells: CalibrationCells) -> float:
    """Probability of group sizes at least as odd as the observed ones, if the model is right.

    Compares m_1 .. m_8 and the number of larger sets with those that the model expects.
    """
    in_bin = np.bincount(cells.bins, cells.sets, len(cells.rates))
    expected = np.array([in_bin @ calibration.probability(cells.rates, np.array(size)) for size in _SIZES])
    observed = np.array([cells.sets[cells.people == size].sum() for size in _SIZES])
    total = float(cells.sets.sum())
    return pooled_chi2(np.append(observed, total - observed.sum()), np.append(expected, total - expected.sum()))


def pooled_chi2(observed: Floats, expected: Floats) -> float:
    """P-value of Pearson's chi-squared; cells that expect fewer than 5 are pooled. 1 if only one cell is left.

    >>> round(pooled_chi2(np.array([60.0, 40.0, 0.0]), np.array([50.0, 48.0, 2.0])), 4)
    0.0455
    """
    large = expected >= _LEAST_EXPECTED
    observed = np.append(observed[large], observed[~large].sum())
    expected = np.append(expected[large], max(0.0, float(expected[~large].sum())))
    if expected[-1] < _LEAST_EXPECTED and len(expected) > 1:
        smallest = int(np.argmin(expected[:-1]))
        observed[smallest] += observed[-1]
        expected[smallest] += expected[-1]
        observed, expected = observed[:-1], expected[:-1]
    if len(expected) < 2:
        return 1.0
    return float(chdtrc(len(expected) - 1, float(((observed - expected) ** 2 / expected).sum())))
