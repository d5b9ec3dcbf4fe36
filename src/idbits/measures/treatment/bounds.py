"""A loss that no treatment meeting a goal is below, for lattices that are too large to be searched completely.

The columns are divided into blocks. In the columns of a block, a treatment loses at least what the best treatment of
the block alone loses that satisfies what is necessary for the goal; blocks add up. A block is small enough to be
searched completely. The more columns it has, the closer the bound: with one block of all columns and a goal about
group sizes it is the optimum.

Implements: SPEC page advise.md, section 4 (iii).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.distinct import people_by_code
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.kernels.lattice.walk import Lattice
from idbits.measures.treatment.goal import Goal, Withheld, people_of
from idbits.measures.treatment.losses import AdditiveLoss, TreatmentLoss
from idbits.measures.treatment.mutual import MutualLoss
from idbits.measures.treatment.necessary import NecessaryLimits, entropy_of_sizes
from idbits.measures.treatment.pruned import find_optimum, levels_ruled_out

__all__ = ["least_loss"]

_MOST_NODES = 30_000
_FEWEST_NODES = 300
_FEWER = 10


def least_loss(lattice: Lattice, goal: Goal, loss: TreatmentLoss, most_rows: int) -> float:
    """Return a loss that no node meeting the goal is below; visits about ``most_rows`` rows at most."""
    limits = goal.necessary(lattice.n_people)
    if isinstance(loss, MutualLoss) and not loss.has_target:
        return _least_of_pairs(lattice, limits, loss)
    if isinstance(loss, MutualLoss):
        additive: AdditiveLoss = _TargetLoss(loss, lattice.n_levels)
    elif loss.terms is None:
        return loss.least(lattice.groups_at((0,) * len(lattice.columns)).sizes, limits)
    else:
        additive = cast("AdditiveLoss", loss)
    most_nodes = max(_FEWEST_NODES, min(_MOST_NODES, most_rows // max(1, len(lattice.people))))
    # Smaller blocks sometimes fit better, and take far less time.
    return max(
        additive.finished(sum(_least_of_block(lattice, limits, additive, block) for block in blocks))
        for blocks in (_blocks(lattice, most) for most in (most_nodes, most_nodes // _FEWER))
    )


def _blocks(lattice: Lattice, most_nodes: int) -> list[list[int]]:
    """Divide the columns: those with most bits together, as many as have few enough treatments."""
    bits = [
        entropy_of_sizes(people_by_code(codes, column.sizes[0], lattice.people))
        for codes, column in zip(lattice.codes, lattice.columns, strict=True)
    ]
    blocks: list[list[int]] = [[]]
    for column in sorted(range(len(bits)), key=lambda column: -bits[column]):
        if prod(lattice.n_levels[each] for each in (*blocks[-1], column)) > most_nodes:
            blocks.append([])
        blocks[-1].append(column)
    return [block for block in blocks if block]


def _least_of_block(lattice: Lattice, limits: NecessaryLimits, loss: AdditiveLoss, columns: Sequence[int]) -> float:
    """Return the least sum of terms of some columns, over all nodes of these columns that are within the limits."""
    levels = [lattice.columns[column] for column in columns]
    rows = Lattice(levels, [lattice.codes[column] for column in columns], lattice.people).groups_at((0,) * len(columns))
    block = Lattice(levels, rows.values(), rows.sizes)
    best, _ = find_optimum(block, _BlockGoal(limits), _BlockLoss(loss, columns))
    # If no node is within the limits, no treatment meets the goal, and any bound is right.
    return best.loss if best.meets else math.fsum(float(loss.terms[column].min()) for column in columns)


@dataclass(frozen=True, slots=True)
class _BlockGoal:
    """What is necessary for the goal, in some of the columns."""

    limits: NecessaryLimits

    def necessary(self, n_people: int) -> NecessaryLimits:  # noqa: ARG002
        """Return the limits."""
        return self.limits

    def withheld(self, groups: NodeGroups) -> Withheld:
        """Return who is withheld from every treatment with these groups, whatever the other columns."""
        out = groups.sizes < self.limits.least_size
        people = people_of(groups.sizes, out)
        return Withheld(out if people else None, people, self.limits.allow(groups.sizes) and not bool(out.all()))


class _TargetLoss:
    """The relationships with a target that columns lose, without those that withheld people lose."""

    def __init__(self, loss: MutualLoss, n_levels: Sequence[int]) -> None:
        self.name, self.terms = loss.name, loss.column_terms(n_levels)

    def finished(self, total: float) -> float:
        """Return the sum itself."""
        return total

    def total(
        self,
        columns: Sequence[int],
        groups: NodeGroups,
        out: NDArray[np.bool_] | None,  # noqa: ARG002
        withheld: int,  # noqa: ARG002
    ) -> float:
        """Return the sum of terms of some columns."""
        return math.fsum(float(self.terms[column][level]) for column, level in zip(columns, groups.levels, strict=True))


class _BlockLoss:
    """The sum of the terms of some columns."""

    def __init__(self, loss: AdditiveLoss, columns: Sequence[int]) -> None:
        self._loss, self._columns = loss, columns
        self.name = loss.name
        self.terms = [loss.terms[column] for column in columns]

    def finished(self, total: float) -> float:
        """Return the sum itself."""
        return total

    def of(self, groups: NodeGroups, out: NDArray[np.bool_] | None, withheld: int) -> float:
        """Return the terms of a node from which some groups are withheld."""
        return self._loss.total(self._columns, groups, out, withheld)

    def least(self, sizes: Integers, limits: NecessaryLimits) -> float:  # noqa: ARG002 (the terms give the bound)
        """Return a bound on the terms of all nodes that are coarser than one with these group sizes."""
        return 0.0


def _least_of_pairs(lattice: Lattice, limits: NecessaryLimits, loss: MutualLoss) -> float:
    """Return the relationships lost if each two columns keep as much as they can by themselves."""
    left = 0.0
    for pair in itertools.combinations(range(len(lattice.columns)), 2):
        kept: Floats = loss.kept_at_levels(pair, lattice.n_levels)
        ruled_out = levels_ruled_out(lattice, pair, limits)
        if ruled_out is not None and not ruled_out.all():
            kept = kept[~ruled_out]
        left += float(kept.max())
    return max(0.0, 1 - left / loss.total_bits)
