"""What does rounding buy? The study behind ``idbits predict width``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Unpack

import numpy as np

from idbits.attributes import Attribute, parse_attribute
from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.measures import widths as formulas
from idbits.measures.densities import Density
from idbits.measures.distribution import Distribution
from idbits.measures.simulation import mean_estimate, n_draws, simulated_singletons, variance_estimate
from idbits.measures.singletons import mean_singletons, variance_singletons
from idbits.render.prediction_charts import width_chart
from idbits.results.prediction import Approximation, Quantity
from idbits.results.width_prediction import WidthPrediction, WidthRow
from idbits.studies.predict.known import needed_people, on_table
from idbits.studies.predict.shape import read_density
from idbits.studies.predict.width_target import best_listed_width, best_width
from idbits.studies.reading import Names, Reading

__all__ = ["averaged_row", "read_widths", "width"]

_NARROW = "narrow intervals: at most one person in ten expected to share one"
_NARROW_2 = "intervals in which at most three people in ten are expected to share one"
_FINEST = 2.0**52
_TOO_MANY = "there are too many intervals to list, so it was simulated"


def width(
    distribution: Any,
    width: float | Sequence[float] | str | None = None,
    k: int | None = None,
    *,
    attribute: str | None = None,
    target: str | None = None,
    chart: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> WidthPrediction:
    """Predict how rounding a numeric attribute to intervals [i d, (i+1) d) changes the number of unique people.

    Args:
        distribution: ``"normal:sd=5.289"``, ``"normal:mean=70,sd=5"``, ``"uniform:low=0,high=10"``,
            ``"uniform:length=10"``, ``"exponential:mean=3"``, ``"lognormal:mu=10,sigma=0.5"``, or the values of a
            table, ``"people.csv:weight"`` (a frame, with ``attribute``).
        width: one width or several, ``[0.5, 1, 2]`` or ``"0.5,1,2"``; may be left out with a target.
        k: how many people there are.
        attribute: the column of a frame.
        target: what is to hold, for example ``"singletons<=10%"``: the narrowest width that meets it.
        chart: make the chart of the mean against the width, too.
        seed: seed of the simulation, where one is needed.
        reading: how a table is read.

    >>> row = width("normal:sd=5.289", [1], k=10).widths[0]
    >>> round(row.mean.exact, 3)
    6.223
    """
    k = needed_people(k)
    widths = read_widths(width) if width is not None else ()
    if not widths and target is None:
        raise InputError("say how wide the intervals are (--width), or what is to hold (--target)")
    density = read_density(distribution) if isinstance(distribution, str | os.PathLike) else None
    if density is None:
        return _empirical(distribution, attribute, widths, k, target, chart, reading)
    answer = best_width(target, density, k) if target is not None else None
    if answer is not None and not widths:
        assert answer.chosen is not None
        widths = (float(answer.chosen),)
    rows = tuple(_row(density, one, k, seed) for one in widths)
    return WidthPrediction(
        k=k,
        label=str(distribution),
        placed=density.is_placed,
        widths=rows,
        target=answer,
        spec=width_chart([_point(row) for row in rows]) if chart else None,
    )


def read_widths(given: float | Sequence[float] | str) -> tuple[float, ...]:
    """Return widths as numbers; each is more than 0."""
    try:
        words = given.split(",") if isinstance(given, str) else given if isinstance(given, Iterable) else [given]
        widths = tuple(float(word) for word in words)
    except (TypeError, ValueError):
        raise InputError("widths are numbers parted by commas, such as 0.5,1,2 (--width)") from None
    if not widths or not all(one > 0 and math.isfinite(one) for one in widths):
        raise InputError("an interval is wider than 0 (--width)")
    return widths


def averaged_row(
    width: float | tuple[float, float],
    k: int,
    grids: Iterable[tuple[float, Distribution]],
    approximate: Callable[[float, float], tuple[tuple[Approximation, ...], tuple[Approximation, ...]]],
) -> WidthRow:
    """Return mean and variance, averaged over the places of the grid."""
    rows = [(weight, mean_singletons(grid, k), variance_singletons(grid, k)) for weight, grid in grids]
    means = [mean for _, mean, _ in rows]
    mean = math.fsum(weight * mean for weight, mean, _ in rows)
    variance = math.fsum(weight * variance for weight, _, variance in rows)
    for_mean, for_variance = approximate(mean, variance)
    row = WidthRow(width, Quantity.known(mean, for_mean), Quantity.known(variance, for_variance))
    if len(rows) == 1:
        return row
    return WidthRow(width, row.mean, row.variance, min(means), max(means))


def _row(density: Density, width: float, k: int, seed: int) -> WidthRow:
    low, high = density.reach(1e-15)
    if max(abs(low), abs(high)) / width > _FINEST:
        raise InputError("intervals are too narrow for the numbers to be told apart (--width)")
    found = formulas.grids(density, width, k)
    if found is not None:
        return averaged_row(width, k, found, lambda mean, variance: _approximations(density, width, k, mean, variance))

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> Any:
        return formulas.sample_cells(density, width, random, shape)

    counts = simulated_singletons(draw, k, n_draws(k), seed)
    for_mean, for_variance = _approximations(density, width, k, None, None)
    mean, variance = mean_estimate(counts, k), variance_estimate(counts)
    return WidthRow(
        width,
        Quantity(None, mean.low, mean.high, for_mean, None, mean.value, mean.draws, _TOO_MANY),
        Quantity(None, variance.low, variance.high, for_variance, None, variance.value, variance.draws, _TOO_MANY),
    )


def _approximations(
    density: Density, width: float, k: int, mean: float | None, variance: float | None
) -> tuple[tuple[Approximation, ...], tuple[Approximation, ...]]:
    shared = width * (k - 1) * density.power_integral(2)
    first, second = formulas.mean_for_small_widths(density, width, k), formulas.second_order_mean(density, width, k)
    spread = formulas.variance_for_small_widths(density, width, k)

    def one(name: str, value: float, exact: float | None, most: float, limit: str) -> Approximation:
        possible = 0 <= value <= k * k
        error = value - exact if exact is not None else None
        return Approximation(name, value, error, shared <= most and possible, limit)

    return (
        one("first order in d", first, mean, 0.1, _NARROW),
        one("second order in d", second, mean, 0.3, _NARROW_2),
    ), (one("2 d k(k-1) Int f^2", spread, variance, 0.1, _NARROW),)


def _empirical(
    source: Any,
    attribute: str | None,
    widths: tuple[float, ...],
    k: int,
    target: str | None,
    chart: bool,
    reading: Reading,
) -> WidthPrediction:
    """Round the values of a table: the same as ``column:band5`` for width 5."""

    def rounded(table: Table, wanted: tuple[Attribute, ...]) -> tuple[list[WidthRow], Any, str]:
        if len(wanted) != 1:
            raise InputError("name one numeric column, such as people.csv:weight")

        def grid(one: float) -> Distribution:
            band = parse_attribute(f"{wanted[0].name}:band{_decimal(one)}", table.columns)
            return Distribution.from_spectrum(table.spectrum((band,)))

        answer = None
        chosen = widths
        if target is not None:
            answer = best_listed_width(target, grid, k, table.spectrum(wanted).n_sets)
            chosen = widths or (float(answer.chosen or 1),)
        rows = [averaged_row(one, k, [(1.0, grid(one))], lambda *_: ((), ())) for one in chosen]
        return rows, answer, wanted[0].name

    names: Names | None = [attribute] if attribute is not None else None
    (rows, answer, label), _, notes = on_table(source, names, reading, rounded)
    return WidthPrediction(
        k=k,
        label=label,
        placed=True,
        widths=tuple(rows),
        target=answer,
        spec=width_chart([_point(row) for row in rows]) if chart else None,
        notes=notes,
    )


def _decimal(number: float) -> str:
    return format(Decimal(repr(number)).normalize(), "f")


def _point(row: WidthRow) -> dict[str, Any]:
    return {
        "width": row.width,
        "mean": row.mean.value,
        **{approximation.name: approximation.value for approximation in row.mean.approximations},
    }
