"""Upper bounds for sets of columns that have not been counted, from those that have.

Implements: SPEC section 2; SPEC page people.md, section 1.

What holds depends on who is counted:

- ``GroupBounds``: each person is in one group. Entropy is submodular, there are at most as many groups as
  combinations of values, and a group splits into at most as many as the columns that are added have combinations.
- ``RecordBounds``: people have several rows. Neither holds. Of two people with the rows (a, x), (b, y) and (a, y),
  (b, x), each column by itself says nothing, and both together single out both of them: columns can give away more
  together than the sum of their parts, whichever records the attacker knows. Only what follows from a larger set (a
  column never makes anybody less unique) and from the number of values is left.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from idbits.counts import Spectrum
from idbits.kernels.subsets import columns_of
from idbits.measures.entropy import bits_about_person, least_bits_to_single_out
from idbits.studies.columns.result import SubsetFigures

__all__ = ["Bounds", "GroupBounds", "RecordBounds", "SplitGroups", "parts_of"]

# Bounds are sums of floats: a set is skipped only when it fails by more than their rounding error.
_SLACK_BITS = 1e-6
# Larger sets have too many parts to look at each.
_MOST_COLUMNS = 8


class Bounds(Protocol):
    """What a set of columns can reach at most."""

    def keep(self, mask: int) -> None:
        """Remember a set that will not be counted, for the sets that contain it."""

    @property
    def kept(self) -> Collection[int]:
        """The sets that are remembered."""

    def allow(self, mask: int, people: float) -> bool:
        """Whether a set may single out ``people`` people."""

    def have_room(self, mask: int, people: float) -> bool:
        """Whether the groups of each part of a set can be split into ``people`` unique people; takes longer."""

    def likely_bits(self, mask: int) -> float:
        """Return about how many bits a set has, to count the most identifying sets first."""


class SplitGroups:
    """How many people can be unique at most when groups of known sizes are split further.

    >>> SplitGroups(Spectrum.of({1: 5, 2: 10, 30: 2})).most_unique(3)
    29
    """

    def __init__(self, spectrum: Spectrum) -> None:
        self._sizes: array[int] = array("q", spectrum.sizes.tolist())
        self._people: array[int] = array("q", [0, *np.cumsum(spectrum.people).tolist()])
        self._sets: array[int] = array("q", [0, *np.cumsum(spectrum.sets).tolist()])

    def most_unique(self, n_parts: int) -> int:
        """Return the most unique people if each group is split into at most ``n_parts`` groups.

        A larger group has two people in at least one of its parts.
        """
        smaller = bisect_right(self._sizes, n_parts)
        return self._people[smaller] + (n_parts - 1) * (self._sets[-1] - self._sets[smaller])


class GroupBounds:
    """Bounds where each person is in one group.

    Entropy is submodular: the more columns are known, the less another one adds. So H(S) <= H(S - i) + H(B + i) - H(B)
    for any B within S - i. Few people can be unique if the groups of a part are large and the other columns have few
    combinations of values: ``groups`` are those of some of the counted sets.
    """

    def __init__(
        self,
        figures: Mapping[int, SubsetFigures],
        sizes: Sequence[int],
        n_people: int,
        groups: Mapping[int, SplitGroups] | None = None,
    ) -> None:
        self._figures, self._sizes, self._n_people = figures, sizes, n_people
        self._groups = groups or {}
        self._everyone_bits = bits_about_person(n_people)
        self._kept: dict[int, tuple[float, int]] = {}
        self._needed: dict[float, float] = {}

    def keep(self, mask: int) -> None:
        """Remember the bound of a set that will not be counted, for the sets that contain it."""
        self._kept[mask] = self.most(mask)

    @property
    def kept(self) -> Collection[int]:
        """The sets that are remembered."""
        return self._kept.keys()

    def allow(self, mask: int, people: float) -> bool:
        """Whether a set may single out ``people`` people: it needs the bits and the values for them."""
        most_bits, most_sets = self.most(mask)
        return most_bits >= self._needed_bits(people) - _SLACK_BITS and most_sets >= people

    def have_room(self, mask: int, people: float) -> bool:
        """Whether the groups of each part of a set can be split into ``people`` unique people by its other columns."""
        return mask.bit_count() > _MOST_COLUMNS or all(
            self._groups[part].most_unique(self.most(mask ^ part)[1]) >= people
            for part in parts_of(mask)
            if part != mask and part in self._groups
        )

    def likely_bits(self, mask: int) -> float:
        """Return the most bits that a set can have."""
        return self.most(mask)[0]

    def _needed_bits(self, people: float) -> float:
        if people not in self._needed:
            self._needed[people] = least_bits_to_single_out(people, self._n_people)
        return self._needed[people]

    def most(self, mask: int) -> tuple[float, int]:
        """Return the most bits and the most values that a set can have."""
        figures = self._figures.get(mask)
        if figures is not None:
            assert figures.n_sets is not None
            return figures.entropy_bits, figures.n_sets
        if mask in self._kept:
            return self._kept[mask]
        columns = columns_of(mask)
        bits, sets = self._everyone_bits, self._n_people
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


class RecordBounds:
    """Bounds where people have several rows.

    A set singles out at most as many people as any set that contains it. If the attacker knows one record, a unique
    person has a value that nobody else has, so there are at most as many unique people as values; sets of values are
    not bounded like this.
    """

    def __init__(self, figures: Mapping[int, SubsetFigures], sizes: Sequence[int], *, knows_one_record: bool) -> None:
        self._figures, self._sizes, self._knows_one_record = figures, sizes, knows_one_record
        self._everything = (1 << len(sizes)) - 1
        self._kept: set[int] = set()

    def keep(self, mask: int) -> None:
        """Remember a set that will not be counted."""
        self._kept.add(mask)

    @property
    def kept(self) -> Collection[int]:
        """The sets that are remembered."""
        return self._kept

    def allow(self, mask: int, people: float) -> bool:
        """Whether a set may single out ``people`` people: it needs the values, and every larger set does so, too."""
        columns = columns_of(mask)
        if self._knows_one_record and math.prod(self._sizes[column] for column in columns) < people:
            return False
        larger = (self._everything ^ 1 << column for column in columns_of(self._everything ^ mask))
        return all(self._figures[other].singletons >= people for other in larger if other in self._figures)

    def have_room(self, mask: int, people: float) -> bool:  # noqa: ARG002
        """Whether there is room for ``people`` unique people: always, because groups overlap."""
        return True

    def likely_bits(self, mask: int) -> float:
        """Return the bits of the most identifying part that was counted."""
        parts = (mask ^ 1 << column for column in columns_of(mask))
        return max((self._figures[part].entropy_bits for part in parts if part in self._figures), default=0.0)


def parts_of(mask: int) -> Iterator[int]:
    """Yield all sets of columns within a set: itself first, the empty one last.

    >>> list(parts_of(0b101))
    [5, 4, 1, 0]
    """
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
    yield 0
