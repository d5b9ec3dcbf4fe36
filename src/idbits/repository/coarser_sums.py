"""What the cells of a distribution that leaves nobody out add up to, in coarser views and without some attributes.

Everyone by age and postcode gives everyone by band of ages and by region, whether that is published or not. So women by
band and region, or people by age and religion, are compared with these sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from idbits.repository.conditions import Group, concept_of, implied_condition, is_finer

__all__ = ["coarser_groups", "coarser_sums"]

Names = tuple[str, ...]


def coarser_groups(whole: Group, fine: Sequence[Group], others: Collection[Sequence[Group]]) -> dict[Names, set[Group]]:
    """Return the groups that cells of one distribution may add up to, and that contain published groups.

    Args:
        whole: the people of the distribution.
        fine: its cells.
        others: other published groups within the whole, by the attributes that they have conditions on.
    """
    shared = {name for name, _ in whole}
    own = {name for name, _ in fine[0]} - shared
    wanted: dict[Names, set[Group]] = defaultdict(set)
    for groups in others:
        names = {name for name, _ in groups[0]} - shared
        coarse = {name for name in names if name in own or any(_is_view(name, each) for each in own)}
        # Otherwise the groups are sums themselves, or cells of the same kind.
        if coarse and coarse < names and coarse != own:
            key = tuple(sorted(coarse))
            wanted[key].update(frozenset(each for each in group if each[0] in coarse) for group in groups)
    return wanted


def coarser_sums(cells: Mapping[Group, int], names: Names, wanted: Collection[Group]) -> Iterator[tuple[Group, int]]:
    """Yield the sizes of wanted groups, added up from cells; nothing if it is not known what the cells belong to.

    >>> cells = {frozenset({("age", age), ("zip", "1")}): 50 for age in ("30", "31", "40")}
    >>> list(coarser_sums(cells, ("age:band10",), [frozenset({("age:band10", "30")})]))
    [(frozenset({('age:band10', '30')}), 100)]
    """
    totals: dict[Group, int] = defaultdict(int)
    for cell, people in cells.items():
        coarse = [_coarse_condition(cell, name) for name in names]
        if None in coarse:
            return
        totals[frozenset(filter(None, coarse))] += people
    yield from ((group, totals[group]) for group in wanted if group in totals)


def _is_view(name: str, fine: str) -> bool:
    """Return whether an attribute is a coarser view of another one."""
    return name.partition(":")[0] == fine.partition(":")[0] and is_finer(fine, name)


def _coarse_condition(cell: Group, name: str) -> tuple[str, str] | None:
    """Return the condition on a coarser attribute that a cell implies."""
    concept = name.partition(":")[0]
    implied = (implied_condition(each, name) for each in cell if concept_of(each) == concept)
    return next(filter(None, implied), None)
