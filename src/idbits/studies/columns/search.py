"""The search among more columns than all subsets could be counted for: size by size, leaving out what is decided.

Implements: SPEC section 2. Adding a column never lowers the entropy nor the number of people who are alone. So a
set is not counted when one of its parts reaches the share already, when it cannot reach it (``Bounds``), or, where
everyone must be unique, when two people are known who are alike in all of its columns. A limit of time ends it, and
what has been counted so far is kept.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from idbits.counts import Spectrum
from idbits.engines.backends.subsets import SubsetCounts
from idbits.kernels.subsets import columns_of
from idbits.measures.entropy import bits_about_person, least_bits_to_single_out
from idbits.progress import Progress, TimeIsUpError
from idbits.studies.columns.result import NotSearched, SubsetFigures

__all__ = ["ColumnSearch", "CountedSubsets"]

_MOST_CANDIDATES = 300_000
_MOST_PAIRS = 2_000
# Bounds are sums of floats: a set is left out only when it fails by more than their last digits.
_SLACK_BITS = 1e-6


class ColumnSearch:
    """Counts what it takes to know the minimal sets of columns that single out so many people, up to a size.

    Attributes:
        not_searched: what was not looked at.
        complete: whether every set up to the size was counted or decided.
    """

    def __init__(
        self,
        counted: CountedSubsets,
        needs: Sequence[int],
        max_size: int,
        max_sets: int,
        fits: Callable[[SubsetFigures], bool] | None = None,
    ) -> None:
        self.not_searched: list[NotSearched] = []
        self.complete = True
        self._counted, self._figures = counted, counted.figures
        self._n, self._n_people = counted.n_columns, counted.n_people
        self._needs, self._max_size, self._fits = list(needs), min(max_size, self._n), fits
        self._left = max_sets
        self._bounds = Bounds(self._figures, counted.counts.sizes, self._n_people)
        # For each goal: the sets that reach it, and the bits that it takes.
        self._reached: list[set[int]] = [set() for _ in needs]
        self._bits = [least_bits_to_single_out(need, self._n_people) for need in needs]
        # Sets by which not everyone is unique, as far as that is known without having counted them.
        self._not_unique: set[int] = set()
        self._order: list[int] = []
        self._possible: list[int] = []

    def go(self) -> None:
        """Search; what is found is in the figures of the counting, which hold single columns and all together."""
        everything = self._figures[self._counted.everything]
        self._possible = [goal for goal, need in enumerate(self._needs) if everything.singletons >= need]
        self._order = self._counted.most_telling_first()
        self._decide([1 << column for column in range(self._n)])
        if self._fits is not None and self._fits(everything):
            # All columns fit together: there is nothing to look for.
            self._fits = None
        for size in range(2, self._max_size + 1):
            if not self._possible and self._fits is None:
                return
            try:
                self._level(size)
            except BaseException:
                self._give_up(size)
                raise
        if self._max_size < self._n and (self._possible or self._fits is not None):
            self._leave(self._max_size + 1, self._more_than(self._max_size), "more columns than --max-size", self._n)

    def rules_out(self, goal: int) -> Callable[[int], bool]:
        """Return what says whether a set is known not to single out as many people as a goal (of ``needs``) wants."""

        def ruled_out(mask: int) -> bool:
            if goal not in self._possible:
                return True
            return mask not in self._reached[goal] and not self._can(mask, goal)

        return ruled_out

    def _leave(self, size: int, sets: int, reason: str, to_size: int | None = None) -> None:
        if sets > 0:
            self.not_searched.append(NotSearched(size, to_size or size, sets, reason))

    def _more_than(self, size: int) -> int:
        return sum(math.comb(self._n, larger) for larger in range(size + 1, self._n + 1))

    def _give_up(self, size: int) -> None:
        self.complete = False
        decided = set().union(*self._reached, self._not_unique) | self._figures.keys()
        looked = sum(1 for mask in decided if mask.bit_count() == size) + self._bounds.n_kept(size)
        self._leave(size, max(0, math.comb(self._n, size) - looked), "the search was stopped")
        self._leave(size + 1, self._more_than(size), "the search was stopped", self._n)

    def _level(self, size: int) -> None:
        total = math.comb(self._n, size)
        masks = _all_masks(self._n, size) if total <= _MOST_CANDIDATES else self._promising(size)
        with self._counted.step(f"sets of {size} columns: what can be left out"):
            wanted = self._wanted(masks)
        cut = max(0, len(wanted) - self._left)
        if cut:
            # The most telling first, so that what is cut is the least likely to single people out.
            wanted.sort(key=lambda mask: (-self._bounds.most(mask)[0], mask))
            del wanted[self._left :]
        if cut or len(masks) < total:
            self.complete = False
            self._leave(size, total - len(masks) + cut, "more sets than --max-sets")
        self._left -= len(wanted)
        with self._counted.step(f"sets of {size} columns: {len(wanted):,} to count"):
            self._count(wanted)
        self._decide(wanted)
        self._verify([mask for mask in wanted if mask in self._figures])

    def _promising(self, size: int) -> list[int]:
        """Return the sets that add a column to the most telling ones of one column less."""
        best = sorted(
            (mask for mask in self._figures if mask.bit_count() == size - 1),
            key=lambda mask: (-self._figures[mask].entropy_bits, mask),
        )
        promising: dict[int, None] = {}
        for mask in best:
            if len(promising) >= min(_MOST_CANDIDATES, 4 * self._left):
                break
            for column in range(self._n):
                if not mask >> column & 1:
                    promising[mask | 1 << column] = None
        return list(promising)

    def _wanted(self, masks: Sequence[int]) -> list[int]:
        """Return the sets that have to be counted."""
        wanted = []
        for index, mask in enumerate(masks):
            if index % 4096 == 0:
                self._counted.advance(index / len(masks))
            if mask in self._figures:
                self._decide([mask])
                continue
            parts = [mask ^ 1 << column for column in columns_of(mask)]
            # Pairs are few, everyone wants to see them, and they make the bounds of all larger sets tighter.
            is_wanted = len(parts) == 2 and len(masks) <= _MOST_PAIRS
            is_wanted = is_wanted or (
                self._fits is not None
                and all(part in self._figures and self._fits(self._figures[part]) for part in parts)
            )
            for goal in self._possible:
                if any(part in self._reached[goal] for part in parts):
                    self._reached[goal].add(mask)
                elif not is_wanted:
                    is_wanted = self._can(mask, goal)
            if is_wanted:
                wanted.append(mask)
            else:
                self._bounds.keep(mask)
        return wanted

    def _can(self, mask: int, goal: int) -> bool:
        """Whether a set may single out as many people as a goal wants."""
        if not self._bounds.allow(mask, self._needs[goal], self._bits[goal]):
            return False
        if self._needs[goal] < self._n_people:
            return True
        return mask not in self._not_unique and not self._counted.counts.are_alike(mask)

    def _count(self, wanted: Sequence[int]) -> None:
        n_done = 0

        def store(spectra: Mapping[int, Spectrum | None]) -> None:
            nonlocal n_done
            self._counted.note(spectra)
            self._not_unique.update(mask for mask, spectrum in spectra.items() if spectrum is None)
            n_done += len(spectra)
            self._counted.advance(n_done / len(wanted))

        self._counted.counts.count_sets(wanted, self._order, self._only_unique(wanted), store)

    def _only_unique(self, wanted: Sequence[int]) -> frozenset[int]:
        """Return the sets that matter only when they make everyone unique."""
        if (
            self._fits is not None
            or all(mask.bit_count() == 2 for mask in wanted)
            or not any(self._needs[goal] == self._n_people for goal in self._possible)
        ):
            return frozenset()
        below = [goal for goal in self._possible if self._needs[goal] < self._n_people]
        return frozenset(
            mask for mask in wanted if all(mask in self._reached[goal] or not self._can(mask, goal) for goal in below)
        )

    def _decide(self, masks: Sequence[int]) -> None:
        for mask, goal in itertools.product(masks, self._possible):
            if mask in self._figures and self._figures[mask].singletons >= self._needs[goal]:
                self._reached[goal].add(mask)

    def _verify(self, masks: Sequence[int]) -> None:
        """Count the parts of what was found, where a bounded search has passed them over."""
        for mask, goal in itertools.product(masks, self._possible):
            if self._figures[mask].singletons < self._needs[goal]:
                continue
            for part in (mask ^ 1 << column for column in columns_of(mask)):
                if part and part not in self._figures and part not in self._reached[goal] and self._can(part, goal):
                    self._counted.counts.count_sets([part], self._order, (), self._counted.note)
                    self._decide([part])
                    self._verify([part])


class Bounds:
    """What sets that have not been counted can reach at most, judged by those that have been.

    Entropy is submodular: a column adds the less, the more is known. So H(S) <= H(S - i) + H(B + i) - H(B) for any B
    within S - i.
    """

    def __init__(self, figures: Mapping[int, SubsetFigures], sizes: Sequence[int], n_people: int) -> None:
        self._figures, self._sizes, self._n_people = figures, sizes, n_people
        self._everyone_bits = bits_about_person(n_people)
        self._kept: dict[int, tuple[float, int]] = {}

    def keep(self, mask: int) -> None:
        """Remember the bound of a set that will not be counted, for the sets that hold it."""
        self._kept[mask] = self.most(mask)

    def n_kept(self, size: int) -> int:
        """Return how many sets of a size are remembered."""
        return sum(1 for mask in self._kept if mask.bit_count() == size)

    def allow(self, mask: int, people: int, bits: float) -> bool:
        """Whether a set may single out so many people, for which it needs so many bits."""
        most_bits, most_sets = self.most(mask)
        return most_bits >= bits - _SLACK_BITS and most_sets >= people

    def most(self, mask: int) -> tuple[float, int]:
        """Return the most bits and the most values that a set can have."""
        if mask in self._figures:
            return self._figures[mask].entropy_bits, self._figures[mask].n_sets
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


def _all_masks(n: int, size: int) -> list[int]:
    return [sum(1 << column for column in columns) for columns in itertools.combinations(range(n), size)]


class CountedSubsets:
    """The figures of the sets of columns that have been counted so far; bit i of a mask stands for column i."""

    def __init__(self, counts: SubsetCounts, progress: Progress, *, max_seconds: float | None = None) -> None:
        self.counts = counts
        self.n_columns, self.n_people = len(counts.sizes), counts.n_people
        self.everything = (1 << self.n_columns) - 1
        self.figures: dict[int, SubsetFigures] = {}
        self._progress = progress
        self._part_done = 0.0
        self._end = None if max_seconds is None else time.monotonic() + max_seconds

    def note(self, spectra: Mapping[int, Spectrum | None]) -> None:
        """Keep the figures of sets of columns, and leave out those that were not counted."""
        for mask, spectrum in spectra.items():
            if spectrum is not None and mask not in self.figures:
                self.figures[mask] = SubsetFigures.of(spectrum)

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Show what is being counted."""
        self._part_done = 0.0
        with self._progress.step(label, lambda: self._part_done):
            yield

    def advance(self, part_done: float) -> None:
        """Say how much of the step is done, and stop when the time is over."""
        self._part_done = part_done
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeIsUpError

    def count_all(self) -> None:
        """Count every subset."""
        with self.step(f"counting {self.everything:,} sets of columns"):
            self.counts.count_every_set(lambda spectra: self._store(spectra, self.everything))

    def count_ends(self) -> None:
        """Count each column alone, all columns, and all but one."""
        n_ends = 2 * self.n_columns + 1
        with self.step("counting single columns"):
            self.counts.count_single_columns(lambda spectra: self._store(spectra, n_ends))
            self.counts.count_all_but_one(self.most_telling_first(), lambda spectra: self._store(spectra, n_ends))

    def _store(self, spectra: Mapping[int, Spectrum], n_wanted: int) -> None:
        self.note(spectra)
        self.advance(len(self.figures) / n_wanted)

    def most_telling_first(self) -> list[int]:
        """Return the columns, those with the most bits first: whoever they single out is never looked at again."""
        return sorted(range(self.n_columns), key=lambda column: -self.figures[1 << column].entropy_bits)
