"""How far the values of a group are from those of everyone: t-closeness with three distances, and by a hierarchy.

Implements: SPEC page disclosure.md, sections 2 and 8; Li, Li and Venkatasubramanian, "t-closeness", 2007. Distances are
sums of whole numbers over a common denominator, so that neither the order of groups nor of values changes a digit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.group_values import GroupCells, exact_integers
from idbits.measures.disclosure.column import SensitiveColumn, ValuePrior

__all__ = [
    "equal_distance", "equal_distances", "hierarchical_distance", "hierarchical_distances", "ordered_distances",
    "ordered_distances_by_group",
]  # fmt: skip


def equal_distance(column: SensitiveColumn) -> float:
    """Return the largest 1/2 sum |p - q| over groups: all values are equally far from each other.

    Bounds: 0 to 1 - min q.
    """
    return float(equal_distances(column).max())


def equal_distances(column: SensitiveColumn) -> Floats:
    """Return 1/2 sum |p - q| of each group, from its positive differences: the negative ones add up to the same."""
    sizes = exact_integers(column.cells.sizes, column.most)
    sums = column.cells.group_sums(np.maximum(column.observed - column.expected, 0))
    return _quotients(sums, sizes * column.prior.total)


def ordered_distances(
    cells: GroupCells, prior: ValuePrior, kept: NDArray[np.bool_], positions: Floats | None = None
) -> tuple[float | None, float | None]:
    """Return how far groups are from everyone by the order of values, and by their distances.

    The largest sum |F_g - F| / (m - 1) over groups, values next to each other being at distance 1; and the largest
    Wasserstein distance of a group's values from everyone's, over max - min.

    Args:
        cells: people by group and value in the order of the values, without nulls.
        prior: the weights of the values, without nulls.
        kept: the groups that may be the worst.
        positions: the values as numbers, ascending; None if they have no distances.

    None if there are no values; 0 for one value, and if all positions are equal. Bounds: 0 to 1.
    """
    m = cells.n_values
    if not prior.total or not kept.any():
        return None, None
    span = 0.0 if positions is None else float(positions[-1] - positions[0])
    by_position = None if positions is None else 0.0
    if m == 1:
        return 0.0, by_position
    steps = _Steps(cells, prior)
    denominators = steps.sizes_of_groups * prior.total
    ordered = float(steps.distances()[kept].max())
    if positions is not None and span:
        # Relative to the span, so that large numbers do not overflow.
        sums = steps.sums(np.diff(positions) / span).astype(np.float64)
        by_position = min(1.0, float((sums / denominators.astype(np.float64))[kept].max()))
    return ordered, by_position


def ordered_distances_by_group(cells: GroupCells, prior: ValuePrior) -> Floats:
    """Return sum |F_g - F| / (m - 1) of each group, for cells in the order of the values, without nulls."""
    return _Steps(cells, prior).distances() if cells.n_values > 1 else np.zeros(cells.n_groups)


class _Steps:
    """The people up to each value, in groups and in general.

    A is the number of people of a group up to a value, C the weight of everyone up to it. A changes only at the group's
    own values; between two of them the sign of A W - C k changes at most once, where C passes A W / k.
    """

    def __init__(self, cells: GroupCells, prior: ValuePrior) -> None:
        m = cells.n_values
        most = 4 * int(cells.sizes.max(initial=1)) * prior.total * m
        self.starts, self.total = cells.starts, prior.total
        self.upto = exact_integers(np.cumsum(prior.weights)[:-1], most)
        self.sizes_of_groups = exact_integers(cells.sizes, most)
        self.sizes = exact_integers(cells.cell_sizes, most)
        self.begins = cells.values
        self.ends = np.append(self.begins[1:], m - 1)
        self.ends[cells.starts[1:] - 1] = m - 1
        self.people = exact_integers(cells.sums_up_to_here(), most) * prior.total
        turns = np.searchsorted(self.upto, self.people // self.sizes, side="right")
        self.turns = np.clip(turns, self.begins, self.ends)

    def distances(self) -> Floats:
        """Return the distance of each group, neighbouring values being at distance 1 / (m - 1)."""
        n_gaps = len(self.upto)
        return _quotients(self.sums(np.ones(n_gaps, np.int64)), self.sizes_of_groups * self.total * n_gaps)

    def sums(self, gaps: Integers | Floats) -> Integers:
        """Return the sum over values i of |A_i W - C_i k| gap_i in each group."""
        begins, ends, turns = self.begins, self.ends, self.turns
        gaps_before = np.concatenate(([0], np.cumsum(gaps)))
        weighed_before = np.concatenate((np.zeros(1, self.upto.dtype), np.cumsum(self.upto * gaps)))
        above = 2 * gaps_before[turns] - gaps_before[begins] - gaps_before[ends]
        weighed = 2 * weighed_before[turns] - weighed_before[begins] - weighed_before[ends]
        before = self.sizes_of_groups * weighed_before[begins[self.starts]]
        sums: Integers = np.add.reduceat(self.people * above - self.sizes * weighed, self.starts) + before
        return sums


def hierarchical_distance(column: SensitiveColumn, levels: Sequence[Integers]) -> float | None:
    """Return the largest cost of moving a group's people to everyone's values along a hierarchy.

    Sum over inner nodes x of height(x)/H min(pos_x, neg_x), where pos and neg are the surpluses and the shortages of
    the children of x. Bounds: 0 to 1.

    Args:
        column: the column, with all of its values.
        levels: the node of each value at heights 1 to H; the last height has one node.
    """
    kept = column.with_secret
    return float(hierarchical_distances(column, levels)[kept].max()) if kept.any() else None


def hierarchical_distances(column: SensitiveColumn, levels: Sequence[Integers]) -> Floats:
    """Return the cost of each group; see ``hierarchical_distance``."""
    cells, weights, total = column.cells, column.prior.weights, column.prior.total
    height = len(levels)
    most = column.most * height
    sums = exact_integers(np.zeros(cells.n_groups, np.int64), most)
    below = np.arange(cells.n_values)
    sizes = exact_integers(cells.sizes, most)
    for index, nodes in enumerate(levels, start=1):
        n_nodes = int(nodes.max()) + 1
        parents = np.zeros(int(below.max()) + 1, np.int64)
        parents[below] = nodes
        counts, of_cells = exact_integers(cells.counts, most), weights[cells.values]
        surplus = counts * total - of_cells * exact_integers(cells.cell_sizes, most)
        grouped = cells.regrouped(parents, n_nodes)
        ordered, borders = surplus[grouped.order], grouped.borders
        positive = np.add.reduceat(np.maximum(ordered, 0), borders)
        negative = np.add.reduceat(np.maximum(-ordered, 0), borders)
        present = np.add.reduceat(of_cells[grouped.order], borders)
        merged = np.zeros(n_nodes, weights.dtype)
        np.add.at(merged, parents, weights)
        # Children that the group lacks are short of all their people.
        negative = negative + (merged[grouped.cells.values] - present) * exact_integers(grouped.cells.cell_sizes, most)
        sums = sums + index * grouped.cells.group_sums(np.minimum(positive, negative))
        cells, weights, below = grouped.cells, merged, nodes
    return _quotients(sums, sizes * total * height)


def _quotients(numerators: Integers, denominators: Integers) -> Floats:
    return np.asarray(numerators / denominators, np.float64)
