"""How much more, or less, frequent a value is in a group than in general: beta-likeness and delta-disclosure.

Implements: SPEC page disclosure.md, sections 2 and 8; Cao and Karras, "Publishing microdata with a robust privacy
guarantee", 2012; Brickell and Shmatikov, "The cost of privacy", 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.measures.disclosure.column import PeopleCount, SensitiveColumn, people_in

__all__ = ["Likeness", "delta_bits", "delta_bits_present", "likeness"]


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
    gains = np.asarray((column.observed - column.expected) / column.expected, np.float64)
    limits = np.array([-math.log(share) if share > 0 else math.inf for share in column.prior.shares.tolist()])
    broken = kept & (gains > limits[cells.values])
    groups = cells.group_maxima(broken.astype(np.int64)) > 0
    beta = float(gains[kept].max()) if kept.any() else None
    enhanced = math.inf if groups.any() else beta
    return Likeness(beta, enhanced, people_in(groups, cells.sizes))


def delta_bits(column: SensitiveColumn) -> float:
    """Return the largest |log2(p/q)| over all values; inf if a group lacks one."""
    lacks = int(column.cells.lengths.min()) < column.prior.n_values
    return math.inf if lacks else delta_bits_present(column)


def delta_bits_present(column: SensitiveColumn) -> float:
    """Return the largest |log2(p/q)| over the values that a group has."""
    # The extremes decide, so that two logarithms suffice.
    ratios = np.asarray(column.observed / column.expected, np.float64)
    return max(math.log2(float(ratios.max())), -math.log2(float(ratios.min())), 0.0)
