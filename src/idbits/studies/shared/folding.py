"""Which groups and values are folded into one row without a name: those of few people, and enough others.

What is folded must not be found by subtraction. Whoever knows all values that there can be knows which of them are not
named; if one value alone is folded, its people are the rest. So the folded row holds

- all groups of a size, or none: sizes alone decide, and no name that comes first;
- groups of at least two different sizes;
- as many people as a group needs to be named.

Swapping the names of any two folded groups then gives the same output: nobody can tell which of the sizes a folded
group has, and so neither which of them is the rare one. (Statistics offices call the further groups secondary
suppression.) Where there are not enough groups for that, all of them are folded.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["LEAST_SHOWN", "largest_folded"]

LEAST_SHOWN = 10


def largest_folded(sizes: Iterable[tuple[int, int]], least: int = LEAST_SHOWN) -> int:
    """Return the size up to which groups are folded; 0 where each has enough people to be named.

    Args:
        sizes: sizes of groups, each with the number of groups that have it.
        least: the people whom a named group has at least.

    >>> largest_folded([(3, 1), (50, 1), (60, 1)])
    50
    >>> largest_folded([(3, 1), (8, 1), (50, 1)]), largest_folded([(3, 2), (50, 1), (60, 1)])
    (8, 50)
    >>> largest_folded([(10, 1), (50, 1)])
    0
    """
    levels = sorted(sizes)
    if not levels or levels[0][0] >= least:
        return 0
    people = folded = 0
    for index, (size, number) in enumerate(levels):
        if size >= least and index >= 2 and people >= least:
            break
        people += size * number
        folded = size
    return folded
