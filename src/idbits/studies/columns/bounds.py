"""What a set of columns can reach at most, judged by the sets that have been counted.

Entropy is submodular: a column adds the less, the more is known. So H(S) <= H(S - i) + H(B + i) - H(B) for any B within
S - i, and a set that singles out m of N people has at least m/N log2 N + (1 - m/N) log2(N / (N - m)) bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from idbits.studies.columns.counting import columns_of
from idbits.studies.columns.figures import SubsetFigures

__all__ = ["Bounds", "bits_needed"]

# Bounds are sums of floats: a set is left out only when it fails by more than their last digits.
_SLACK_BITS = 1e-6


def bits_needed(people: int, n: int) -> float:
    """Return the least entropy with which so many of n people can be alone.

    >>> bits_needed(8, 8)
    3.0
    """
    if people >= n:
        return math.log2(n)
    return people / n * math.log2(n) + (n - people) / n * math.log2(n / (n - people))


class Bounds:
    """Upper bounds for sets that have not been counted."""

    def __init__(self, figures: Mapping[int, SubsetFigures], sizes: Sequence[int], n_people: int) -> None:
        self._figures, self._sizes, self._n_people = figures, sizes, n_people
        self._kept: dict[int, tuple[float, int]] = {}
        self.alike: list[int] = []
        self.not_unique: set[int] = set()

    def keep(self, mask: int) -> None:
        """Remember the bound of a set that will not be counted, for the sets that hold it."""
        self._kept[mask] = self.most(mask)

    def kept(self, size: int) -> int:
        """Return how many sets of a size are remembered."""
        return sum(1 for mask in self._kept if mask.bit_count() == size)

    def add_alike(self, masks: Sequence[int]) -> None:
        """Remember columns in which two people are alike; what lies within columns known already adds nothing."""
        for mask in sorted(set(masks), key=lambda mask: (-mask.bit_count(), mask)):
            if not self.are_alike(mask):
                self.alike.append(mask)

    def are_alike(self, mask: int) -> bool:
        """Whether two people are known who are alike in all columns of a set."""
        return any(mask & ~alike == 0 for alike in self.alike)

    def can_single_out(self, mask: int, people: int, bits: float) -> bool:
        """Whether a set may single out so many people, for which it needs so many bits."""
        most_bits, most_sets = self.most(mask)
        if most_bits < bits - _SLACK_BITS or most_sets < people:
            return False
        return people < self._n_people or not (mask in self.not_unique or self.are_alike(mask))

    def most(self, mask: int) -> tuple[float, int]:
        """Return the most bits and the most values that a set can have."""
        if mask in self._figures:
            return self._figures[mask].entropy_bits, self._figures[mask].n_sets
        if mask in self._kept:
            return self._kept[mask]
        columns = columns_of(mask)
        bits, sets = math.log2(self._n_people), self._n_people
        for column in columns:
            rest = mask ^ 1 << column
            if rest in self._figures or rest in self._kept:
                rest_bits, rest_sets = self.most(rest)
                bits = min(bits, rest_bits + self._gain(mask, column, columns))
                sets = min(sets, rest_sets * self._sizes[column])
        return bits, sets

    def _gain(self, mask: int, column: int, columns: tuple[int, ...]) -> float:
        """Return the most that a column can add to the others of a set."""
        bit, figures = 1 << column, self._figures
        least = figures[bit].entropy_bits
        for other in columns:
            if other == column:
                continue
            for known in (mask ^ bit ^ 1 << other, 1 << other):
                if known and known in figures and known | bit in figures:
                    least = min(least, figures[known | bit].entropy_bits - figures[known].entropy_bits)
        return least
