"""Symmetric chains: few sorted lists of columns whose prefixes are all the subsets there are.

Implements: the recursive construction of de Bruijn, Tengbergen and Kruyswijk (1951). The 2^n subsets of n columns
fall into C(n, n // 2) chains, each growing by one column at a time; no decomposition has fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Chain", "symmetric_chains"]


@dataclass(frozen=True, slots=True)
class Chain:
    """Columns in an order of which every prefix from ``first`` columns on is a subset to count.

    Attributes:
        order: positions of columns.
        first: the length of the shortest prefix that belongs to the chain.
    """

    order: tuple[int, ...]
    first: int

    def masks(self) -> list[int]:
        """Return the subsets of the chain, smallest first: bit i stands for column i."""
        mask, masks = 0, []
        for length, column in enumerate(self.order, start=1):
            mask |= 1 << column
            if length >= self.first:
                masks.append(mask)
        return masks


def symmetric_chains(n: int) -> list[Chain]:
    """Return chains that hold each subset of ``n`` columns, the empty one left out, once.

    >>> [chain.masks() for chain in symmetric_chains(2)]
    [[1, 3], [2]]
    >>> len(symmetric_chains(8)), sum(len(chain.masks()) for chain in symmetric_chains(8))
    (70, 255)
    """
    chains = [Chain((), 0)]
    for column in range(n):
        longer = []
        for chain in chains:
            longer.append(Chain((*chain.order, column), chain.first))
            if len(chain.order) > chain.first:
                # The largest subset has its place in the longer chain already. The new column stands after the
                # columns of the smallest subset, before those that the chain grows by.
                start = chain.first
                order = (*chain.order[:start], column, *chain.order[start:-1])
                longer.append(Chain(order, start + 1))
        chains = longer
    # A chain that began with no column at all begins with one.
    return [Chain(chain.order, max(1, chain.first)) for chain in chains if chain.order]
