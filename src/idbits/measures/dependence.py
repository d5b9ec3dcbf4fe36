"""How much two columns depend on each other: Pearson, Spearman and distance correlation, mutual information.

Implements: SPEC section 7. Mutual information of cells is in ``mic.grid_mutual_information_bits``; here are the cells.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "average_ranks", "distance_correlation", "equal_cells", "fine_cells", "information_cells", "pearson",
    "root_of_normal_information", "spearman", "standardised", "x_log_x",
]  # fmt: skip

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FEWEST_CELLS = 16
_NEARLY_ONE = 1 - 1e-12


def pearson(x: Floats, y: Floats) -> float | None:
    """Pearson's correlation, -1 to 1; None if one side is constant or there are fewer than two rows.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([-2.0, -4.0, -6.0]))
    -1.0
    """
    left, right = standardised(x), standardised(y)
    if left is None or right is None:
        return None
    return float(min(1.0, max(-1.0, math.fsum((left * right).tolist()))))


def standardised(values: Floats) -> Floats | None:
    """Return values minus their mean, scaled so that their squares add up to 1; None for a constant column.

    >>> standardised(np.array([1.0, 3.0])).round(4).tolist()
    [-0.7071, 0.7071]
    """
    if len(values) < 2 or values.min() == values.max():
        return None
    # Scale first: the squares of very large or very small numbers overflow or underflow.
    largest = np.abs(values).max()
    centred = values / largest
    centred = centred - centred.mean()
    size = np.abs(centred).max()
    if size == 0:
        return None
    centred /= size
    return np.asarray(centred / math.sqrt(math.fsum((centred * centred).tolist())), np.float64)


def average_ranks(codes: Integers) -> Floats:
    """Return ranks from 1; equal values get the mean of their ranks.

    >>> average_ranks(np.array([7, 3, 7, 9])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    if len(codes) and int(codes.min()) >= 0 and int(codes.max()) <= 2 * len(codes):
        # Counted without sorting: codes are ranks with few gaps nearly everywhere.
        where, counts = codes, np.bincount(codes)
    else:
        _, where, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[where], np.float64)


def spearman(x: Integers, y: Integers) -> float | None:
    """Spearman's rank correlation: Pearson's correlation of the ranks; None if one side is constant.

    >>> spearman(np.array([1, 2, 3]), np.array([1, 8, 27]))
    1.0
    """
    return pearson(average_ranks(x), average_ranks(y))


def distance_correlation(x: Floats, y: Floats) -> float | None:
    """Distance correlation, 0 (independent, in the limit) to 1 (a line); None if one side is constant.

    Implements: Szekely, Rizzo and Bakirov, Annals of Statistics 35 (2007), the V-statistic, in n log n steps: with rows
    in order of x, the sum of |xi - xj| |yi - yj| needs only sums over earlier rows with a smaller y.

    >>> round(distance_correlation(np.array([-1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0])), 4)
    0.5623
    """
    left, right = standardised(x), standardised(y)
    if left is None or right is None:
        return None
    n = len(left)
    order = np.argsort(left, kind="stable")
    # Squares that add up to n keep the sums near 1 times n.
    left, right = left[order] * math.sqrt(n), right[order] * math.sqrt(n)
    from_left, from_right = _sums_of_distances(left), _sums_of_distances(right)

    def centred(products: float, left_sums: Floats, right_sums: Floats) -> float:
        return (
            products / n**2
            - 2 * float(left_sums @ right_sums) / n**3
            + float(left_sums.sum()) * float(right_sums.sum()) / n**4
        )

    covariance = centred(_sum_of_products(left, right), from_left, from_right)
    # The sum of (xi - xj)^2 over all pairs is 2 n times the sum of squares of centred values.
    variances = (
        centred(2 * n * float(side @ side), sums, sums) for side, sums in ((left, from_left), (right, from_right))
    )
    scale = math.sqrt(math.prod(variances))
    return math.sqrt(min(1.0, max(0.0, covariance / scale))) if scale > 0 else None


def _sums_of_distances(values: Floats) -> Floats:
    """Return for each value the sum of its distances to all."""
    n = len(values)
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    before = np.concatenate(([0.0], np.cumsum(ascending)[:-1]))
    ranks = np.arange(n)
    sums = np.empty(n)
    sums[order] = (2 * ranks - n) * ascending + ascending.sum() - 2 * before
    return sums


