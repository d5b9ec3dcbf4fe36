"""What remains when published parts are subtracted from a whole, in three ways.

- **Parts that exclude each other**, one after the other (``exclusive_families``).
- **Two attributes at once** (``left_over``). Rows are the values of one attribute, columns those of the other, each
  with its people. People with none of the values form one more row and column. If all cells of some rows R and columns
  C are known, the cells of the other rows and columns add up to n - R - C + RC, minus the known ones among them. Larger
  R and C leave fewer cells, so checking the largest is enough: smaller ones leave the same cells plus the remainder of
  a row or column.
- **Views of one number or day that are cut at different points** (``Cuts``). Bands of 5 and of 7 years reveal how many
  people are 7, 8 or 9 years old: those below 10 minus those below 7. Each published range gives the number of people
  between two cuts. If ranges connect two cuts, the number of people between them can be computed.

Implements: SPEC section 6; S2 7.2.1.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from idbits.repository.conditions import FOREVER, Extent, Group
from idbits.repository.exclusive_parts import bits_of, exclusions

__all__ = ["Cuts", "exclusive_families", "left_over", "same_attribute_families"]

_MOST_STEPS = 3000
_MOST_SETS = 500

_Row = TypeVar("_Row", bound=Hashable)
_Column = TypeVar("_Column", bound=Hashable)

_Cut = tuple[Decimal, bool]
# People with a missing value come after all others.
_NULLS = (FOREVER, False), (FOREVER, True)
_EVERYBODY = (-FOREVER, False), (FOREVER, True)


def same_attribute_families(parts: Sequence[Group]) -> list[list[Group]]:
    """Return the groups with conditions on the same attributes: they differ in a value, so they exclude each other."""
    by_names: dict[frozenset[str], list[Group]] = defaultdict(list)
    for part in parts:
        by_names[_names(part)].append(part)
    return list(by_names.values())


@lru_cache(maxsize=200_000)
def _names(group: Group) -> frozenset[str]:
    return frozenset(name for name, _ in group)


def exclusive_families(parts: Sequence[Group]) -> Iterator[list[Group]]:
    """Yield the maximal families of groups that exclude each other, within a few thousand steps."""
    excludes, steps = exclusions(parts), [_MOST_STEPS]
    for family in _cliques([], (1 << len(parts)) - 1, 0, excludes, steps):
        yield [parts[index] for index in family]


def _cliques(
    chosen: list[int], possible: int, done: int, excludes: Sequence[int], steps: list[int]
) -> Iterator[list[int]]:
    """Yield the maximal families that contain the chosen groups (Bron and Kerbosch, with a pivot); sets are bits."""
    steps[0] -= 1
    if steps[0] < 0:
        return
    if not possible | done:
        yield chosen
        return
    pivot = max(bits_of(possible | done), key=lambda index: (excludes[index] & possible).bit_count())
    for index in bits_of(possible & ~excludes[pivot]):
        yield from _cliques([*chosen, index], possible & excludes[index], done & excludes[index], excludes, steps)
        possible ^= 1 << index
        done |= 1 << index


def left_over(
    people: int, rows: Mapping[_Row, int], columns: Mapping[_Column, int], cells: Mapping[tuple[_Row, _Column], int]
) -> Iterator[int]:
    """Yield the numbers of people in cells that can be computed; nothing if the counts contradict each other.

    >>> sorted(left_over(100, {"f": 60, "m": 40}, {"car": 70, "none": 30}, {("f", "car"): 35}))
    [0, 0, 0, 0, 5, 25, 30, 35, 40]
    """
    rest_of_rows: dict[_Row | None, int] = dict(rows.items())
    rest_of_rows[None] = people - sum(rows.values())
    rest_of_columns: dict[_Column | None, int] = dict(columns.items())
    rest_of_columns[None] = people - sum(columns.values())
    known: dict[_Row | None, set[_Column | None]] = {row: set() for row in rest_of_rows}
    for (row, column), counted in cells.items():
        # A value whose total is not published counts as unknown.
        rest_of_rows[row if row in rows else None] -= counted
        rest_of_columns[column if column in columns else None] -= counted
        if row in rows and column in columns:
            known[row].add(column)
    rests = [*rest_of_rows.values(), *rest_of_columns.values()]
    if min(rests) < 0:
        return
    yield from rests
    # If nobody is left in a row or column, all its other cells are known to be empty.
    nobody = {column for column, rest in rest_of_columns.items() if not rest}
    known_columns = {
        row: frozenset(rest_of_columns) if not rest_of_rows[row] else frozenset(published | nobody)
        for row, published in known.items()
    }
    for common in _intersections(set(known_columns.values())):
        left = sum(rest for row, rest in rest_of_rows.items() if not common <= known_columns[row])
        yield left - sum(rest_of_columns[column] for column in common)


def _intersections(sets: set[frozenset[_Column]]) -> set[frozenset[_Column]]:
    """Return the sets and their intersections, up to a few hundred."""
    intersections: set[frozenset[_Column]] = set()
    for columns in sorted(sets, key=len, reverse=True):
        intersections |= {columns, *(columns & other for other in intersections)}
        if len(intersections) > _MOST_SETS:
            break
    return intersections


class Cuts:
    """The points at which published ranges are cut, and the people between them.

    Args:
        people: the number of all people, if known.
        nulls: the number of people with a missing value, if known.
        ranges: the number of people in each range.
        whole: whether all values are whole numbers or days.

    >>> def band(first, end): return Extent(False, Decimal(first), Decimal(end))
    >>> cuts = Cuts(None, None, {band(0, 5): 50, band(5, 10): 50, band(0, 7): 97}, whole=True)
    >>> list(cuts.between()), cuts.inside(band(5, 7))
    ([50, 47, 3], 47)
    """

    def __init__(self, people: int | None, nulls: int | None, ranges: Mapping[Extent, int], *, whole: bool) -> None:
        self._whole = whole
        spans = [(self._ends(extent), counted) for extent, counted in ranges.items()]
        spans += [(ends, counted) for ends, counted in ((_NULLS, nulls), (_EVERYBODY, people)) if counted is not None]
        connected: dict[_Cut, list[tuple[_Cut, int]]] = defaultdict(list)
        for (first, end), counted in spans:
            connected[first].append((end, counted))
            connected[end].append((first, -counted))
        # For each cut, the index of its connected component, and the people below it relative to the other cuts there.
        self._below: dict[_Cut, tuple[int, int]] = {}
        for part, start in enumerate(connected):
            self._connect(start, part, connected)

    def between(self) -> Iterator[int]:
        """Yield the number of people between neighbouring cuts, where it can be computed."""
        levels = [self._below[cut] for cut in sorted(self._below, key=lambda cut: (self._below[cut][0], cut))]
        for (part, lower), (other, higher) in itertools.pairwise(levels):
            if part == other:
                yield higher - lower

    def inside(self, extent: Extent) -> int | None:
        """Return the number of people in a range, published or not; None if it cannot be computed."""
        first, end = (self._below.get(cut) for cut in self._ends(extent))
        return end[1] - first[1] if first is not None and end is not None and first[0] == end[0] else None

    def _ends(self, extent: Extent) -> tuple[_Cut, _Cut]:
        """Return the cuts at the beginning and end of a range."""
        first, end = extent.whole_ends() if self._whole else (extent.first, extent.end)
        return (first, False), (end, first == end)

    def _connect(self, start: _Cut, part: int, connected: Mapping[_Cut, list[tuple[_Cut, int]]]) -> None:
        if start in self._below:
            return
        self._below[start], waiting = (part, 0), [start]
        while waiting:
            cut = waiting.pop()
            for other, counted in connected[cut]:
                if other not in self._below:
                    self._below[other] = part, self._below[cut][1] + counted
                    waiting.append(other)
