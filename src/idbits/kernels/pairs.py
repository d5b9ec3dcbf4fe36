"""Count pairs of points of one person (earlier first) by value: cache-sized blocks, sorted, then run lengths.

The pairs of a first point (a group) are the points that follow it in the same trajectory. Pairs of different
first points are never equal, so blocks of whole groups can be counted one by one and by several threads.

Implements: SPEC section 3 (visit pairs), DESIGN section 5.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels.events import Integers, Trajectories, bits_for
from idbits.kernels.run_lengths import size_counts

__all__ = ["PairBlock", "blocks_of_ranks", "counted_day_spectra", "in_threads", "n_pairs_by_day", "second_points"]

_BLOCK_PAIRS = 1 << 17
_PIECE_PAIRS = 1 << 22
_SPAN_EVENTS = 1 << 22
_SCAN = 1 << 24
_CHUNK_EVENTS = 1 << 21
_TASK_BLOCKS = 16
_QUEUE_TASKS = 8

Made = TypeVar("Made")
Task = TypeVar("Task")


@dataclass(frozen=True, slots=True, eq=False)
class PairBlock:
    """Complete groups of pairs that share their first day.

    Attributes:
        day: the first day.
        positions: positions of the first points in the trajectories, by group.
        followers: how many points follow each of them.
        groups: the group of each, from 0.
    """

    day: int
    positions: Integers
    followers: Integers
    groups: Integers

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return int(self.followers.sum())


def n_pairs_by_day(trajectories: Trajectories) -> dict[int, int]:
    """Return how many pairs begin on each day that has any."""
    by_day: Counter[int] = Counter()
    per_rank = np.zeros(len(trajectories.days), np.int64)
    starts, points = trajectories.starts, trajectories.points
    for low, high in _people_chunks(starts):
        begin, end = int(starts[low]), int(starts[high])
        ends = np.repeat(starts[low + 1 : high + 1], np.diff(starts[low : high + 1]))
        followers = ends - np.arange(begin + 1, end + 1)
        # Sums of whole numbers below 2^53 are exact in floats.
        per_rank += np.bincount(points[begin:end], weights=followers, minlength=len(per_rank)).astype(np.int64)
    for day, pairs in zip(trajectories.days.tolist(), per_rank.tolist(), strict=True):
        if pairs:
            by_day[day] += pairs
    return dict(by_day)


def _people_chunks(starts: Integers) -> Iterator[tuple[int, int]]:
    low, n_people = 0, len(starts) - 1
    while low < n_people:
        high = int(np.searchsorted(starts, starts[low] + _CHUNK_EVENTS, side="right")) - 1
        high = min(n_people, max(high, low + 1))
        yield low, high
        low = high


def counted_day_spectra(
    trajectories: Trajectories, first: int, last: int, threads: int, done: Callable[[int], None] = lambda _: None
) -> dict[int, Spectrum]:
    """Return the spectrum of the pairs that begin on each day from ``first`` to ``last``, without empty days.

    >>> points, starts = np.array([0, 1, 0, 1], np.uint32), np.array([0, 2, 4])
    >>> people = Trajectories.of(points, starts, np.array([7, 8]), np.zeros(2, np.uint64))
    >>> {day: spectrum.pairs() for day, spectrum in counted_day_spectra(people, 7, 8, 1).items()}
    {7: [(2, 1)]}
    """
    by_day: dict[int, Counter[int]] = {}
    low, high = trajectories.ranks_of_days(first, last)
    for day, pairs, sizes in in_threads(
        partial(_count_block, trajectories), blocks_of_ranks(trajectories, low, high), threads
    ):
        by_day.setdefault(day, Counter()).update(sizes)
        done(pairs)
    return {day: Spectrum.of(by_day[day]) for day in sorted(by_day)}


def in_threads(work: Callable[[Task], Made], tasks: Iterable[Task], threads: int) -> Iterator[Made]:
    """Work on each task a few tasks ahead and return results in order; threads do not change the results."""
    if threads <= 1:
        yield from map(work, tasks)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="idbits-pairs")
    try:
        waiting = []
        for bundle in _bundles(tasks):
            waiting.append(pool.submit(_all, work, bundle))
            if len(waiting) >= threads + _QUEUE_TASKS:
                yield from waiting.pop(0).result()
        for future in waiting:
            yield from future.result()
    finally:
        # Ctrl-C must not wait for tasks that have not started.
        pool.shutdown(wait=True, cancel_futures=True)


def _bundles(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    bundle: list[Task] = []
    for task in tasks:
        bundle.append(task)
        if len(bundle) == _TASK_BLOCKS:
            yield bundle
            bundle = []
    if bundle:
        yield bundle


def _all(work: Callable[[Task], Made], bundle: list[Task]) -> list[Made]:
    return [work(task) for task in bundle]


def blocks_of_ranks(trajectories: Trajectories, low: int, high: int) -> Iterator[PairBlock]:
    """Split the pairs whose first point has a rank from ``low`` to ``high`` (exclusive) into blocks."""
    for start, end in _spans(trajectories, low, high):
        yield from _blocks(trajectories, start, end)


def _spans(trajectories: Trajectories, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Split ranks so that the first points of each piece fit in memory."""
    total = trajectories.people[low:high].cumsum()
    start = 0
    while start < high - low:
        before = int(total[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(total, before + _SPAN_EVENTS, side="right")))
        yield low + start, low + end
        start = end


