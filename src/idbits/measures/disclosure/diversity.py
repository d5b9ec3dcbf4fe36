"""How many values a group has, effectively: l-diversity in its versions, and (c,l)-diversity.

Implements: SPEC page disclosure.md, sections 2 and 8; Machanavajjhala and others, "l-diversity: privacy beyond
k-anonymity", 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from idbits.kernels.exact_sums import FRACTION_BITS, LIMB_BITS, segment_sums
from idbits.kernels.group_values import exact_integers
from idbits.measures.disclosure.column import PeopleCount, SensitiveColumn, people_in
from idbits.measures.logarithms import fixed_log2

__all__ = ["distinct_values", "entropy_values", "people_below_distinct", "recursive_limits", "recursive_values"]


def distinct_values(column: SensitiveColumn) -> int | None:
    """Return the fewest different values in a group; None if no group has a secret value. Bounds: 1 to m."""
    lengths = column.cells.lengths[column.with_secret]
    return int(lengths.min()) if len(lengths) else None


def people_below_distinct(column: SensitiveColumn, limits: Sequence[int]) -> dict[str, PeopleCount]:
    """Return the people in groups with fewer different values than each limit."""
    cells = column.cells
    return {str(limit): people_in((cells.lengths < limit) & column.with_secret, cells) for limit in limits}


def entropy_values(column: SensitiveColumn) -> float | None:
    """Return the smallest 2^H(p) over groups: the effective number of values.

    Exactly L if the L values of a group are equally frequent; at most the number of different values.
    """
    cells, kept = column.cells, column.with_secret
    if not kept.any():
        return None
    lengths, sizes = cells.lengths, cells.sizes
    even = cells.largest(1) * lengths == sizes
    smallest = float(lengths[even & kept].min(initial=np.iinfo(np.int64).max))
    uneven = kept & ~even
    if uneven.any():
        high, low = segment_sums(fixed_log2(cells.counts), cells.counts, cells.starts)
        # H = log2 k - sum n log2 n / k, from logarithms in fixed point.
        moments = np.ldexp(high.astype(np.float64), LIMB_BITS - FRACTION_BITS) + np.ldexp(
            low.astype(np.float64), -FRACTION_BITS
        )
        entropies = np.ldexp(fixed_log2(sizes).astype(np.float64), -FRACTION_BITS) - moments / sizes
        order = int(np.flatnonzero(uneven)[np.argmin(entropies[uneven])])
        smallest = min(smallest, 2.0 ** float(entropies[order]), float(lengths[order]))
    return smallest


def recursive_limits(column: SensitiveColumn, limits: Sequence[int]) -> dict[str, float | None]:
    """Return, for each l, the largest n_(1) / (n_(l) + n_(l+1) + ..) over groups; inf if one has fewer values.

    A table is (c,l)-diverse if c is greater.
    """
    cells, kept = column.cells, column.with_secret
    worst: dict[str, float | None] = {}
    for limit in limits:
        rest = (cells.sizes - cells.sum_of_largest(limit - 1))[kept]
        top = cells.largest(1)[kept]
        if not len(rest):
            worst[str(limit)] = None
        elif rest.min() == 0:
            worst[str(limit)] = math.inf
        else:
            worst[str(limit)] = float((top / rest).max())
    return worst


def recursive_values(column: SensitiveColumn, c: float) -> int | None:
    """Return the smallest, over groups, largest l with n_(1) < c (n_(l) + n_(l+1) + ..), at least 1."""
    cells, kept = column.cells, column.with_secret
    if not kept.any():
        return None
    exact = Fraction(str(c))
    most = max(exact.numerator, exact.denominator) * max(1, cells.n_people)
    tails = exact_integers(cells.sums_from_here(), most)
    top = exact_integers(np.repeat(cells.largest(1), cells.lengths), most)
    holds = (top * exact.denominator < tails * exact.numerator).astype(np.int64)
    return max(1, int(cells.group_sums(holds)[kept].min()))
