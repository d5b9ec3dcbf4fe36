"""The levels of a column as integers: nested views, ordered so that each level keeps the order of the one below.

Values are numbered along the path from the coarsest level down. Equal values of any level are then neighbours, and a
table that is sorted by a column stays sorted when the column is made coarser.

Implements: SPEC page advise.md, section 4 (coding).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idbits.counts import Floats, Integers

__all__ = ["ColumnLevels", "first_places", "split_values"]


def split_values(finer: Integers, coarser: Integers) -> Integers:
    """Return the values of the finer level that the coarser one splits; none if the levels are nested.

    >>> split_values(np.array([0, 0, 1]), np.array([0, 1, 1])).tolist()
    [0]
    """
    pairs = np.unique(np.stack([finer, coarser]), axis=1)
    values, times = np.unique(pairs[0], return_counts=True)
    return values[times > 1]


def first_places(values: Integers, n_values: int) -> Integers:
    """Return where each value occurs first.

    >>> first_places(np.array([1, 0, 1]), 2).tolist()
    [1, 0]
    """
    first = np.full(n_values, len(values), np.int64)
    np.minimum.at(first, values, np.arange(len(values)))
    return first


@dataclass(frozen=True, eq=False)
class ColumnLevels:
    """The levels of a column.

    Attributes:
        ranks: for each code of the source, its number in path order.
        maps: for each level, the value of each number; the first level has as many values as there are numbers.
        raw_values: for each level, the raw values that each of its values represents.
        n_raw: all raw values, also those that nobody has.
    """

    ranks: Integers
    maps: tuple[Integers, ...]
    raw_values: tuple[Integers, ...]
    n_raw: int

    @classmethod
    def of(
        cls,
        levels: Sequence[Integers],
        base_order: Integers | None = None,
        raw_values: Sequence[Integers] | None = None,
        n_raw: int | None = None,
    ) -> ColumnLevels:
        """Order the codes of a column by their path.

        Args:
            levels: for each level, finest first, the value of each code of the source; nested.
            base_order: the place of each code among all codes, such as the order of numbers; else that of codes.
            raw_values: for each level, the raw values behind each code's value; else the codes themselves are counted.
            n_raw: all raw values, if there are more than codes.

        >>> made = ColumnLevels.of([np.array([0, 1, 2]), np.array([5, 7, 5]), np.array([0, 0, 0])])
        >>> made.ranks.tolist(), [level.tolist() for level in made.maps]
        ([0, 2, 1], [[0, 1, 2], [0, 0, 1], [0, 0, 0]])
        """
        n_codes = len(levels[0])
        base = np.arange(n_codes) if base_order is None else base_order
        paths = []
        for level in levels:
            _, number = np.unique(level, return_inverse=True)
            lowest = np.full(int(number.max(initial=-1)) + 1, n_codes, np.int64)
            np.minimum.at(lowest, number, base)
            paths.append(lowest[number])
        order = np.lexsort((base, *paths))
        ranks = np.empty(n_codes, np.int64)
        # Codes that are the same value at the finest level share a number.
        first = np.concatenate(([0], np.cumsum(np.diff(paths[0][order]) != 0)))[:n_codes]
        ranks[order] = first
        heads = order[np.flatnonzero(np.diff(first, prepend=-1))]
        maps = tuple(np.concatenate(([0], np.cumsum(np.diff(path[heads]) != 0)))[: len(heads)] for path in paths)
        if raw_values is None:
            counted = tuple(np.bincount(level[first]) for level in maps)
        else:
            counted = tuple(
                raw[heads][np.flatnonzero(np.diff(level, prepend=-1))]
                for raw, level in zip(raw_values, maps, strict=True)
            )
        return cls(ranks, maps, counted, n_codes if n_raw is None else n_raw)

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.maps)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each level."""
        return tuple(int(level[-1]) + 1 if len(level) else 0 for level in self.maps)

    @cached_property
    def places(self) -> tuple[Integers, ...]:
        """For each level, the first code of the source behind each of its values: an order that no ladder changes.

        >>> ColumnLevels.of([np.array([0, 1, 2]), np.array([5, 7, 5]), np.array([0, 0, 0])]).places[1].tolist()
        [0, 1]
        """
        return tuple(first_places(level[self.ranks], size) for level, size in zip(self.maps, self.sizes, strict=True))

    @cached_property
    def shares(self) -> tuple[Floats, ...]:
        """For each level, the share of all raw values that each of its values represents."""
        return tuple(raw / self.n_raw for raw in self.raw_values)

    def only(self, levels: Sequence[int]) -> ColumnLevels:
        """Return some of the levels; the finest of them is the new level 0."""
        chosen = [self.maps[level][self.ranks] for level in levels]
        raw = [self.raw_values[level][of_code] for level, of_code in zip(levels, chosen, strict=True)]
        return ColumnLevels.of(chosen, self.ranks, raw, self.n_raw)
