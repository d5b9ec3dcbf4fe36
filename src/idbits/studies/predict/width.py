"""What does rounding buy? The study behind ``idbits predict width``."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.measures import widths
from idbits.measures.densities import Density
from idbits.measures.distribution import Distribution
from idbits.reading import Names, Reading
from idbits.studies.predict.approximate import FIGURE
from idbits.studies.predict.charts import width_chart
from idbits.studies.predict.known import needed_people, on_table
from idbits.studies.predict.shape import read_density
from idbits.studies.predict.width_result import WidthPrediction, WidthRow
from idbits.studies.predict.width_rows import Formula, Formulas, averaged_row, simulated_row
from idbits.studies.predict.width_target import best_listed_width, best_width
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["read_widths", "width"]

_NARROW = "narrow intervals: at most one person in ten expected to share one"
_NARROW_2 = "intervals in which at most three people in ten are expected to share one"
_TINY = "very narrow intervals: at most three people in a hundred expected to share one"
_ORDERS = {1: "first order in d", 2: "second order in d"}
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
    asked = read_widths(width) if width is not None else ()
    if not asked and target is None:
        raise InputError("say how wide the intervals are (--width), or what is to hold (--target)")
    density = read_density(distribution) if isinstance(distribution, str | os.PathLike) else None
    if density is None:
        return _empirical(distribution, attribute, asked, k, target, chart, reading)
    answer = best_width(target, density, k) if target is not None else None
    if answer is not None and not asked:
        assert answer.chosen is not None
        asked = (float(answer.chosen),)
    rows = tuple(_row(density, one, k, seed) for one in asked)
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
        numbers = tuple(float(word) for word in words)
    except (TypeError, ValueError):
        raise InputError("widths are numbers parted by commas, such as 0.5,1,2 (--width)") from None
    if not numbers or not all(one > 0 and math.isfinite(one) for one in numbers):
        raise InputError("an interval is wider than 0 (--width)")
    return numbers


def _row(density: Density, width: float, k: int, seed: int) -> WidthRow:
    low, high = density.reach(1e-15)
    if max(abs(low), abs(high)) / width > _FINEST:
        raise InputError("intervals are too narrow for the numbers to be told apart (--width)")
    formulas = _formulas(density, width, k)
    found = widths.grids(density, width, k)
    if found is not None:
        return averaged_row(width, k, found, formulas)

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.int64]:
        return widths.sample_cells(density, width, random, shape)

    return simulated_row(width, k, draw, seed, formulas, _TOO_MANY)


def _formulas(density: Density, width: float, k: int) -> Formulas:
    """Return the expansions in the width, each with the condition that what it leaves out is small."""
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
            2: [
                sets(2, 1, fits=tiny, limit=_TINY),
                sets(2, 2, fits=shared <= 0.1 and triples <= 0.15, limit=_NARROW),
            ],
            3: [sets(3, 2, fits=tiny and larger <= 0.05, limit=_TINY)],
        },
    )


def _empirical(
    source: Any,
    attribute: str | None,
    asked: tuple[float, ...],
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
        chosen = asked
        if target is not None:
            answer = best_listed_width(target, grid, k, table.spectrum(wanted).n_sets)
            chosen = asked or (float(answer.chosen or 1),)
        rows = [averaged_row(one, k, [(1.0, grid(one))], Formulas()) for one in chosen]
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
        **{f"people in groups of {size.j}": (size.sets.value or 0.0) * size.j for size in row.sizes[1:]},
    }
