"""The effect of rounding to intervals of one width: exact, averaged over the positions of the grid, or simulated.

Densities are written as ``normal:sd=5.289``, ``uniform:low=0,high=10``, ``exponential:mean=3`` and so on.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError
from idbits.measures import widths
from idbits.measures.correlated import BivariateNormal, correlated_grids, mean_for_small_cells
from idbits.measures.densities import Density, Exponential, Lognormal, Normal, Uniform
from idbits.measures.distribution import Distribution
from idbits.measures.simulation import Estimate, mean_estimate, n_draws, simulated_sets, variance_estimate
from idbits.measures.singletons import mean_sets, variance_singletons
from idbits.studies.predict.quantities import FIGURE, Tolerance
from idbits.studies.predict.result import Approximation, Quantity, SetSize, Width, WidthRow

__all__ = [
    "NumberPair", "density_row", "grid_row", "pair_row", "read_cells", "read_density", "read_pair_of_numbers",
    "read_widths",
]  # fmt: skip

NumberPair = Sequence[float] | str
"""Two numbers, ``[5.3, 4.8]`` or ``"5.3,4.8"``."""

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.int64]]

_DENSITIES = {
    "normal": ({"sd"}, {"sd", "mean"}),
    "uniform": (set(), {"low", "high", "length"}),
    "exponential": (set(), {"mean", "rate"}),
    "lognormal": ({"mu", "sigma"}, {"mu", "sigma"}),
}
_EXAMPLES = "normal:sd=5, uniform:low=0,high=10, exponential:mean=3 or lognormal:mu=1,sigma=0.5"
_NARROW = "narrow intervals: at most 1 person in 10 is expected to share one"
_NARROW_2 = "fairly narrow intervals: at most 3 people in 10 are expected to share one"
_TINY = "very narrow intervals: at most 3 people in 100 are expected to share one"
_SMALL = "small cells: at most 1 person in 10 is expected to share one"
_ORDERS = {1: "first order in d", 2: "second order in d"}
_FINEST = 2.0**52
_TOO_MANY_INTERVALS = "simulated: there are too many intervals to list"
_TOO_MANY_CELLS = "simulated: there are too many cells to list, or the correlation is too close to 1"
_LARGEST_SET = 3


def read_density(text: str | os.PathLike[str]) -> Density | None:
    """Return the density that a text names; None if it names a file.

    >>> read_density("normal:sd=5.289")
    Normal(sd=5.289, mean=None)
    """
    name, _, rest = os.fspath(text).partition(":")
    if name not in _DENSITIES or Path(name).exists():
        return None
    numbers = _numbers(rest)
    needed, allowed = _DENSITIES[name]
    if not needed <= set(numbers) <= allowed or not numbers:
        raise InputError(f"{name} takes {', '.join(sorted(allowed))}; write a density as {_EXAMPLES}")
    if name == "normal":
        return Normal(_positive(numbers, "sd"), numbers.get("mean"))
    if name == "lognormal":
        if abs(numbers["mu"]) > 300 or numbers["sigma"] > 30:
            raise InputError("lognormal: mu must be from -300 to 300 and sigma at most 30")
        return Lognormal(numbers["mu"], _positive(numbers, "sigma"))
    if name == "exponential":
        if len(numbers) != 1:
            raise InputError("exponential takes either mean or rate (1 / mean), not both")
        return Exponential(1 / _positive(numbers, "mean") if "mean" in numbers else _positive(numbers, "rate"))
    if set(numbers) == {"length"}:
        return Uniform(_positive(numbers, "length"))
    if set(numbers) != {"low", "high"} or not numbers["low"] < numbers["high"]:
        raise InputError("uniform takes low and a larger high, or only length if its position is not known")
    return Uniform(numbers["high"] - numbers["low"], numbers["low"])


def _numbers(text: str) -> dict[str, float]:
    numbers = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            raise InputError(f"not a density; write it as {_EXAMPLES}") from None
        if not math.isfinite(numbers[name.strip()]):
            raise InputError(f"not a density; write it as {_EXAMPLES}")
    return numbers


def _positive(numbers: dict[str, float], name: str) -> float:
    if numbers[name] <= 0:
        raise InputError(f"{name} must be greater than 0")
    return numbers[name]


def read_widths(given: float | Sequence[float] | str) -> tuple[float, ...]:
    """Return widths as numbers greater than 0."""
    try:
        words = given.split(",") if isinstance(given, str) else given if isinstance(given, Iterable) else [given]
        numbers = tuple(float(word) for word in words)
    except (TypeError, ValueError):
        raise InputError("widths must be numbers separated by commas, such as 0.5,1,2 (--width)") from None
    if not numbers or not all(number > 0 and math.isfinite(number) for number in numbers):
        raise InputError("widths must be greater than 0 (--width)")
    return numbers


def read_pair_of_numbers(given: NumberPair, what: str) -> tuple[float, float]:
    """Return a pair of numbers from a sequence or a text."""
    try:
        numbers = [float(word) for word in (given.split(",") if isinstance(given, str) else given)]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
        raise InputError(f"give two {what}, such as 5.3,4.8")
    return numbers[0], numbers[1]


def read_cells(width: NumberPair | Sequence[NumberPair]) -> list[tuple[float, float]]:
    """Return pairs of widths from one pair or a list of pairs."""
    if isinstance(width, str):
        return [_cell(width)]
    pairs = [pair for pair in width if not isinstance(pair, float | int)]
    return [_cell(pair) for pair in pairs] if len(pairs) == len(width) else [_cell(cast("NumberPair", width))]


def _cell(given: NumberPair) -> tuple[float, float]:
    widths = read_widths(given)
    if len(widths) != 2:
        raise InputError("give two widths, such as 1,1 (--width)")
    return widths[0], widths[1]


@dataclass(frozen=True, slots=True)
class Formula:
    """The result of a formula for one width, and whether its conditions are met."""

    name: str
    value: float
    fits: bool
    limit: str
    tolerance: Tolerance
    most: float

    def beside(self, exact: float | None) -> Approximation:
        """Return the approximation, compared with the exact value if there is one."""
        trusted = self.fits and 0 <= self.value <= self.most
        if trusted and exact is not None:
            trusted = self.tolerance.holds(self.value, exact)
        error = self.value - exact if exact is not None else None
        return Approximation(self.name, self.value, error, trusted, f"{self.limit}; {self.tolerance.text}")


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas for one width: for the variance, and for the number of groups of 1, 2 and 3 people."""

    variance: Sequence[Formula] = ()
    sets: dict[int, Sequence[Formula]] = field(default_factory=dict)


