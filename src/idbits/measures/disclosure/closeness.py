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

__all__ = ["equal_distance", "hierarchical_distance", "ordered_distance", "position_distance"]


def equal_distance(column: SensitiveColumn) -> float:
    """Return the largest 1/2 sum |p - q| over groups: all values are equally far from each other.

    Bounds: 0 to 1 - min q. The positive differences alone: the negative ones add up to the same.
    """
    sizes = exact_integers(column.cells.sizes, column.most)
    sums = column.cells.group_sums(np.maximum(column.observed - column.expected, 0))
    return _largest(sums, sizes * column.prior.total)


def ordered_distance(cells: GroupCells, prior: ValuePrior, kept: NDArray[np.bool_]) -> float | None:
    """Return the largest sum |F_g - F| / (m - 1) over groups: values next to each other are at distance 1.

    Args:
        cells: people by group and value in the order of the values, without nulls.
        prior: the weights of the values, without nulls.
        kept: the groups that may be the worst.

    None if there are no values; 0 for one value. Bounds: 0 to 1.
    """
    m = cells.n_values
    if not prior.total or not kept.any():
        return None
    if m == 1:
        return 0.0
    sums = _spread(cells, prior, np.ones(m - 1, np.int64), m)
    return _largest(sums[kept], _denominators(cells, prior, m)[kept] * (m - 1))


def position_distance(cells: GroupCells, prior: ValuePrior, positions: Floats, kept: NDArray[np.bool_]) -> float | None:
    """Return the largest Wasserstein distance of a group's values from everyone's, over max - min.

    ``positions`` are the values as numbers, ascending. None if there are no values; 0 if all are equal. Bounds: 0 to 1.
    """
    if not prior.total or not kept.any():
        return None
    span = float(positions[-1] - positions[0])
    if not span:
        return 0.0
    # Relative to the span, so that large numbers do not overflow.
    gaps = np.diff(positions) / span
    sums = _spread(cells, prior, gaps, cells.n_values)
    return min(
        1.0, float((sums[kept].astype(np.float64) / _denominators(cells, prior, 1)[kept].astype(np.float64)).max())
    )


def _denominators(cells: GroupCells, prior: ValuePrior, factor: int) -> Integers:
    most = 4 * int(cells.sizes.max(initial=1)) * prior.total * factor
    return exact_integers(cells.sizes, most) * prior.total


def _spread(cells: GroupCells, prior: ValuePrior, gaps: Integers | Floats, m: int) -> Integers:
    """Return the sum over values i of |A_i W - C_i k| gap_i in each group.

    A and C are the people up to a value in the group and the weights up to it. A changes only at the group's own
    values; between two of them the sign changes at most once, where C passes A W / k.
    """
    most = 4 * int(cells.sizes.max(initial=1)) * prior.total * m
    upto = exact_integers(np.cumsum(prior.weights)[:-1], most)
    gaps_before = np.concatenate(([0], np.cumsum(gaps)))
    weighed_before = np.concatenate((np.zeros(1, upto.dtype), np.cumsum(upto * gaps)))
    sizes = exact_integers(cells.cell_sizes, most)
    begins = cells.values
    ends = np.append(begins[1:], m - 1)
    ends[cells.starts[1:] - 1] = m - 1
    people = exact_integers(cells.sums_up_to_here(), most) * prior.total
    turns = np.clip(np.searchsorted(upto, people // sizes, side="right"), begins, ends)
    above = gaps_before[turns] - gaps_before[begins] - (gaps_before[ends] - gaps_before[turns])
    weighed = weighed_before[turns] - weighed_before[begins] - (weighed_before[ends] - weighed_before[turns])
    before = exact_integers(cells.sizes, most) * weighed_before[begins[cells.starts]]
    sums: Integers = np.add.reduceat(people * above - sizes * weighed, cells.starts) + before
    return sums


def hierarchical_distance(column: SensitiveColumn, levels: Sequence[Integers]) -> float | None:
    """Return the largest cost of moving a group's people to everyone's values along a hierarchy.

    Sum over inner nodes x of height(x)/H min(pos_x, neg_x), where pos and neg are the surpluses and the shortages of
    the children of x. Bounds: 0 to 1.

    Args:
        column: the column, with all of its values.
        levels: the node of each value at heights 1 to H; the last height has one node.
    """
    cells, weights, total = column.cells, column.prior.weights, column.prior.total
    if not column.with_secret.any():
        return None
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
    kept = column.with_secret
    return _largest(sums[kept], (sizes * total * height)[kept])


def _largest(numerators: Integers, denominators: Integers) -> float:
    return float((numerators / denominators).max())
