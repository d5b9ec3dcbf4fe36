"""Charts of estimates: one with its interval and its bounds, and shares that fall or rise with a number of people."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.render.drawing import NARROW, WIDE, bar, dot, drawn, label, line, outline, room
from idbits.render.numbers import whole_percent
from idbits.render.scales import Scale, decades, even_scale

__all__ = ["CurveLine", "IntervalBar", "ShareCurves"]

_LINE = 18.0
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """A share between 0% and 100%; each part with what is written about it, None if there is no such part."""

    estimate: tuple[float, str] | None
    interval: tuple[float, float, str] | None
    bounds: tuple[float, float, str] | None

    def wide(self, words_id: str) -> str:
        """Return the bar for screens and paper."""
        return self._drawn("wide", WIDE, words_id)

    def narrow(self, words_id: str) -> str:
        """Return the bar for narrow screens."""
        return self._drawn("narrow", NARROW, words_id)

    def _drawn(self, kind: str, width: float, words_id: str) -> str:
        x = even_scale(0, 1, 4, width - 4)
        above = [self.estimate is not None, self.interval is not None].count(True)
        top = 8 + 18.0 * above
        parts = [line(x(0), top + 15, x(1), top + 15, "grid")]
        parts += [line(x(part), top, x(part), top + 40, "grid") for part in _QUARTERS]
        if self.bounds is not None:
            low, high, words = self.bounds
            parts.append(bar(x(low), top + 4, max(1.5, x(high) - x(low)), 24, "w1"))
            parts.append(_near(words, x((low + high) / 2), top + 74, width, ""))
        if self.interval is not None:
            low, high, words = self.interval
            parts.append(bar(x(low), top + 4, max(1.5, x(high) - x(low)), 24, "r2"))
            parts.append(_near(words, x((low + high) / 2), top - 7, width, "b"))
        if self.estimate is not None:
            part, words = self.estimate
            parts.append(bar(x(part) - 2, top - 2, 4, 36, "r1"))
            parts.append(_near(words, x(part), 14, width, "risk"))
        for part in _QUARTERS:
            anchor = "start" if part == 0 else "end" if part == 1 else "middle"
            parts.append(label(x(part), top + 54, whole_percent(part), "q", anchor))
        return drawn(kind, width, top + (80 if self.bounds is not None else 60), words_id, parts)


def _near(words: str, x: float, y: float, width: float, kind: str) -> str:
    """Return words with their middle at a place, or as near as they fit."""
    half = room(words, bold=bool(kind)) / 2
    return label(min(max(x, half), width - half), y, words, kind, "middle")


@dataclass(frozen=True, slots=True)
class CurveLine:
    """A line with its name at its end: points of a number of people and a share."""

    name: str
    colour: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ShareCurves:
    """Shares by a number of people on a logarithmic scale.

    Attributes:
        ticks: numbers of people on the axis, as they are written.
        title: what the numbers are.
        marks: numbers of people with a name, such as the size of the table, each marked on the first line.
    """

    lines: tuple[CurveLine, ...]
    ticks: tuple[tuple[float, str], ...]
    title: str
    marks: tuple[tuple[float, str], ...] = ()

    def wide(self, words_id: str) -> str:
        """Return the curves with their names to the right of them."""
        named = max(room(each.name, bold=True) for each in self.lines) + 10
        return self._drawn("wide", WIDE, WIDE - max(20, named), words_id)

    def narrow(self, words_id: str) -> str:
        """Return the curves with their names above their ends."""
        return self._drawn("narrow", NARROW, NARROW - 8, words_id)

    def _drawn(self, kind: str, width: float, right: float, words_id: str) -> str:
        people = [number for each in self.lines for number, _ in each.points]
        low, high = decades(min(people)), decades(max(people))
        scale = even_scale(low, high if high > low else low + 1, 52, right)
        top, bottom = 24.0 + _LINE * len(self.marks), 224.0 + _LINE * len(self.marks)
        y = even_scale(0, 1, bottom, top)

        def x(number: float) -> float:
            return scale(decades(number))

        parts = []
        for part in _QUARTERS:
            parts.append(line(52, y(part), right, y(part), "axis" if part == 0 else "grid"))
            parts.append(label(42, y(part) + 4, whole_percent(part), "q", "end"))
        parts += self._ticks(x, right, bottom)
        for each in self.lines:
            parts.append(outline([(x(number), y(part)) for number, part in each.points], each.colour))
        parts += self._marks(x, y, width)
        parts += self._names(x, y, right, beside=kind == "wide")
        return drawn(kind, width, bottom + 44, words_id, parts)

    def _ticks(self, x: Scale, right: float, bottom: float) -> list[str]:
        """Return the numbers below the axis that do not touch each other."""
        parts, end = [], 0.0
        for number, shown in self.ticks:
            half = room(shown) / 2
            middle = min(max(x(number), half), right + 6 - half)
            if middle - half < end + 8:
                continue
            end = middle + half
            parts.append(label(middle, bottom + 18, shown, "q", "middle"))
        return [*parts, label(52, bottom + 38, self.title, "q")]

    def _marks(self, x: Scale, y: Scale, room_at_right: float) -> list[str]:
        """Mark places on the first line; their names stand above the lines of shares, one above the other."""
        points = dict(self.lines[0].points)
        known = sorted((number, words) for number, words in self.marks if number in points)
        parts = []
        for index, (number, words) in enumerate(known):
            # The further to the right, the higher: no name crosses the line of another one.
            height = y(1) - 10 - _LINE * index
            parts.append(line(x(number), height - 10, x(number), y(0), "limit"))
            parts.append(dot(x(number), y(points[number]), 5, "ink"))
            width = room(words, bold=True)
            place = x(number) + 8 if x(number) + 8 + width <= room_at_right else max(0, x(number) - 8 - width)
            parts.append(label(place, height, words, "b halo"))
        return parts

    def _names(self, x: Scale, y: Scale, right: float, *, beside: bool) -> list[str]:
        """Name the lines at their ends, at least a line of type apart."""
        parts, below = [], float("inf")
        for each in sorted(self.lines, key=lambda line_: line_.points[-1][1]):
            number, part = each.points[-1]
            height = min(y(part) + 4 if beside else y(part) - 7, below - 17)
            below = height
            kind = "risk" if each.colour == "rl" else "b"
            parts.append(
                label(x(number) + 8, height, each.name, f"{kind} halo")
                if beside
                else label(right, height, each.name, f"{kind} halo", "end")
            )
        return parts
