"""Groups of similar people: a table is split again and again along its widest column (Mondrian).

All groups are split at the same time, round by round: one sort per round and column tried, whatever the number of
groups.

Implements: SPEC page advise.md, sections 4 (v) and 10; LeFevre and others, "Mondrian
multidimensional k-anonymity", 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.group_values import GroupCells
from idbits.kernels.lattice.rolled import sort_rows

__all__ = ["SplitTable", "split_groups"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SplitTable:
    """The rows to split.

    Attributes:
        ranks: for each column, the rank of its value per row.
        n_ranks: for each column, the number of ranks.
        people: the people per row.
        weights: the importance of each column.
        sensitive: the codes of sensitive columns, with their numbers of values.
        broken: tells which groups break a rule, from their sizes and cells.
        least_size: no group may have fewer people; a shortcut for one of the rules.
    """

    ranks: Sequence[Integers]
    n_ranks: Sequence[int]
    people: Integers
    weights: Sequence[float]
    sensitive: Sequence[tuple[Integers, int]]
    broken: Callable[[Integers, tuple[GroupCells, ...]], Mask]
    least_size: int = 1

    @cached_property
    def ranks_together(self) -> Integers:
        """The ranks of all columns, one after the other."""
        return np.concatenate(self.ranks)

    def cells(self, rows: Integers, groups: Integers, n_groups: int) -> tuple[GroupCells, ...]:
        """Count the cells of each sensitive column by the group of each row."""
        made = []
        for values, size in self.sensitive:
            bits = max(0, (size - 1).bit_length())
            counted = sort_rows((groups << bits) | values[rows], self.people[rows], 64, 64)
            starts = np.searchsorted(counted.keys >> bits, np.arange(n_groups))
            made.append(GroupCells(counted.keys & ((1 << bits) - 1), counted.people, starts, size))
        return tuple(made)


@dataclass(slots=True, eq=False)
class _Active:
    """Groups that may still be split: their rows one after the other, and where each group begins."""

    rows: Integers
    starts: Integers

    @property
    def lengths(self) -> Integers:
        return np.diff(self.starts, append=len(self.rows))

    def only(self, kept: Mask) -> _Active:
        lengths = self.lengths
        rows = self.rows[np.repeat(kept, lengths)]
        return _Active(rows, np.concatenate(([0], np.cumsum(lengths[kept])[:-1])).astype(np.int64))


def split_groups(table: SplitTable) -> Integers:
    """Return the number of each row's group; one group if it cannot be split without breaking a rule.

    >>> table = SplitTable([np.array([0, 1, 2, 3])], [4], np.ones(4, np.int64), [1.0], (), lambda n, _: n < 2, 2)
    >>> split_groups(table).tolist()
    [0, 0, 1, 1]
    """
    numbers = np.zeros(len(table.people), np.int64)
    n_final = 0
    active = _Active(np.arange(len(table.people)), np.zeros(1, np.int64))
    while len(active.starts):
        halves, final = _split_once(table, active)
        lengths = final.lengths
        numbers[final.rows] = n_final + np.repeat(np.arange(len(lengths)), lengths)
        n_final += len(lengths)
        active = halves
    # Numbered by their first rows, so that the order of rounds does not matter.
    first, ranks = np.full(n_final, len(numbers)), np.empty(n_final, np.int64)
    # Written backwards, so that the first row of each group stays; numbers without rows come last.
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    ranks[np.argsort(first, kind="stable")] = np.arange(n_final)
    renumbered: Integers = ranks[numbers]
    return renumbered


def _split_once(table: SplitTable, active: _Active) -> tuple[_Active, _Active]:
    """Split each group once; return the halves, and the groups that cannot be split."""
    sizes = np.add.reduceat(table.people[active.rows], active.starts)
    order, widths = _columns_by_width(table, active)
    is_open = sizes >= 2 * table.least_size
    split_rows: list[Integers] = []
    split_lengths: list[Integers] = []
    is_split = np.zeros(len(sizes), np.bool_)
    for attempt in range(len(table.ranks)):
        columns = order[:, attempt]
        tried = is_open & ~is_split & (widths[np.arange(len(sizes)), columns] > 0)
        if not tried.any():
            continue
        rows, lengths, holds = _try_columns(table, active.only(tried), columns[tried])
        groups = np.flatnonzero(tried)[holds]
        is_split[groups] = True
        kept = np.repeat(np.repeat(holds, 2), lengths)
        split_rows.append(rows[kept])
        split_lengths.append(lengths[np.repeat(holds, 2)])
    rows = np.concatenate(split_rows) if split_rows else np.zeros(0, np.int64)
    lengths = np.concatenate(split_lengths) if split_lengths else np.zeros(0, np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths)))[: len(lengths)].astype(np.int64)
    return _Active(rows, starts), active.only(~is_split)


def _columns_by_width(table: SplitTable, active: _Active) -> tuple[Integers, NDArray[np.float64]]:
    """Return the columns of each group, the widest first, and the widths; equally wide ones in their order."""
    widths = np.zeros((len(active.starts), len(table.ranks)))
    for column, ranks in enumerate(table.ranks):
        if table.n_ranks[column] > 1:
            of_rows = ranks[active.rows]
            span = np.maximum.reduceat(of_rows, active.starts) - np.minimum.reduceat(of_rows, active.starts)
            widths[:, column] = span / (table.n_ranks[column] - 1) * table.weights[column]
    return np.argsort(-widths, axis=1, kind="stable"), widths


def _try_columns(table: SplitTable, active: _Active, columns: Integers) -> tuple[Integers, Integers, Mask]:
    """Cut each group along its column; return sorted rows, the rows of each half, and whether the halves hold."""
    n_groups, lengths = len(active.starts), active.lengths
    groups = np.repeat(np.arange(n_groups), lengths)
    ranks = table.ranks_together[np.repeat(columns * len(table.people), lengths) + active.rows]
    # Rows are in the order of the source within equal ranks: a packed sort by group, rank and row.
    order = _sorted_order(groups, ranks, max(table.n_ranks))
    rows, ranks = active.rows[order], ranks[order]
    total = np.cumsum(table.people[rows])
    before = np.concatenate(([0], total))[active.starts]
    sizes = np.diff(before, append=total[-1])
    cuts = np.flatnonzero((ranks[1:] != ranks[:-1]) & (groups[1:] == groups[:-1])) + 1
    of_cuts = groups[cuts]
    left = total[cuts - 1] - before[of_cuts]
    uneven = np.abs(2 * left - sizes[of_cuts])
    first = np.searchsorted(of_cuts, np.arange(n_groups))
    least = np.minimum.reduceat(uneven, first)
    best = np.flatnonzero(uneven == least[of_cuts])
    chosen = best[np.searchsorted(of_cuts[best], np.arange(n_groups))]
    cut, left = cuts[chosen], left[chosen]
    halves = np.stack([left, sizes - left], axis=1).ravel()
    in_half = np.stack([cut - active.starts, active.starts + lengths - cut], axis=1).ravel()
    numbers = np.repeat(np.arange(2 * n_groups), in_half)
    broken = table.broken(halves, table.cells(rows, numbers, 2 * n_groups))
    holds: Mask = ~(broken[::2] | broken[1::2])
    return rows, in_half, holds


def _sorted_order(groups: Integers, ranks: Integers, n_ranks: int) -> Integers:
    index_bits = max(1, len(groups) - 1).bit_length()
    rank_bits = max(0, (n_ranks - 1).bit_length())
    if int(groups[-1]).bit_length() + rank_bits + index_bits > 63:
        return np.lexsort((ranks, groups))
    keys = (((groups << rank_bits) | ranks) << index_bits) | np.arange(len(groups))
    keys.sort()
    return keys & ((1 << index_bits) - 1)
