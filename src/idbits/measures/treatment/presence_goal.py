"""A goal about presence: nobody may learn from a group whether its people are in the release (delta-presence).

The rows of the lattice are the population; the sensitive column says who is in the release (1) and who is not (0).
People of the release are withheld and lose detail; the others only say how many share their values.

Implements: SPEC page advise.md, section 10 (DPresence); Nergiz, Atzori and Clifton, "Hiding the presence of individuals
from shared databases", 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from idbits.counts import Integers
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.complete import Candidate
from idbits.measures.treatment.goal import Withheld
from idbits.measures.treatment.losses import TreatmentLoss

__all__ = ["PresenceGoal"]


@dataclass(frozen=True, slots=True)
class PresenceGoal:
    """A goal for the share of each group that is in the release.

    Attributes:
        least, most: the smallest and the largest share allowed.
        most_withheld: the most people of the release who may be withheld.
    """

    least: Fraction
    most: Fraction
    most_withheld: int = 0

    def evaluate(self, groups: NodeGroups, loss: TreatmentLoss) -> Candidate:
        """Return a node as a candidate; its loss is that of the people of the release."""
        released = _released(groups)
        inside = replace(groups, keys=groups.keys[released > 0], sizes=released[released > 0], cells=())
        found = self.withheld(groups.sizes, released)
        out = found.out if found.meets else None
        return Candidate(
            groups.levels, found.people, loss.of(inside, out, found.people if found.meets else 0), found.meets
        )

    def withheld(self, population: Integers, released: Integers) -> Withheld:
        """Return which groups of the release are withheld; a group without any of it cannot be, and fails the node.

        >>> import numpy as np
        >>> PresenceGoal(Fraction(1, 4), Fraction(1, 2), 3).withheld(np.array([4, 3]), np.array([2, 3])).people
        3
        """
        below = released * self.least.denominator < population * self.least.numerator
        above = released * self.most.denominator > population * self.most.numerator
        inside = released > 0
        out = (below | above)[inside]
        people = int(released[inside][out].sum())
        meets = people <= self.most_withheld and people < int(released.sum()) and not bool((below & ~inside).any())
        return Withheld(out if people else None, people, meets)


def _released(groups: NodeGroups) -> Integers:
    (cells,) = groups.cells
    return cells.group_sums(cells.counts * cells.values)