def _beside(formulas: Sequence[Formula], exact: float | None) -> tuple[Approximation, ...]:
    return tuple(formula.beside(exact) for formula in formulas)


def density_row(density: Density, width: float, k: int, seed: int) -> WidthRow:
    """Return the figures of a density at one width."""
    low, high = density.reach(1e-15)
    if max(abs(low), abs(high)) / width > _FINEST:
        raise InputError("the intervals are too narrow for floating-point numbers; give wider ones (--width)")
    formulas = _formulas(density, width, k)
    grids = widths.grids(density, width, k)
    if grids is not None:
        return _averaged_row(width, k, grids, formulas)

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.int64]:
        return widths.sample_cells(density, width, random, shape)

    return _simulated_row(width, k, draw, seed, formulas, _TOO_MANY_INTERVALS)


def _formulas(density: Density, width: float, k: int) -> Formulas:
    """Return the expansions in the width, each with the condition that the omitted terms are small."""
    shared = width * (k - 1) * density.power_integral(2)
    triples = width * (k - 2) * density.power_integral(3) / density.power_integral(2)
    larger = width * (k - 3) * density.power_integral(4) / density.power_integral(3)

    def make(name: str, value: float, *, fits: bool, limit: str, most: float = k) -> Formula:
        return Formula(name, value, fits, limit, FIGURE, most)

    def sets(size: int, order: int, *, fits: bool, limit: str) -> Formula:
        value = widths.sets_for_small_widths(density, width, k, size, order)
        return make(_ORDERS[order], value, fits=fits, limit=limit, most=k / size)

    first, second = widths.mean_for_small_widths(density, width, k), widths.second_order_mean(density, width, k)
    variance = widths.variance_for_small_widths(density, width, k)
    tiny = shared <= 0.03 and triples <= 0.05
    return Formulas(
        variance=[make("2 d k(k-1) Int f^2", variance, fits=tiny, limit=_TINY, most=k * k)],
        sets={
            1: [
                make(_ORDERS[1], first, fits=shared <= 0.1, limit=_NARROW),
                make(_ORDERS[2], second, fits=shared <= 0.3, limit=_NARROW_2),
            ],
            2: [sets(2, 1, fits=tiny, limit=_TINY), sets(2, 2, fits=shared <= 0.1 and triples <= 0.15, limit=_NARROW)],
            3: [sets(3, 2, fits=tiny and larger <= 0.05, limit=_TINY)],
        },
    )


