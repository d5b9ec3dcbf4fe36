"""Groups that exclude each other: what can be taken away from a whole, one part after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from idbits.repository.conditions import Group, excluding

__all__ = ["families"]

_MOST_PARTS = 300
_MOST_STEPS = 3000


def _exclude(mine: Group, theirs: Group) -> bool:
    return any(excluding(one, other) for one in mine - theirs for other in theirs - mine)


def families(parts: Sequence[Group]) -> Iterator[list[Group]]:
    """Yield families of groups that exclude each other, each as large as it can be.

    Up to 300 groups all such families are found (or as many as some thousand steps give); of more, those that have
    conditions on the same attributes, which is how populations are usually parted.
    """
    by_names: dict[frozenset[str], list[Group]] = defaultdict(list)
    for part in parts:
        by_names[frozenset(name for name, _ in part)].append(part)
    # Groups with values of the same attributes are different groups only if a value differs: they exclude each other.
    yield from by_names.values()
    if len(by_names) > 1 and len(parts) <= _MOST_PARTS:
        beside: dict[Group, set[Group]] = {part: set() for part in parts}
        for place, part in enumerate(parts):
            for other in parts[:place]:
                if _exclude(part, other):
                    beside[part].add(other)
                    beside[other].add(part)
        steps = [_MOST_STEPS]
        yield from _cliques([], set(parts), set(), beside, steps)


def _cliques(
    chosen: list[Group], possible: set[Group], done: set[Group], beside: dict[Group, set[Group]], steps: list[int]
) -> Iterator[list[Group]]:
    """Yield the largest families that hold those chosen (Bron and Kerbosch, with a pivot)."""
    steps[0] -= 1
    if steps[0] < 0:
        return
    if not possible and not done:
        yield chosen
        return
    pivot = max(possible | done, key=lambda group: len(beside[group] & possible))
    for group in list(possible - beside[pivot]):
        yield from _cliques([*chosen, group], possible & beside[group], done & beside[group], beside, steps)
        possible = possible - {group}
        done = done | {group}
