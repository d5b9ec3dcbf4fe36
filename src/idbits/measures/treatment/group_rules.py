"""Which groups break a rule about a sensitive column: l-diversity, t-closeness, likeness and the like, group by group.

Whole numbers are compared exactly. A real figure meets its limit within one part in 10^9, so that 2^H =
4.999999999999999 is 5. The distribution of values that groups are compared with is that of the table before
anybody is withheld.

Implements: SPEC pages disclosure.md, section 2, and advise.md, sections 2 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import SensitiveCells
from idbits.measures.treatment.logarithms import x_log2_x

__all__ = ["FIGURES", "GroupRule", "SensitiveValues", "group_figure"]

TOLERANCE = 1e-9
_MOST_NUMBERS = 4_000_000


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

    @property
    def n_people(self) -> int:
        """All people."""
        return int(self.people.sum())


Figure = Callable[[Integers, SensitiveCells, SensitiveValues], Floats]


def _distinct(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:  # noqa: ARG001
    return cells.lengths.astype(np.float64)


def _entropy(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:  # noqa: ARG001
    """Return 2^H(p) with H = log2 k - sum n log2 n / k."""
    sums = np.add.reduceat(x_log2_x(cells.people), cells.starts)
    effective = np.exp2((x_log2_x(sizes) - sums) / sizes)
    # Exactly L for L equally frequent values, and never more than the number of values.
    even = np.maximum.reduceat(cells.people, cells.starts) * cells.lengths == sizes
    result: Floats = np.where(even, cells.lengths, np.minimum(effective, cells.lengths))
    return result


def _alpha(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:  # noqa: ARG001
    share: Floats = np.maximum.reduceat(cells.people, cells.starts) / sizes
    return share


def _t_equal(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    """Return 1/2 sum |p - q| as the sum of what is above q, from whole numbers."""
    n = values.n_people
    of_cell = np.repeat(sizes, cells.lengths)
    above = np.maximum(0, cells.people * n - values.people[cells.values] * of_cell)
    distance: Floats = np.add.reduceat(above, cells.starts) / (sizes * float(n))
    return distance


def _shares(sizes: Integers, cells: SensitiveCells, n_values: int, numbers: Integers, part: slice) -> Floats:
    """Return the share of each value in some groups, values in the order of ``numbers``."""
    begin, end = part.start, min(part.stop, len(sizes))
    first = cells.starts[begin]
    last = cells.starts[end] if end < len(sizes) else len(cells.values)
    rows = np.repeat(np.arange(end - begin), cells.lengths[begin:end])
    matrix = np.zeros((end - begin, n_values))
    matrix[rows, numbers[cells.values[first:last]]] = cells.people[first:last]
    return matrix


def _parts(n_groups: int, n_values: int) -> list[slice]:
    step = max(1, _MOST_NUMBERS // max(1, n_values))
    return [slice(begin, begin + step) for begin in range(0, n_groups, step)]


def _t_ordered(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    """Return 1/(m-1) sum |F_g - F| over the ranks; nulls are left out on both sides."""
    assert values.order is not None
    order = values.order.copy()
    m = len(order) - (values.null is not None)
    if values.null is not None:
        order[values.null] = m
    prior = np.zeros(m + 1, np.int64)
    prior[order] = values.people
    distances = []
    for part in _parts(len(sizes), m + 1):
        people = _shares(sizes, cells, m + 1, order, part)[:, :m]
        known = people.sum(axis=1, keepdims=True)
        expected = np.cumsum(prior[:m]) / max(1, int(prior[:m].sum()))
        gaps = np.abs(np.cumsum(people, axis=1) / np.maximum(known, 1) - expected)[:, : m - 1]
        distances.append(np.where(known[:, 0] > 0, gaps.sum(axis=1) / max(1, m - 1), 0.0))
    return np.concatenate(distances)


def _t_hierarchical(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    """Return the sum over inner nodes of height / H times the smaller of what their children have above and below q."""
    assert values.levels is not None
    levels = values.levels
    height = levels.n_levels - 1
    numbers = levels.ranks
    prior = np.bincount(numbers, values.people, minlength=levels.sizes[0]) / values.n_people
    distances = []
    for part in _parts(len(sizes), levels.sizes[0]):
        extra = _shares(sizes, cells, levels.sizes[0], numbers, part) / sizes[part, None] - prior
        cost = np.zeros(len(extra))
        for level in range(1, levels.n_levels):
            # Level 0 has one child per value; each later level is grouped by its parents.
            children = levels.maps[level - 1][np.flatnonzero(np.diff(levels.maps[level - 1], prepend=-1))]
            parents = levels.maps[level][np.flatnonzero(np.diff(levels.maps[level - 1], prepend=-1))]
            begins = np.flatnonzero(np.diff(parents, prepend=-1))
            assert len(children) == extra.shape[1]
            above = np.add.reduceat(np.maximum(extra, 0), begins, axis=1)
            below = np.add.reduceat(np.maximum(-extra, 0), begins, axis=1)
            cost += level / height * np.minimum(above, below).sum(axis=1)
            extra = above - below
        distances.append(cost)
    return np.concatenate(distances)


def _ratios(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    """Return p/q of each cell."""
    of_cell = np.repeat(sizes, cells.lengths)
    ratios: Floats = (cells.people * values.n_people) / (values.people[cells.values] * of_cell.astype(np.float64))
    return ratios


def _beta(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    largest: Floats = np.maximum.reduceat(_ratios(sizes, cells, values), cells.starts) - 1
    return largest


def _enhanced_beta(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    """Return the smallest beta with p/q - 1 <= min(beta, -ln q); infinite if no beta is enough."""
    gains = _ratios(sizes, cells, values) - 1
    limits = -np.log(values.people[cells.values] / values.n_people)
    gains = np.where(gains <= limits * (1 + TOLERANCE) + TOLERANCE * (limits == 0), gains, np.inf)
    largest: Floats = np.maximum.reduceat(gains, cells.starts)
    return largest


def _delta_bits_present(sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> Floats:
    largest: Floats = np.maximum.reduceat(np.abs(np.log2(_ratios(sizes, cells, values))), cells.starts)
    return largest


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


def _descending(cells: SensitiveCells) -> tuple[Integers, Integers]:
    """Return the people of each cell, the largest of a group first, and their sums up to each cell."""
    groups = np.repeat(np.arange(len(cells.starts)), cells.lengths)
    ordered = cells.people[np.lexsort((-cells.people, groups))]
    return ordered, np.concatenate(([0], np.cumsum(ordered)))


def _recursive(cells: SensitiveCells, number: int) -> tuple[Integers, Integers]:
    """Return n_(1), and n_(l) + n_(l+1) + .. of each group."""
    ordered, sums = _descending(cells)
    ends = cells.starts + cells.lengths
    tails: Integers = sums[ends] - sums[np.minimum(cells.starts + number - 1, ends)]
    return ordered[cells.starts], tails


def group_figure(
    figure: str, number: int | None, sizes: Integers, cells: SensitiveCells, values: SensitiveValues
) -> float:
    """Return the worst figure of all groups: the smallest of ``l_distinct`` and ``l_entropy``, else the largest."""
    if figure == "recursive":
        assert number is not None
        top, tails = _recursive(cells, number)
        return math.inf if not tails.all() else float((top / tails).max())
    by_group = FIGURES[figure](sizes, cells, values)
    return float(by_group.min() if figure.startswith("l_") else by_group.max())


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

    def broken(self, sizes: Integers, cells: SensitiveCells, values: SensitiveValues) -> NDArray[np.bool_]:
        """Return which groups break the rule.

        >>> cells = SensitiveCells(np.array([0, 1, 0]), np.array([1, 1, 2]), np.array([0, 2]))
        >>> GroupRule("l_distinct", None, Fraction(2), False).broken(
        ...     np.array([2, 2]), cells, SensitiveValues(np.array([3, 1]))
        ... ).tolist()
        [False, True]
        """
        if self.figure == "recursive":
            assert self.number is not None
            top, tails = _recursive(cells, self.number)
            left, right = top * self.limit.denominator, tails * self.limit.numerator
            holds = left < right if self.strict else left <= right
            return ~(holds & (cells.lengths >= self.number))
        by_group = FIGURES[self.figure](sizes, cells, values)
        limit = float(self.limit)
        if self.figure == "l_distinct":
            return by_group <= limit if self.strict else by_group < limit
        slack = TOLERANCE * abs(limit)
        if self.figure.startswith("l_"):
            return by_group <= limit + slack if self.strict else by_group < limit - slack
        return by_group >= limit - slack if self.strict else by_group > limit + slack
