"""Fewer probabilities that add up like many: near ones are replaced by a few with the same moments.

Implements: DESIGN section 5 (grouping), for distributions in which hardly two probabilities are equal.

Sums over values of a smooth function of p are all that the generating functions need. Probabilities within a narrow
bin are replaced by the four nodes and weights of the Gauss rule of the values in it, which has the same moments up to
the seventh. The bins are so narrow that what is left is below the rounding of the sum.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["condensed"]

Floats = NDArray[np.float64]

_LARGEST_EXACT = 3_000
_FEWEST_IN_BIN = 64
_NODES = 4
_SMALL = 0.05
_SMALL_WIDTH = 0.01
_RATIO = 1.02


def condensed(p: Floats, weights: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return probabilities and weights with the same sums of smooth functions of ``scale * p``.

    Up to 3,000 different probabilities stay as they are, and so do those in bins of fewer than 64 values: there, the
    logarithm of a factor may leave its branch where the product is not yet negligible.

    >>> p = np.linspace(1, 2, 100_000) / 150_000
    >>> fewer, weights = condensed(p, np.ones_like(p), 1e5)
    >>> len(fewer) < 200, bool(abs(weights.sum() - 100_000) < 1e-6)
    (True, True)
    """
    if len(p) <= _LARGEST_EXACT:
        return p, weights
    x = p * scale
    small = np.floor(x / _SMALL_WIDTH).astype(np.int64)
    large = 10 + np.floor(np.log(np.maximum(x, _SMALL) / _SMALL) / math.log(_RATIO)).astype(np.int64)
    bins = np.where(x < _SMALL, small, large)
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    ends = np.append(starts[1:], len(p))
    held = np.add.reduceat(weights, starts)
    wide = (ends - starts > _NODES) & (held >= _FEWEST_IN_BIN)
    kept_p, kept_weights = [], []
    for start, end, merge in zip(starts.tolist(), ends.tolist(), wide.tolist(), strict=True):
        nodes, masses = _gauss(p[start:end], weights[start:end]) if merge else (p[start:end], weights[start:end])
        kept_p.append(nodes)
        kept_weights.append(masses)
    return np.concatenate(kept_p), np.concatenate(kept_weights)


def _gauss(p: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the Gauss rule of weighted points by Stieltjes' recursion (orthogonal polynomials on the points)."""
    middle, half = (p[0] + p[-1]) / 2, (p[-1] - p[0]) / 2
    t = (p - middle) / half
    mass = float(weights.sum())
    diagonal, beside = [], []
    before, here = np.zeros_like(t), np.full_like(t, 1 / math.sqrt(mass))
    link = 0.0
    for step in range(_NODES):
        diagonal.append(float(np.dot(weights, t * here * here)))
        after = (t - diagonal[-1]) * here - link * before
        link = math.sqrt(float(np.dot(weights, after * after)))
        if step < _NODES - 1:
            if link < 1e-6:
                return p, weights
            beside.append(link)
            before, here = here, after / link
    jacobi = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    nodes, vectors = np.linalg.eigh(jacobi)
    return middle + half * nodes, mass * vectors[0] ** 2
