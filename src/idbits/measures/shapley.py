"""Each column's fair share of the joint entropy.

Implements: SPEC section 2. The Shapley value of a column is its gain of entropy on top of the columns before it,
averaged over all orders of the columns (Shapley 1953). Entropy grows with each column, but less the more columns are
known, so every share is at least the conditional entropy and at most the column's own entropy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["shapley_of_orders", "shapley_of_subsets"]


def shapley_of_subsets(entropies: Mapping[int, float], n_columns: int) -> list[float]:
    """Return the Shapley values from the entropies of all subsets (masks; the empty one is 0).

    phi_i = sum over S without i of |S|! (n - |S| - 1)! / n! * (H(S + i) - H(S)). They add up to the joint entropy.

    >>> shapley_of_subsets({1: 1.0, 2: 2.0, 3: 2.5}, 2)
    [0.75, 1.75]
    """
    weights = [1 / (n_columns * math.comb(n_columns - 1, size)) for size in range(n_columns)]
    parts = []
    for column in range(n_columns):
        bit = 1 << column
        gains = [
            weights[mask.bit_count()] * (entropies[mask | bit] - (entropies[mask] if mask else 0.0))
            for mask in range(1 << n_columns)
            if not mask & bit
        ]
        parts.append(max(0.0, math.fsum(gains)))
    return parts


def shapley_of_orders(
    orders: Sequence[Sequence[int]], entropies: Sequence[Sequence[float]], n_columns: int
) -> tuple[list[float], list[float]]:
    """Estimate Shapley values from some orders of the columns; return them and their standard errors.

    ``entropies`` are those of the prefixes of each order. Orders come in pairs, one the reverse of the other: what one
    overstates, the other understates. The error is that of the mean over pairs.

    >>> shapley_of_orders([[0, 1], [1, 0]], [[1.0, 2.5], [2.0, 2.5]], 2)
    ([0.75, 1.75], [0.0, 0.0])
    """
    gains: list[list[float]] = [[] for _ in range(n_columns)]
    for order, reached in zip(orders, entropies, strict=True):
        before = 0.0
        for column, now in zip(order, reached, strict=True):
            gains[column].append(now - before)
            before = now
    values, errors = [], []
    for gained in gains:
        pairs = [(first + second) / 2 for first, second in zip(gained[::2], gained[1::2], strict=True)]
        mean = math.fsum(pairs) / len(pairs)
        values.append(max(0.0, mean))
        spread = math.fsum((pair - mean) ** 2 for pair in pairs)
        errors.append(math.sqrt(spread / (len(pairs) - 1) / len(pairs)) if len(pairs) > 1 else 0.0)
    return values, errors
