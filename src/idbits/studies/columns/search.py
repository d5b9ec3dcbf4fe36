"""The search among more columns than all subsets could be counted for: size by size, leaving out what is decided.

Implements: SPEC section 2. Adding a column never lowers the entropy nor the number of people who are alone. So a
set is not counted when one of its parts reaches the share already, when it cannot reach it (``column_bounds.py``), or,
where everyone must be unique, when two people are known who are alike in all of its columns.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from idbits.studies.columns.bounds import Bounds, bits_needed
from idbits.studies.columns.counting import Counting, columns_of
from idbits.studies.columns.figures import NotSearched, SubsetFigures
from idbits.studies.columns.tasks import Counted, Task, make_tasks

__all__ = ["ColumnSearch"]

_MOST_CANDIDATES = 300_000
_TASKS_AT_ONCE = 32
_MOST_PAIRS = 2_000
_DRAWN_SHARES = (0.02, 0.2)
_FEWEST_DRAWN = 5_000


class ColumnSearch:
    """Counts what it takes to know the minimal sets of columns that single out so many people, up to a size.

    Attributes:
        not_searched: what was not looked at.
        complete: whether every set up to the size was counted or decided.
    """

    def __init__(
        self,
        counting: Counting,
        needs: Sequence[int],
        max_size: int,
        max_sets: int,
        fits: Callable[[SubsetFigures], bool] | None = None,
    ) -> None:
        self.not_searched: list[NotSearched] = []
        self.complete = True
        self._counting, self._figures = counting, counting.figures
        self._n, self._n_people = counting.n_columns, counting.table.n_people
        self._needs, self._max_size, self._fits = list(needs), min(max_size, self._n), fits
        self._left = max_sets
        self._bounds = Bounds(self._figures, counting.table.sizes, self._n_people)
        self._reached: list[set[int]] = [set() for _ in needs]
        self._bits = [bits_needed(need, self._n_people) for need in needs]
        self._rank: list[int] = []
        self._drawn = counting.drawn(_DRAWN_SHARES, _FEWEST_DRAWN)
        self._possible: list[int] = []

    def go(self) -> None:
        """Search; what is found is in the figures of the counting, which hold single columns and all together."""
        everything = self._figures[(1 << self._n) - 1]
        self._possible = [j for j, need in enumerate(self._needs) if everything.singletons >= need]
        order = sorted(range(self._n), key=lambda column: (-self._figures[1 << column].entropy_bits, column))
        self._rank = [order.index(column) for column in range(self._n)]
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

    def rules_out(self, place: int) -> Callable[[int], bool]:
        """Return what says whether a set is known not to single out the people of a place in ``needs``."""

        def ruled_out(mask: int) -> bool:
            if place not in self._possible:
                return True
            return mask not in self._reached[place] and not self._can(mask, place)

        return ruled_out

    def _leave(self, size: int, sets: int, reason: str, to_size: int | None = None) -> None:
        if sets > 0:
            self.not_searched.append(NotSearched(size, to_size or size, sets, reason))

    def _more_than(self, size: int) -> int:
        return sum(math.comb(self._n, larger) for larger in range(size + 1, self._n + 1))

    def _give_up(self, size: int) -> None:
        self.complete = False
        decided = set().union(*self._reached, self._bounds.not_unique) | self._figures.keys()
        looked = sum(1 for mask in decided if mask.bit_count() == size) + self._bounds.kept(size)
        self._leave(size, max(0, math.comb(self._n, size) - looked), "the search was stopped")
        self._leave(size + 1, self._more_than(size), "the search was stopped", self._n)

    def _level(self, size: int) -> None:
        total = math.comb(self._n, size)
        masks = _all_masks(self._n, size) if total <= _MOST_CANDIDATES else self._promising(size)
        with self._counting.step(f"sets of {size} columns: what can be left out"):
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
        with self._counting.step(f"sets of {size} columns: {len(wanted):,} to count"):
            self._count(wanted)
        self._decide(wanted)
        self._verify([mask for mask in wanted if mask in self._figures])

    def _promising(self, size: int) -> list[int]:
        """Return the sets that add a column to the most telling ones of one column less."""
        best = sorted(
            (mask for mask in self._figures if mask.bit_count() == size - 1),
            key=lambda mask: (-self._figures[mask].entropy_bits, mask),
        )
        found: dict[int, None] = {}
        for mask in best:
            if len(found) >= min(_MOST_CANDIDATES, 4 * self._left):
                break
            for column in range(self._n):
                if not mask >> column & 1:
                    found[mask | 1 << column] = None
        return list(found)

    def _wanted(self, masks: Sequence[int]) -> list[int]:
        """Return the sets that have to be counted."""
        wanted = []
        for place, mask in enumerate(masks):
            if place % 4096 == 0:
                self._counting.advance(place / len(masks))
            if mask in self._figures:
                self._decide([mask])
                continue
            parts = [mask ^ 1 << column for column in columns_of(mask)]
            # Pairs are few, everyone wants to see them, and they make the bounds of all larger sets tighter.
            live = len(parts) == 2 and len(masks) <= _MOST_PAIRS
            live = live or (
                self._fits is not None
                and all(part in self._figures and self._fits(self._figures[part]) for part in parts)
            )
            for j in self._possible:
                if any(part in self._reached[j] for part in parts):
                    self._reached[j].add(mask)
                elif not live:
                    live = self._can(mask, j)
            if live:
                wanted.append(mask)
            else:
                self._bounds.keep(mask)
        return wanted

    def _can(self, mask: int, j: int) -> bool:
        return self._bounds.can_single_out(mask, self._needs[j], self._bits[j])

    def _count(self, wanted: Sequence[int]) -> None:
        tasks = make_tasks(wanted, self._rank, self._only_unique(wanted))
        done = 0
        # In rounds that do not depend on the number of threads, so that the answer does not, either.
        for start in range(0, len(tasks), _TASKS_AT_ONCE):
            alike: list[int] = []
            known = list(self._bounds.alike)

            def store(task: Task, counted: Counted, alike: list[int] = alike) -> None:
                nonlocal done
                alike.extend(counted.alike)
                self._bounds.not_unique.update(counted.not_unique)
                for mask, spectrum in counted.spectra:
                    self._counting.note(mask, spectrum)
                done += len(task.pairs)
                self._counting.advance(done / len(wanted))

            self._counting.run_tasks(tasks[start : start + _TASKS_AT_ONCE], self._drawn, known, store)
            self._bounds.add_alike(alike)

    def _only_unique(self, wanted: Sequence[int]) -> frozenset[int]:
        """Return the sets that matter only when they make everyone unique."""
        if (
            self._fits is not None
            or all(mask.bit_count() == 2 for mask in wanted)
            or not any(self._needs[j] == self._n_people for j in self._possible)
        ):
            return frozenset()
        below = [j for j in self._possible if self._needs[j] < self._n_people]
        return frozenset(
            mask for mask in wanted if all(mask in self._reached[j] or not self._can(mask, j) for j in below)
        )

    def _decide(self, masks: Sequence[int]) -> None:
        for mask, j in itertools.product(masks, self._possible):
            if mask in self._figures and self._figures[mask].singletons >= self._needs[j]:
                self._reached[j].add(mask)

    def _verify(self, masks: Sequence[int]) -> None:
        """Count the parts of what was found, where a bounded search has passed them over."""
        for mask, j in itertools.product(masks, self._possible):
            if self._figures[mask].singletons < self._needs[j]:
                continue
            for part in (mask ^ 1 << column for column in columns_of(mask)):
                if part and part not in self._figures and part not in self._reached[j] and self._can(part, j):
                    self._counting.note(part, self._counting.count_columns(columns_of(part)))
                    self._decide([part])
                    self._verify([part])


def _all_masks(n: int, size: int) -> list[int]:
    return [sum(1 << column for column in columns) for columns in itertools.combinations(range(n), size)]
