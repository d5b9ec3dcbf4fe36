"""Two charts as plain SVG: bars of shares, and lines over group sizes. Colours and fonts are those of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from idbits.render.numbers import share

__all__ = ["line_chart", "share_bars"]

_WIDTH, _HEIGHT = 520.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 10.0, 34.0
_MOST_BARS = 120


def share_bars(shares: Sequence[float], n_values: int, name: str) -> str:
    """Return the shares of people as bars, the largest first, with a line where all would be if they were equal.

    Args:
        shares: the share of people of each value, largest first.
        n_values: how many values are possible.
        name: the id of the element that says what is seen.
    """
    shown = list(shares[:_MOST_BARS])
    most = max(shown)
    x, y = _places(0, len(shown), 0, most)
    parts = [_axis(y, _steps(most)), '<g class="bars">']
    for place, one in enumerate(shown):
        width = max(0.5, (x(1) - x(0)) * 0.86)
        parts.append(f'<rect x="{x(place):.1f}" y="{y(one):.1f}" width="{width:.1f}" height="{y(0) - y(one):.1f}"/>')
    parts.append("</g>")
    equal = 1 / n_values
    parts.append(f'<line class="second" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(equal):.1f}" y2="{y(equal):.1f}"/>')
    end = f"answers, the most common first{f' ({_MOST_BARS} shown)' if len(shares) > _MOST_BARS else ''}"
    parts.append(_below(end))
    return _drawn(parts, name)


def line_chart(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], name: str, below: str, at: float | None
) -> str:
    """Return lines of shares over a logarithmic scale of people.

    Args:
        lines: for each, its class and its points (people, share).
        name: the id of the element that says what is seen.
        below: what the horizontal axis is.
        at: where to draw an upright line.
    """
    people = [point[0] for _, points in lines for point in points]
    low, high = math.log10(min(people)), math.log10(max(people))
    x, y = _places(low, high, 0, 1)
    parts = [_axis(y, [0, 0.25, 0.5, 0.75, 1])]
    beneath = _HEIGHT - _BOTTOM + 14
    parts += [
        f'<text class="tick" x="{x(power):.1f}" y="{beneath}" text-anchor="middle">{10**power:,}</text>'
        for power in range(math.ceil(low), math.floor(high) + 1)
    ]
    for kind, points in lines:
        drawn = " ".join(f"{x(math.log10(k)):.1f},{y(min(1.0, max(0.0, part))):.1f}" for k, part in points)
        parts.append(f'<polyline class="{kind}" points="{drawn}"/>')
    if at is not None and low <= math.log10(at) <= high:
        place = x(math.log10(at))
        parts.append(f'<line class="here" x1="{place:.1f}" x2="{place:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')
    parts.append(_below(below))
    return _drawn(parts, name)


def _places(
    x_low: float, x_high: float, y_low: float, y_high: float
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    return (
        lambda value: _LEFT + wide * (value - x_low) / ((x_high - x_low) or 1),
        lambda value: _TOP + high * (1 - (value - y_low) / ((y_high - y_low) or 1)),
    )


def _steps(most: float) -> list[float]:
    """Return three or four round shares up to the largest."""
    raw = most / 3
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= raw * 0.8)
    return [step * number for number in range(math.floor(most / step + 1e-9) + 1)]


def _axis(y: Callable[[float], float], steps: Sequence[float]) -> str:
    lines = []
    for step in steps:
        words = share(step).replace(".00%", "%")
        lines.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(step):.1f}" y2="{y(step):.1f}"/>'
            f'<text class="tick" x="{_LEFT - 6}" y="{y(step) + 4:.1f}" text-anchor="end">{words}</text>'
        )
    return "".join(lines)


def _below(words: str) -> str:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return f'<text class="title" x="{middle}" y="{_HEIGHT - 4}" text-anchor="middle">{words}</text>'


def _drawn(parts: Sequence[str], name: str) -> str:
    inside = "".join(parts)
    return f'<svg class="chart" role="img" aria-labelledby="{name}" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}">{inside}</svg>'
