"""Relationships between features: mutual information, total and dual total correlation.

Implements: SPEC section 4; S3 IV.E. All are differences of entropies in bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["dual_total_correlation_bits", "mutual_information_bits", "total_correlation_bits"]


def mutual_information_bits(entropy_x: float, entropy_y: float, entropy_both: float) -> float:
    """I(X;Y) = H(X) + H(Y) - H(X,Y). Bounds: 0 to the smaller entropy.

    >>> mutual_information_bits(1.0, 1.0, 1.0)
    1.0
    """
    return min(max(0.0, math.fsum((entropy_x, entropy_y, -entropy_both))), entropy_x, entropy_y)


def total_correlation_bits(entropies: Sequence[float], joint: float) -> float:
    """TC = sum H(X_j) - H(all): how far the features are from being independent. Bounds: >= 0.

    >>> total_correlation_bits([1.0, 1.0, 1.0], 1.0)
    2.0
    """
    return max(0.0, math.fsum((*entropies, -joint)))


def dual_total_correlation_bits(conditional: Sequence[float], joint: float) -> float:
    """DTC = H(all) - sum H(X_j | all others): what at least two features share. Bounds: 0 to H(all).

    >>> dual_total_correlation_bits([0.0, 0.0, 0.0], 1.0)
    1.0
    """
    return min(joint, max(0.0, joint - math.fsum(conditional)))
