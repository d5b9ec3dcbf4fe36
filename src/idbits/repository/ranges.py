"""Views of one number or day that cut it at different places: what lies between two cuts.

Bands of 5 and of 7 years tell how many people are 7, 8 or 9 years old: those below 10 less those below 7. Each
published range says how many people lie between its first value and its end; from the cuts that such ranges connect,
the people between any two of them follow.

Implements: SPEC section 6; S2 7.2.1.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, Decimal

from idbits.repository.extents import FOREVER, Extent

__all__ = ["Cuts"]

_Cut = tuple[Decimal, bool]
# People of whom the value is not known come after all others.
_NULLS = (FOREVER, False), (FOREVER, True)
_EVERYBODY = (-FOREVER, False), (FOREVER, True)


class Cuts:
    """The places at which published ranges are cut, and the people between them.

    Args:
        people: all of them, where that is known.
        nulls: those of whom the value is not known.
        ranges: the people in each range.
        whole: whether all values are whole numbers, or days.

    >>> def band(first, end): return Extent(False, Decimal(first), Decimal(end))
    >>> cuts = Cuts(None, None, {band(0, 5): 50, band(5, 10): 50, band(0, 7): 97}, whole=True)
    >>> list(cuts.between()), cuts.inside(band(5, 7))
    ([50, 47, 3], 47)
    """

    def __init__(self, people: int | None, nulls: int | None, ranges: Mapping[Extent, int], *, whole: bool) -> None:
        self._whole = whole
        spans = [(self._ends(one), counted) for one, counted in ranges.items()]
        spans += [(ends, counted) for ends, counted in ((_NULLS, nulls), (_EVERYBODY, people)) if counted is not None]
        beside: dict[_Cut, list[tuple[_Cut, int]]] = defaultdict(list)
        for (first, end), counted in spans:
            beside[first].append((end, counted))
            beside[end].append((first, -counted))
        # For each cut the number of its connected part, and the people below it, more than below any other there.
        self._below: dict[_Cut, tuple[int, int]] = {}
        for part, start in enumerate(beside):
            self._connect(start, part, beside)

    def between(self) -> Iterator[int]:
        """Yield the people between neighbouring cuts, as far as they follow."""
        levels = [self._below[cut] for cut in sorted(self._below, key=lambda cut: (self._below[cut][0], cut))]
        for (part, lower), (other, higher) in itertools.pairwise(levels):
            if part == other:
                yield higher - lower

    def inside(self, one: Extent) -> int | None:
        """Return the people in a range that need not be published itself; None where they do not follow."""
        first, end = (self._below.get(cut) for cut in self._ends(one))
        return end[1] - first[1] if first is not None and end is not None and first[0] == end[0] else None

    def _ends(self, one: Extent) -> tuple[_Cut, _Cut]:
        """Return where a range begins and ends; a cut between two whole numbers is where the upper one begins."""
        first, end = one.first, one.end
        if self._whole:
            first, end = (bound.to_integral_value(ROUND_CEILING) for bound in (first, end))
            end += one.is_single
        return (first, False), (end, first == end)

    def _connect(self, start: _Cut, part: int, beside: Mapping[_Cut, list[tuple[_Cut, int]]]) -> None:
        if start in self._below:
            return
        self._below[start], waiting = (part, 0), [start]
        while waiting:
            cut = waiting.pop()
            for other, counted in beside[cut]:
                if other not in self._below:
                    self._below[other] = part, self._below[cut][1] + counted
                    waiting.append(other)
