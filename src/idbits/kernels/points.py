"""Points that single people out: how many people have all of some points of a person.

Implements: SPEC section 3 (trajectories). One and two points are counted over every choice, more are drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.events import Integers, Trajectories, bits_for
from idbits.kernels.pairs import (
    PairBlock,
    blocks_of_ranks,
    in_threads,
    is_large,
    large_counts,
    pieces_of,
    second_points,
)

__all__ = [
    "Companions", "Matches", "cohorts_of_whole", "drawn_matches", "holders_of_points", "in_fixed_order", "matches_of",
    "matches_of_whole", "one_point", "points_of_people", "two_points", "whole_trajectories",
]  # fmt: skip

_SMALL = 1 << 16
_PEOPLE = 1 << 16
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matches:
    """How the points of people match others: choices of points, counted by the people who have all of them.

    What follows from the counts is computed in ``measures/unicity.py``.

    Attributes:
        people: people who have enough points.
        choices: by (points of the person, people who have the choice, the person among them), how many choices there
            are; for drawn choices and for whole trajectories the first number is 0.
        n_points: how many points are chosen; None for all points of a person, whose choices are whole trajectories.
        draws: how many choices were drawn, or None where all were counted.
    """

    people: int
    choices: Mapping[tuple[int, int], int]
    n_points: int | None
    draws: int | None = None

    @property
    def unique_choices(self) -> int:
        """How many of the choices nobody else has."""
        return sum(number for (_, people), number in self.choices.items() if people == 1)


def in_fixed_order(trajectories: Trajectories) -> Trajectories:
    """Return the people in an order that depends on their points alone, so that draws and sums can be repeated."""
    starts = trajectories.starts
    order = np.argsort(_hashes(trajectories, seed=0), kind="stable")
    points = points_of_people(trajectories.points, starts, order)
    moved = np.concatenate(([0], trajectories.lengths()[order].cumsum()))
    return replace(trajectories, points=points, starts=moved)


def _hashes(trajectories: Trajectories, seed: int) -> NDArray[np.uint64]:
    """Return a number for each person that is equal where all points are."""
    values = np.random.default_rng(seed).integers(0, 2**64, len(trajectories.days), np.uint64)
    if not trajectories.n_people:
        return np.zeros(0, np.uint64)
    sums: NDArray[np.uint64] = np.add.reduceat(values[trajectories.points], trajectories.starts[:-1])
    return sums


def one_point(trajectories: Trajectories) -> Matches:
    """Count who has each point.

    >>> points, starts = np.array([0, 1, 1], np.uint32), np.array([0, 2, 3])
    >>> one_point(Trajectories.of(points, starts, np.arange(2), np.zeros(2, np.uint64))).choices[2, 1]
    1
    """
    lengths, starts = trajectories.lengths(), trajectories.starts
    counts: Counter[tuple[int, int]] = Counter()
    for low in range(0, trajectories.n_people, _PEOPLE):
        high = min(low + _PEOPLE, trajectories.n_people)
        repeated = np.repeat(lengths[low:high], lengths[low:high])
        counts.update(_choices(repeated, trajectories.people[trajectories.points[starts[low] : starts[high]]]))
    return matches_of(counts, 1, trajectories.n_people)


def matches_of(choices: Mapping[tuple[int, int], int], n_points: int, n_people: int) -> Matches:
    """Return how points match, whoever has counted the choices by (points of the person, people who have them)."""
    return Matches(n_people, dict(choices), n_points)


def _choices(lengths: Integers, people: Integers) -> dict[tuple[int, int], int]:
    """Count choices by the points of the person and the people who have the choice."""
    if not len(people):
        return {}
    width = int(people.max()) + 1
    keys = lengths.astype(np.int64) * width + people
    if int(keys.max()) <= 4 * len(keys) + _SMALL:
        counts = np.bincount(keys)
        distinct = np.flatnonzero(counts)
        numbers = counts[distinct]
    else:
        distinct, numbers = np.unique(keys, return_counts=True)
    pairs = zip(distinct.tolist(), numbers.tolist(), strict=True)
    return {(key // width, key % width): number for key, number in pairs}


def two_points(trajectories: Trajectories, threads: int, done: Callable[[int], None] = lambda _: None) -> Matches:
    """Count who has each pair of points, over all pairs of all people."""
    lengths = trajectories.lengths()
    n_people = int((lengths >= 2).sum())
    counts: Counter[tuple[int, int]] = Counter()
    work = partial(_match_block, trajectories)
    for pairs, choices in in_threads(work, blocks_of_ranks(trajectories, 0, len(trajectories.days)), threads):
        counts.update(choices)
        done(pairs)
    return matches_of(counts, 2, n_people)


def _match_block(trajectories: Trajectories, block: PairBlock) -> tuple[int, Counter[tuple[int, int]]]:
    starts, pairs = trajectories.starts, block.n_pairs
    person = np.searchsorted(starts, block.positions, side="right")
    lengths = starts[person] - starts[person - 1]
    counts: Counter[tuple[int, int]] = Counter()
    for firsts, matching in _matching(trajectories, block):
        counts.update(_choices(lengths[firsts], matching))
    return pairs, counts


def _matching(trajectories: Trajectories, block: PairBlock) -> Iterator[tuple[Integers, Integers]]:
    """Yield for each pair the place of its first point in the block, and how many people have the pair."""
    if is_large(trajectories, block):
        counts = large_counts(trajectories, block)
        first = len(trajectories.days) - len(counts)
        for inside in pieces_of(block):
            second = second_points(trajectories, block.positions[inside], block.followers[inside])
            firsts = np.repeat(np.arange(inside.start, inside.stop), block.followers[inside])
            yield firsts, counts[second - np.uint32(first)]
        return
    second = second_points(trajectories, block.positions, block.followers)
    rank_bits, place_bits = bits_for(len(trajectories.days)), bits_for(len(block.positions))
    firsts = np.repeat(np.arange(len(block.positions), dtype=np.uint64), block.followers)
    keys = np.repeat(block.groups.astype(np.uint64), block.followers) << np.uint64(rank_bits)
    keys |= second
    if rank_bits + place_bits + bits_for(int(block.groups[-1]) + 1) <= 64:
        keys = (keys << np.uint64(place_bits)) | firsts
        keys.sort()
        firsts = keys & np.uint64((1 << place_bits) - 1)
        keys >>= np.uint64(place_bits)
    else:
        order = np.argsort(keys)
        keys, firsts = keys[order], firsts[order]
    changes = np.flatnonzero(keys[1:] != keys[:-1])
    runs = np.diff(changes, prepend=-1, append=len(keys) - 1)
    yield firsts.astype(np.int64), np.repeat(runs, runs)


def whole_trajectories(trajectories: Trajectories) -> Matches:
    """Count people whose points are, all together, those of nobody else."""
    order, same = _put_together(trajectories)
    sizes, numbers = np.unique(np.diff(np.flatnonzero(~same), append=len(order)), return_counts=True)
    return matches_of_whole(dict(zip(sizes.tolist(), numbers.tolist(), strict=True)))


def matches_of_whole(numbers: Mapping[int, int]) -> Matches:
    """Return how whole trajectories match, from how many of them so many people have.

    >>> matches_of_whole({1: 1, 2: 1}).people
    3
    """
    n_people = sum(size * number for size, number in numbers.items())
    return Matches(n_people, {(0, size): number for size, number in numbers.items()}, None)


def cohorts_of_whole(trajectories: Trajectories) -> tuple[Integers, Integers]:
    """Return for each person the first who has just the same points, and how many have.

    >>> points, starts = np.array([0, 1, 0, 1, 1], np.uint32), np.array([0, 2, 4, 5])
    >>> cohorts = cohorts_of_whole(Trajectories.of(points, starts, np.arange(2), np.zeros(2, np.uint64)))
    >>> [part.tolist() for part in cohorts]
    [[0, 0, 2], [2, 2, 1]]
    """
    order, same = _put_together(trajectories)
    borders = np.flatnonzero(~same)
    sizes = np.diff(borders, append=len(order))
    kinds, cohorts = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    kinds[order], cohorts[order] = np.repeat(order[borders], sizes), np.repeat(sizes, sizes)
    return kinds, cohorts


def _put_together(trajectories: Trajectories) -> tuple[Integers, NDArray[np.bool_]]:
    """Return people in an order that puts equal trajectories together, and whether each equals the one before."""
    points, starts, lengths = trajectories.points, trajectories.starts, trajectories.lengths()
    for seed in range(1, 100):
        # Sums of hashes put equal trajectories together; that they are equal is then checked point by point.
        sums = _hashes(trajectories, seed)
        order = np.argsort(sums, kind="stable")
        same = np.concatenate(([False], sums[order][1:] == sums[order][:-1]))
        later = np.flatnonzero(same)
        person, before = order[later], order[later - 1]
        if not np.array_equal(lengths[person], lengths[before]):
            continue
        if np.array_equal(points_of_people(points, starts, person), points_of_people(points, starts, before)):
            return order, same
    raise AssertionError("hashes collide a hundred times")


def points_of_people(points: NDArray[np.uint32], starts: Integers, people: Integers) -> NDArray[np.uint32]:
    """Return the points of some people, one after the other."""
    lengths = starts[people + 1] - starts[people]
    ends = lengths.cumsum()
    positions = np.repeat(starts[people] - (ends - lengths), lengths)
    positions += np.arange(len(positions))
    chosen: NDArray[np.uint32] = points[positions]
    return chosen


def drawn_matches(
    trajectories: Trajectories, n_points: int, draws: int, seed: int, done: Callable[[int], None] = lambda _: None
) -> Matches:
    """Draw people who have enough points, then that many of their points; count who has all of them.

    People are drawn anew each time, and so are points: the draws are independent, and the share of those that
    nobody else has is the unicity in the mean.
    """
    lengths = trajectories.lengths()
    able = np.flatnonzero(lengths >= n_points)
    random = np.random.default_rng([seed, n_points])
    holders, first = holders_of_points(trajectories)
    choices: Counter[tuple[int, int]] = Counter()
    for person in able[random.integers(0, len(able), draws)].tolist():
        start, end = trajectories.starts[person], trajectories.starts[person + 1]
        chosen = random.choice(end - start, n_points, replace=False, shuffle=False)
        choices[0, _who_has_all(trajectories.points[start + chosen], holders, first)] += 1
        done(1)
    return Matches(len(able), choices, n_points, draws)


def holders_of_points(trajectories: Trajectories) -> tuple[NDArray[np.uint32], Integers]:
    """Return for each point who has it: people by point, and where each point's people begin."""
    people = np.repeat(np.arange(trajectories.n_people, dtype=np.uint64), trajectories.lengths())
    keys = (trajectories.points.astype(np.uint64) << np.uint64(32)) | people
    del people
    keys.sort()
    return keys.astype(np.uint32), np.concatenate(([0], trajectories.people.cumsum()))