def _blocks(trajectories: Trajectories, low: int, high: int) -> Iterator[PairBlock]:
    points, starts = trajectories.points, trajectories.starts
    pieces = []
    for start in range(0, len(points), _SCAN):
        piece = points[start : start + _SCAN]
        pieces.append(np.flatnonzero((piece >= low) & (piece < high)) + start)
    positions = np.concatenate(pieces) if pieces else np.zeros(0, np.int64)
    followers = starts[np.searchsorted(starts, positions, side="right")] - positions - 1
    positions, followers = positions[followers > 0], followers[followers > 0]
    if not len(positions):
        return
    # One plain sort brings the groups together; an argsort would take several times as long.
    keys = (points[positions].astype(np.uint64) << np.uint64(32)) | np.arange(len(positions), dtype=np.uint64)
    keys.sort()
    order = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    ranks = (keys >> np.uint64(32)).astype(np.int64)
    positions, followers = positions[order], followers[order]
    edges = np.flatnonzero(np.diff(ranks, prepend=-1, append=-1))
    pairs = np.concatenate(([0], followers.cumsum()))[edges]
    days = trajectories.days[ranks[edges[:-1]]]
    day_edges = np.flatnonzero(np.diff(days, prepend=days[0] - 1, append=days[-1] + 1)).tolist()
    for first, last in itertools.pairwise(day_edges):
        group = first
        while group < last:
            end = int(np.searchsorted(pairs, pairs[group] + _BLOCK_PAIRS, side="right")) - 1
            end = min(last, max(end, group + 1))
            inside = slice(int(edges[group]), int(edges[end]))
            groups = np.repeat(np.arange(end - group), np.diff(edges[group : end + 1]))
            yield PairBlock(int(days[group]), positions[inside], followers[inside], groups)
            group = end


def second_points(trajectories: Trajectories, positions: Integers, followers: Integers) -> NDArray[np.uint32]:
    """Return the points that follow each position, one position after the other."""
    ends = followers.cumsum()
    indices = np.repeat(positions + 1 - (ends - followers), followers)
    indices += np.arange(len(indices))
    second: NDArray[np.uint32] = trajectories.points[indices]
    return second


def _count_block(trajectories: Trajectories, block: PairBlock) -> tuple[int, int, dict[int, int]]:
    pairs = block.n_pairs
    if is_large(trajectories, block):
        lengths = large_counts(trajectories, block)
    else:
        lengths = _run_lengths(_pair_keys(trajectories, block))
    return block.day, pairs, size_counts(lengths)


def is_large(trajectories: Trajectories, block: PairBlock) -> bool:
    """Return whether a block is one group with more pairs than points, when a table is faster than a sort."""
    return block.groups[-1] == 0 and block.n_pairs > len(trajectories.days) - _first_rank(trajectories, block)


def large_counts(trajectories: Trajectories, block: PairBlock) -> Integers:
    """Count the second points of one large group: a table of all points from the first one on."""
    first = np.uint32(_first_rank(trajectories, block))
    counts = np.zeros(len(trajectories.days) - int(first), np.int64)
    for inside in pieces_of(block):
        second = second_points(trajectories, block.positions[inside], block.followers[inside])
        second -= first
        counts += np.bincount(second, minlength=len(counts))
    return counts


def _first_rank(trajectories: Trajectories, block: PairBlock) -> int:
    return int(trajectories.points[block.positions[0]])


def pieces_of(block: PairBlock) -> Iterator[slice]:
    """Split the positions of a block into pieces that fit in memory."""
    pairs = block.followers.cumsum()
    start = 0
    while start < len(pairs):
        before = int(pairs[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(pairs, before + _PIECE_PAIRS, side="right")))
        yield slice(start, end)
        start = end


def _pair_keys(trajectories: Trajectories, block: PairBlock) -> NDArray[np.uint32] | NDArray[np.uint64]:
    second = second_points(trajectories, block.positions, block.followers)
    n_groups = int(block.groups[-1]) + 1
    if n_groups == 1:
        second.sort()
        return second
    bits = bits_for(len(trajectories.days))
    if bits + bits_for(n_groups) <= 32:
        shifted = block.groups.astype(np.uint32) << np.uint32(bits)
        keys: NDArray[np.uint32] | NDArray[np.uint64] = second
    else:
        shifted = block.groups.astype(np.uint64) << np.uint64(bits)
        keys = second.astype(np.uint64)
    keys |= np.repeat(shifted, block.followers)
    keys.sort()
    return keys


def _run_lengths(ordered: NDArray[np.generic]) -> Integers:
    changes = np.flatnonzero(ordered[1:] != ordered[:-1])
    lengths = np.empty(len(changes) + 1, np.int64)
    lengths[:-1] = changes
    lengths[-1] = len(ordered) - 1
    lengths[1:] -= changes
    lengths[0] += 1
    return lengths
