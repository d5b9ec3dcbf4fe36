"""Rows of a lattice packed into one integer each, so that a coarser level is a mask or a look-up.

If there is room, a column's code has one bit field per level: the position of a value within its parent. A coarser
level then clears the lower fields of the column. Otherwise the code is the number of the value, and a coarser level is
looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from idbits.counts import Integers
from idbits.kernels.lattice.levels import ColumnLevels

__all__ = ["BITS", "PackedColumn", "pack_columns"]

BITS = 62
"""The bits of a key: they stay below the sign of 64 bits."""

_WIDEST_FIELD = 22


@dataclass(frozen=True, eq=False)
class PackedColumn:
    """How a column is packed.

    Attributes:
        levels: its levels.
        codes: the packed code of each of its numbers at the finest level.
        bits: the bits of a code.
        shift: the lowest bit of its code in the key.
        cleared: for each level, the bits of the code that it clears; None if levels are looked up.
    """

    levels: ColumnLevels
    codes: Integers
    bits: int
    shift: int = 0
    cleared: tuple[int, ...] | None = None
    _numbers: dict[int, Integers] = field(default_factory=dict)

    @property
    def mask(self) -> int:
        """The bits of the column, at the bottom of a number."""
        return (1 << self.bits) - 1

    def at_level(self, keys: Integers, level: int, present: int) -> Integers:
        """Return keys with the column at a coarser level than its present one."""
        if self.cleared is not None:
            return keys & ~(self.cleared[level] << self.shift)
        change = np.zeros(self.levels.sizes[present], np.int64)
        change[self.levels.maps[present]] = self.levels.maps[level] - self.levels.maps[present]
        moved: Integers = keys + (change << self.shift)[(keys >> self.shift) & self.mask]
        return moved

    def numbers(self, level: int) -> Integers:
        """Return the number of the value by the packed code at a level."""
        if level not in self._numbers:
            table = np.zeros(1 << self.bits, np.int64)
            if self.cleared is not None:
                table[self.codes & ~self.cleared[level]] = self.levels.maps[level]
            else:
                table = np.arange(1 << self.bits)
            self._numbers[level] = table
        return self._numbers[level]


def _plain(levels: ColumnLevels) -> PackedColumn:
    return PackedColumn(levels, np.arange(levels.sizes[0]), max(0, (levels.sizes[0] - 1).bit_length()))


def _fields(levels: ColumnLevels) -> PackedColumn:
    """Return the column with one field per level below the coarsest value."""
    codes = np.zeros(levels.sizes[0], np.int64)
    shift, cleared = 0, []
    for level, of_number in enumerate(levels.maps):
        cleared.append((1 << shift) - 1)
        parents = levels.maps[level + 1] if level + 1 < levels.n_levels else np.zeros(len(of_number), np.int64)
        begins = np.flatnonzero(np.diff(parents, prepend=-1))
        position = of_number - of_number[begins][parents]
        codes |= position << shift
        shift += int(position.max(initial=0)).bit_length()
    return PackedColumn(levels, codes, shift, 0, tuple(cleared))


def pack_columns(columns: Sequence[ColumnLevels], room: int = BITS) -> list[PackedColumn] | None:
    """Place columns in a key, the last one lowest; None if they do not fit into ``room`` bits.

    >>> levels = ColumnLevels.of([np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, int)])
    >>> [column.bits for column in pack_columns([levels, levels])]
    [2, 2]
    """
    packed = [_plain(levels) for levels in columns]
    free = room - sum(column.bits for column in packed)
    if free < 0:
        return None
    wanted = [(index, _fields(levels)) for index, levels in enumerate(columns)]
    for index, made in sorted(wanted, key=lambda pair: pair[1].bits - packed[pair[0]].bits):
        more = made.bits - packed[index].bits
        if more <= free and made.bits <= _WIDEST_FIELD:
            packed[index], free = made, free - more
    shift = 0
    placed = []
    for column in reversed(packed):
        placed.append(PackedColumn(column.levels, column.codes, column.bits, shift, column.cleared))
        shift += column.bits
    return placed[::-1]
