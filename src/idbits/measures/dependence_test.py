"""A permutation test of dependence for each column, with one error rate for all columns.

Implements: SPEC section 12 (leak): dependence is judged against a seeded permutation null per column. Independent data
score above 0 on every measure, by an amount that depends on the numbers of rows and values; shuffling measures it. If
rows resemble their neighbours in both columns, the release is shifted along the rows instead (``serial.choose_null``).

Several statistics are combined: rank and linear correlation, mutual information of the values and of grids with 2 to 16
cells per side. A first set of shuffles sets the scale of each; the largest is the column's statistic, and its p-value
counts the further shuffles that reach it. So the p-value is exact, however the statistics are related.
Columns are judged at error / columns each (Bonferroni). Shuffling stops early for columns that are clearly not a leak
(Besag and Clifford, Biometrika 78, 1991). There are only n - 1 shifts, too few for that with several columns: shifted
columns are moved at once and compared with the largest of them (Westfall and Young, 1993), at their share of the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from idbits.measures.dependence import (
    average_ranks,
    equal_cells,
    fine_cells,
    information_cells,
    root_of_normal_information,
    standardised,
    x_log_x,
)
from idbits.measures.resampling import SHIFTS, SHUFFLES, Resampling

__all__ = ["Judgement", "Pair", "arrangements", "chance_information_bits", "judge"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_PILOT = 50
_BATCH = 25
_ENOUGH_ABOVE = 20
_LEAST_SHUFFLES = 399
_MOST_SHUFFLES = 9_999
_MOST_VALUES_TO_PAIR = 1 << 20


@dataclass(frozen=True, slots=True)
class Pair:
    """One column of the original and of the release: dense codes in order of the values, and numbers or NaN."""

    original: Integers
    released: Integers
    original_numbers: Floats
    released_numbers: Floats


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of the test for a column.

    Attributes:
        p_value: how often a release without any link shows as much as this one.
        threshold: it is a leak if the p-value is at most this.
        shuffles: the number of shuffles or shifts counted.
        chance_information_bits: the mutual information that the column would show by chance.
        least: the smallest p-value that the shuffles or shifts can give.
        error: its share of the chance of a false alarm.
    """

    p_value: float
    threshold: float
    shuffles: int
    chance_information_bits: float
    least: float
    error: float

    @property
    def leaks(self) -> bool | None:
        """Whether the dependence exceeds chance; None if it exceeds all shifts but these are too few."""
        if self.p_value <= self.threshold:
            return True
        return None if self.threshold < self.least and self.p_value <= self.least else False


def arrangements(codes: Integers) -> float:
    """Return the natural logarithm of the number of different orders of the values: n! / (k1! k2! ..).

    With few orders, a shuffle often returns the same order and shows nothing.

    >>> round(math.exp(arrangements(np.array([0, 0, 1]))))
    3
    """
    counts = np.bincount(codes)
    return math.lgamma(len(codes) + 1) - math.fsum(math.lgamma(count + 1) for count in counts.tolist())


def has_too_few_orders(sides: Sequence[Integers], level: float) -> bool:
    """Return whether one side has so few orders that a shuffle returns the same one more often than ``level``.

    >>> has_too_few_orders([np.array([0, 0, 1]), np.array([0, 1, 2])], 0.01)
    True
    """
    return min(map(arrangements, sides)) < -math.log(level)


def judge(
    pairs: Sequence[Pair],
    error: float,
    seed: int,
    done: Callable[[float], None] = lambda _: None,
    nulls: Sequence[str] | None = None,
    brief: Sequence[bool] | None = None,
    threads: int = 1,
) -> list[Judgement]:
    """Judge columns whose rows are in the same order.

    Args:
        pairs: the columns.
        error: the overall chance of a false alarm.
        seed: seed of the random draws.
        done: called with the share of the work that is done.
        nulls: ``shuffles`` (default) or ``shifts`` for each column.
        brief: for each column, whether few shuffles are enough because it is known to leak.
        threads: how many columns are shuffled at the same time; they do not change the result.

    >>> codes = np.arange(40)
    >>> copy = Pair(codes, codes, codes.astype(float), codes.astype(float))
    >>> judge([copy], 0.01, seed=0)[0].leaks
    True
    """
    if not pairs:
        return []
    most = min(max(_LEAST_SHUFFLES, math.ceil(len(pairs) / error) - 1), _MOST_SHUFFLES)
    error_each = max(error / len(pairs), 1 / (most + 1))
    kinds = nulls if nulls is not None else [SHUFFLES] * len(pairs)
    few = brief if brief is not None else [False] * len(pairs)
    running = [_Column(pair, _LEAST_SHUFFLES if short else most) for pair, short in zip(pairs, few, strict=True)]
    groups: dict[tuple[str, int], list[_Column]] = {}
    for column, kind in zip(running, kinds, strict=True):
        groups.setdefault((kind, column.n), []).append(column)
    with ThreadPoolExecutor(threads, thread_name_prefix="idbits-shuffles") as pool:
        for number, ((kind, n), columns) in enumerate(groups.items()):
            resampling = Resampling(kind, n, seed, most)
            for column in columns:
                column.threshold = error_each * len(columns) if kind == SHIFTS else error_each
            _run(columns, resampling, pool, partial(_report_part, done, number, len(groups)))
    return [
        Judgement(column.p_value(), column.threshold, column.shuffles, column.chance_bits, column.least, error_each)
        for column in running
    ]


