"""Utility kept: how much of what features say about each other a treated table still says.

Implements: SPEC section 4; S3 IV.E.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["utility_kept"]

# Below this the original holds no information but rounding.
_NOTHING = 1e-9


def utility_kept(treated_bits: Iterable[float], original_bits: Iterable[float]) -> float | None:
    """Mutual information of the treated table as a share of the original's; None where the original holds none.

    1 means that nothing is lost; a finer or a noisy release can be above 1. Implements: S3 IV.E (mu).

    >>> utility_kept([0.5, 0.25], [1.0, 0.5]), utility_kept([0.0], [0.0])
    (0.5, None)
    """
    original = math.fsum(original_bits)
    return math.fsum(treated_bits) / original if original > _NOTHING else None
