"""Bounds on an unknown entropy, from shares and from entropies of a part or of the whole.

For n people within m, with s = n/m: s H(part) <= H(whole) <= s H(part) + (1-s) H(rest) + h(s), where
h(s) = -s log2 s - (1-s) log2 (1-s), and H(rest) is at most log2 of its people and of the possible values.

Implements: S2 7.1.3 (subpopulations). These are textbook inequalities: grouping and concavity of the entropy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = [
    "least_part_bits", "least_whole_bits", "left_out_bits", "mixing_bits", "most_part_bits", "most_whole_bits",
    "shares_entropy_bits",
]  # fmt: skip


def shares_entropy_bits(shares: Iterable[float]) -> float:
    """Return what values with these shares add to an entropy: the sum of -p log2 p.

    The shares need not add up to 1: the shares of some values give their part of the sum.

    >>> shares_entropy_bits([0.5, 0.25, 0.25]), shares_entropy_bits([0.25])
    (1.5, 0.5)
    """
    return math.fsum(-share * math.log2(share) for share in shares if share > 0)


def mixing_bits(share: float) -> float:
    """Return h(s), the bits of knowing in which of two parts a person is. Bounds: 0 to 1.

    >>> mixing_bits(0.5), mixing_bits(1.0)
    (1.0, 0.0)
    """
    return shares_entropy_bits((share, 1 - share))


def left_out_bits(share: float, n_values: int) -> tuple[float, float]:
    """Return the least and the most that values add to an entropy if only their total share is known.

    The extremes are one value with (nearly) all of the share, and all values with equal shares:
    -r log2 r to -r log2 r + r log2 n_values.

    >>> left_out_bits(0.5, 4), left_out_bits(0.0, 0)
    ((0.5, 1.5), (0.0, 0.0))
    """
    if not share:
        return 0.0, 0.0
    least = -share * math.log2(share)
    return least, least + share * math.log2(n_values)


def most_part_bits(whole_bits: float, n_part: int, n_whole: int) -> float:
    """Return the most entropy that a part can have: H(whole) / s.

    >>> most_part_bits(1.0, 25, 100)
    4.0
    """
    return whole_bits / (n_part / n_whole)


def least_part_bits(whole_bits: float, n_part: int, n_whole: int, n_values: int) -> float:
    """Return the least entropy that a part can have: (H(whole) - h(s) - (1-s) log2 min(values, others)) / s.

    A result below 0 says nothing.

    >>> least_part_bits(3.0, 50, 100, 4)
    2.0
    """
    share = n_part / n_whole
    others = (1 - share) * math.log2(min(n_values, n_whole - n_part))
    return (whole_bits - mixing_bits(share) - others) / share


def least_whole_bits(part_bits: float, n_part: int, n_whole: int) -> float:
    """Return the least entropy that a whole can have: s H(part).

    >>> least_whole_bits(4.0, 25, 100)
    1.0
    """
    return n_part / n_whole * part_bits


def most_whole_bits(part_bits: float, n_part: int, n_whole: int) -> float:
    """Return the most entropy that a whole can have: all other people are different.

    >>> most_whole_bits(2.0, 4, 8)
    3.0
    """
    share = n_part / n_whole
    return share * part_bits + (1 - share) * math.log2(n_whole - n_part) + mixing_bits(share)