def _report_part(done: Callable[[float], None], number: int, n_groups: int, part: float) -> None:
    done((number + part) / n_groups)


def _run(columns: Sequence[_Column], resampling: Resampling, pool: Executor, done: Callable[[float], None]) -> None:
    """Compare columns with a release without any link: each by itself, or all shifted ones jointly."""
    pilot = resampling.pilot(_PILOT)
    for column, _ in zip(columns, pool.map(partial(_Column.scale, pilot=pilot), columns), strict=True):
        column.least = resampling.least
    active, count = list(columns), 0
    while active and count < resampling.most:
        batch = resampling.draw(_BATCH)
        shuffled = columns if resampling.kind == SHIFTS else active
        largest = list(pool.map(partial(_Column.largest, shuffles=batch), shuffled))
        if resampling.kind == SHIFTS:
            largest = [np.max(largest, axis=0)] * len(active)
        for column, of_column in zip(active, largest, strict=True):
            column.count(of_column)
        count += len(batch)
        active = [column for column in active if column.above < _ENOUGH_ABOVE and column.shuffles < column.most]
        done(count / resampling.most)


def chance_information_bits(pair: Pair, kind: str, seed: int) -> float:
    """Return the mean mutual information when the release is shuffled or shifted.

    >>> codes = np.arange(40) % 2
    >>> round(chance_information_bits(Pair(codes, codes, codes * 1.0, codes * 1.0), SHUFFLES, 0), 2)
    0.02
    """
    column = _Column(pair, 0)
    column.scale(Resampling(kind, column.n, seed, 1).pilot(_PILOT))
    return column.chance_bits


class _Column:
    """A column under test: its state between shuffles."""

    def __init__(self, pair: Pair, most: int) -> None:
        self.n = len(pair.original)
        self.most = most
        self.least = 1.0
        self.threshold = 0.0
        self._parts = [part for part in (_ranks(pair), _line(pair), _values(pair), _grids(pair), _codes(pair)) if part]
        self._mean: Floats = np.zeros(0)
        self._spread: Floats = np.zeros(0)
        self.observed = 0.0
        self.above = 0
        self.shuffles = 0
        self.chance_bits = 0.0

    def scale(self, pilot: Integers) -> None:
        """Learn the usual values of each statistic from shuffles, and put the observed values on that scale."""
        usual = self._statistics(pilot)
        self._mean, spread = usual.mean(axis=0), usual.std(axis=0)
        self._spread = np.maximum(spread, 1e-9)
        # The third part is the square root of the mutual information of the values.
        index = sum(part.width for part in self._parts[: self._place_of_values()])
        self.chance_bits = float((usual[:, index] ** 2).mean()) / math.log(2)
        self.observed = float(self.largest(np.arange(pilot.shape[1])[None, :])[0])

    def _place_of_values(self) -> int:
        return next(index for index, part in enumerate(self._parts) if part.of_values)

    def count(self, largest: Floats) -> None:
        """Count the shuffles that show at least as much as observed."""
        # Numbers that differ only by rounding count as equal.
        self.above += int(np.sum(largest >= self.observed - 1e-9 * abs(self.observed)))
        self.shuffles += len(largest)

    def p_value(self) -> float:
        """Return the share of shuffles that show as much, counting the observed order as one of them."""
        return (self.above + 1) / (self.shuffles + 1)

    def largest(self, shuffles: Integers) -> Floats:
        """Return for each shuffle the statistic that is furthest from its usual value."""
        return np.asarray(((self._statistics(shuffles) - self._mean) / self._spread).max(axis=1), np.float64)

    def _statistics(self, shuffles: Integers) -> Floats:
        return np.concatenate([part.of(shuffles) for part in self._parts], axis=1)


