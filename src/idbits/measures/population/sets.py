"""The sets of a sample: its distinct rows with their people, in an order that depends on nothing but their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.distinct import people_by_code
from idbits.kernels.run_lengths import size_counts

__all__ = ["MOST_SETS", "PeopleOfSets", "SampleSets"]

PeopleOfSets = NDArray[np.integer]
"""The people of each set, in integers that may have 8 bits only: arithmetic needs wider ones."""

MOST_SETS = 5_000_000
"""More sets than this are calibrated from a random draw of them."""


@dataclass(frozen=True, eq=False)
class SampleSets:
    """Distinct rows of a sample; draws take them in this order, so it must not depend on that of the rows.

    Attributes:
        codes: one array per column, with one code per set.
        sizes: the number of codes of each column, some of which may not occur.
        people: the people of each set, at least one.
    """

    codes: tuple[NDArray[np.unsignedinteger], ...]
    sizes: tuple[int, ...]
    people: PeopleOfSets

    @cached_property
    def n_people(self) -> int:
        """The people in the sample."""
        return int(self.people.sum())

    @property
    def n_sets(self) -> int:
        """The number of sets."""
        return len(self.people)

    @cached_property
    def n_values(self) -> tuple[int, ...]:
        """The number of values of each column that occur in the sample."""
        return tuple(
            int(np.count_nonzero(people_by_code(codes, size, None)))
            for codes, size in zip(self.codes, self.sizes, strict=True)
        )

    @cached_property
    def spectrum(self) -> Spectrum:
        """The group sizes of the sample."""
        return Spectrum.of(size_counts(self.people))

    def with_people(self, people: PeopleOfSets) -> SampleSets:
        """Return the sets that are left when each has this many people, in the same order."""
        kept = np.flatnonzero(people)
        return SampleSets(tuple(codes[kept] for codes in self.codes), self.sizes, people[kept])

    def first(self, most: int) -> SampleSets:
        """Return the first sets; because the order is a random one, they are a random draw."""
        if most >= self.n_sets:
            return self
        return SampleSets(tuple(codes[:most] for codes in self.codes), self.sizes, self.people[:most])
