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

__all__ = ["CellLoss", "ClassSizeLoss", "ColumnTotals", "DiscernibilityLoss", "EntropyLoss", "TreatmentLoss"]

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

    def least(self, sizes: Integers) -> float:
        """Return a bound on the loss of all nodes that are coarser than one with these group sizes."""


class _SumLoss:
    name: str
    terms: Sequence[Floats]

    def finished(self, total: float) -> float:
        """Return the loss from the sum of terms."""
        return total

    def least(self, sizes: Integers) -> float:  # noqa: ARG002 (the terms give the bound before anything is counted)
        """Return a bound on the loss of all nodes that are coarser than one with these group sizes."""
        return 0.0

    def without_withholding(self, levels: Sequence[int]) -> float:
        """Return the loss of a node if nobody is withheld."""
        return self.finished(math.fsum(float(terms[level]) for terms, level in zip(self.terms, levels, strict=True)))


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

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the loss of a node from which some groups are withheld."""
        if out is None or not withheld:
            return self.without_withholding(groups.levels)
        return self.finished(
            math.fsum(self._term(column, loss) for column, loss in enumerate(self.by_column(groups, out, withheld)))
        )

    def by_column(self, groups: NodeGroups, out: Mask | None, withheld: int) -> list[float]:
        """Return the loss of each column."""
        totals = self._totals
        if out is None or not withheld:
            return [totals.cell_loss(column, level) for column, level in enumerate(groups.levels)]
        people = groups.sizes[out]
        losses = []
        for column, (level, values) in enumerate(zip(groups.levels, groups.values(out), strict=True)):
            hidden = int(np.dot(totals.columns[column].raw_values[level][values], people))
            losses.append(totals.cell_loss(column, level, withheld, hidden))
        return losses


class EntropyLoss(_SumLoss):
    """The bits that are lost about cells, over all people; those of withheld people at the node's level."""

    def __init__(self, totals: ColumnTotals, *, ignore_withheld: bool = False) -> None:
        self.name = "entropy:kept" if ignore_withheld else "entropy"
        self._totals, self._ignore_withheld = totals, ignore_withheld
        self.terms = [np.array(levels) for levels in totals.bits]

    def of(self, groups: NodeGroups, out: Mask | None, withheld: int) -> float:
        """Return the loss of a node from which some groups are withheld."""
        kept = self.without_withholding(groups.levels)
        if self._ignore_withheld or out is None or not withheld:
            return kept
        people = groups.sizes[out]
        (whole,) = x_log2_x(np.array([withheld])).tolist()
        lost = 0.0
        for column, (level, values) in enumerate(zip(groups.levels, groups.values(out), strict=True)):
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

    def least(self, sizes: Integers) -> float:
        """Return a bound on the loss of all nodes that are coarser than one with these group sizes."""
        return float(_squares(sizes))


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

    def least(self, sizes: Integers) -> float:
        """Return a bound on the loss of all nodes that are coarser than one with these group sizes."""
        # Withheld people count as one more group, but at least one group is withheld then.
        return self._n_people / max(1, len(sizes))
