"""Which groups or categories are too small to be named, and which others hide which is which."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["LEAST_SHOWN", "largest_folded"]

LEAST_SHOWN = 10
"""The least number of people of a group that is named."""


def largest_folded(sizes: Iterable[tuple[int, int]], least: int = LEAST_SHOWN) -> int:
    """Return the size up to which groups are folded into one row; 0 if each group has enough people to be named.

    Subtraction must not reveal what is folded. An attacker who knows all possible values knows which of them are not
    named; if only one value is folded, its people are the rest. So the folded row has

    - all groups of a size, or none: only sizes decide, not the order of names;
    - groups of at least two different sizes;
    - at least as many people as a named group needs.

    Swapping the names of any two folded groups then gives the same output: nobody can tell which size a folded group
    has, or which one is rare. (Statistics offices call folding the additional groups secondary suppression.) If there
    are too few groups for that, all of them are folded.

    Args:
        sizes: sizes of groups, each with the number of groups of that size.
        least: the least number of people in a named group.

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