@dataclass(frozen=True, slots=True)
class _TestedPart:
    """Some statistics of a shuffled release: one row per shuffle."""

    of: Callable[[Integers], Floats]
    width: int
    of_values: bool = False


def _correlated(left: Floats | None, right: Floats | None) -> _TestedPart | None:
    """A correlation as the information that normal variables would share, to be comparable with the others.

    A plain correlation ends at 1, so with few rows a lucky grid would outscore a perfect one.
    """
    if left is None or right is None:
        return None

    def of(shuffles: Integers) -> Floats:
        squares = np.einsum("ij,j->i", right[shuffles], left) ** 2
        return root_of_normal_information(squares)[:, None]

    return _TestedPart(of, 1)


def _ranks(pair: Pair) -> _TestedPart | None:
    return _correlated(standardised(average_ranks(pair.original)), standardised(average_ranks(pair.released)))


def _line(pair: Pair) -> _TestedPart | None:
    return _correlated(_filled(pair.original_numbers), _filled(pair.released_numbers))


def _filled(numbers: Floats) -> Floats | None:
    known = np.isfinite(numbers)
    if not known.any():
        return None
    return standardised(np.where(known, numbers, numbers[known].mean()))


def _values(pair: Pair) -> _TestedPart:
    left, right = information_cells(pair.original), information_cells(pair.released)
    return _TestedPart(lambda shuffles: _root_information(left, right[shuffles])[:, None], 1, of_values=True)


def _codes(pair: Pair) -> _TestedPart | None:
    """Mutual information of the values themselves, if they are too many for a table but do repeat."""
    n, kept = len(pair.original), (information_cells(pair.original), information_cells(pair.released))
    if kept[0] is pair.original and kept[1] is pair.released:
        return None
    if max(int(pair.original.max()), int(pair.released.max())) + 1 >= n:
        return None
    return _TestedPart(lambda shuffles: _root_information(pair.original, pair.released[shuffles])[:, None], 1)


def _grids(pair: Pair) -> _TestedPart:
    """Mutual information of grids of equal cells: 2, 4, .. per side."""
    cells = fine_cells(len(pair.original))
    left, right = equal_cells(pair.original, cells) * cells, equal_cells(pair.released, cells)
    steps = cells.bit_length() - 1

    def of(shuffles: Integers) -> Floats:
        many = len(shuffles)
        index = right[shuffles] + left + np.arange(many)[:, None] * cells**2
        grid = np.bincount(index.ravel(), minlength=many * cells**2).reshape(many, cells, cells)
        roots = []
        for rows in range(steps):
            coarse = grid.reshape(many, cells >> rows, 1 << rows, cells).sum(axis=2)
            for columns in range(steps):
                both = coarse.reshape(many, cells >> rows, cells >> columns, 1 << columns).sum(axis=3)
                roots.append(_root_of_table(both))
        return np.stack(roots, axis=1)

    return _TestedPart(of, steps**2)


def _root_of_table(tables: NDArray[np.int64]) -> Floats:
    """Return the square root of the mutual information, in nats, of tables of counts."""
    n = int(tables[0].sum())
    joint = x_log_x(tables).sum(axis=(1, 2))
    sides = x_log_x(tables.sum(axis=1)).sum(axis=1) + x_log_x(tables.sum(axis=2)).sum(axis=1)
    information = (joint - sides) / n + math.log(n)
    return np.asarray(np.sqrt(np.maximum(information, 0.0)), np.float64)


def _root_information(left: Integers, right: Integers) -> Floats:
    """Return the square root of the mutual information, in nats, of cells with each row of shuffled cells."""
    n, width = len(left), int(right.max()) + 1
    table = x_log_x(np.arange(n + 1))
    sides = table[np.bincount(left)].sum() + table[np.bincount(right[0])].sum()
    cells = (int(left.max()) + 1) * width
    joint = np.empty(len(right))
    for index, shuffled in enumerate(right):
        keys = left * width + shuffled
        if cells <= _MOST_VALUES_TO_PAIR:
            counts = np.bincount(keys)
        else:
            keys.sort()
            counts = np.diff(np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True]))))
        joint[index] = table[counts].sum()
    return np.asarray(np.sqrt(np.maximum((joint - sides) / n + math.log(n), 0.0)), np.float64)
