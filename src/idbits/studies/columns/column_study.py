"""The sets of columns of one table, counted, and the answer that follows from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from idbits.engines.base import OpenOptions
from idbits.studies.columns.answers import (
    Limits,
    Shapley,
    largest_within,
    minimal_masks,
    shapley_exact,
    shapley_sampled,
)
from idbits.studies.columns.choice import Chosen
from idbits.studies.columns.counting import Counting, TimeIsUpError, columns_of
from idbits.studies.columns.figures import Budget, Contribution, Minimal, NotSearched, RecordsFile, Subset
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.columns.search import ColumnSearch
from idbits.studies.shared.next_command import command_line

__all__ = ["ColumnStudy"]

_EVERY_SUBSET = 10
_LISTED = 1_000
_EACH_SIZE = 20
_WORK_ROWS = 100_000_000_000
_MOST_SETS = 500_000
_INTERRUPTED = "it was stopped with Ctrl-C"
_OVER = "the time was over (--max-seconds)"


class ColumnStudy:
    """The sets of columns of one table, counted, and what follows from them."""

    def __init__(
        self, counting: Counting, chosen: Chosen, shares: tuple[float, ...], max_size: int, limits: Limits | None
    ) -> None:
        self.counting, self.chosen, self.shares, self.limits = counting, chosen, shares, limits
        self.n, self.n_people = counting.n_columns, counting.table.n_people
        self.every_subset = self.n <= _EVERY_SUBSET
        self.max_size = self.n if self.every_subset else min(max_size, self.n)
        # In exact fractions: 0.07 * 100 is more than 7 in floats.
        self.needs = [math.ceil(Fraction(str(share)) * self.n_people) for share in (*shares, 1.0)]
        self.search: ColumnSearch | None = None
        self.shapley: Shapley | None = None
        self.stopped: str | None = None
        self.interrupted = False

    def count(self, max_sets: int | None, seed: int) -> None:
        """Count, until it is done or stopped."""
        try:
            if self.every_subset:
                self.counting.count_all()
                self.shapley = shapley_exact(self.counting.figures, self.n)
            else:
                self.counting.count_ends()
                self.shapley = shapley_sampled(self.counting, seed)
                most = max_sets or max(1_000, min(_MOST_SETS, _WORK_ROWS // self.counting.table.n_rows))
                fits = self.limits.fit if self.limits is not None else None
                self.search = ColumnSearch(self.counting, self.needs, self.max_size, most, fits)
                self.search.go()
        except KeyboardInterrupt:
            self.stopped, self.interrupted = _INTERRUPTED, True
        except TimeIsUpError:
            self.stopped = _OVER

    def write(self, records: Callable[[], RecordsFile]) -> RecordsFile | None:
        """Write the file about records, unless it is or gets stopped."""
        if self.stopped is not None:
            return None
        try:
            return records()
        except KeyboardInterrupt:
            self.stopped, self.interrupted = _INTERRUPTED, True
        except TimeIsUpError:
            self.stopped = _OVER
        return None

    @property
    def complete(self) -> bool:
        """Whether everything that was asked for was looked at."""
        return self.stopped is None and (self.search is None or self.search.complete)

    def answer(
        self,
        source: str | None,
        options: OpenOptions,
        notes: tuple[str, ...],
        records: RecordsFile | None,
        internal: bool,
    ) -> ColumnSubsets:
        """Put the answer together."""
        everything = self.counting.figures.get((1 << self.n) - 1)
        minimal = self._minimal()
        return ColumnSubsets(
            source=source,
            n_rows=self.n_people,
            candidates=self.chosen.names,
            left_out=self.chosen.left_out,
            shares=self.shares,
            max_size=self.max_size,
            together=everything,
            subsets=self._subsets(minimal),
            n_counted=len(self.counting.figures),
            minimal=minimal,
            contribution=self._contribution(),
            orders=self.shapley.orders if self.shapley is not None else 0,
            budget=self._budget(),
            records=records,
            not_searched=self._not_searched(),
            complete=self.complete,
            stopped=self.stopped,
            interrupted=self.interrupted,
            every_subset=self.every_subset,
            internal=internal,
            notes=notes,
            next_command=self._next(source, options, minimal),
        )

    def _subset(self, mask: int) -> Subset:
        names = tuple(self.chosen.names[column] for column in columns_of(mask))
        return Subset(names, self.counting.figures[mask])

    def _minimal(self) -> tuple[Minimal, ...]:
        figures, found = self.counting.figures, []
        everything = figures.get((1 << self.n) - 1)
        for place, (share, need) in enumerate(zip((*self.shares, 1.0), self.needs, strict=True)):
            if share == 1.0 and place < len(self.shares):
                continue
            search = self.search
            masks = minimal_masks(figures, need, search.rules_out(place)) if search else minimal_masks(figures, need)
            masks.sort(key=lambda mask: (mask.bit_count(), -figures[mask].singletons, columns_of(mask)))
            impossible = everything is not None and everything.singletons < need
            sets = tuple(self._subset(mask) for mask in masks)
            found.append(Minimal(share, need, sets, self.complete or impossible))
        return tuple(found)

    def _subsets(self, minimal: Sequence[Minimal]) -> tuple[Subset, ...]:
        """Return what is listed: everything, or single columns, minimal sets, all together and the most telling."""
        figures = self.counting.figures
        ordered = sorted(figures, key=lambda mask: (-figures[mask].entropy_bits, mask.bit_count(), columns_of(mask)))
        listed = [self._subset(mask) for mask in ordered]
        if self.every_subset or len(listed) <= _LISTED:
            return tuple(listed)
        must = {subset.columns for entry in minimal for subset in entry.sets[:_LISTED]}
        must |= {(name,) for name in self.chosen.names} | {self.chosen.names}
        searched = [s for s in listed if s.columns in must or len(s.columns) <= self.max_size]
        kept = {subset.columns for subset in searched[:_LISTED]} | must
        for size in range(1, self.max_size + 1):
            kept |= {s.columns for s in itertools.islice((s for s in searched if len(s.columns) == size), _EACH_SIZE)}
        return tuple(subset for subset in listed if subset.columns in kept)

    def _contribution(self) -> tuple[Contribution, ...]:
        figures, full = self.counting.figures, (1 << self.n) - 1
        parts = []
        for column, name in enumerate(self.chosen.names):
            alone, rest = figures.get(1 << column), figures.get(full ^ 1 << column)
            on_top = None
            if full in figures and (rest is not None or self.n == 1):
                # Without other columns there is nothing to be on top of.
                before = rest.entropy_bits if rest is not None else 0.0
                on_top = max(0.0, figures[full].entropy_bits - before)
            shapley = self.shapley
            parts.append(
                Contribution(
                    name,
                    alone.entropy_bits if alone is not None else None,
                    on_top,
                    shapley.values[column] if shapley is not None else None,
                    shapley.errors[column] if shapley is not None else None,
                    rest.singletons if rest is not None else 0 if self.n == 1 and self.n_people > 1 else None,
                )
            )
        return tuple(parts)

    def _budget(self) -> Budget | None:
        if self.limits is None:
            return None
        figures = self.counting.figures
        found = largest_within(figures, self.limits, self.n)
        found.sort(key=lambda item: (-item[0].bit_count(), -figures[item[0]].entropy_bits, columns_of(item[0])))
        return Budget(
            self.limits.max_bits,
            self.limits.min_k,
            tuple(self._subset(mask) for mask, _ in found),
            tuple(proven for _, proven in found),
            self.complete and all(proven for _, proven in found),
        )

    def _not_searched(self) -> tuple[NotSearched, ...]:
        if self.search is not None:
            return tuple(self.search.not_searched)
        if self.stopped is None:
            return ()
        if not self.every_subset:
            return (NotSearched(2, self.n, 2**self.n - 1 - self.n, "the search was stopped"),)
        sizes = [0] * (self.n + 1)
        for mask in self.counting.figures:
            sizes[mask.bit_count()] += 1
        missing = [(size, math.comb(self.n, size) - sizes[size]) for size in range(1, self.n + 1)]
        return tuple(NotSearched(size, size, sets, "the search was stopped") for size, sets in missing if sets)

    def _next(self, source: str | None, options: OpenOptions, minimal: Sequence[Minimal]) -> str | None:
        if source == "-" or self.chosen.withheld:
            return None
        sets = minimal[0].sets
        names = sets[0].columns if sets else self.chosen.names[: self.max_size]
        return command_line(names, source, options)
