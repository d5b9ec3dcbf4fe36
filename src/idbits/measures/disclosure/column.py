"""A sensitive column: people by group and value, what was expected before, and which values are secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Floats, Integers
from idbits.kernels.group_values import GroupCells, exact_integers
from idbits.measures.gain import Prior

__all__ = ["PeopleCount", "SensitiveColumn", "ValuePrior", "cells_in", "people_in"]

_ROOM = 2**62


@dataclass(frozen=True, slots=True)
class PeopleCount:
    """A number of people, and how many of them are in a group of one or of several people."""

    people: int
    alone: int
    in_company: int


def people_in(groups: NDArray[np.bool_], cells: GroupCells) -> PeopleCount:
    """Count the people of some groups.

    >>> cells = GroupCells(np.zeros(3, np.int64), np.array([1, 5, 3]), np.arange(3), 1)
    >>> people_in(np.array([True, False, True]), cells)
    PeopleCount(people=4, alone=1, in_company=3)
    """
    people = int(cells.group_people[groups].sum())
    alone = int(cells.group_people[groups & (cells.sizes == 1)].sum())
    return PeopleCount(people, alone, people - alone)


def cells_in(kept: NDArray[np.bool_], cells: GroupCells) -> PeopleCount:
    """Count the people of some cells."""
    people = int(cells.cell_people[kept].sum())
    alone = int(cells.cell_people[kept & (cells.cell_sizes == 1)].sum())
    return PeopleCount(people, alone, people - alone)


@dataclass(frozen=True, eq=False)
class ValuePrior:
    """How frequent values are before anybody's group is known, in whole numbers.

    Attributes:
        weights: the weight of each value.
        total: their sum.
        is_table: whether they are the people of the table itself.
    """

    weights: Integers
    total: int
    is_table: bool = True

    @classmethod
    def of_shares(cls, shares: Sequence[Fraction]) -> ValuePrior:
        """Return the prior of exact shares that add up to 1.

        >>> ValuePrior.of_shares([Fraction(1, 4), Fraction(3, 4)]).weights.tolist()
        [1, 3]
        """
        total = lcm(*(share.denominator for share in shares))
        weights = np.array([int(share * total) for share in shares], dtype=object)
        return cls(weights if total >= _ROOM else weights.astype(np.int64), total, is_table=False)

    @cached_property
    def shares(self) -> Floats:
        """The share q of each value."""
        return np.array([int(weight) / self.total for weight in self.weights.tolist()], np.float64)

    @cached_property
    def surprises(self) -> Floats:
        """The limit -ln q that enhanced likeness sets for each value; none for a value that does not occur."""
        # -ln q = ln(1 + (1 - q)/q): the logarithm of a share close to 1 would lose its digits.
        others = ((self.total - weight) / weight if weight > 0 else math.inf for weight in self.weights.tolist())
        return np.array([math.log1p(ratio) for ratio in others], np.float64)

    def for_gain(self, n_people: int) -> Prior:
        """Return the same prior as information gain needs it, for a table of this many people."""
        if self.is_table:
            return Prior.of_counts(self.weights)
        return Prior.of_shares(self.shares.tolist(), n_people)

    @property
    def n_values(self) -> int:
        """The number of values that occur in the table or in the prior."""
        return int(np.count_nonzero(self.weights))

    def regrouped(self, numbers: Integers, n_values: int) -> ValuePrior:
        """Return the prior of other values; those that get the same number are merged."""
        merged = np.zeros(n_values, self.weights.dtype)
        np.add.at(merged, numbers, self.weights)
        return ValuePrior(merged, self.total, self.is_table)


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """People by group and value of a sensitive column.

    Attributes:
        cells: people by group and value; values that are not secret are merged into one.
        prior: what was expected.
        null: the number of the null value, if it occurs.
        secret: which values are secret; None if all are.
        table_people: the people of each value in the whole table, of which the cells may be a part.
    """

    cells: GroupCells
    prior: ValuePrior
    null: int | None = None
    secret: NDArray[np.bool_] | None = None
    table_people: Integers | None = None

    @cached_property
    def most(self) -> int:
        """A limit of the products of people and weights, to compute with them exactly."""
        return 4 * max(1, int(self.cells.sizes.max(initial=1))) * self.prior.total

    @cached_property
    def secret_cells(self) -> NDArray[np.bool_]:
        """Which cells have a secret value."""
        cells = self.cells
        return np.ones(cells.n_cells, np.bool_) if self.secret is None else self.secret[cells.values]

    @cached_property
    def top(self) -> Integers:
        """The people of each group's most frequent secret value."""
        if self.secret is None:
            return self.cells.largest(1)
        return self.cells.group_maxima(np.where(self.secret_cells, self.cells.counts, 0))

    @cached_property
    def with_secret(self) -> NDArray[np.bool_]:
        """Which groups have a secret value; only they can be the worst."""
        return self.top > 0

    @cached_property
    def top_shares(self) -> Floats:
        """The share of each group that has its most frequent secret value."""
        return self.top / self.cells.sizes

    @cached_property
    def observed(self) -> Integers:
        """The people of each cell times the weight of everyone, n W: p times k W."""
        return exact_integers(self.cells.counts, self.most) * self.prior.total

    @cached_property
    def expected(self) -> Integers:
        """The weight of each cell's value times the people of its group, c k: q times k W."""
        return self.prior.weights[self.cells.values] * exact_integers(self.cells.cell_sizes, self.most)

    @cached_property
    def gain_prior(self) -> Prior:
        """The prior as information gain needs it."""
        return self.prior.for_gain(self.cells.n_people)

    def without_null(self) -> SensitiveColumn:
        """Return the column without nulls, which have no place in an order; groups of nulls only are left out."""
        if self.null is None:
            return self
        last = self.cells.n_values - 1
        assert self.null == last
        kept, _ = self.cells.with_cells(self.cells.values != last)
        cells = GroupCells(kept.values, kept.counts, kept.starts, last)
        weights = self.prior.weights[:last]
        prior = ValuePrior(weights, int(weights.sum()), self.prior.is_table)
        return SensitiveColumn(cells, prior, None, None if self.secret is None else self.secret[:last])

    def collapsed(self) -> tuple[SensitiveColumn, Integers]:
        """Return the column with one group for all unique people with the same value; see ``GroupCells.collapsed``."""
        cells, numbers = self.cells.collapsed()
        return replace(self, cells=cells), numbers

    def part(self, groups: NDArray[np.bool_]) -> SensitiveColumn:
        """Return the column of some groups; what was expected stays that of the whole table."""
        return replace(self, cells=self.cells.with_groups(groups))

    def merged(self, numbers: Integers, n_values: int, secret: NDArray[np.bool_], null: int | None) -> SensitiveColumn:
        """Return the column with other values; those that get the same number are merged."""
        people = None
        if self.table_people is not None:
            people = np.zeros(n_values, np.int64)
            np.add.at(people, numbers, self.table_people)
        return SensitiveColumn(
            self.cells.renumbered(numbers, n_values), self.prior.regrouped(numbers, n_values), null, secret, people
        )