def _sum_of_products(x: Floats, y: Floats) -> float:
    """Return the sum of |xi - xj| |yi - yj| over all pairs, rows being in order of x."""
    n = len(x)
    product = x * y
    # Over j before i: (xi - xj)(yi - yj), with the sign reversed if yj is above yi.
    ranks = np.arange(n)
    sums = [np.concatenate(([0.0], np.cumsum(w)[:-1])) for w in (x, y, product)]
    signed = ranks * product - x * sums[1] - y * sums[0] + sums[2]
    number, (of_x, of_y, of_product) = _sums_below(y, (x, y, product))
    rising = number * product - x * of_y - y * of_x + of_product
    return 2 * float(math.fsum((2 * rising - signed).tolist()))


def _sums_below(y: Floats, weights: tuple[Floats, ...]) -> tuple[Integers, list[Floats]]:
    """For each row, the number of earlier rows with a y that is not larger, and the sums of weights over them.

    Blocks of rows are halved again and again. Within a block, rows stand in order of y; what the right half gets from
    the left half is a running sum. Going down, each half takes its rows out of the block in the order they have.
    """
    n = len(y)
    order = np.argsort(y, kind="stable")
    number, results = np.zeros(n, np.int64), [np.zeros(n) for _ in weights]
    running, left_before = np.zeros(n + 1), np.zeros(n + 1, np.int64)
    positions = np.arange(n)
    for level in range(max(0, (n - 1).bit_length() - 1), -1, -1):
        block = positions >> (level + 1) << (level + 1)
        is_left = (order >> level) & 1 == 0
        np.cumsum(is_left, out=left_before[1:])
        left_here = left_before[:-1] - left_before[block]
        right = np.flatnonzero(~is_left)
        rights, starts = order[right], block[right]
        number[rights] += left_here[right]
        for weight, result in zip(weights, results, strict=True):
            np.cumsum(np.where(is_left, weight[order], 0.0), out=running[1:])
            result[rights] += running[right] - running[starts]
        left_here += block
        half = np.minimum(starts + (1 << level), n)
        # A right row moves behind the left half, by as many rows as there are left ones before it.
        left_here[right] = half + right - left_here[right]
        halved = np.empty(n, np.int64)
        halved[left_here] = order
        order = halved
    return number, results


def equal_cells(codes: Integers, cells: int) -> Integers:
    """Assign values (dense codes, ascending) to cells with about equal numbers of rows; no value is split.

    Cells of half the number are pairs of these.

    >>> equal_cells(np.array([0, 1, 2, 3]), 2).tolist()
    [0, 0, 1, 1]
    """
    counts = np.bincount(codes)
    middles = np.cumsum(counts) - counts / 2
    return np.minimum((cells * middles / len(codes)).astype(np.int64), cells - 1)[codes]


def information_cells(codes: Integers) -> Integers:
    """Return the cells for mutual information: the values, or cells of about equal size.

    A column keeps its values when it has at most max(16, sqrt(n)) of them. One with more, such as salaries, is put into
    a power of 2 of cells, at most 16 and with at least 5 rows for each cell of a square grid.

    >>> information_cells(np.array([0, 1, 1, 2])).tolist()
    [0, 1, 1, 2]
    """
    n = len(codes)
    if int(codes.max()) < max(_FEWEST_CELLS, math.isqrt(n)):
        return codes
    return equal_cells(codes, fine_cells(n))


def fine_cells(n: int) -> int:
    """Return the largest power of 2 up to 16 of which a square grid has 5 rows per cell.

    >>> fine_cells(50), fine_cells(1_000), fine_cells(100_000)
    (2, 8, 16)
    """
    return 1 << min(4, max(1, math.isqrt(max(1, n // 5)).bit_length() - 1))


def root_of_normal_information(squares: Floats) -> Floats:
    """Return the square root of the information, in nats, that normal variables share: sqrt(-ln(1 - r^2) / 2).

    Takes squared correlations. This makes a correlation comparable with the mutual information of cells.

    >>> root_of_normal_information(np.array([0.0, 0.75])).round(4).tolist()
    [0.0, 0.8326]
    """
    return np.asarray(np.sqrt(-np.log1p(-np.minimum(squares, _NEARLY_ONE)) / 2), np.float64)


def x_log_x(counts: Integers) -> Floats:
    """Return x ln x of whole numbers; 0 for 0.

    >>> x_log_x(np.array([0, 1, 2])).round(4).tolist()
    [0.0, 0.0, 1.3863]
    """
    numbers = np.asarray(counts, np.float64)
    return np.asarray(numbers * np.log(np.maximum(numbers, 1.0)), np.float64)
