"""The search when there are too many columns to count all subsets: size by size, skipping what is already decided.

Implements: SPEC section 2. Adding a column never lowers the entropy or the number of unique people, whichever records
of a person an attacker knows. So a set is not counted when one of its parts already reaches the share, when it cannot
reach it (``bounds.py``), or, if everyone must be unique, when two people are known to have the same values in all of
its columns. When the time is up, the sets counted so far are kept.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from idbits.counts import PeopleCounts, Spectrum
from idbits.engines.backends.subsets import SubsetCounts
from idbits.kernels.subsets import columns_of
from idbits.progress import Progress, TimeIsUpError
from idbits.studies.columns.bounds import Bounds, GroupBounds, SplitGroups
from idbits.studies.columns.result import NotSearched, SubsetFigures

__all__ = ["ColumnSearch", "CountedSubsets"]

_MOST_CANDIDATES = 300_000
_MOST_PAIRS = 2_000
# If no more sets of a size are left, we count them even if they have no room for the people needed: readers want to see
# some of each size.
_FEW_SETS = 20
# If more sets of a size are counted, their groups are not remembered.
_MOST_GROUPED = 2_000
_TOO_MANY = "more combinations than --max-sets"
_TOO_LARGE = "more columns than --max-size"
_STOPPED = "the search was stopped"


class ColumnSearch:
    """Finds the minimal sets of columns, up to a size, that single out given numbers of people.

    ``bounds`` are those of groups that do not overlap, unless others are given.
    """

    def __init__(
        self,
        counted: CountedSubsets,
        needs: Sequence[float],
        max_size: int,
        max_sets: int,
        fits: Callable[[SubsetFigures], bool] | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        # The sizes of which only some sets were chosen, the size at which the search was stopped, and what was chosen.
        self._cut_sizes: set[int] = set()
        self._stopped_at: int | None = None
        self._chosen: list[int] | None = None
        self._leaves_larger = False
        self._counted, self._figures = counted, counted.figures
        self._n, self._n_people = counted.n_columns, counted.n_people
        self._needs, self._max_size, self._fits = list(needs), min(max_size, self._n), fits
        self._left = max_sets
        self._bounds = bounds or GroupBounds(self._figures, counted.counts.sizes, self._n_people, counted.groups)
        # For each goal: the sets that reach it.
        self._reached: list[set[int]] = [set() for _ in needs]
        # Sets known, without counting them, not to make everyone unique.
        self._not_unique: set[int] = set()
        self._order: list[int] = []
        self._possible: list[int] = []

    def go(self) -> None:
        """Search; results go into the figures of ``counted``, which has single columns and all columns already."""
        everything = self._figures[self._counted.everything]
        self._possible = [goal for goal, need in enumerate(self._needs) if everything.singletons >= need]
        self._order = self._counted.most_telling_first()
        self._decide([1 << column for column in range(self._n)])
        if self._fits is not None and self._fits(everything):
            # All columns fit together: there is nothing to search.
            self._fits = None
        for size in range(2, self._max_size + 1):
            if not self._possible and self._fits is None:
                return
            try:
                self._level(size)
            except BaseException:
                self._stopped_at = size
                raise
        self._leaves_larger = self._max_size < self._n and (bool(self._possible) or self._fits is not None)

    @property
    def complete(self) -> bool:
        """Whether every set up to the size was counted or decided."""
        return self._stopped_at is None and not any(map(self._n_open, self._cut_sizes))

    @property
    def not_searched(self) -> list[NotSearched]:
        """The sets that were not examined."""
        n, stopped_at = self._n, self._stopped_at
        sizes = sorted(self._cut_sizes - {stopped_at})
        left = [NotSearched(size, size, self._n_open(size), _TOO_MANY) for size in sizes]
        if stopped_at is not None:
            n_open = n_stopped = self._n_open(stopped_at)
            if self._chosen is not None:
                n_stopped = len(set(self._chosen) - self._decided(stopped_at))
            left.append(NotSearched(stopped_at, stopped_at, n_open - n_stopped, _TOO_MANY))
            left.append(NotSearched(stopped_at, stopped_at, n_stopped, _STOPPED))
            left.append(NotSearched(stopped_at + 1, n, self._more_than(stopped_at), _STOPPED))
        elif self._leaves_larger:
            left.append(NotSearched(self._max_size + 1, n, self._more_than(self._max_size), _TOO_LARGE))
        return [entry for entry in left if entry.sets > 0]

    def rules_out(self, goal: int) -> Callable[[int], bool]:
        """Return a function that tells whether a set certainly misses a goal (an index of ``needs``)."""

        def ruled_out(mask: int) -> bool:
            if goal not in self._possible:
                return True
            return mask not in self._reached[goal] and not self._can(mask, goal)

        return ruled_out

    def _decided(self, size: int) -> set[int]:
        """Return the sets of a size that were counted or need not be."""
        known = itertools.chain(self._figures, self._not_unique, self._bounds.kept)
        return {mask for mask in known if mask.bit_count() == size}

    def _n_open(self, size: int) -> int:
        return math.comb(self._n, size) - len(self._decided(size))

    def _more_than(self, size: int) -> int:
        return sum(math.comb(self._n, larger) for larger in range(size + 1, self._n + 1))

    def _level(self, size: int) -> None:
        self._chosen = None
        total = math.comb(self._n, size)
        masks = _all_masks(self._n, size) if total <= _MOST_CANDIDATES else self._promising(size)
        with self._counted.step(f"choosing combinations of {size} columns"):
            wanted = self._wanted(masks)
        self._counted.keeps_groups = len(wanted) <= _MOST_GROUPED
        cut = max(0, len(wanted) - self._left)
        if cut:
            # The most identifying first, so that the sets cut are the least likely to single people out.
            wanted.sort(key=lambda mask: (-self._bounds.likely_bits(mask), mask))
            del wanted[self._left :]
        if cut or len(masks) < total:
            self._cut_sizes.add(size)
        self._chosen = wanted
        self._left -= len(wanted)
        with self._counted.step(f"counting {len(wanted):,} combinations of {size} columns"):
            self._count(wanted)
        self._decide(wanted)
        self._verify([mask for mask in wanted if mask in self._figures])

    def _promising(self, size: int) -> list[int]:
        """Return the sets that add a column to the most identifying sets of the size below."""
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
        wanted: list[int] = []
        forced: set[int] = set()
        for index, mask in enumerate(masks):
            if index % 4096 == 0:
                self._counted.advance(index / len(masks))
            if mask in self._figures:
                self._decide([mask])
                continue
            parts = [mask ^ 1 << column for column in columns_of(mask)]
            # Pairs are few, readers want to see them, and they tighten the bounds of all larger sets.
            is_forced = len(parts) == 2 and len(masks) <= _MOST_PAIRS
            is_forced = is_forced or (
                self._fits is not None
                and all(part in self._figures and self._fits(self._figures[part]) for part in parts)
            )
            if is_forced:
                forced.add(mask)
            is_wanted = is_forced
            for goal in self._possible:
                if any(part in self._reached[goal] for part in parts):
                    self._reached[goal].add(mask)
                elif not is_wanted:
                    is_wanted = self._is_open(mask, goal)
            if is_wanted:
                wanted.append(mask)
            else:
                self._bounds.keep(mask)
        # Sets that are remembered pay off: their groups rule out larger sets.
        n_free = _MOST_GROUPED if masks and masks[0].bit_count() < self._max_size else _FEW_SETS
        return wanted if len(wanted) <= n_free else self._with_room(wanted, forced)

    def _with_room(self, wanted: Sequence[int], forced: set[int]) -> list[int]:
        """Return the sets whose parts leave room for enough unique people, and those that are counted anyway."""
        kept = []
        for mask in wanted:
            if mask in forced or any(
                mask not in self._reached[goal] and self._can(mask, goal) for goal in self._possible
            ):
                kept.append(mask)
            else:
                self._bounds.keep(mask)
        return kept

    def _can(self, mask: int, goal: int) -> bool:
        """Whether a set may reach a goal."""
        return self._is_open(mask, goal) and self._bounds.have_room(mask, self._needs[goal])

    def _is_open(self, mask: int, goal: int) -> bool:
        """Whether a set may reach a goal by the bits and values of its parts, and by the people known to be alike."""
        if not self._bounds.allow(mask, self._needs[goal]):
            return False
        if self._needs[goal] < self._n_people:
            return True
        return mask not in self._not_unique and not self._counted.counts.are_alike(mask)

    def _count(self, wanted: Sequence[int]) -> None:
        n_done = 0

        def store(spectra: Mapping[int, PeopleCounts | None]) -> None:
            nonlocal n_done
            self._counted.note(spectra)
            self._not_unique.update(mask for mask, spectrum in spectra.items() if spectrum is None)
            n_done += len(spectra)
            self._counted.advance(n_done / len(wanted))

        self._counted.counts.count_sets(wanted, self._order, self._only_unique(wanted), store)

    def _only_unique(self, wanted: Sequence[int]) -> frozenset[int]:
        """Return the sets that matter only if they make everyone unique."""
        if (
            self._fits is not None
            or all(mask.bit_count() == 2 for mask in wanted)
            or not any(self._needs[goal] == self._n_people for goal in self._possible)
        ):
            return frozenset()
        below = [goal for goal in self._possible if self._needs[goal] < self._n_people]
        return frozenset(
            mask
            for mask in wanted
            if all(mask in self._reached[goal] or not self._is_open(mask, goal) for goal in below)
        )

    def _decide(self, masks: Sequence[int]) -> None:
        for mask, goal in itertools.product(masks, self._possible):
            if mask in self._figures and self._figures[mask].singletons >= self._needs[goal]:
                self._reached[goal].add(mask)

    def _verify(self, masks: Sequence[int]) -> None:
        """Count the parts of sets found that a limited search skipped."""
        for mask, goal in itertools.product(masks, self._possible):
            if self._figures[mask].singletons < self._needs[goal]:
                continue
            for part in (mask ^ 1 << column for column in columns_of(mask)):
                if part and part not in self._figures and part not in self._reached[goal] and self._can(part, goal):
                    self._counted.counts.count_sets([part], self._order, (), self._counted.note)
                    self._decide([part])
                    self._verify([part])


def _all_masks(n: int, size: int) -> list[int]:
    return [sum(1 << column for column in columns) for columns in itertools.combinations(range(n), size)]


class CountedSubsets:
    """The figures of the sets of columns counted so far; bit i of a mask stands for column i.

    Attributes:
        groups: the groups of the sets that were counted while ``keeps_groups`` was true.
    """

    def __init__(self, counts: SubsetCounts, progress: Progress, *, max_seconds: float | None = None) -> None:
        self.counts = counts
        self.n_columns, self.n_people = len(counts.sizes), counts.n_people
        self.everything = (1 << self.n_columns) - 1
        self.figures: dict[int, SubsetFigures] = {}
        self.groups: dict[int, SplitGroups] = {}
        self.keeps_groups = True
        self._progress = progress
        self._part_done = 0.0
        self._end = None if max_seconds is None else time.monotonic() + max_seconds

    def note(self, spectra: Mapping[int, PeopleCounts | None]) -> None:
        """Keep the figures of sets of columns; skip those that were not counted."""
        for mask, spectrum in spectra.items():
            if spectrum is not None and mask not in self.figures:
                self.figures[mask] = SubsetFigures.of(spectrum)
                if self.keeps_groups and isinstance(spectrum, Spectrum):
                    self.groups[mask] = SplitGroups(spectrum)

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Show what is being counted."""
        self._part_done = 0.0
        with self._progress.step(label, lambda: self._part_done):
            yield

    def advance(self, part_done: float) -> None:
        """Report how much of the step is done, and stop when the time is up."""
        self._part_done = part_done
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeIsUpError

    def count_all(self) -> None:
        """Count every subset."""
        with self.step(f"counting {self.everything:,} combinations of columns"):
            self.counts.count_every_set(lambda spectra: self._store(spectra, self.everything))

    def count_ends(self) -> None:
        """Count each column by itself, all columns, and all but one."""
        n_ends = 2 * self.n_columns + 1
        with self.step("counting single columns"):
            self.counts.count_single_columns(lambda spectra: self._store(spectra, n_ends))
            self.counts.count_all_but_one(self.most_telling_first(), lambda spectra: self._store(spectra, n_ends))

    def _store(self, spectra: Mapping[int, PeopleCounts], n_wanted: int) -> None:
        self.note(spectra)
        self.advance(len(self.figures) / n_wanted)

    def most_telling_first(self) -> list[int]:
        """Return the columns with the most bits first: people they single out need not be examined again."""
        return sorted(range(self.n_columns), key=lambda column: -self.figures[1 << column].entropy_bits)
