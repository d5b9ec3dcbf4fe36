"""Which people have which distinct rows, and what a number of each row means for them.

Implements: SPEC page people.md, section 1 (gain): of several rows of a person, the largest number counts, and the sum
is reported beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.distinct import distinct_keys
from idbits.kernels.exact_sums import FRACTION_BITS, LIMB_BITS, segment_sums
from idbits.kernels.ordering import CodedColumn, bits_of, lexical_order
from idbits.kernels.persons import people_by

__all__ = ["RowPeople"]

Floats = NDArray[np.float64]

_KEY_BITS = 64


@dataclass(frozen=True, eq=False)
class RowPeople:
    """The distinct pairs of person and row, by person.

    Attributes:
        rows: the distinct row of each pair.
        times: how often the person has it.
        starts: where the pairs of each person begin.
        n_rows: the number of distinct rows.
    """

    rows: Integers
    times: Integers
    starts: Integers
    n_rows: int

    @classmethod
    def of(cls, persons: Integers, rows: Integers, times: Integers | None, n_rows: int) -> RowPeople:
        """Combine equal pairs of person (any numbers from 0) and distinct row.

        >>> people = RowPeople.of(np.array([7, 7, 2]), np.array([1, 1, 0]), None, n_rows=2)
        >>> people.rows.tolist(), people.times.tolist(), people.starts.tolist()
        ([0, 1], [1, 2], [0, 1])
        """
        row_bits = bits_of(n_rows)
        if times is None and bits_of(int(persons.max(initial=0)) + 1) + row_bits <= _KEY_BITS:
            return cls._of_keys((persons.astype(np.uint64) << np.uint64(row_bits)) | rows.astype(np.uint64), n_rows)
        columns = [
            CodedColumn(numbers.astype(np.uint32), bits_of(int(numbers.max(initial=0)) + 1))
            for numbers in (persons, rows)
        ]
        order, changes = lexical_order(columns, len(rows))
        begins = np.flatnonzero(changes)
        held = order[begins]
        of_pairs = np.ones(len(rows), np.int64) if times is None else times[order]
        who = persons[held]
        starts = np.flatnonzero(np.concatenate(([True], who[1:] != who[:-1])))
        return cls(rows[held].astype(np.int64), np.add.reduceat(of_pairs, begins), starts, n_rows)

    @classmethod
    def _of_keys(cls, keys: NDArray[np.uint64], n_rows: int) -> RowPeople:
        """Combine equal pairs that are packed in keys, the person in the high bits; a plain sort is the fastest."""
        row_bits = bits_of(n_rows)
        distinct, times = distinct_keys(keys)
        who = distinct >> np.uint64(row_bits)
        starts = np.flatnonzero(np.concatenate(([True], who[1:] != who[:-1])))
        held = (distinct & np.uint64((1 << row_bits) - 1)).astype(np.int64)
        return cls(held, np.ones(len(held), np.int64) if times is None else times, starts, n_rows)

    @property
    def n_people(self) -> int:
        """The number of people."""
        return len(self.starts)

    @cached_property
    def cohorts(self) -> Integers:
        """The number of people who have each row."""
        return np.bincount(self.rows, minlength=self.n_rows)

    @property
    def n_unique(self) -> int:
        """The number of people with a row that nobody else has."""
        return int(np.count_nonzero(np.minimum.reduceat(self.cohorts[self.rows], self.starts) == 1))

    @property
    def by_rows(self) -> tuple[tuple[int, int], ...]:
        """The (rows of a person, number of such people), ascending."""
        return people_by(np.add.reduceat(self.times, self.starts))

    def narrowed(self, new_rows: NDArray[np.uint32], n_rows: int) -> RowPeople:
        """Return the same people when distinct rows are merged; ``new_rows`` has the new row of each."""
        persons = np.repeat(np.arange(self.n_people), np.diff(self.starts, append=len(self.rows)))
        return RowPeople.of(persons, new_rows[self.rows].astype(np.int64), self.times, n_rows)

    def largest(self, numbers: Floats) -> Floats:
        """Return the largest number among the rows of each person."""
        largest: Floats = np.maximum.reduceat(numbers[self.rows], self.starts)
        return largest

    def sums(self, numbers: Floats) -> Floats:
        """Return the sum over the rows of each person, rounded once: numbers count in units of 2^-50.

        >>> people = RowPeople.of(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 3, 1]), n_rows=2)
        >>> people.sums(np.array([0.5, 1.0])).tolist()
        [3.5, 0.5]
        """
        units = np.rint(np.ldexp(numbers, FRACTION_BITS)).astype(np.int64)
        high, low = segment_sums(units[self.rows], self.times, self.starts)
        sums: Floats = np.ldexp(high * 2.0**LIMB_BITS + low, -FRACTION_BITS)
        return sums
