"""Which groups break a rule about a sensitive column: l-diversity, t-closeness, likeness and the like, group by group.

The figures are those of ``disclosure``. Only the effective number of values of each group is also computed here, from
faster logarithms that may differ in the last digits: a search needs it thousands of times.

Whole numbers are compared exactly. A real figure meets its limit within one part in 10^9, so that 2^H =
4.999999999999999 is 5. The distribution of values that groups are compared with is that of the table before
anybody is withheld.

Implements: SPEC pages disclosure.md, section 2, and advise.md, sections 2 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.measures.disclosure.certainty import largest_share
from idbits.measures.disclosure.closeness import (
    equal_distance,
    equal_distances,
    hierarchical_distance,
    hierarchical_distances,
    ordered_distances_by_group,
)
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior
from idbits.measures.disclosure.diversity import distinct_values, entropy_values, recursive_limits
from idbits.measures.disclosure.likeness import delta_bits_present, enhanced_gains, ratios_to_prior, relative_gains
from idbits.measures.treatment.logarithms import x_log2_x

__all__ = ["FIGURES", "GroupRule", "SensitiveValues", "group_figure"]

TOLERANCE = 1e-9
_SLACK = Fraction(str(TOLERANCE))


@dataclass(frozen=True, eq=False)
class SensitiveValues:
    """The values of a sensitive column in the table before anybody is withheld.

    Attributes:
        people: the people of each value.
        order: the rank of each value for ``t_ordered``; None if the values have no order.
        null: the number of the null value, which has no rank.
        levels: the hierarchy of the values for ``t_hierarchical``; None if there is none.
    """

    people: Integers
    order: Integers | None = None
    null: int | None = None
    levels: ColumnLevels | None = None

    @cached_property
    def prior(self) -> ValuePrior:
        """The people of each value, as what is expected of a group."""
        return ValuePrior(self.people, int(self.people.sum()))

    def column(self, cells: GroupCells) -> SensitiveColumn:
        """Return the groups of a treated table, compared with these values."""
        return SensitiveColumn(cells, self.prior)

    @cached_property
    def nodes(self) -> tuple[Integers, ...]:
        """The node of each value at each height of the hierarchy, from 1."""
        assert self.levels is not None
        return tuple(level[self.levels.ranks] for level in self.levels.maps[1:])

    @cached_property
    def _ranked(self) -> tuple[Integers, ValuePrior]:
        """The rank of each value among those that people have, -1 for null and others; and the people by rank."""
        assert self.order is not None
        has_rank = self.people > 0
        if self.null is not None:
            has_rank[self.null] = False
        known = np.flatnonzero(has_rank)
        ordered = known[np.argsort(self.order[known], kind="stable")]
        ranks = np.full(len(self.people), -1, np.int64)
        ranks[ordered] = np.arange(len(ordered))
        return ranks, ValuePrior(self.people[ordered], int(self.people[ordered].sum()))

    def sorted_for(self, figure: str) -> tuple[Integers, SensitiveValues]:
        """Return another number for each value, with which the groups of a figure need no sort, and the same values.

        Values are numbered by their ranks for ``t_ordered``, and along the paths of their hierarchy for
        ``t_hierarchical``.

        >>> numbers, values = SensitiveValues(np.array([5, 3, 4]), np.array([1, 0, 0]), 2).sorted_for("t_ordered")
        >>> numbers.tolist(), values.people.tolist(), values.null
        ([2, 1, 0], [4, 3, 5], 0)
        """
        places = np.arange(len(self.people))
        if figure == "t_ordered" and self.order is not None:
            places = self.order.copy()
            places[[] if self.null is None else [self.null]] = -1
        elif figure == "t_hierarchical" and self.levels is not None:
            places = self.levels.ranks
        old = np.argsort(places, kind="stable")
        numbers = np.empty(len(old), np.int64)
        numbers[old] = np.arange(len(old))
        return numbers, SensitiveValues(
            self.people[old],
            None if self.order is None else self.order[old],
            None if self.null is None else int(numbers[self.null]),
            None if self.levels is None else replace(self.levels, ranks=self.levels.ranks[old]),
        )

    def ordered_distances(self, cells: GroupCells) -> Floats:
        """Return how far each group is from everyone by the order of values; 0 if it has nulls only."""
        ranks, prior = self._ranked
        if len(prior.weights) == len(ranks):
            return ordered_distances_by_group(cells.renumbered(ranks, len(ranks)), prior)
        distances = np.zeros(cells.n_groups)
        known, groups = cells.with_cells(ranks[cells.values] >= 0)
        if known.n_groups:
            # Numbers of values that no cell has are arbitrary.
            ordered = known.renumbered(np.maximum(ranks, 0), len(prior.weights))
            distances[groups] = ordered_distances_by_group(ordered, prior)
        return distances


Figure = Callable[[GroupCells, SensitiveValues], Floats]


def _distinct(cells: GroupCells, values: SensitiveValues) -> Floats:  # noqa: ARG001
    return cells.lengths.astype(np.float64)


def _entropy(cells: GroupCells, values: SensitiveValues) -> Floats:  # noqa: ARG001
    """Return 2^H(p) with H = log2 k - sum n log2 n / k."""
    sums = np.add.reduceat(x_log2_x(cells.counts), cells.starts)
    effective = np.exp2((x_log2_x(cells.sizes) - sums) / cells.sizes)
    # Exactly L for L equally frequent values, and never more than the number of values.
    even = cells.group_maxima(cells.counts) * cells.lengths == cells.sizes
    result: Floats = np.where(even, cells.lengths, np.minimum(effective, cells.lengths))
    return result


def _alpha(cells: GroupCells, values: SensitiveValues) -> Floats:  # noqa: ARG001
    share: Floats = cells.group_maxima(cells.counts) / cells.sizes
    return share


def _t_equal(cells: GroupCells, values: SensitiveValues) -> Floats:
    return equal_distances(values.column(cells))


def _t_ordered(cells: GroupCells, values: SensitiveValues) -> Floats:
    return values.ordered_distances(cells)


def _t_hierarchical(cells: GroupCells, values: SensitiveValues) -> Floats:
    return hierarchical_distances(values.column(cells), values.nodes)


def _beta(cells: GroupCells, values: SensitiveValues) -> Floats:
    return cells.group_maxima(relative_gains(values.column(cells)))


def _enhanced_beta(cells: GroupCells, values: SensitiveValues) -> Floats:
    """Return the smallest beta with p/q - 1 <= min(beta, -ln q); infinite if no beta is enough."""
    return cells.group_maxima(enhanced_gains(values.column(cells), TOLERANCE))


def _delta_bits_present(cells: GroupCells, values: SensitiveValues) -> Floats:
    return cells.group_maxima(np.abs(np.log2(ratios_to_prior(values.column(cells)))))


FIGURES: dict[str, Figure] = {
    "l_distinct": _distinct,
    "l_entropy": _entropy,
    "alpha": _alpha,
    "t_equal": _t_equal,
    "t_ordered": _t_ordered,
    "t_hierarchical": _t_hierarchical,
    "beta": _beta,
    "enhanced_beta": _enhanced_beta,
    "delta_bits_present": _delta_bits_present,
}
"""The figures of each group; those of a rule ``recursive`` are two whole numbers."""


def _recursive(cells: GroupCells, number: int) -> tuple[Integers, Integers]:
    """Return n_(1), and n_(l) + n_(l+1) + .. of each group."""
    return cells.largest(1), cells.sizes - cells.sum_of_largest(number - 1)


def group_figure(figure: str, number: int | None, cells: GroupCells, values: SensitiveValues) -> float:
    """Return the worst figure of all groups: the smallest of ``l_distinct`` and ``l_entropy``, else the largest.

    It is that of ``disclosure``, to the last digit.
    """
    column = values.column(cells)
    found: float | None
    if figure == "recursive":
        assert number is not None
        found = recursive_limits(column, [number])[str(number)]
    elif figure == "t_hierarchical":
        found = hierarchical_distance(column, values.nodes)
    elif figure in _WORST:
        found = _WORST[figure](column)
    else:
        found = float(FIGURES[figure](cells, values).max())
    assert found is not None
    return float(found)


_WORST: dict[str, Callable[[SensitiveColumn], float | None]] = {
    "l_distinct": distinct_values,
    "l_entropy": entropy_values,
    "alpha": largest_share,
    "t_equal": equal_distance,
    "delta_bits_present": delta_bits_present,
}


@dataclass(frozen=True, slots=True)
class GroupRule:
    """A rule about the groups of a sensitive column.

    Attributes:
        figure: the figure of a group.
        number: the l of ``recursive``.
        limit: the limit.
        strict: whether the limit itself breaks the rule.
    """

    figure: str
    number: int | None
    limit: Fraction
    strict: bool

    @property
    def least_people(self) -> int:
        """The fewest people that a group which meets the rule can have.

        >>> GroupRule("alpha", None, Fraction(2, 5), strict=False).least_people
        3
        """
        if self.figure == "recursive":
            return self.number or 1
        if self.figure in ("l_distinct", "l_entropy"):
            return max(1, math.ceil(self.limit * (1 - _SLACK)))
        # One person of k is a share of 1/k.
        return math.ceil(1 / (self.limit * (1 + _SLACK))) if self.figure == "alpha" and self.limit > 0 else 1

    def broken(self, cells: GroupCells, values: SensitiveValues) -> NDArray[np.bool_]:
        """Return which groups break the rule.

        >>> cells = GroupCells(np.array([0, 1, 0]), np.array([1, 1, 2]), np.array([0, 2]), 2)
        >>> GroupRule("l_distinct", None, Fraction(2), False).broken(cells, SensitiveValues(np.array([3, 1]))).tolist()
        [False, True]
        """
        if self.figure == "recursive":
            assert self.number is not None
            top, tails = _recursive(cells, self.number)
            left, right = top * self.limit.denominator, tails * self.limit.numerator
            holds = left < right if self.strict else left <= right
            return ~(holds & (cells.lengths >= self.number))
        by_group = FIGURES[self.figure](cells, values)
        limit = float(self.limit)
        if self.figure == "l_distinct":
            return by_group <= limit if self.strict else by_group < limit
        slack = TOLERANCE * abs(limit)
        if self.figure.startswith("l_"):
            return by_group <= limit + slack if self.strict else by_group < limit - slack
        return by_group >= limit - slack if self.strict else by_group > limit + slack
