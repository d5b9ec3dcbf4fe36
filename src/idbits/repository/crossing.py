"""Two attributes at once: what follows from the values of each and from some of both, by adding and subtracting.

Rows are the values of one attribute, columns those of the other, each with its people; people with none of the values
are a row and a column more. Where the cells of some rows and columns R and C are all known, those of the other rows and
columns add up to n - R - C + RC, less what is known of them, too. The larger R and C, the fewer cells are left, so the
largest ones are enough: what smaller ones leave has the remainder of a row or column on top.

Implements: SPEC section 6; S2 7.2.1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

__all__ = ["left_over"]

_MOST_SETS = 500


def left_over(
    people: int, rows: Mapping[Any, int], columns: Mapping[Any, int], cells: Mapping[tuple[Any, Any], int]
) -> Iterator[int]:
    """Yield the people of cells that follow from the others; nothing where the counts contradict each other.

    >>> sorted(left_over(100, {"f": 60, "m": 40}, {"car": 70, "none": 30}, {("f", "car"): 35}))
    [0, 0, 0, 0, 5, 25, 30, 35, 40]
    """
    rest_of_rows: dict[Hashable, int] = {**rows, None: people - sum(rows.values())}
    rest_of_columns: dict[Hashable, int] = {**columns, None: people - sum(columns.values())}
    known: dict[Hashable, set[Hashable]] = {row: set() for row in rest_of_rows}
    for (row, column), counted in cells.items():
        # A value whose own people are not published is one of those that nobody knows.
        rest_of_rows[row if row in rows else None] -= counted
        rest_of_columns[column if column in columns else None] -= counted
        if row in rows and column in columns:
            known[row].add(column)
    rests = [*rest_of_rows.values(), *rest_of_columns.values()]
    if min(rests) < 0:
        return
    yield from rests
    # Where nobody is left, every cell is known: there is nobody in it.
    nobody = {column for column, rest in rest_of_columns.items() if not rest}
    sets = {
        row: frozenset(rest_of_columns) if not rest_of_rows[row] else frozenset(own | nobody)
        for row, own in known.items()
    }
    for common in _intersections(set(sets.values())):
        left = sum(rest for row, rest in rest_of_rows.items() if not common <= sets[row])
        yield left - sum(rest_of_columns[column] for column in common)


def _intersections(sets: set[frozenset[Hashable]]) -> set[frozenset[Hashable]]:
    """Return the sets and what some of them have in common; no more than some hundred."""
    found: set[frozenset[Hashable]] = set()
    for one in sorted(sets, key=len, reverse=True):
        found |= {one, *(one & other for other in found)}
        if len(found) > _MOST_SETS:
            break
    return found
