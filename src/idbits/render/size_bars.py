"""People by group size as two drawings, wide and narrow, in the colours of the page and at the size they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from idbits.render.drawing import NARROW, WIDE, bar, drawn, label, line
from idbits.render.first_page import SizeBars, SizeBin
from idbits.render.numbers import bar_share

__all__ = ["SizeBarsDrawing", "narrow_size_bars", "wide_size_bars"]

_LEFT = 118.0
_ROW, _TALLEST, _TOP = 64.0, 44.0, 18.0
_NARROW_LEFT, _STEP = 72.0, 24.0
_NARROW_BAR = 70.0


@dataclass(frozen=True, slots=True)
class SizeBarsDrawing:
    """People by group size as a drawing."""

    bars: SizeBars

    def wide(self, words_id: str) -> str:
        """Return the drawing for screens and paper."""
        return wide_size_bars(self.bars, words_id)

    def narrow(self, words_id: str) -> str:
        """Return the drawing for narrow screens."""
        return narrow_size_bars(self.bars, words_id)

    def rows(self) -> list[dict[str, Any]]:
        """Return the bars as plain data; sizes that nobody has are empty."""
        tables = [("As it is", False), *([("Treated", True)] if self.bars.after is not None else [])]
        return [
            {"table": table, "size": each.sizes, "people": people, "share": people / self.bars.total,
             "shown": bar_share(people / self.bars.total) if people else "", "meaning": _meaning(each, self.bars)}
            for table, treated in tables
            for each in self.bars.bins
            for people in (_people(each, treated=treated),)
        ]  # fmt: skip


def wide_size_bars(bars: SizeBars, words_id: str) -> str:
    """Return the drawing for screens and paper: one row of upright bars as it is, one treated."""
    rows = 1 if bars.after is None else 2
    height = _TOP + rows * _ROW + 24
    step = (WIDE - _LEFT) / len(bars.bins)
    parts = _wide_row(bars, step, _TOP + _ROW, treated=False)
    if bars.after is not None:
        parts += _wide_row(bars, step, _TOP + 2 * _ROW, treated=True)
    base = _TOP + rows * _ROW
    middle = step / 2
    parts += [
        label(_LEFT + index * step + middle, base + 17, each.sizes, anchor="middle")
        for index, each in enumerate(bars.bins)
    ]
    parts.append(label(0, base + 17, "Group size", "q"))
    parts += _wide_goal(bars, step, height)
    return drawn("wide", WIDE, height, words_id, parts)


def _wide_row(bars: SizeBars, step: float, base: float, *, treated: bool) -> list[str]:
    name, who = ("Treated", bars.after or "") if treated else ("As it is", bars.before)
    parts = [label(0, base - 22, name, "b t15"), label(0, base - 4, who), line(_LEFT, base, WIDE, base, "axis")]
    tallest = max(_people(each, treated=shown) for each in bars.bins for shown in (False, True))
    for index, each in enumerate(bars.bins):
        people = _people(each, treated=treated)
        if not people:
            continue
        tall = max(1.0, _TALLEST * people / tallest)
        x = _LEFT + index * step
        parts.append(bar(x + 1, base - tall, step - 2, tall, _meaning(each, bars)))
        parts.append(label(x + step / 2, base - tall - 4, bar_share(people / bars.total), "b", "middle"))
    if treated:
        parts += _nobody_left(bars, step, base)
    return parts


def _nobody_left(bars: SizeBars, step: float, base: float) -> list[str]:
    """Say who is withheld where the bars below the goal were, if there is room."""
    below = [each for each in bars.bins if each.least < bars.goal]
    if any(each.after for each in below) or len(below) < 2:
        return []
    middle = _LEFT + len(below) * step / 2
    parts = [label(middle, base - 22, bars.nobody_left, "b", "middle")]
    return [*parts, label(middle, base - 6, bars.withheld, anchor="middle")] if bars.withheld else parts


def _wide_goal(bars: SizeBars, step: float, height: float) -> list[str]:
    n_below = sum(each.least < bars.goal for each in bars.bins)
    if not n_below or n_below == len(bars.bins):
        return []
    x = _LEFT + n_below * step
    parts = [line(x, 0, x, height, "limit"), label(x + 9, 12, bars.goal_label, "goal")]
    return [*parts, label(x - 9, 12, "Below", "risk", "end")]


def narrow_size_bars(bars: SizeBars, words_id: str) -> str:
    """Return the drawing for narrow screens: group sizes are rows, and the table as it is stands beside the treated."""
    n_below = sum(each.least < bars.goal for each in bars.bins)
    tops = [40 + index * _STEP + (12 if index >= n_below else 0) for index in range(len(bars.bins))]
    bottom = tops[-1] + _STEP + 8
    parts = [
        label(_NARROW_LEFT - 8, top + 14, each.sizes, anchor="end") for each, top in zip(bars.bins, tops, strict=True)
    ]
    sides = [(_NARROW_LEFT, False), *([(_NARROW_LEFT + 137, True)] if bars.after is not None else [])]
    for x, treated in sides:
        parts += _narrow_side(bars, x, tops, treated=treated)
    if 0 < n_below < len(bars.bins):
        parts.append(line(0, tops[n_below] - 9, NARROW, tops[n_below] - 9, "limit"))
    notes = [f"Dashed: {bars.goal_label[0].lower()}{bars.goal_label[1:]}", *([bars.withheld] if bars.withheld else [])]
    parts += [label(0, bottom + 12 + 18 * index, note) for index, note in enumerate(notes)]
    return drawn("narrow", NARROW, bottom + 18 * len(notes) + 2, words_id, parts)


def _narrow_side(bars: SizeBars, x: float, tops: list[float], *, treated: bool) -> list[str]:
    name, who = ("Treated", bars.after or "") if treated else ("As it is", bars.before)
    parts = [label(x, 15, name, "b t15"), label(x, 32, who)]
    most = max(_people(each, treated=shown) for each in bars.bins for shown in (False, True))
    for each, top in zip(bars.bins, tops, strict=True):
        people = _people(each, treated=treated)
        if not people:
            parts.append(label(x, top + 14, "–", "q"))
            continue
        long = max(1.0, _NARROW_BAR * people / most)
        parts.append(bar(x, top + 1, long, 17, _meaning(each, bars)))
        parts.append(label(x + long + 5, top + 14, bar_share(people / bars.total), "b"))
    return parts


def _people(each: SizeBin, *, treated: bool) -> float:
    return (each.after or 0) if treated else each.before


def _meaning(each: SizeBin, bars: SizeBars) -> str:
    """Return the colour of a bar: unique, below the goal, or large enough."""
    if each.least >= bars.goal:
        return "g1"
    return "r1" if each.most == 1 else "r2"
