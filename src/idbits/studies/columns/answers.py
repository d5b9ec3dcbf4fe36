"""What follows from the counted sets of columns: minimal ones, those within a budget, and each column's part."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from idbits.measures.shapley import shapley_of_orders, shapley_of_subsets
from idbits.studies.columns.counting import Counting, columns_of
from idbits.studies.columns.figures import SubsetFigures

__all__ = ["Limits", "Shapley", "largest_within", "minimal_masks", "shapley_exact", "shapley_sampled"]

_MOST_ORDERS = 200
_FEWEST_ORDERS = 10
_WORK = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What a release may give away: at most so many bits, sets of at least so many people."""

    max_bits: float | None
    min_k: int | None

    def fit(self, figures: SubsetFigures) -> bool:
        """Whether a set of columns is within the limits; then all its parts are."""
        return (self.max_bits is None or figures.entropy_bits <= self.max_bits) and (
            self.min_k is None or figures.k_min >= self.min_k
        )


@dataclass(frozen=True, slots=True)
class Shapley:
    """Shapley values with their standard errors, and from how many orders of the columns (0: all, exactly)."""

    values: list[float]
    errors: list[float]
    orders: int


def minimal_masks(
    figures: Mapping[int, SubsetFigures], people: int, ruled_out: Callable[[int], bool] = lambda _: False
) -> list[int]:
    """Return the counted sets that single out so many people while, for certain, none of their parts does.

    ``ruled_out`` says whether that is known of a part that was not counted.
    """

    def fails(part: int) -> bool:
        return figures[part].singletons < people if part in figures else ruled_out(part)

    return [
        mask
        for mask, found in figures.items()
        if found.singletons >= people
        and all(fails(mask ^ 1 << column) for column in columns_of(mask) if mask != 1 << column)
    ]


def largest_within(figures: Mapping[int, SubsetFigures], limits: Limits, n_columns: int) -> list[tuple[int, bool]]:
    """Return the largest counted sets within the limits; with each, whether it is proven that none can be added."""
    fitting = {mask for mask, found in figures.items() if limits.fit(found)}
    # What does not fit in the least: whatever holds one of these does not fit, either.
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
        return any(part | 1 << column in known for part in _parts_of(mask))

    by_size: dict[int, list[int]] = {}
    for mask in fitting:
        by_size.setdefault(mask.bit_count(), []).append(mask)
    found = []
    for mask in fitting:
        others = [column for column in range(n_columns) if not mask >> column & 1]
        if any(mask | 1 << column in fitting for column in others):
            continue
        proven = all(cannot_join(column, mask) for column in others)
        # A set may fit inside one that is larger by several columns, where those between were not counted.
        larger = (other for size in by_size if size > mask.bit_count() + 1 for other in by_size[size])
        if not proven and any(mask & ~other == 0 for other in larger):
            continue
        found.append((mask, proven))
    return found


def _parts_of(mask: int) -> Iterator[int]:
    """Yield all sets of columns within a set: itself first, the empty one last.

    >>> list(_parts_of(0b101))
    [5, 4, 1, 0]
    """
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
    yield 0


def shapley_exact(figures: Mapping[int, SubsetFigures], n_columns: int) -> Shapley:
    """Return the Shapley values from the entropies of all subsets."""
    entropies = {mask: found.entropy_bits for mask, found in figures.items()}
    return Shapley(shapley_of_subsets(entropies, n_columns), [0.0] * n_columns, 0)


def shapley_sampled(counting: Counting, seed: int) -> Shapley:
    """Estimate the Shapley values from some orders of the columns, each with its reverse."""
    n, rows = counting.n_columns, counting.table.n_rows
    number = max(_FEWEST_ORDERS, min(_MOST_ORDERS, _WORK // max(1, n * rows))) // 2 * 2
    draw = random.Random(seed)  # noqa: S311 (repeatable on purpose)
    orders: list[list[int]] = []
    while len(orders) < number:
        order = draw.sample(range(n), n)
        orders += [order, order[::-1]]
    entropies: dict[int, list[float]] = {}

    def store(place: int, found: list[float]) -> None:
        entropies[place] = found
        counting.advance(len(entropies) / number)

    with counting.step("each column's part of the whole"):
        counting.run_orders(orders, store)
    values, errors = shapley_of_orders(orders, [entropies[place] for place in range(number)], n)
    return Shapley(values, errors, number)
