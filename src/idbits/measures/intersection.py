"""What two releases of the same people give away together: the intersection of a person's two groups.

A person is in group g1 of the first release and in group g2 of the second. Only values that occur in both groups are
left. With n(v, g) the records of group g with value v, and c(v) the records of both releases with it, the posterior is

    P(v | g1, g2)  proportional to  p1(v) p2(v) / q(v)  =  const * n(v, g1) n(v, g2) / c(v),

if the two groups are independent given the value. That is a model: two equal releases look like more than one. The
joint group, the people who are in both groups, is what somebody learns who knows which people these are.

Implements: disclosure.md section 5 (b), amended in section 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["COMMON", "Intersection", "ReleasedRecords", "intersect"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

COMMON = 0.9
"""A value that more than this share of all records have is no secret, even if it is certain."""

_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class ReleasedRecords:
    """The records of one release.

    Attributes:
        groups: the group of each record, numbered from 0; every number occurs.
        values: the value of each record, with the same numbers in both releases.
        targets: the indices of the records of people who are in both releases, in the same order in both.
    """

    groups: Integers
    values: Integers
    targets: Integers

    @cached_property
    def cells(self) -> tuple[Integers, Integers, Integers, Integers]:
        """The distinct (group, value) pairs: where each group starts, their groups, values and records."""
        width = int(self.values.max(initial=0)) + 1
        keys, records = np.unique(self.groups * width + self.values, return_counts=True)
        groups = keys // width
        sizes = np.bincount(groups, minlength=int(self.groups.max(initial=-1)) + 1)
        return np.concatenate(([0], np.cumsum(sizes))), groups, keys % width, records

    @property
    def values_per_group(self) -> Integers:
        """The number of values in each group."""
        return np.diff(self.cells[0])

    def gains(self, prior: Floats) -> Floats:
        """Return how much each group tells about the value, in bits: the divergence from the prior."""
        starts, groups, values, records = self.cells
        sizes = np.add.reduceat(records, starts[:-1])
        shares = records / sizes[groups]
        return np.add.reduceat(shares * np.log2(shares / prior[values]), starts[:-1])


@dataclass(frozen=True, eq=False)
class Intersection:
    """What is left of the candidates when both groups of a person are known; arrays have one entry per joint group.

    Attributes:
        prior: the share of each value among the records of both releases.
        people: the people in each joint group: the same group in both releases.
        candidates: the number of values that occur in both groups; 0 if the releases contradict each other.
        gains: what the posterior tells about the value, in bits; 0 without candidates.
        remaining: the value if it is the only candidate, else -1.
        joint_values: the number of values in the joint group itself.
        joint_gains: what they tell, in bits.
        values_first, values_second: the number of values in the group of each release.
        gains_first, gains_second: what the group of each release tells by itself, in bits.
        changed: the people whose value differs between the releases.
    """

    prior: Floats
    people: Integers
    candidates: Integers
    gains: Floats
    remaining: Integers
    joint_values: Integers
    joint_gains: Floats
    values_first: Integers
    values_second: Integers
    gains_first: Floats
    gains_second: Floats
    changed: int

    @property
    def n_people(self) -> int:
        """The people in both releases."""
        return int(self.people.sum())

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Return the people in some of the joint groups."""
        return int(self.people[chosen].sum())

    def mean(self, figures: Floats, chosen: NDArray[np.bool_] | None = None) -> float | None:
        """Return the mean of a figure over people, whatever the order of the groups; None if nobody is chosen."""
        people = self.people if chosen is None else np.where(chosen, self.people, 0)
        total = int(people.sum())
        return math.fsum((people * figures).tolist()) / total if total else None

    @property
    def is_certain(self) -> NDArray[np.bool_]:
        """Whether one value is left."""
        return np.asarray(self.candidates == 1)

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """Whether one value is left that neither release gives away by itself."""
        return np.asarray(self.is_certain & (self.values_first > 1) & (self.values_second > 1))

    @property
    def is_common(self) -> NDArray[np.bool_]:
        """Whether the value that is left is one that nearly everybody has."""
        return np.asarray(self.is_certain & (np.append(self.prior, 0.0)[self.remaining] > COMMON))

    @property
    def prior_entropy_bits(self) -> float:
        """The uncertainty about the value before anything is known."""
        occurring = self.prior[self.prior > 0]
        return float(-np.dot(occurring, np.log2(occurring))) + 0.0


