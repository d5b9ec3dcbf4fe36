"""Scales of charts: the position of a value, linear or logarithmic, and how a coordinate is written.

The only logarithm outside ``measures/``: it only positions marks, and no figure is computed from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from idbits.render.numbers import nearest, significant, to_places

__all__ = ["Scale", "coordinate", "decades", "even_scale", "round_steps", "sizes_between", "tick_share"]

Scale = Callable[[float], float]
"""The position of a value, in the units of a chart."""


def coordinate(position: float) -> str:
    """Return a position as written in SVG.

    >>> coordinate(12.345)
    '12.3'
    """
    return to_places(position, 1)


def decades(value: float) -> float:
    """Return the number of factors of ten from 1 to a value.

    >>> decades(1_000)
    3.0
    """
    return math.log10(value)


def even_scale(low: float, high: float, start: float, end: float) -> Scale:
    """Return the linear scale that places ``low`` at ``start`` and ``high`` at ``end``.

    >>> even_scale(0, 4, 100, 200)(1)
    125.0
    """
    return lambda value: start + (end - start) * (value - low) / ((high - low) or 1)


def round_steps(most: float, steps: int = 3) -> list[float]:
    """Return a few round numbers from 0 up to the largest.

    >>> round_steps(9)
    [0.0, 5.0]
    >>> round_steps(0.035)
    [0.0, 0.01, 0.02, 0.03]
    >>> round_steps(15_512, 5)
    [0.0, 5000.0, 10000.0, 15000.0]
    """
    raw = most / steps
    power = 10.0 ** math.floor(decades(raw))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= raw * 0.8)
    return [step * number for number in range(math.floor(most / step + 1e-9) + 1)]


def sizes_between(low: float, high: float, steps: int) -> list[int]:
    """Return whole numbers between two, evenly spaced on a logarithmic scale.

    >>> sizes_between(1, 1_000, 3)
    [1, 10, 100, 1000]
    """
    start, end = decades(low), decades(high)
    return sorted({nearest(10 ** (start + step * (end - start) / steps)) for step in range(steps + 1)})


def tick_share(part: float) -> str:
    """Return a round share on an axis.

    >>> tick_share(0.2), tick_share(0.005), tick_share(0.30000000000000004)
    ('20%', '0.5%', '30%')
    """
    return f"{significant(100 * part, 6)}%"
