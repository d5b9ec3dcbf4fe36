"""Several columns as one sequence: the first principal component, or S4's t-SNE.

Implements: SPEC section 7; S4 (Odoh) V. Columns are first scaled to mean 0 and variance 1, so that a salary does not
outweigh an age. Either way information is lost.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError, NotEstimableError
from idbits.measures.dependence import standardised

__all__ = ["first_component", "neighbour_embedding"]

Floats = NDArray[np.float64]

_MANY_ROWS = 200


def first_component(columns: list[Floats]) -> Floats:
    """Return the first principal component: the weighted sum of the columns that varies most.

    The largest weight is positive. Constant columns add nothing.

    >>> first_component([np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])]).round(3).tolist()
    [-1.732, 0.0, 1.732]
    """
    scaled = _scaled(columns)
    if not scaled:
        return np.zeros(len(columns[0]))
    matrix = np.stack(scaled)
    if len(scaled) <= matrix.shape[1]:
        weights = np.linalg.eigh(_products(matrix))[1][:, -1]
    else:
        # More columns than rows: the smaller of the two matrices has the same largest eigenvalue.
        weights = matrix @ np.linalg.eigh(_products(matrix.T))[1][:, -1]
        weights /= math.sqrt(float(weights @ weights))
    weights = weights * np.sign(weights[np.argmax(np.abs(weights))])
    # Column by column: equal rows must give exactly equal numbers, or rounding would decide their order.
    sequence = np.zeros(matrix.shape[1])
    for weight, column in zip(weights.tolist(), scaled, strict=True):
        sequence += weight * column
    return sequence


def _products(matrix: Floats) -> Floats:
    """Return the products of all rows with all rows."""
    if len(matrix) > _MANY_ROWS:
        return matrix @ matrix.T
    # On a busy machine the linear algebra library takes many times as long for few long rows, because its threads
    # wait for each other.
    return np.asarray(np.einsum("ik,jk->ij", matrix, matrix), np.float64)


def neighbour_embedding(columns: list[Floats], seed: int) -> Floats:
    """Return S4's reduction: t-SNE to one dimension, by scikit-learn (extra ``leak``), seeded.

    Another seed gives another sequence, and so another order and other entropies.
    """
    try:
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise InputError("t-SNE needs scikit-learn: install idbits[leak], or use --reduction pca") from error
    scaled = _scaled(columns)
    n = len(columns[0])
    if n < 4:
        raise NotEstimableError(f"t-SNE needs at least 4 rows, but there are {n}")
    if not scaled:
        return np.zeros(n)
    # scikit-learn's defaults, except that the neighbours (perplexity, 30) must be fewer than the rows.
    model = TSNE(n_components=1, init="random", perplexity=min(30.0, (n - 1) / 3), random_state=seed)
    # On one thread: sums in a different order would give a different sequence on another machine.
    with threadpool_limits(limits=1):
        return np.asarray(model.fit_transform(np.stack(scaled, axis=1))[:, 0], np.float64)


def _scaled(columns: list[Floats]) -> list[Floats]:
    made = (standardised(column) for column in columns)
    return [column * math.sqrt(len(column)) for column in made if column is not None]
