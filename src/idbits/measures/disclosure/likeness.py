"""How much more, or less, frequent a value is in a group than in general: beta-likeness and delta-disclosure.

Implements: SPEC page disclosure.md, sections 2 and 8; Cao and Karras, "Publishing microdata with a robust privacy
guarantee", 2012; Brickell and Shmatikov, "The cost of privacy", 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats
from idbits.measures.disclosure.column import PeopleCount, SensitiveColumn, people_in

__all__ = [
    "Likeness", "delta_bits", "delta_bits_present", "enhanced_gains", "likeness",
    "ratios_to_prior", "relative_gains",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Likeness:
    """The relative gains of values.

    Attributes:
        beta: the largest p/q - 1; None if no value is secret.
        enhanced: the smallest beta with p/q - 1 <= min(beta, -ln q) everywhere; inf if there is none.
        violations: the people in groups that have a value with p/q - 1 > -ln q.
    """

    beta: float | None
    enhanced: float | None
    violations: PeopleCount


def likeness(column: SensitiveColumn) -> Likeness:
    """Return how much more frequent secret values are in groups. Bounds: at least 0, if all values are secret."""
    cells, kept = column.cells, column.secret_cells
    gains = relative_gains(column)
    broken = kept & np.isinf(enhanced_gains(column))
    groups = cells.group_maxima(broken.astype(np.int64)) > 0
    beta = float(gains[kept].max()) if kept.any() else None
    enhanced = math.inf if groups.any() else beta
    return Likeness(beta, enhanced, people_in(groups, cells))


def ratios_to_prior(column: SensitiveColumn) -> Floats:
    """Return p/q of each cell."""
    return np.asarray(column.observed / column.expected, np.float64)


def relative_gains(column: SensitiveColumn) -> Floats:
    """Return p/q - 1 of each cell."""
    return np.asarray((column.observed - column.expected) / column.expected, np.float64)


def enhanced_gains(column: SensitiveColumn, tolerance: float = 0.0) -> Floats:
    """Return p/q - 1 of each cell; infinite if it is above -ln q by more than a share of it."""
    gains, limits = relative_gains(column), column.prior.surprises[column.cells.values]
    is_above: NDArray[np.bool_] = gains > limits * (1 + tolerance) + tolerance * (limits == 0)
    return np.where(is_above, np.inf, gains)


def delta_bits(column: SensitiveColumn) -> float:
    """Return the largest |log2(p/q)| over all values; inf if a group lacks one."""
    lacks = int(column.cells.lengths.min()) < column.prior.n_values
    return math.inf if lacks else delta_bits_present(column)


def delta_bits_present(column: SensitiveColumn) -> float:
    """Return the largest |log2(p/q)| over the values that a group has."""
    # The extremes decide, so that two logarithms suffice.
    ratios = ratios_to_prior(column)
    return max(math.log2(float(ratios.max())), -math.log2(float(ratios.min())), 0.0)
