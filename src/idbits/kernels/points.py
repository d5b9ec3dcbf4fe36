"""Points that single people out: how many people have all of some points of a person.

Implements: SPEC section 3 (trajectories). One and two points are counted over every choice, more are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.events import Integers, Trajectories, bits_for
from idbits.kernels.pairs import Block, blocks_of_ranks, in_threads, is_large, large_counts, pieces_of, second_points

__all__ = ["Matches", "drawn_matches", "in_fixed_order", "one_point", "two_points", "whole_trajectories"]

_TABLE = np.array([0.0, *(math.log2(count) for count in range(1, 1 << 12))])


@dataclass(frozen=True, slots=True)
class Matches:
    """How the points of people match others.

    Attributes:
        people: people who have enough points.
        unique: the mean over these people of the share of choices that nobody else has.
        hidden_bits: the mean of log2 k, k being how many people have the points, the person among them.
        draws: how many choices were drawn, or None where all were counted.
        unique_draws: how many of them nobody else has.
    """

    people: int
    unique: float
    hidden_bits: float
    draws: int | None = None
    unique_draws: int | None = None


def in_fixed_order(trajectories: Trajectories) -> Trajectories:
    """Return the people in an order that depends on their points alone, so that draws and sums can be repeated."""
    starts = trajectories.starts
    order = np.argsort(_hashes(trajectories, seed=0), kind="stable")
    points = _of_people(trajectories.points, starts, order)
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
    >>> one_point(Trajectories.of(points, starts, np.arange(2), np.zeros(2, np.uint64))).unique
    0.25
    """
    people = trajectories.people
    lengths = trajectories.lengths()
    alone = np.add.reduceat((people == 1)[trajectories.points].astype(np.int64), trajectories.starts[:-1])
    hidden = np.add.reduceat(_logarithms(people)[trajectories.points], trajectories.starts[:-1])
    n_people = trajectories.n_people
    by_length = np.bincount(lengths, weights=alone)
    shares = [float(number) / length for length, number in enumerate(by_length.tolist()) if number]
    return Matches(n_people, math.fsum(shares) / n_people, math.fsum((hidden / lengths).tolist()) / n_people)


