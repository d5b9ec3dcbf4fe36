"""What a treatment loses: one number per loss, 0 if nothing is lost.

``cells``            raw values hidden behind each cell (the metric "Loss" of ARX, arithmetic or geometric mean)
``entropy``          bits lost about each cell ("non-uniform entropy")
``discernibility``   the sum of squared group sizes
``class_size``       the mean group size

Each is cheap to bound: coarsening never lowers the loss without withholding, and withholding never lowers it either.

Implements: SPEC page advise.md, sections 3 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.logarithms import x_log2_x
from idbits.measures.treatment.necessary import NecessaryLimits

__all__ = [
    "AdditiveLoss",
    "CellLoss",
    "ClassSizeLoss",
    "ColumnTotals",
    "DiscernibilityLoss",
    "EntropyLoss",
    "TreatmentLoss",
]

Mask = NDArray[np.bool_]


class ColumnTotals:
    """Sums over all people per column and level, before anybody is withheld.

    Args:
        columns: the levels of each column.
        people: for each column, the people of each of its numbers.
        raw_people: for each column, the people of each raw value, if these are finer than the first level.
        importance: the weight of each column; 1 if not given.
    """

    def __init__(
        self,
        columns: Sequence[ColumnLevels],
        people: Sequence[Integers],
        raw_people: Sequence[Integers] | None = None,
        importance: Sequence[float] | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self.n_people = int(people[0].sum())
        weights = [1.0] * len(columns) if importance is None else list(importance)
        self.weights = [weight / math.fsum(weights) for weight in weights]
        by_level = [
            [_by_value(of_number, level, size) for level, size in zip(column.maps, column.sizes, strict=True)]
            for column, of_number in zip(columns, people, strict=True)
        ]
        self.hidden = [
            [int(np.dot(counts, raw)) for counts, raw in zip(levels, column.raw_values, strict=True)]
            for column, levels in zip(columns, by_level, strict=True)
        ]
        raw_bits = [math.fsum(x_log2_x(counts)) for counts in (people if raw_people is None else raw_people)]
        self.bits = [
            [max(0.0, math.fsum(x_log2_x(counts)) - raw) for counts in levels]
            for levels, raw in zip(by_level, raw_bits, strict=True)
        ]

    def cell_loss(self, column: int, level: int, withheld: int = 0, hidden_withheld: int = 0) -> float:
        """Return the share of a column's detail that is lost; a withheld cell loses all of it.

        (sum over kept people of share + w - N/D) / (N - N/D), from whole numbers, at least 0.
        """
        n, d = self.n_people, self.columns[column].n_raw
        if d <= 1:
            return 0.0
        lost = self.hidden[column][level] - hidden_withheld + withheld * d - n
        return max(0, lost) / (n * d - n)


def _by_value(people: Integers, level: Integers, size: int) -> Integers:
    counts = np.zeros(size, np.int64)
    np.add.at(counts, level, people)
    return counts


class TreatmentLoss(Protocol):
    """A loss that can steer a search."""

    name: str

    @property
    def terms(self) -> Sequence[Floats] | None:
        """For each column and level, what it adds if nobody is withheld; None if that is not a sum over columns."""

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the loss of a node from which some groups are withheld."""

    def least(self, sizes: Integers, limits: NecessaryLimits) -> float:
        """Return a bound on the loss of all nodes that meet a goal and are coarser than one with these group sizes."""