def pair_row(pair: BivariateNormal, cell: tuple[float, float], k: int, seed: int) -> WidthRow:
    """Return the figures of two correlated attributes at one pair of widths."""
    if max(sd / width for sd, width in zip(pair.sds, cell, strict=True)) > 2.0**26:
        raise InputError("the intervals are too narrow for floating-point numbers; give wider ones (--width)")
    value = mean_for_small_cells(pair, cell, k)
    small = math.prod(cell) * (k - 1) * pair.collision_density() <= 0.1
    formulas = Formulas(sets={1: [Formula("first order in dx dy", value, small, _SMALL, FIGURE, k)]})
    grids = correlated_grids(pair, cell, k)
    if grids is not None:
        return _averaged_row(cell, k, grids, formulas)

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.int64]:
        return pair.sample(random, shape, cell)

    return _simulated_row(cell, k, draw, seed, formulas, _TOO_MANY_CELLS)


def grid_row(width: float, k: int, grid: Distribution) -> WidthRow:
    """Return the figures of one grid, whose position is known."""
    return _averaged_row(width, k, [(1.0, grid)], Formulas())


def _averaged_row(width: Width, k: int, grids: Iterable[tuple[float, Distribution]], formulas: Formulas) -> WidthRow:
    """Return the exact figures, averaged over the positions of the grid."""
    sizes = range(1, min(_LARGEST_SET, k) + 1)
    rows = [(weight, variance_singletons(grid, k), [mean_sets(grid, k, j) for j in sizes]) for weight, grid in grids]
    variance = math.fsum(weight * spread for weight, spread, _ in rows)
    sets = [math.fsum(weight * means[j - 1] for weight, _, means in rows) for j in sizes]
    quantities = [Quantity.known(sets[j - 1], _beside(formulas.sets.get(j, ()), sets[j - 1])) for j in sizes]
    singletons = [means[0] for _, _, means in rows]
    return WidthRow(
        width,
        quantities[0],
        Quantity.known(variance, _beside(formulas.variance, variance)),
        tuple(SetSize.of(j, k, quantity) for j, quantity in zip(sizes, quantities, strict=True)),
        *((min(singletons), max(singletons)) if len(rows) > 1 else (None, None)),
    )


def _simulated_row(width: Width, k: int, draw: Draw, seed: int, formulas: Formulas, reason: str) -> WidthRow:
    """Return the figures of a seeded simulation, with their intervals."""
    sizes = range(1, min(_LARGEST_SET, k) + 1)
    counts = simulated_sets(draw, k, n_draws(k), seed, sizes[-1])

    def quantity(estimate: Estimate, given: Sequence[Formula]) -> Quantity:
        near = _beside(given, None)
        return Quantity(None, estimate.low, estimate.high, near, None, estimate.value, estimate.draws, reason)

    sets = [quantity(mean_estimate(counts[j - 1], k // j), formulas.sets.get(j, ())) for j in sizes]
    return WidthRow(
        width,
        sets[0],
        quantity(variance_estimate(counts[0]), formulas.variance),
        tuple(SetSize.of(j, k, number) for j, number in zip(sizes, sets, strict=True)),
    )
