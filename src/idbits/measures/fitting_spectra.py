"""Spectra with a given entropy: how an attacker solves for group sizes, and how many solutions exist.

With sum c = n, the entropy is log2 n - (1/n) sum c log2 c. So finding spectra means finding whole numbers with a given
sum whose *weight*, the sum of c log2 c, is in a range. The weight is least when all sizes are even and largest when
they are as uneven as possible; both bounds are cheap to compute and prune the search.

Implements: S0 (4), solved for the group sizes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.measures.entropy import entropy_bits

__all__ = [
    "SizeSearch", "Sizes", "entropy_of", "exact_twins", "merged", "most_bits", "near_sizes", "twin_number", "weight",
    "weights_for",
]  # fmt: skip

Integers = NDArray[np.int64]

Sizes = tuple[tuple[int, int], ...]
"""Group sizes and how many groups have each, ascending."""

# Far above the error of a sum of logarithms, far below any rounding.
_SLACK_BITS = 1e-11
# Three groups are solved for all sizes of the largest at once, if there are enough of these to be worth it.
_SOLVED_AT_ONCE, _FEW_SIZES, _MANY_SIZES = 3, 16, 300_000
# 1 1 3 3 4 4 and 2 2 2 2 2 6: equal numbers of groups and people, and 3^3 3^3 4^4 4^4 = 2^2 2^2 2^2 2^2 2^2 6^6.
_TWIN = {1: -2, 2: 5, 3: -2, 4: -2, 6: 1}


def weight(size: int) -> float:
    """Return what one group adds to the weight: c log2 c."""
    return size * math.log2(size) if size else 0.0


def entropy_of(sizes: Sizes) -> float:
    """Return the entropy of group sizes, computed as for a table."""
    return entropy_bits(Spectrum.of(sizes))


def most_bits(n_people: int, n_values: int) -> float:
    """Return the largest entropy for this number of people and of possible values."""
    return math.log2(min(n_people, n_values))


def weights_for(n_people: int, low_bits: float, high_bits: float) -> tuple[float, float]:
    """Return the range of weights for a range of entropies, a little wider than rounding requires."""
    most = math.log2(n_people)
    return n_people * (most - high_bits - _SLACK_BITS), n_people * (most - low_bits + _SLACK_BITS)


def merged(*parts: Sizes) -> Sizes:
    """Return the group sizes of several lists together."""
    counts: dict[int, int] = {}
    for part in parts:
        for size, groups in part:
            counts[size] = counts.get(size, 0) + groups
    return tuple(sorted((size, groups) for size, groups in counts.items() if groups))


def exact_twins(sizes: Sizes) -> Iterator[Sizes]:
    """Yield spectra with exactly the same entropy, number of groups and people, including the given one.

    They come from exchanging 1 1 3 3 4 4 for 2 2 2 2 2 6, or back, as often as the spectrum allows. Every one of them
    yields the same spectra in the same order.

    >>> len(list(exact_twins(((1, 4), (3, 4), (4, 5)))))
    3
    """
    back, ahead = _exchanges(sizes)
    for times in range(-back, ahead + 1):
        exchanged = tuple((size, change * times) for size, change in _TWIN.items())
        yield merged(sizes, exchanged)


def twin_number(sizes: Sizes) -> int:
    """Return how many spectra ``exact_twins`` yields: the same number for each of them."""
    return sum(_exchanges(sizes)) + 1


def _exchanges(sizes: Sizes) -> tuple[int, int]:
    """Return how often groups can be exchanged, in both directions."""
    counts = dict(sizes)
    back = min(counts.get(size, 0) // change for size, change in _TWIN.items() if change > 0)
    ahead = min(counts.get(size, 0) // -change for size, change in _TWIN.items() if change < 0)
    return back, ahead


@dataclass(slots=True)
class SizeSearch:
    """Looks for group sizes with a given sum and weight, up to a number of steps.

    Attributes:
        steps: the remaining steps; a search that has used them all may have missed solutions.
    """

    steps: int

    @property
    def is_complete(self) -> bool:
        """Whether the search was exhaustive."""
        return self.steps > 0

    def sizes(
        self, groups: int, people: int, low: float, high: float, *, least: int = 1, most: int | None = None
    ) -> Iterator[Sizes]:
        """Yield all sizes of this many groups of ``least`` to ``most`` people with a weight in a range.

        >>> sorted(SizeSearch(100).sizes(2, 10, weight(3) + weight(7) - 0.01, weight(3) + weight(7) + 0.01))
        [((3, 1), (7, 1))]
        """
        largest = people if most is None else most
        if groups == 0:
            if people == 0 and low <= 0 <= high:
                yield ()
            return
        if groups * least <= people <= groups * largest:
            yield from self._sizes(groups, people, low, high, least, largest)

    def _sizes(self, groups: int, people: int, low: float, high: float, least: int, most: int) -> Iterator[Sizes]:
        self.steps -= 1
        if self.steps < 0:
            return
        if groups == 1 or people in (groups * least, groups * most):
            sizes = ((people // groups, groups),)
            if low <= groups * weight(people // groups) <= high:
                yield sizes
            return
        first, last = -(-people // groups), min(most, people - (groups - 1) * least)

        def least_weight(size: int) -> float:
            return weight(size) + _even_weight(groups - 1, people - size)

        def most_weight(size: int) -> float:
            return weight(size) + _uneven_weight(groups - 1, people - size, least, size)

        # Both grow with the largest group, so the possible sizes are in one interval.
        start = _first_true(first, last + 1, lambda size: most_weight(size) >= low)
        end = _first_true(start, last + 1, lambda size: least_weight(size) > high)
        if groups == _SOLVED_AT_ONCE and _FEW_SIZES < end - start < _MANY_SIZES:
            self.steps -= (end - start) // _FEW_SIZES
            yield from _three_groups(np.arange(start, end), people, low, high, least)
            return
        for size in _from_the_middle(start, end):
            if self.steps <= 0:
                return
            rest = (groups - 1, people - size, low - weight(size), high - weight(size))
            for others in self._sizes(*rest, least, size):
                yield merged(((size, 1),), others)

    def small_sizes(self, groups: int, people: int, low: float, high: float, most: int) -> Iterator[Sizes]:
        """Yield the same as ``sizes`` for groups of 1 to ``most`` people, even for very many groups.

        >>> sorted(SizeSearch(100).small_sizes(2, 5, 0.0, 99.0, most=9))
        [((1, 1), (4, 1)), ((2, 1), (3, 1))]
        """
        self.steps -= 1
        if self.steps < 0 or not groups <= people <= groups * most:
            return
        if not (_even_weight(groups, people) <= high and _uneven_weight(groups, people, 1, most) >= low):
            return
        if most == 1 or groups * most == people:
            yield ((most, groups),)
            return
        # The people in the smaller sizes bound the number of groups of this size.
        start = max(0, people - groups * (most - 1))
        end = (people - groups) // (most - 1) + 1
        for number in _from_the_middle(start, end):
            if self.steps <= 0:
                return
            part = number * weight(most)
            rest = (groups - number, people - number * most, low - part, high - part)
            if rest[0]:
                for others in self.small_sizes(*rest, most - 1):
                    yield merged(((most, number),), others)
            elif not rest[1] and rest[2] <= 0 <= rest[3]:
                yield ((most, number),)


def _three_groups(largest: Integers, people: int, low: float, high: float, least: int) -> Iterator[Sizes]:
    """Yield three groups, for all sizes of the largest one at once: the second follows by bisection."""
    left, part = people - largest, _weights(largest)
    start, end = (left + 1) // 2, np.minimum(largest, left - least) + 1

    def first_above(bound: NDArray[np.float64]) -> Integers:
        lower, upper = start.copy(), np.maximum(start, end)
        while np.any(lower < upper):
            middle = (lower + upper) // 2
            is_above = _weights(middle) + _weights(left - middle) >= bound
            open_ = lower < upper
            upper = np.where(open_ & is_above, middle, upper)
            lower = np.where(open_ & ~is_above, middle + 1, lower)
        return lower

    first, past = first_above(low - part), first_above(np.nextafter(high - part, np.inf))
    for index in np.flatnonzero(first < past):
        for second in range(int(first[index]), int(past[index])):
            yield merged(((int(largest[index]), 1),), ((second, 1),), ((int(left[index]) - second, 1),))


def _weights(sizes: Integers) -> NDArray[np.float64]:
    return sizes.astype(np.float64) * np.log2(np.maximum(sizes, 1).astype(np.float64))


def _even_weight(groups: int, people: int) -> float:
    """Return the least weight that groups can have: all sizes differ by at most one."""
    size, larger = divmod(people, groups)
    return larger * weight(size + 1) + (groups - larger) * weight(size)


def _uneven_weight(groups: int, people: int, least: int, most: int) -> float:
    """Return the largest weight: as many groups as possible have the most people, the others the least."""
    if most == least:
        return groups * weight(least)
    full, left = divmod(people - groups * least, most - least)
    between = weight(least + left) - weight(least) if left else 0.0
    return full * weight(most) + (groups - full) * weight(least) + between


def _first_true(start: int, end: int, is_true: Callable[[int], bool]) -> int:
    """Return the first number from which on something is true; ``end`` if it never is."""
    while start < end:
        middle = (start + end) // 2
        if is_true(middle):
            end = middle
        else:
            start = middle + 1
    return start


def _from_the_middle(start: int, end: int) -> Iterator[int]:
    """Yield whole numbers from the middle outwards: the middle is where most solutions are."""
    middle = (start + end) // 2
    for away in range(max(end - middle, middle - start) + 1):
        if start <= middle + away < end:
            yield middle + away
        if away and start <= middle - away < end:
            yield middle - away


def near_sizes(groups: int, people: int, low: float, high: float, least: int, search: SizeSearch) -> Iterator[Sizes]:
    """Yield some sizes of many groups with a weight in a range: most groups are fixed, a few vary.

    The fixed ones come from a path from one huge group, with all others at the minimum, to even groups. They depend
    only on published figures.
    """
    if groups * least > people or groups < 1:
        return
    largest = people - (groups - 1) * least
    lowest, highest = _even_weight(groups, people), _uneven_weight(groups, people, least, largest)
    low_end, high_end = max(low, lowest), min(high, highest)
    for share, parts in itertools.product((0.5, 0.25, 0.75), ((3, 1, 2), (2, 1, 3), (5, 1, 0), (8, 1, 6), (24, 1, 12))):
        backbone = _on_the_path(groups, people, low_end + share * (high_end - low_end), least)
        varied = _take(backbone, parts)
        fixed = merged(backbone, tuple((size, -number) for size, number in varied))
        count, total = sum(number for _, number in varied), sum(size * number for size, number in varied)
        known = sum(number * weight(size) for size, number in fixed)
        for sizes in search.sizes(count, total, low - known, high - known, least=least):
            yield merged(fixed, sizes)


def _on_the_path(groups: int, people: int, target: float, least: int) -> Sizes:
    """Return the spectrum on the path from uneven to even whose weight is nearest above a target."""

    def point(large: int, between: int) -> Sizes:
        # Some large groups, one in between, the others at the minimum.
        others = groups - large - 1
        size, larger = divmod(people - between - others * least, large)
        return merged(((size, large - larger), (size + 1, larger), (between, 1), (least, others)))

    def total(sizes: Sizes) -> float:
        return sum(number * weight(size) for size, number in sizes)

    if groups == 1:
        return ((people, 1),)
    large = max(1, _first_true(1, groups, lambda number: total(point(number, least)) < target) - 1)
    even = (people - (groups - large - 1) * least) // (large + 1)
    between = _first_true(least, max(least, even) + 1, lambda size: total(point(large, size)) < target)
    return point(large, max(least, between - 1))


def _take(sizes: Sizes, parts: tuple[int, int, int]) -> Sizes:
    """Return a few groups of a spectrum: some of the largest, some of the next sizes, some of the smallest."""
    left = dict(sizes)
    taken: dict[int, int] = {}
    large, between, small = parts
    middle = [size for size, number in sizes if number == 1]
    for wanted, order in ((between, middle), (large, sorted(left, reverse=True)), (small, sorted(left))):
        for size in order:
            number = min(left[size], wanted)
            left[size], taken[size], wanted = left[size] - number, taken.get(size, 0) + number, wanted - number
    return tuple((size, number) for size, number in sorted(taken.items()) if number)
