"""What does rounding two correlated attributes buy? The study behind ``idbits predict correlated``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from idbits.errors import InputError
from idbits.measures.correlated import BivariateNormal, correlated_grids, mean_for_small_cells
from idbits.studies.predict.approximate import FIGURE
from idbits.studies.predict.charts import width_chart
from idbits.studies.predict.known import needed_people
from idbits.studies.predict.width import read_widths
from idbits.studies.predict.width_result import CorrelatedPrediction, WidthRow
from idbits.studies.predict.width_rows import Formula, Formulas, averaged_row, simulated_row

__all__ = ["correlated"]

_SMALL = "small cells: at most one person in ten expected to share one"
_TOO_MANY = "there are too many cells to list, or the correlation is too near 1, so it was simulated"

Pair = Sequence[float] | str


def correlated(
    sd: Pair,
    rho: float,
    width: Pair | Sequence[Pair],
    k: int | None = None,
    *,
    mean: Pair | None = None,
    chart: bool = False,
    seed: int = 0,
) -> CorrelatedPrediction:
    """Predict the number of unique people when two correlated numeric attributes are rounded (bivariate normal).

    Args:
        sd: both standard deviations, ``[5.289, 4.83]`` or ``"5.289,4.83"``.
        rho: their correlation, between -1 and 1.
        width: both widths, or a list of such pairs.
        k: how many people there are.
        mean: both means; without them figures are averaged over the places of the grid.
        chart: make the chart of the mean against the size of a cell, too.
        seed: seed of the simulation, where one is needed.

    >>> row = correlated([5.289, 4.83], 0.5028, [1, 1], k=10).widths[0]
    >>> round(row.mean.exact, 3)
    9.683
    """
    k = needed_people(k)
    sds = _pair(sd, "standard deviations (--sd)")
    if not min(sds) > 0:
        raise InputError("standard deviations are more than 0 (--sd)")
    if not -1 < rho < 1:
        raise InputError(
            "the correlation lies between -1 and 1; at 1 both are one attribute: use predict width (--rho)"
        )
    pair = BivariateNormal(sds, rho, _pair(mean, "means (--mean)") if mean is not None else None)
    several = not isinstance(width, str) and all(not isinstance(one, float | int) for one in width)
    widths = [_width_pair(one) for one in (width if several else [width])]  # type: ignore[arg-type]
    rows = tuple(_row(pair, one, k, seed) for one in widths)
    points = [{"width": math.prod(row.width), "mean": row.mean.value} for row in rows if isinstance(row.width, tuple)]
    return CorrelatedPrediction(
        k=k,
        label=f"two normal attributes, sd {sds[0]:g} and {sds[1]:g}, correlation {rho:g}",
        placed=pair.means is not None,
        widths=rows,
        rho=rho,
        spec=width_chart(points, "width times width") if chart else None,
    )


def _pair(given: Pair, what: str) -> tuple[float, float]:
    try:
        numbers = [float(word) for word in (given.split(",") if isinstance(given, str) else given)]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
        raise InputError(f"give two {what}, such as 5.3,4.8")
    return numbers[0], numbers[1]


def _width_pair(given: Pair) -> tuple[float, float]:
    widths = read_widths(given)
    if len(widths) != 2:
        raise InputError("give two widths, such as 1,1 (--width)")
    return widths[0], widths[1]


def _row(pair: BivariateNormal, widths: tuple[float, float], k: int, seed: int) -> WidthRow:
    if max(sd / one for sd, one in zip(pair.sds, widths, strict=True)) > 2.0**26:
        raise InputError("intervals are too narrow for the numbers to be told apart (--width)")
    value = mean_for_small_cells(pair, widths, k)
    small = math.prod(widths) * (k - 1) * pair.collision_density() <= 0.1
    formulas = Formulas(sets={1: [Formula("first order in dx dy", value, small, _SMALL, FIGURE, k)]})
    found = correlated_grids(pair, widths, k)
    if found is not None:
        return averaged_row(widths, k, found, formulas)

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> Any:
        return pair.sample(random, shape, widths)

    return simulated_row(widths, k, draw, seed, formulas, _TOO_MANY)
