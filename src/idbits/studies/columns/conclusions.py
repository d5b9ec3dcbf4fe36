"""Conclusions from the counted sets of columns: minimal sets, sets within a limit, and each column's part."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from idbits.counts import PeopleCounts
from idbits.kernels.subsets import Chain, columns_of
from idbits.measures.entropy import entropy_bits, shapley_of_orders, shapley_of_subsets
from idbits.measures.persons import group_sizes
from idbits.studies.columns.bounds import parts_of
from idbits.studies.columns.result import Contribution, Subset, SubsetFigures
from idbits.studies.columns.search import CountedSubsets

__all__ = [
    "ReleaseLimits", "ShapleyValues", "contributions", "estimate_shapley", "exact_shapley", "largest_within",
    "minimal_masks", "most_telling",
]  # fmt: skip

_MOST_ORDERS = 200
_FEWEST_ORDERS = 10
_WORK = 2_000_000_000
_LISTED = 1_000
_OF_EACH_SIZE = 20

FiguresByMask = Mapping[int, SubsetFigures]


@dataclass(frozen=True, slots=True)
class ReleaseLimits:
    """What a release may give away: at most ``max_bits`` bits, groups of at least ``min_k`` people."""

    max_bits: float | None
    min_k: int | None

    def fit(self, figures: SubsetFigures) -> bool:
        """Whether a set of columns is within the limits; if so, all its parts are."""
        return (self.max_bits is None or figures.entropy_bits <= self.max_bits) and (
            self.min_k is None or figures.k_min >= self.min_k
        )


def minimal_masks(
    figures: FiguresByMask, people: float, is_ruled_out: Callable[[int], bool] = lambda _: False
) -> list[int]:
    """Return the counted sets that single out ``people`` people when it is certain that none of their parts does.

    ``is_ruled_out`` tells whether that is certain for a part that was not counted. Sets of few columns come first.
    """

    def fails(part: int) -> bool:
        return figures[part].singletons < people if part in figures else is_ruled_out(part)

    masks = [
        mask
        for mask, counted in figures.items()
        if counted.singletons >= people
        and all(fails(mask ^ 1 << column) for column in columns_of(mask) if mask != 1 << column)
    ]
    return sorted(masks, key=lambda mask: (mask.bit_count(), -figures[mask].singletons, columns_of(mask)))


def largest_within(figures: FiguresByMask, limits: ReleaseLimits, n_columns: int) -> list[tuple[int, bool]]:
    """Return the largest counted sets within the limits, each with whether it is proven that no column can be added."""
    fitting = {mask for mask, counted in figures.items() if limits.fit(counted)}
    # The smallest sets that do not fit: no set that contains one of them fits either.
    unfit = [
        mask
        for mask in figures.keys() - fitting
        if all(mask ^ 1 << column in fitting for column in columns_of(mask) if mask != 1 << column)
    ]
    unfit_with: dict[int, set[int]] = {column: set() for column in range(n_columns)}
    for mask in unfit:
        for column in columns_of(mask):
            unfit_with[column].add(mask)

    def cannot_join(column: int, mask: int) -> bool:
        grown, known = mask | 1 << column, unfit_with[column]
        if grown in figures:
            return True
        if len(known) < 1 << mask.bit_count():
            return any(small & ~grown == 0 for small in known)
        return any(part | 1 << column in known for part in parts_of(mask))

    by_size: dict[int, list[int]] = {}
    for mask in fitting:
        by_size.setdefault(mask.bit_count(), []).append(mask)
    largest = []
    for mask in fitting:
        others = [column for column in range(n_columns) if not mask >> column & 1]
        if any(mask | 1 << column in fitting for column in others):
            continue
        proven = all(cannot_join(column, mask) for column in others)
        # A set may be part of one that is larger by several columns when the sets between were not counted.
        larger = (other for size in by_size if size > mask.bit_count() + 1 for other in by_size[size])
        if not proven and any(mask & ~other == 0 for other in larger):
            continue
        largest.append((mask, proven))
    return sorted(largest, key=lambda item: (-item[0].bit_count(), -figures[item[0]].entropy_bits, columns_of(item[0])))


def most_telling(subsets: Sequence[Subset], needed: set[tuple[str, ...]], max_size: int) -> tuple[Subset, ...]:
    """Return the first subsets, some of each size up to the largest searched, and those in ``needed``."""
    if len(subsets) <= _LISTED:
        return tuple(subsets)
    searched = [subset for subset in subsets if subset.columns in needed or len(subset.columns) <= max_size]
    listed = {subset.columns for subset in searched[:_LISTED]} | needed
    for size in range(1, max_size + 1):
        of_size = (subset.columns for subset in searched if len(subset.columns) == size)
        listed |= set(itertools.islice(of_size, _OF_EACH_SIZE))
    return tuple(subset for subset in subsets if subset.columns in listed)


@dataclass(frozen=True, slots=True)
class ShapleyValues:
    """Shapley values with their standard errors and the number of column orders used (0: exact, from all)."""

    values: list[float]
    errors: list[float]
    orders: int


def exact_shapley(counted: CountedSubsets) -> ShapleyValues:
    """Return the Shapley values from the entropies of all subsets."""
    entropies = {mask: figures.entropy_bits for mask, figures in counted.figures.items()}
    n = counted.n_columns
    return ShapleyValues(shapley_of_subsets(entropies, n), [0.0] * n, 0)


def estimate_shapley(counted: CountedSubsets, seed: int) -> ShapleyValues:
    """Estimate the Shapley values from some orders of the columns, each with its reverse."""
    n = counted.n_columns
    number = max(_FEWEST_ORDERS, min(_MOST_ORDERS, _WORK // max(1, n * counted.counts.n_rows))) // 2 * 2
    draw = random.Random(seed)  # noqa: S311 (repeatable on purpose)
    orders: list[list[int]] = []
    while len(orders) < number:
        order = draw.sample(range(n), n)
        orders += [order, order[::-1]]
    beginnings = [Chain(tuple(order), 1).masks() for order in orders]
    n_wanted = len({mask for masks in beginnings for mask in masks})
    entropies: dict[int, float] = {}

    def store(spectra: Mapping[int, PeopleCounts]) -> None:
        for mask, counts in spectra.items():
            if mask not in entropies:
                entropies[mask] = entropy_bits(group_sizes(counts))
        counted.advance(len(entropies) / n_wanted)

    with counted.step("estimating each column's part"):
        counted.counts.count_beginnings(orders, store)
    values, errors = shapley_of_orders(orders, [[entropies[mask] for mask in masks] for masks in beginnings], n)
    return ShapleyValues(values, errors, number)


def contributions(
    counted: CountedSubsets, names: Sequence[str], shapley: ShapleyValues | None
) -> tuple[Contribution, ...]:
    """Return what each column gives away by itself, adds to all others, and its part of the whole."""
    figures, together = counted.figures, counted.figures.get(counted.everything)
    parts = []
    for column, name in enumerate(names):
        alone, rest = figures.get(1 << column), figures.get(counted.everything ^ 1 << column)
        on_top, without = None, rest.singletons if rest is not None else None
        if together is not None and rest is not None:
            on_top = max(0.0, together.entropy_bits - rest.entropy_bits)
        if len(names) == 1:
            # Without other columns it adds all its bits, and without any column nobody among several is unique.
            on_top = together.entropy_bits if together is not None else None
            without = 0 if counted.n_people > 1 else None
        parts.append(
            Contribution(
                column=name,
                entropy_bits=alone.entropy_bits if alone is not None else None,
                conditional_bits=on_top,
                shapley_bits=shapley.values[column] if shapley is not None else None,
                shapley_error_bits=shapley.errors[column] if shapley is not None else None,
                singletons_without=without,
            )
        )
    return tuple(parts)