def _who_has_all(ranks: NDArray[np.uint32], holders: NDArray[np.uint32], first: Integers) -> int:
    lists = sorted((holders[first[rank] : first[rank + 1]] for rank in ranks.tolist()), key=len)
    candidates = lists[0]
    for others in lists[1:]:
        if len(candidates) == 1:
            break
        positions = np.searchsorted(others, candidates)
        positions[positions == len(others)] = 0
        candidates = candidates[others[positions] == candidates]
    return len(candidates)


class Companions:
    """Who has all points of a person but one, and which further points those people have.

    Implements: SPEC section 3 (trajectories); S3 IV.C.

    Attributes:
        cohorts: for each person, the people who have just the same points, this one among them.
        kinds: for each person, the first of those people: it stands for all of them.
        prior: for each point, the chance that a point of a person is this one: a person is drawn, then one of their
            points.
    """

    def __init__(self, trajectories: Trajectories) -> None:
        self.trajectories = trajectories
        self.lengths = trajectories.lengths()
        self._holders, self._first = holders_of_points(trajectories)
        self.kinds, self.cohorts = cohorts_of_whole(trajectories)
        each = np.repeat(1 / self.lengths, self.lengths)
        weights = np.bincount(trajectories.points, each, minlength=len(trajectories.days))
        self.prior: Floats = weights / trajectories.n_people

    def points(self, person: int) -> NDArray[np.uint32]:
        """Return the points of a person."""
        starts = self.trajectories.starts
        return self.trajectories.points[starts[person] : starts[person + 1]]

    def holders(self, point: int) -> NDArray[np.uint32]:
        """Return the people who have a point."""
        return self._holders[self._first[point] : self._first[point + 1]]

    def all_but_one(self, person: int) -> tuple[Integers, Integers]:
        """Return the people who have all points of a person, or all but one; and which is missing, or -1.

        >>> points, starts = np.array([0, 1, 0, 1, 2, 1], np.uint32), np.array([0, 2, 5, 6])
        >>> companions = Companions(Trajectories.of(points, starts, np.arange(3), np.zeros(3, np.uint64)))
        >>> [part.tolist() for part in companions.all_but_one(0)]
        [[0, 1, 2], [-1, -1, 0]]
        """
        lists = [self.holders(point) for point in self.points(person).tolist()]
        # Who misses at most one point has one of the two rarest.
        shortest = sorted(range(len(lists)), key=lambda index: len(lists[index]))[:2]
        people = np.unique(np.concatenate([lists[index] for index in shortest])).astype(np.int64)
        missing = np.full(len(people), -1)
        for index, holders in enumerate(lists):
            if len(people) == 1:
                break
            at = np.searchsorted(holders, people)
            at[at == len(holders)] = 0
            has = holders[at] == people
            keep = has | (missing < 0)
            missing[~has & (missing < 0)] = index
            people, missing = people[keep], missing[keep]
        return people, missing

    def further(self, people: Integers, known: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], Floats]:
        """Return the points that people have beside known ones, and the chance of each: a person, then a point.

        People without a further point are not who is looked for, whose point is to be found.
        """
        points = points_of_people(self.trajectories.points, self.trajectories.starts, people)
        left = self.lengths[people] - len(known)
        new = ~np.isin(points, known)
        each = np.repeat(1 / np.maximum(1, left), left)
        distinct, where = np.unique(points[new], return_inverse=True)
        return distinct, np.bincount(where, each, minlength=len(distinct)) / np.count_nonzero(left)
