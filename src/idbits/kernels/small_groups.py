"""Small groups split by any columns at once: one bit per two rows and column tells whether both have the same value.

Two rows stay together under more columns if they are equal in each of them. So one AND per column and a few more
operations count what becomes of 64 groups, whichever columns are added, and no row is read again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.coded import CodedColumns

__all__ = ["SmallGroups"]

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]

_WORD = 64


class SmallGroups:
    """Groups with the same number of rows, each row being one person.

    Args:
        rows: one line per member of a group, one column per group.

    >>> table = CodedColumns((np.array([0, 0, 1, 5, 5, 5]), np.array([1, 0, 0, 2, 2, 2])), (6, 3), None, 6)
    >>> groups = SmallGroups(table, np.array([[0, 3], [1, 4], [2, 5]]))
    >>> groups.n_by_size([0]), groups.n_by_size([0, 1])
    ([0, 1, 1, 1], [0, 3, 0, 1])
    """

    def __init__(self, table: CodedColumns, rows: Integers) -> None:
        self._table, self._rows = table, rows
        self._equal: dict[int, Words] = {}

    def n_by_size(self, columns: Sequence[int]) -> list[int]:
        """Return the number of groups of each size, from 0, after a split by at least one column."""
        n_members = len(self._rows)
        together = self._equal_pairs(columns[0])
        for column in columns[1:]:
            together = together & self._equal_pairs(column)
        # Of a group of k members, one has k - 1 later members, one k - 2, and so on: the members with at least m later
        # members are the sum of k - m over the larger groups, and the second differences are the groups.
        at_least = [self._rows.size, *_members_with_later(together, n_members), 0, 0]
        return [0, *(at_least[m] - 2 * at_least[m + 1] + at_least[m + 2] for m in range(n_members))]

    def _equal_pairs(self, column: int) -> Words:
        """Return one line of bits for each two members, one bit per group; neighbours first, as ``_pairs_apart``."""
        equal = self._equal.get(column)
        if equal is None:
            n_members, n_groups = self._rows.shape
            codes = self._table.codes[column][self._rows]
            pairs = np.zeros((n_members * (n_members - 1) // 2, -(-n_groups // _WORD) * _WORD), np.bool_)
            for apart in range(1, n_members):
                np.equal(codes[:-apart], codes[apart:], out=pairs[_pairs_apart(apart, n_members), :n_groups])
            equal = self._equal[column] = np.packbits(pairs, axis=1).view(np.uint64)
        return equal


def _pairs_apart(apart: int, n_members: int) -> slice:
    """Return the lines of the members that have ``apart - 1`` others between them."""
    begin = (apart - 1) * n_members - apart * (apart - 1) // 2
    return slice(begin, begin + n_members - apart)


def _members_with_later(together: Words, n_members: int) -> list[int]:
    """Return how many members have at least 1, 2, ... later members in their new group."""
    reached = np.zeros((n_members - 1, n_members - 1, together.shape[1]), np.uint64)
    for apart in range(1, n_members):
        lines = together[_pairs_apart(apart, n_members)]
        members = reached[:, : n_members - apart]
        for number in range(apart - 1, 0, -1):
            members[number] |= members[number - 1] & lines
        members[0] |= lines
    return np.bitwise_count(reached).sum(axis=(1, 2), dtype=np.int64).tolist()  # type: ignore[no-any-return]
