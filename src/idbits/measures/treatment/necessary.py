"""What the groups of some columns must satisfy, if a treatment with these columns and any others is to meet a goal.

More columns only split groups: people who are in a small group already are in one then, and groups and bits do not get
fewer. So a treatment that meets a goal has, in any of its columns, few people in small groups, few groups and few bits.
This holds for every goal, also if the number of withheld people may rise when columns become coarser.

Implements: SPEC page advise.md, section 4 (Incognito's subset property).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers
from idbits.measures.treatment.logarithms import x_log2_x

__all__ = ["NecessaryLimits", "entropy_of_sizes"]

_SLACK = 1e-9


def entropy_of_sizes(sizes: Integers) -> float:
    """Return the bits that groups of these sizes give away: log2 N - sum k log2 k / N.

    >>> entropy_of_sizes(np.array([2, 2]))
    1.0
    """
    n = int(sizes.sum())
    return float((x_log2_x(np.array([n]))[0] - x_log2_x(sizes).sum()) / n) if n else 0.0


@dataclass(frozen=True, slots=True)
class NecessaryLimits:
    """Limits for the groups of some columns.

    Attributes:
        least_size: all people in smaller groups are withheld.
        most_withheld: the most people who may be withheld.
        small_groups: pairs of a size and the most people who may be in smaller groups.
        most_groups: the most groups.
        most_bits: the most bits.
    """

    least_size: int
    most_withheld: int
    small_groups: tuple[tuple[int, float], ...] = ()
    most_groups: float = math.inf
    most_bits: float = math.inf

    @property
    def say_nothing(self) -> bool:
        """Whether every table is within the limits."""
        return self.least_size <= 1 and not self.small_groups and min(self.most_groups, self.most_bits) == math.inf

    def allow(self, sizes: Integers) -> bool:
        """Whether a treatment with these groups in some of its columns may meet the goal.

        >>> limits = NecessaryLimits(least_size=3, most_withheld=2)
        >>> limits.allow(np.array([2, 5])), limits.allow(np.array([2, 1, 5]))
        (True, False)
        """
        for size, most in ((self.least_size, float(self.most_withheld)), *self.small_groups):
            if size > 1 and int(sizes[sizes < size].sum()) > most + _SLACK * (1 + most):
                return False
        if int(np.count_nonzero(sizes)) > self.most_groups * (1 + _SLACK):
            return False
        return self.most_bits == math.inf or entropy_of_sizes(sizes) <= self.most_bits + _SLACK * (1 + self.most_bits)