def two_points(trajectories: Trajectories, threads: int, done: Callable[[int], None] = lambda _: None) -> Matches:
    """Count who has each pair of points, over all pairs of all people."""
    lengths = trajectories.lengths()
    n_people = int((lengths >= 2).sum())
    longest = int(lengths.max()) if len(lengths) else 0
    alone = np.zeros(longest + 1, np.int64)
    hidden = []
    work = partial(_match_block, trajectories, longest)
    for pairs, unique, logs in in_threads(work, blocks_of_ranks(trajectories, 0, len(trajectories.days)), threads):
        alone += unique
        hidden.append(logs)
        done(pairs)
    choices = [length * (length - 1) // 2 for length in range(longest + 1)]
    shares = [number / choices[length] for length, number in enumerate(alone.tolist()) if number]
    return Matches(n_people, math.fsum(shares) / n_people, math.fsum(hidden) / n_people)


def _match_block(trajectories: Trajectories, longest: int, block: Block) -> tuple[int, Integers, float]:
    starts, pairs = trajectories.starts, block.n_pairs
    person = np.searchsorted(starts, block.positions, side="right")
    lengths = starts[person] - starts[person - 1]
    alone = np.zeros(longest + 1, np.int64)
    hidden = []
    for places, matching in _matching(trajectories, block):
        own = lengths[places]
        alone += np.bincount(own[matching == 1], minlength=longest + 1)
        shared = matching > 1
        weights = 2.0 / (own[shared] * (own[shared] - 1))
        hidden.append(float((weights * _logarithms_of(matching[shared])).sum()))
    return pairs, alone, math.fsum(hidden)


def _matching(trajectories: Trajectories, block: Block) -> Iterator[tuple[Integers, Integers]]:
    """Yield for each pair the place of its first point in the block, and how many people have the pair."""
    if is_large(trajectories, block):
        counts = large_counts(trajectories, block)
        first = len(trajectories.days) - len(counts)
        for inside in pieces_of(block):
            second = second_points(trajectories, block.positions[inside], block.followers[inside])
            places = np.repeat(np.arange(inside.start, inside.stop), block.followers[inside])
            yield places, counts[second - np.uint32(first)]
        return
    second = second_points(trajectories, block.positions, block.followers)
    rank_bits, place_bits = bits_for(len(trajectories.days)), bits_for(len(block.positions))
    places = np.repeat(np.arange(len(block.positions), dtype=np.uint64), block.followers)
    keys = np.repeat(block.groups.astype(np.uint64), block.followers) << np.uint64(rank_bits)
    keys |= second
    if rank_bits + place_bits + bits_for(int(block.groups[-1]) + 1) <= 64:
        keys = (keys << np.uint64(place_bits)) | places
        keys.sort()
        places = keys & np.uint64((1 << place_bits) - 1)
        keys >>= np.uint64(place_bits)
    else:
        order = np.argsort(keys)
        keys, places = keys[order], places[order]
    changes = np.flatnonzero(keys[1:] != keys[:-1])
    runs = np.diff(changes, prepend=-1, append=len(keys) - 1)
    yield places.astype(np.int64), np.repeat(runs, runs)


def whole_trajectories(trajectories: Trajectories) -> Matches:
    """Count people whose points are, all together, those of nobody else."""
    order, same = _put_together(trajectories)
    borders = np.flatnonzero(~same)
    sizes = np.diff(borders, append=len(order))
    n_people = trajectories.n_people
    hidden = math.fsum(
        size * math.log2(size) * number
        for size, number in zip(*(part.tolist() for part in np.unique(sizes, return_counts=True)), strict=True)
    )
    return Matches(n_people, int((sizes == 1).sum()) / n_people, hidden / n_people)


def _put_together(trajectories: Trajectories) -> tuple[Integers, NDArray[np.bool_]]:
    """Return people in an order that puts equal trajectories together, and whether each equals the one before."""
    points, starts, lengths = trajectories.points, trajectories.starts, trajectories.lengths()
    for seed in range(1, 100):
        # Sums of hashes put equal trajectories together; that they are equal is then checked point by point.
        sums = _hashes(trajectories, seed)
        order = np.argsort(sums, kind="stable")
        same = np.concatenate(([False], sums[order][1:] == sums[order][:-1]))
        later = np.flatnonzero(same)
        one, other = order[later], order[later - 1]
        if not np.array_equal(lengths[one], lengths[other]):
            continue
        if np.array_equal(_of_people(points, starts, one), _of_people(points, starts, other)):
            return order, same
    raise AssertionError("hashes collide a hundred times")


def _of_people(points: NDArray[np.uint32], starts: Integers, people: Integers) -> NDArray[np.uint32]:
    lengths = starts[people + 1] - starts[people]
    ends = lengths.cumsum()
    places = np.repeat(starts[people] - (ends - lengths), lengths)
    places += np.arange(len(places))
    found: NDArray[np.uint32] = points[places]
    return found


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
    holders, first = _holders(trajectories)
    alone, hidden = 0, []
    for person in able[random.integers(0, len(able), draws)].tolist():
        start, end = trajectories.starts[person], trajectories.starts[person + 1]
        chosen = random.choice(end - start, n_points, replace=False, shuffle=False)
        people = _who_has_all(trajectories.points[start + chosen], holders, first)
        alone += people == 1
        hidden.append(math.log2(people))
        done(1)
    return Matches(len(able), alone / draws, math.fsum(hidden) / draws, draws, alone)


def _holders(trajectories: Trajectories) -> tuple[NDArray[np.uint32], Integers]:
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
        places = np.searchsorted(others, candidates)
        places[places == len(others)] = 0
        candidates = candidates[others[places] == candidates]
    return len(candidates)


def _logarithms(counts: Integers) -> NDArray[np.float64]:
    """Return log2 of each count; 0 for those that do not occur."""
    return _logarithms_of(np.maximum(counts, 1))


def _logarithms_of(counts: Integers) -> NDArray[np.float64]:
    # The standard library's logarithms: NumPy's differ in the last digit between processors.
    if len(counts) and counts.max() < len(_TABLE):
        return _TABLE[counts]
    distinct, where = np.unique(counts, return_inverse=True)
    return np.array([math.log2(count) for count in distinct.tolist()], np.float64)[where]
