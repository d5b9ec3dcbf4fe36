"""Minimum of a smooth function within a box, from several starts.

scipy's L-BFGS-B hands its tiny matrices to a library that starts threads for them, which takes most of the time on a
busy machine (12 times longer). BFGS on a scale without borders needs no such library and ends nearer to the minimum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from idbits.counts import Floats

__all__ = ["Goal", "minimum_within"]

Goal = Callable[[Floats], tuple[float, Floats]]
"""A function that returns its value and its gradient."""

_INSIDE = 1e-6
_FLAT_ENOUGH = 100.0


def minimum_within(
    goal: Goal, starts: Sequence[Floats], low: Floats, high: Floats, flat: float = 1e-6
) -> tuple[Floats, float]:
    """Return the lowest of the minima that the starts lead to, and the value there.

    A start that ends where the gradient is not flat is continued without gradient (Nelder-Mead).

    >>> def bowl(x):
    ...     return float(x @ x), 2 * x
    >>> best, value = minimum_within(bowl, [np.array([0.5, -0.7])], np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    >>> np.abs(best).max() < 1e-6
    np.True_
    """
    width = high - low

    def inside(z: Floats) -> Floats:
        moved: Floats = low + width * expit(z)
        return moved

    def free(z: Floats) -> tuple[float, Floats]:
        share = expit(z)
        value, slopes = goal(low + width * share)
        return value, slopes * width * share * (1 - share)

    runs = []
    for start in starts:
        z = logit(np.clip((start - low) / width, _INSIDE, 1 - _INSIDE))
        run = minimize(free, z, jac=True, method="BFGS", options={"gtol": flat, "maxiter": 1000})
        if not run.success and float(np.abs(free(run.x)[1]).max()) > _FLAT_ENOUGH * flat:
            options = {"maxiter": 4000, "xatol": 1e-8, "fatol": 1e-8}
            run = minimize(lambda z: free(z)[0], run.x, method="Nelder-Mead", options=options)
        runs.append((float(run.fun), run.x))
    value, z = min(runs, key=lambda run: run[0])
    return inside(z), value