def intersect(first: ReleasedRecords, second: ReleasedRecords) -> Intersection:
    """Intersect the groups of every person who is in both releases.

    >>> records = [ReleasedRecords(np.array(groups), np.array([0, 1, 1, 2]), np.arange(4)) for groups in
    ...            ([0, 0, 1, 1], [0, 1, 0, 1])]
    >>> intersect(*records).candidates.tolist()
    [2, 1, 1, 2]
    """
    n_values = 1 + max(int(release.values.max(initial=0)) for release in (first, second))
    counts = np.bincount(np.concatenate((first.values, second.values)), minlength=n_values).astype(np.int64)
    prior = counts / counts.sum()
    groups = first.groups[first.targets], second.groups[second.targets]
    values = first.values[first.targets], second.values[second.targets]
    width = int(second.groups.max()) + 1
    keys, joint, people = np.unique(groups[0] * width + groups[1], return_inverse=True, return_counts=True)
    pair = keys // width, keys % width
    parts = [_posterior(first, second, counts, prior, pair[0][part], pair[1][part]) for part in _parts(first, pair[0])]
    candidates, gains, remaining = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    both = ReleasedRecords(np.concatenate((joint, joint)), np.concatenate(values), joint)
    return Intersection(
        prior=prior,
        people=people,
        candidates=candidates,
        gains=gains,
        remaining=remaining,
        joint_values=both.values_per_group,
        joint_gains=both.gains(prior),
        values_first=first.values_per_group[pair[0]],
        values_second=second.values_per_group[pair[1]],
        gains_first=first.gains(prior)[pair[0]],
        gains_second=second.gains(prior)[pair[1]],
        changed=int(np.count_nonzero(values[0] != values[1])),
    )


def _parts(first: ReleasedRecords, groups: Integers) -> Iterator[slice]:
    """Yield joint groups in parts whose cells fit in memory."""
    cells = np.cumsum(first.values_per_group[groups])
    start = 0
    while start < len(groups):
        before = int(cells[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(cells, before + _CELLS_AT_ONCE, side="right")))
        yield slice(start, end)
        start = end


def _posterior(
    first: ReleasedRecords,
    second: ReleasedRecords,
    counts: Integers,
    prior: Floats,
    in_first: Integers,
    in_second: Integers,
) -> tuple[Integers, Floats, Integers]:
    """Return the number of candidates, the gain, and the only candidate of pairs of groups."""
    starts, _, values, records = first.cells
    sizes = first.values_per_group[in_first]
    ends = np.cumsum(sizes)
    owner = np.repeat(np.arange(len(in_first)), sizes)
    cell = np.arange(int(ends[-1])) - (ends - sizes)[owner] + starts[in_first[owner]]
    there, matches = _matching(second, in_second[owner], values[cell])
    owner, value = owner[there], values[cell][there]
    weight = records[cell][there] * matches / counts[value]
    candidates = np.bincount(owner, minlength=len(in_first)).astype(np.int64)
    total = np.bincount(owner, weights=weight, minlength=len(in_first))
    share = weight / total[owner]
    bits = np.log2(share / prior[value])
    gains = np.bincount(owner, weights=share * bits, minlength=len(in_first)).astype(np.float64)
    remaining = np.full(len(in_first), -1, np.int64)
    only = candidates[owner] == 1
    remaining[owner[only]] = value[only]
    return candidates, gains, remaining


def _matching(release: ReleasedRecords, groups: Integers, values: Integers) -> tuple[NDArray[np.bool_], Integers]:
    """Return which (group, value) pairs occur in a release, and the records of those that do."""
    _, of_cell, value_of_cell, records = release.cells
    width = 1 + max(int(value_of_cell.max(initial=0)), int(values.max(initial=0)))
    keys, wanted = of_cell * width + value_of_cell, groups * width + values
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    there = keys[index] == wanted
    return there, records[index][there]
