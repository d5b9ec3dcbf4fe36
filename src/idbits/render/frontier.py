"""Risk against detail: every treatment a dot, the best of them joined, and the chosen ones with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from idbits.render.drawing import NARROW, WIDE, dot, drawn, label, line, outline, room
from idbits.render.numbers import significant
from idbits.render.scales import Scale, even_scale, round_steps, tick_share

__all__ = ["FrontierChart", "MarkedPoint"]

_LEFT, _TOP, _HEIGHT = 46.0, 28.0, 260.0
_LINE = 18.0
_STEPS = 5
_HEADROOM = 1.5
_POWERS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


@dataclass(frozen=True, slots=True)
class MarkedPoint:
    """A treatment with its name and what it costs; ``colour`` is the class of its dot."""

    risk: float
    loss: float
    name: str
    cost: str
    colour: str = "ink"


@dataclass(frozen=True, slots=True)
class FrontierChart:
    """Treatments as points (risk, loss), both shares.

    Attributes:
        cloud: all of them, or some of many.
        best: those for which no other one has less risk without more loss.
        marked: at most a few with names.
        risk_title, loss_title: what the axes show.
        risk_is_share, loss_is_share: whether they are shares, or other numbers.
    """

    cloud: tuple[tuple[float, float], ...]
    best: tuple[tuple[float, float], ...]
    marked: tuple[MarkedPoint, ...]
    risk_title: str
    loss_title: str
    risk_is_share: bool = True
    loss_is_share: bool = True

    def wide(self, words_id: str) -> str:
        """Return the chart for screens and paper."""
        return self._drawn("wide", WIDE, words_id)

    def narrow(self, words_id: str) -> str:
        """Return the chart for narrow screens, where names take two lines."""
        return self._drawn("narrow", NARROW, words_id)

    def shown_cloud(self) -> list[tuple[float, float]]:
        """Return the points that are drawn: those that lose far more than the best would only make these smaller."""
        return [point for point in self.cloud if point[1] <= self._most_loss]

    @property
    def _most_loss(self) -> float:
        return _HEADROOM * max(loss for _, loss in self._named) or 1.0

    @property
    def _named(self) -> list[tuple[float, float]]:
        return [*self.best, *((each.risk, each.loss) for each in self.marked)]

    def _drawn(self, kind: str, width: float, words_id: str) -> str:
        named, most_loss, cloud = self._named, self._most_loss, self.shown_cloud()
        most_risk = max(risk for risk, _ in (*cloud, *named)) or 1.0
        bottom = _TOP + _HEIGHT
        x = even_scale(0, most_risk, _LEFT + 8, width - 12)
        y = even_scale(0, most_loss, bottom, _TOP + 8)
        parts = [label(0, 14, self.loss_title, "q")]
        for step in round_steps(most_loss, _STEPS):
            parts.append(line(_LEFT, y(step), width, y(step), "axis" if step == 0 else "grid"))
            parts.append(label(_LEFT - 8, y(step) + 4, _tick(step, is_share=self.loss_is_share), "q", "end"))
        for step in round_steps(most_risk, _STEPS):
            shown = _tick(step, is_share=self.risk_is_share)
            parts.append(label(min(x(step), width - room(shown) / 2), bottom + 20, shown, "q", "middle"))
        parts.append(label(width, bottom + 40, self.risk_title, "q", "end"))
        parts += [dot(x(risk), y(loss), 1.6, "d1") for risk, loss in cloud]
        steps = _stepped([(x(risk), y(loss)) for risk, loss in self.best])
        parts.append(outline(steps, "fl"))
        parts += [dot(x(each.risk), y(each.loss), 6, each.colour) for each in self.marked]
        parts += self._names(x, y, width, steps, is_narrow=kind == "narrow")
        return drawn(kind, width, bottom + 46, words_id, parts)

    def _names(
        self, x: Scale, y: Scale, width: float, steps: Sequence[tuple[float, float]], *, is_narrow: bool
    ) -> list[str]:
        """Name the marked points from the bottom up, each above the one before it and not on the line."""
        parts, free = [], float("inf")
        for each in sorted(self.marked, key=lambda point: point.loss):
            lines = (each.name, each.cost) if is_narrow else (f"{each.name}: {each.cost}",)
            long = max(room(text, bold=True) for text in lines)
            is_left = x(each.risk) + 12 + long <= width
            place = x(each.risk) + 12 if is_left else min(x(each.risk) - 4, width)
            start = place if is_left else place - long
            last = min(y(each.loss) + (4 if is_left else -12), free)
            last = min(last, _above(steps, start, start + long, last))
            first = last - _LINE * (len(lines) - 1)
            free = first - _LINE
            kind = "goal halo" if each.colour == "g1" else "b halo"
            anchor = "start" if is_left else "end"
            parts += [label(place, first + _LINE * row, text, kind, anchor) for row, text in enumerate(lines)]
        return parts


def _tick(step: float, *, is_share: bool) -> str:
    """Return a round number on an axis; large ones are short.

    >>> _tick(0.2, is_share=True), _tick(2.5, is_share=False), _tick(250_000, is_share=False)
    ('20%', '2.5', '250k')
    """
    if is_share:
        return tick_share(step)
    power = next((each for each in ("G", "M", "k") if step >= _POWERS[each]), "")
    return f"{significant(step / _POWERS[power])}{power}"


def _above(steps: Sequence[tuple[float, float]], left: float, right: float, height: float) -> float:
    """Return the height above the lines that a text at this height would touch."""
    touched = [
        min(before[1], after[1])
        for before, after in pairwise(steps)
        if before[0] <= right and after[0] >= left and height - _LINE < max(before[1], after[1])
        and min(before[1], after[1]) < height + 6
    ]  # fmt: skip
    return min(touched, default=height + 6) - 6


def _stepped(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points with a corner between each two: what a treatment reaches holds until the next one."""
    ordered = sorted(points)
    corners = [(after[0], before[1]) for before, after in pairwise(ordered)]
    return [point for pair in zip(ordered, [*corners, ordered[-1]], strict=True) for point in pair] if ordered else []
