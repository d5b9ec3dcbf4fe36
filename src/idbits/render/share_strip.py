"""One bar that is everybody, cut into parts with their shares below."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.render.drawing import NARROW, WIDE, bar, drawn, label, room

__all__ = ["ShareStrip", "StripPart"]

_BAR, _GAP = 44.0, 2.0
_STEP = 24.0
# The colour of a word is that of its part, unless the part is too pale to be read.
_INK = {"r1": "risk", "g1": "goal", "l1": "learn"}


@dataclass(frozen=True, slots=True)
class StripPart:
    """A part of everybody: its share, how it is written, who they are, how many, and the meaning of its colour."""

    part: float
    shown: str
    who: str
    number: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ShareStrip:
    """Parts of everybody, side by side; together they are 100%."""

    parts: tuple[StripPart, ...]

    def wide(self, words_id: str) -> str:
        """Return the bar with the words of each part under it."""
        places = self._places(WIDE)
        texts, end = [], WIDE + _GAP
        # From the right to the left: a small part has its words where there is room for them.
        for (x, _), part in reversed(list(zip(places, self.parts, strict=True))):
            words = f"{part.number} {part.who}"
            start = min(x, end - 12 - max(room(words), room(part.shown, bold=True, size=15)))
            texts += [label(start, 64, part.shown, f"{_INK.get(part.meaning, 'b')} t15"), label(start, 82, words)]
            end = start
        if end < 0:
            return self._with_rows("wide", WIDE, words_id)
        bars = [bar(x, 0, width, _BAR, part.meaning) for (x, width), part in zip(places, self.parts, strict=True)]
        return drawn("wide", WIDE, 88, words_id, [*bars, *texts])

    def narrow(self, words_id: str) -> str:
        """Return the bar with a row of words for each part."""
        return self._with_rows("narrow", NARROW, words_id)

    def _with_rows(self, kind: str, width: float, words_id: str) -> str:
        parts = []
        first = max(room(part.shown, bold=True) for part in self.parts)
        for index, (part, (x, long)) in enumerate(zip(self.parts, self._places(width), strict=True)):
            y = _BAR + 22 + index * _STEP
            parts += [
                bar(x, 0, long, _BAR, part.meaning),
                bar(0, y - 11, 12, 12, part.meaning),
                label(20, y, part.shown, "b"),
                label(30 + first, y, part.who),
                label(width, y, part.number, anchor="end"),
            ]
        return drawn(kind, width, _BAR + 12 + len(self.parts) * _STEP, words_id, parts)

    def _places(self, width: float) -> list[tuple[float, float]]:
        """Return where each part begins and how long it is; even the smallest can be seen."""
        room_for_parts = width - _GAP * (len(self.parts) - 1)
        long = [max(1.5, room_for_parts * part.part) for part in self.parts]
        scale = room_for_parts / sum(long)
        places, x = [], 0.0
        for each in long:
            places.append((x, each * scale))
            x += each * scale + _GAP
        return places