class AdditiveLoss(Protocol):
    """A loss that is a sum over columns, or follows from one."""

    name: str

    @property
    def terms(self) -> Sequence[Floats]:
        """For each column and level, what it adds if nobody is withheld."""

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""

    def total(self, columns: Sequence[int], groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the sum of terms of some columns; ``groups`` are those of a node of these columns alone.

        It is not above their sum in a treatment of all columns in which these people, and maybe others, are withheld.
        """


class _SumLoss:
    name: str
    terms: Sequence[Floats]

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""
        return total

    def least(self, sizes: Integers, limits: NecessaryLimits) -> float:  # noqa: ARG002 (the terms give the bound)
        """Return a bound on the loss of all nodes that meet a goal and are coarser than one with these group sizes."""
        return 0.0

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the loss of a node from which some groups are withheld."""
        return self.finished(self.total(range(len(self.terms)), groups, out, withheld))

    def total(self, columns: Sequence[int], groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the sum of terms of some columns, of which alone the groups are."""
        raise NotImplementedError

    def _plain_total(self, columns: Sequence[int], levels: Sequence[int]) -> float:
        """Return the sum of terms if nobody is withheld."""
        return math.fsum(float(self.terms[column][level]) for column, level in zip(columns, levels, strict=True))


class CellLoss(_SumLoss):
    """The share of the detail of cells that is lost, averaged over columns by their weights."""

    def __init__(self, totals: ColumnTotals, *, geometric: bool = False) -> None:
        self.name = "cells:geometric" if geometric else "cells"
        self._totals, self._geometric = totals, geometric
        self.terms = [
            np.array([self._term(column, totals.cell_loss(column, level)) for level in range(levels.n_levels)])
            for column, levels in enumerate(totals.columns)
        ]

    def _term(self, column: int, loss: float) -> float:
        weight = self._totals.weights[column]
        # prod (1 + L)^(w / sum w) - 1 is a sum in logarithms.
        return weight * (math.log1p(loss) if self._geometric else loss)

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""
        return math.expm1(total) if self._geometric else total

    def total(self, columns: Sequence[int], groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the sum of terms of some columns, of which alone the groups are."""
        if out is None or not withheld:
            return self._plain_total(columns, groups.levels)
        losses = self._losses(columns, groups, out, withheld)
        return math.fsum(self._term(column, loss) for column, loss in zip(columns, losses, strict=True))

    def by_column(self, groups: NodeGroups, out: Mask | None, withheld: int) -> list[float]:
        """Return the loss of each column."""
        if out is None or not withheld:
            return [self._totals.cell_loss(column, level) for column, level in enumerate(groups.levels)]
        return self._losses(range(len(groups.levels)), groups, out, withheld)

    def _losses(self, columns: Sequence[int], groups: NodeGroups, out: Mask, withheld: int) -> list[float]:
        totals, people = self._totals, groups.sizes[out]
        losses = []
        for column, level, values in zip(columns, groups.levels, groups.values(out), strict=True):
            hidden = int(np.dot(totals.columns[column].raw_values[level][values], people))
            losses.append(totals.cell_loss(column, level, withheld, hidden))
        return losses


class EntropyLoss(_SumLoss):
    """The bits that are lost about cells, over all people; those of withheld people at the node's level."""

    def __init__(self, totals: ColumnTotals, *, ignore_withheld: bool = False) -> None:
        self.name = "entropy:kept" if ignore_withheld else "entropy"
        self._totals, self._ignore_withheld = totals, ignore_withheld
        self.terms = [np.array(levels) for levels in totals.bits]

    def total(self, columns: Sequence[int], groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the sum of terms of some columns, of which alone the groups are."""
        kept = self._plain_total(columns, groups.levels)
        if self._ignore_withheld or out is None or not withheld:
            return kept
        people = groups.sizes[out]
        (whole,) = x_log2_x(np.array([withheld])).tolist()
        lost = 0.0
        for column, level, values in zip(columns, groups.levels, groups.values(out), strict=True):
            size = self._totals.columns[column].sizes[level]
            counts = np.bincount(values, people, minlength=size).astype(np.int64)
            lost += whole - float(x_log2_x(counts).sum())
        return kept + lost


class DiscernibilityLoss:
    """The sum of squared sizes of the kept groups, and all people for each withheld person."""

    terms = None

    def __init__(self, n_people: int, *, monotone: bool = False) -> None:
        self.name = "discernibility:monotone" if monotone else "discernibility"
        self._n_people, self._monotone = n_people, monotone

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""
        return total

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the loss of a node from which some groups are withheld."""
        sizes = groups.sizes
        if not self._monotone and out is not None and withheld:
            sizes = sizes[~out]
            return float(_squares(sizes) + withheld * self._n_people)
        return float(_squares(sizes))

    def least(self, sizes: Integers, limits: NecessaryLimits) -> float:
        """Return a bound on the loss of all nodes that meet a goal and are coarser than one with these group sizes.

        A person who is kept adds the size of the group, which is neither below that of the finer node nor too small;
        one who is withheld adds at least as much, but for ``monotone`` only the size of the finer group.

        >>> DiscernibilityLoss(6).least(np.array([1, 2, 3]), NecessaryLimits(least_size=3, most_withheld=2))
        18.0
        """
        smallest = min(limits.least_size, self._n_people)
        small = np.sort(sizes[sizes < smallest])
        added = float(_squares(sizes) + int((small * (smallest - small)).sum()))
        if not self._monotone:
            return added
        # The fewest people add the most: those of the smallest groups may be withheld.
        people = np.minimum(np.cumsum(small), limits.most_withheld)
        return added - float((np.diff(people, prepend=0) * (smallest - small)).sum())


def _squares(sizes: Integers) -> int:
    if int(sizes.max(initial=0)) ** 2 * max(1, len(sizes)) < 2**62:
        return int(np.dot(sizes, sizes))
    return sum(size * size for size in sizes.tolist())


class ClassSizeLoss:
    """All people divided by the number of groups; the withheld people count as one group."""

    name = "class_size"
    terms = None

    def __init__(self, n_people: int) -> None:
        self._n_people = n_people

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""
        return total

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the loss of a node from which some groups are withheld."""
        n_groups = len(groups.sizes)
        if out is not None and withheld:
            n_groups += 1 - int(np.count_nonzero(out))
        return self._n_people / n_groups

    def least(self, sizes: Integers, limits: NecessaryLimits) -> float:
        """Return a bound on the loss of all nodes that meet a goal and are coarser than one with these group sizes.

        >>> ClassSizeLoss(7).least(np.array([1, 2, 4]), NecessaryLimits(least_size=3, most_withheld=0))
        3.5
        """
        is_small = sizes < limits.least_size
        n_large = len(sizes) - int(np.count_nonzero(is_small))
        most = n_large + int(sizes[is_small].sum()) // max(1, limits.least_size)
        # Withheld people count as one more group, but at least one group is withheld then.
        return self._n_people / max(1, min(len(sizes), most + (limits.most_withheld > 0)))
