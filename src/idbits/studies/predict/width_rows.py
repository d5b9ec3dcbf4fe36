"""The figures of one interval width: exact over the places of the grid, or simulated where there are too many cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idbits.measures.distribution import Distribution
from idbits.measures.simulation import Estimate, mean_estimate, n_draws, simulated_sets, variance_estimate
from idbits.measures.singletons import mean_sets, variance_singletons
from idbits.studies.predict.approximate import Tolerance
from idbits.studies.predict.result import Approximation, Quantity, SetSize
from idbits.studies.predict.width_result import WidthRow

__all__ = ["Formula", "Formulas", "averaged_row", "simulated_row"]

_LARGEST_SET = 3

Width = float | tuple[float, float]
Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Formula:
    """What a formula gives for one width, and whether its conditions hold there."""

    name: str
    value: float
    fits: bool
    limit: str
    tolerance: Tolerance
    most: float

    def beside(self, exact: float | None) -> Approximation:
        """Return the approximation beside the exact value, where there is one."""
        trusted = self.fits and 0 <= self.value <= self.most
        if trusted and exact is not None:
            trusted = self.tolerance.holds(self.value, exact)
        error = self.value - exact if exact is not None else None
        return Approximation(self.name, self.value, error, trusted, f"{self.limit}; {self.tolerance.text}")


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas for one width: of the variance, and of the number of sets of 1, 2 and 3 people."""

    variance: Sequence[Formula] = ()
    sets: dict[int, Sequence[Formula]] = field(default_factory=dict)


def _beside(formulas: Sequence[Formula], exact: float | None) -> tuple[Approximation, ...]:
    return tuple(formula.beside(exact) for formula in formulas)


def averaged_row(width: Width, k: int, grids: Iterable[tuple[float, Distribution]], formulas: Formulas) -> WidthRow:
    """Return the exact figures, averaged over the places of the grid."""
    sizes = range(1, min(_LARGEST_SET, k) + 1)
    rows = [(weight, variance_singletons(grid, k), [mean_sets(grid, k, j) for j in sizes]) for weight, grid in grids]
    variance = math.fsum(weight * spread for weight, spread, _ in rows)
    sets = [math.fsum(weight * found[j - 1] for weight, _, found in rows) for j in sizes]
    quantities = [Quantity.known(sets[j - 1], _beside(formulas.sets.get(j, ()), sets[j - 1])) for j in sizes]
    means = [found[0] for _, _, found in rows]
    return WidthRow(
        width,
        quantities[0],
        Quantity.known(variance, _beside(formulas.variance, variance)),
        tuple(SetSize.of(j, k, quantity) for j, quantity in zip(sizes, quantities, strict=True)),
        *((min(means), max(means)) if len(rows) > 1 else (None, None)),
    )


def simulated_row(width: Width, k: int, draw: Draw, seed: int, formulas: Formulas, reason: str) -> WidthRow:
    """Return the figures of a seeded simulation, with their intervals."""
    sizes = range(1, min(_LARGEST_SET, k) + 1)
    counts = simulated_sets(draw, k, n_draws(k), seed, sizes[-1])

    def quantity(found: Estimate, given: Sequence[Formula]) -> Quantity:
        near = _beside(given, None)
        return Quantity(None, found.low, found.high, near, None, found.value, found.draws, reason)

    sets = [quantity(mean_estimate(counts[j - 1], k // j), formulas.sets.get(j, ())) for j in sizes]
    return WidthRow(
        width,
        sets[0],
        quantity(variance_estimate(counts[0]), formulas.variance),
        tuple(SetSize.of(j, k, found) for j, found in zip(sizes, sets, strict=True)),
    )
