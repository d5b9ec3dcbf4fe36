"""The crowd, drawn: figures of people, and a scale from one person to everyone, in the colours of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from idbits.render.people import LANDMARKS

__all__ = ["crowd_picture", "crowd_unit", "range_picture"]

_COLUMNS = 20
_MOST_FIGURES = 100
_WIDTH, _HEIGHT = 16, 30
_HEAD = "M8 1.5a4 4 0 1 1 0 8a4 4 0 0 1 0-8z"
_BODY = (
    "M3.2 11h9.6a2.2 2.2 0 0 1 2.2 2.2v6.3a1.6 1.6 0 0 1-1.6 1.6h-.8l-.5 6a1.6 1.6 0 0 1-1.6 1."
    "4H5.5a1.6 1.6 0 0 1-1.6-1.4l-.5-6h-.8A1.6 1.6 0 0 1 1 19.5v-6.3A2.2 2.2 0 0 1 3.2 11z"
)


def crowd_unit(people: float) -> int:
    """Return for how many people a figure stands, so that a hundred are enough.

    >>> crowd_unit(17_811_291), crowd_unit(99), crowd_unit(101), crowd_unit(0.1)
    (200000, 1, 2, 1)
    """
    unit = 1
    while people / unit > _MOST_FIGURES:
        # 1, 2, 5, 10, 20, 50, ...
        unit = unit * 5 // 2 if str(unit).startswith("2") else unit * 2
    return unit


def crowd_picture(people: float) -> str:
    """Return a crowd of at most 100 figures, the first of which is you.

    >>> crowd_picture(3.7).count("<use")
    3
    """
    figures = max(1, math.floor(people / crowd_unit(people)))
    rows = math.ceil(figures / _COLUMNS)
    # Few figures are drawn large.
    columns = min(_COLUMNS, max(figures, 8))
    width, height = columns * (_WIDTH + 4), rows * (_HEIGHT + 6)
    parts = [_figure(place) for place in range(figures)]
    return (
        f'<svg class="crowd" viewBox="0 0 {width} {height}" aria-hidden="true" focusable="false">'
        f'<defs><path id="person" d="{_HEAD}{_BODY}"/></defs>{"".join(parts)}</svg>'
    )


def _figure(place: int) -> str:
    x, y = 2 + place % _COLUMNS * (_WIDTH + 4), 2 + place // _COLUMNS * (_HEIGHT + 6)
    you = ' class="you"' if place == 0 else ""
    return f'<use href="#person" x="{x}" y="{y}"{you}/>'


def range_picture(
    everyone: float, best: float, typical: float | None, worst: float | None, *, marks: bool = False
) -> str:
    """Return a line from one person to everyone, in steps of ten, with what is left on it.

    Args:
        everyone: how many people there were.
        best: who is left at best.
        typical: who is left typically, or None where that is not known.
        worst: who is left at worst, or None where that is not known.
        marks: whether sizes that people know are written under it.
    """
    width, left, right = 320.0, 6.0, 314.0
    decades = max(1.0, math.log10(max(everyone, 10)))

    def x(people: float) -> float:
        return round(left + (right - left) * min(1.0, math.log10(max(people, 1)) / decades), 1)

    low = x(worst if worst is not None else 1)
    unsure = "" if worst is not None else " unsure"
    parts = [
        f'<line class="rail" x1="{left}" x2="{right}" y1="8" y2="8"/>',
        *(
            f'<line class="tick" x1="{x(10**power)}" x2="{x(10**power)}" y1="5" y2="11"/>'
            for power in range(math.floor(decades) + 1)
        ),
        f'<line class="span{unsure}" x1="{low}" x2="{max(x(best), low + 0.1)}" y1="8" y2="8"/>',
    ]
    if typical is not None:
        parts.append(f'<circle class="dot" cx="{x(typical)}" cy="8" r="5"/>')
    if marks:
        parts += _marks(everyone, x, width)
    height = 30 if marks else 16
    inside = "".join(parts)
    return f'<svg class="range" viewBox="0 0 {width:g} {height}" aria-hidden="true" focusable="false">{inside}</svg>'


def _marks(everyone: float, x: Callable[[float], float], width: float) -> Sequence[str]:
    texts = []
    known = [mark for mark in LANDMARKS if mark[0] <= everyone]
    for people, name in known[::2]:
        place = x(people)
        anchor = "start" if place < 30 else "end" if place > width - 30 else "middle"
        texts.append(f'<text x="{place}" y="26" text-anchor="{anchor}">{name}</text>')
    return texts
