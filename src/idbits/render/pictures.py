"""Charts for the app, drawn as plain SVG in the colours and fonts of the page.

Figures of people, a line from one person to everyone, bars of shares, and lines over group sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from idbits.render.landmarks import LANDMARKS
from idbits.render.numbers import share
from idbits.render.scales import Scale, coordinate, decades, even_scale, round_steps

__all__ = ["crowd_picture", "crowd_unit", "line_chart", "range_picture", "share_bars"]

_CROWD_COLUMNS = 20
_MOST_FIGURES = 100
_FIGURE_WIDTH, _FIGURE_HEIGHT = 16, 30
_HEAD = "M8 1.5a4 4 0 1 1 0 8a4 4 0 0 1 0-8z"
_BODY = (
    "M3.2 11h9.6a2.2 2.2 0 0 1 2.2 2.2v6.3a1.6 1.6 0 0 1-1.6 1.6h-.8l-.5 6a1.6 1.6 0 0 1-1.6 1."
    "4H5.5a1.6 1.6 0 0 1-1.6-1.4l-.5-6h-.8A1.6 1.6 0 0 1 1 19.5v-6.3A2.2 2.2 0 0 1 3.2 11z"
)
_RANGE_WIDTH, _RANGE_LEFT, _RANGE_RIGHT = 320, 6.0, 314.0
_CHART_WIDTH, _CHART_HEIGHT = 520, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, _CHART_WIDTH - 10.0, 10.0, _CHART_HEIGHT - 34.0
_MOST_BARS = 120


def crowd_unit(people: float) -> int:
    """Return the number of people per figure, so that at most a hundred figures are needed.

    >>> crowd_unit(17_811_291), crowd_unit(99), crowd_unit(101), crowd_unit(0.1)
    (200000, 1, 2, 1)
    """
    unit = 1
    while people / unit > _MOST_FIGURES:
        # 1, 2, 5, 10, 20, 50, ...
        unit = unit * 5 // 2 if str(unit).startswith("2") else unit * 2
    return unit


def crowd_picture(people: float) -> str:
    """Return at most 100 figures of people; the first is you.

    >>> crowd_picture(3.7).count("<use")
    3
    """
    figures = max(1, math.floor(people / crowd_unit(people)))
    rows = math.ceil(figures / _CROWD_COLUMNS)
    # Few figures are drawn large.
    columns = min(_CROWD_COLUMNS, max(figures, 8))
    width, height = columns * (_FIGURE_WIDTH + 4), rows * (_FIGURE_HEIGHT + 6)
    parts = [_figure(index) for index in range(figures)]
    return (
        f'<svg class="crowd" viewBox="0 0 {width} {height}" aria-hidden="true" focusable="false">'
        f'<defs><path id="person" d="{_HEAD}{_BODY}"/></defs>{"".join(parts)}</svg>'
    )


def _figure(index: int) -> str:
    row, column = divmod(index, _CROWD_COLUMNS)
    x, y = 2 + column * (_FIGURE_WIDTH + 4), 2 + row * (_FIGURE_HEIGHT + 6)
    you = ' class="you"' if index == 0 else ""
    return f'<use href="#person" x="{x}" y="{y}"{you}/>'


def range_picture(
    everyone: float, best: float, typical: float | None, worst: float | None, *, marks: bool = False
) -> str:
    """Return a logarithmic line from one person to everyone, with the number of people left.

    Args:
        everyone: the number of people at the start.
        best: the number left at best.
        typical: the number typically left, or None if unknown.
        worst: the number left at worst, or None if unknown.
        marks: whether to label the line with familiar sizes.
    """
    most = max(1.0, decades(max(everyone, 10)))
    scale = even_scale(0, most, _RANGE_LEFT, _RANGE_RIGHT)

    def x(people: float) -> float:
        return scale(min(most, decades(max(people, 1))))

    low = x(worst if worst is not None else 1)
    unsure = "" if worst is not None else " unsure"
    parts = [_line("rail", _RANGE_LEFT, _RANGE_RIGHT, "8", "8")]
    parts += [_line("tick", x(10**power), x(10**power), "5", "11") for power in range(math.floor(most) + 1)]
    parts.append(_line(f"span{unsure}", low, max(x(best), low + 0.1), "8", "8"))
    if typical is not None:
        parts.append(f'<circle class="dot" cx="{coordinate(x(typical))}" cy="8" r="5"/>')
    if marks:
        parts += _landmarks(everyone, x)
    height = 30 if marks else 16
    opening = f'<svg class="range" viewBox="0 0 {_RANGE_WIDTH} {height}" aria-hidden="true" focusable="false">'
    return "".join([opening, *parts, "</svg>"])


def _landmarks(everyone: float, x: Scale) -> list[str]:
    texts = []
    known = [landmark for landmark in LANDMARKS if landmark[0] <= everyone]
    for people, name in known[::2]:
        position = x(people)
        anchor = "start" if position < 30 else "end" if position > _RANGE_WIDTH - 30 else "middle"
        texts.append(f'<text x="{coordinate(position)}" y="26" text-anchor="{anchor}">{name}</text>')
    return texts


def share_bars(shares: Sequence[float], n_values: int, name: str) -> str:
    """Return the shares of people as bars, largest first, with a line at the share if all were equal.

    Args:
        shares: the share of people of each value, largest first.
        n_values: the number of possible values.
        name: the id of the element that describes the chart.
    """
    shown = list(shares[:_MOST_BARS])
    most = max(shown)
    x, y = even_scale(0, len(shown), _LEFT, _RIGHT), even_scale(0, most, _BOTTOM, _TOP)
    width = coordinate(max(0.5, (x(1) - x(0)) * 0.86))
    bars = [
        f'<rect x="{coordinate(x(index))}" y="{coordinate(y(part))}" width="{width}" '
        f'height="{coordinate(y(0) - y(part))}"/>'
        for index, part in enumerate(shown)
    ]
    equal = coordinate(y(1 / n_values))
    below = f"answers, most common first{f' ({_MOST_BARS} shown)' if len(shares) > _MOST_BARS else ''}"
    parts = [*_axis(y, round_steps(most)), '<g class="bars">', *bars, "</g>"]
    return _chart([*parts, _line("second", _LEFT, _RIGHT, equal, equal)], below, name)


def line_chart(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], name: str, below: str, at: float | None
) -> str:
    """Return lines of shares over a logarithmic scale of people.

    Args:
        lines: for each line, its CSS class and its points (people, share).
        name: the id of the element that describes the chart.
        below: the label of the horizontal axis.
        at: where to draw a vertical line.
    """
    people = [point[0] for _, points in lines for point in points]
    low, high = decades(min(people)), decades(max(people))
    x, y = even_scale(low, high, _LEFT, _RIGHT), even_scale(0, 1, _BOTTOM, _TOP)
    parts = _axis(y, [0, 0.25, 0.5, 0.75, 1])
    parts += [
        f'<text class="tick" x="{coordinate(x(power))}" y="{_BOTTOM + 14}" text-anchor="middle">{10**power:,}</text>'
        for power in range(math.ceil(low), math.floor(high) + 1)
    ]
    for kind, points in lines:
        drawn = " ".join(f"{coordinate(x(decades(k)))},{coordinate(y(min(1.0, max(0.0, part))))}" for k, part in points)
        parts.append(f'<polyline class="{kind}" points="{drawn}"/>')
    if at is not None and low <= decades(at) <= high:
        parts.append(_line("here", x(decades(at)), x(decades(at)), coordinate(_TOP), coordinate(_BOTTOM)))
    return _chart(parts, below, name)


def _line(kind: str, x1: float, x2: float, y1: str, y2: str) -> str:
    return f'<line class="{kind}" x1="{coordinate(x1)}" x2="{coordinate(x2)}" y1="{y1}" y2="{y2}"/>'


def _axis(y: Scale, steps: Sequence[float]) -> list[str]:
    parts = []
    for step in steps:
        label = escape(share(step).replace(".00%", "%"))
        parts.append(_line("grid", _LEFT, _RIGHT, coordinate(y(step)), coordinate(y(step))))
        parts.append(
            f'<text class="tick" x="{_LEFT - 6}" y="{coordinate(y(step) + 4)}" text-anchor="end">{label}</text>'
        )
    return parts


def _chart(parts: Sequence[str], below: str, name: str) -> str:
    opening = f'<svg class="chart" role="img" aria-labelledby="{name}" viewBox="0 0 {_CHART_WIDTH} {_CHART_HEIGHT}">'
    x, y = (_LEFT + _RIGHT) / 2, _CHART_HEIGHT - 4.0
    title = f'<text class="title" x="{x}" y="{y}" text-anchor="middle">{below}</text>'
    return "".join([opening, *parts, title, "</svg>"])
