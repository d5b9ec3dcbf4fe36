"""How anonymous a person is among suspects, given an attacker's probabilities.

Implements: S2 2.2, (2.2) to (2.5): Diaz and others (degree of anonymity), Serjantov and Danezis (effective size).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from idbits.errors import InputError
from idbits.measures.distribution import Distribution

__all__ = [
    "degree_among_suspects", "distribution_of_weights", "effective_suspects", "most_bits_of_suspects",
    "renyi_bits_of_suspects",
]  # fmt: skip


def distribution_of_weights(weights: Iterable[float], n_values: int | None = None) -> Distribution:
    """Return the probabilities proportional to these weights.

    >>> distribution_of_weights([9, *[1] * 9]).probabilities.tolist()[-1]
    0.5
    """
    given = np.asarray(list(weights), dtype=np.float64)
    if given.ndim != 1 or not len(given):
        raise InputError("give at least one weight (--weights)")
    if not np.all(np.isfinite(given)) or given.min() < 0 or not given.max() > 0:
        raise InputError("weights must be at least 0, and one of them greater than 0 (--weights)")
    # Divide by the largest first: a sum of huge weights would overflow.
    scaled = given / given.max()
    return Distribution.of(scaled / math.fsum(scaled.tolist()), n_values)


def degree_among_suspects(distribution: Distribution) -> float | None:
    """H / log2 N: 1 if all N suspects are equally likely, 0 if one is certain. Implements: S2 (2.4).

    None for one suspect: log2 1 is 0, and a single person cannot be anonymous.

    >>> round(degree_among_suspects(Distribution.of([0.5, *[0.5 / 9] * 9])), 4)
    0.7782
    """
    if distribution.n_values < 2:
        return None
    if distribution.is_uniform:
        return 1.0
    return min(1.0, distribution.entropy_bits / most_bits_of_suspects(distribution))


def most_bits_of_suspects(distribution: Distribution) -> float:
    """log2 N, the entropy of equally likely suspects. Implements: S2 (2.3).

    >>> most_bits_of_suspects(Distribution.uniform(8))
    3.0
    """
    return math.log2(distribution.n_values)


def effective_suspects(distribution: Distribution) -> float:
    """2^H: the number of equally likely suspects with the same entropy. Implements: Serjantov and Danezis 2002.

    >>> round(effective_suspects(Distribution.of([0.5, *[0.5 / 9] * 9])), 9)
    6.0
    """
    if distribution.is_uniform:
        return float(distribution.n_values)
    return math.exp2(distribution.entropy_bits)


def renyi_bits_of_suspects(distribution: Distribution) -> dict[str, float]:
    """Renyi entropies of order 0, 1, 2 and infinity, bits. Implements: S2 (2.5). They fall from order to order.

    >>> renyi_bits_of_suspects(Distribution.of([0.5, 0.25, 0.25]))
    {'0': 1.584962500721156, '1': 1.5, '2': 1.415037499278844, 'inf': 1.0}
    """
    least = abs(-math.log2(float(distribution.probabilities[-1])))
    if len(distribution.probabilities) == 1:
        # All possible suspects are equally likely, so all orders are equal.
        return dict.fromkeys(("0", "1", "2", "inf"), math.log2(distribution.n_occurring))
    first = max(distribution.entropy_bits, least)
    # Keep the entropies in the order that they have by definition, despite rounding.
    second = min(max(-math.log2(distribution.collision), least), first)
    return {"0": max(math.log2(distribution.n_occurring), first), "1": first, "2": second, "inf": least}
