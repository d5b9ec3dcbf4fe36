"""Who can be told with certainty, or nearly so: homogeneity, and the most frequent value of a group.

Implements: SPEC page disclosure.md, sections 2 and 8; Wong and others, "(alpha, k)-anonymity", 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers
from idbits.measures.disclosure.column import PeopleCount, SensitiveColumn, people_in

__all__ = [
    "HomogeneousPeople", "SuspectedPeople", "TopShares", "certain_people", "given_away", "largest_share",
    "people_above_share", "top_shares",
]  # fmt: skip

_BARS = 20


@dataclass(frozen=True, slots=True)
class HomogeneousPeople:
    """People in groups that all have the same secret value; ``empty``: those whose only value is null."""

    people: int
    alone: int
    in_company: int
    empty: int


@dataclass(frozen=True, slots=True)
class SuspectedPeople:
    """People in groups with one value above a share: ``right`` have it, ``wrong`` are only suspected of it."""

    people: int
    alone: int
    in_company: int
    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class TopShares:
    """People by the share of their group that has its most frequent secret value.

    Attributes:
        alone: the people who are unique.
        bars: the others, by shares up to 1/20, 2/20, .., 1; groups without a secret value are left out.
    """

    alone: int
    bars: tuple[int, ...]


def largest_share(column: SensitiveColumn) -> float | None:
    """Return the largest share of a group with the same secret value: alpha. Bounds: 1/m to 1, if all are secret."""
    return float(column.top_shares.max()) if column.with_secret.any() else None


def certain_people(column: SensitiveColumn) -> HomogeneousPeople:
    """Count the people whose group has one value only, which is secret."""
    cells = column.cells
    groups = column.top == cells.sizes
    count = people_in(groups, cells)
    empty = 0
    if column.null is not None:
        empty = int(cells.group_people[groups & (cells.values[cells.starts] == column.null)].sum())
    return HomogeneousPeople(count.people, count.alone, count.in_company, empty)


def people_above_share(column: SensitiveColumn, share: float) -> SuspectedPeople:
    """Count the people in groups of which more than this share have the same secret value."""
    cells = column.cells
    groups = column.top_shares > share
    count = people_in(groups, cells)
    right = _people_of_top(column, groups) if share >= 0.5 else _people_at_top(column, groups)
    return SuspectedPeople(count.people, count.alone, count.in_company, right, count.people - right)


def _people_of_top(column: SensitiveColumn, groups: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """Count the people who have their group's most frequent value, of which there is one."""
    times, top = column.cells.times, column.top[groups]
    return int(top.sum() if times is None else (top * times[groups]).sum())


def _people_at_top(column: SensitiveColumn, groups: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """Count the people who have one of their group's most frequent values: below 1/2 several may be."""
    cells = column.cells
    at_top = (cells.counts == np.repeat(column.top, cells.lengths)) & column.secret_cells
    return int(cells.cell_people[at_top & np.repeat(groups, cells.lengths)].sum())


def given_away(column: SensitiveColumn, share: float) -> tuple[PeopleCount, PeopleCount]:
    """Return the people who are certain, and above a share, of a value that is not as frequent in general.

    Nobody learns anything from being certain of a value that nearly everybody has.
    """
    cells = column.cells
    rare = column.secret_cells & (column.prior.shares[cells.values] <= share)
    top = cells.group_maxima(np.where(rare, cells.counts, 0))
    return people_in(top == cells.sizes, cells), people_in(top / cells.sizes > share, cells)


def top_shares(column: SensitiveColumn) -> TopShares:
    """Return people by the largest share in their group, for a chart; people who are unique apart."""
    cells = column.cells
    in_company = (cells.sizes > 1) & column.with_secret
    sizes, top = cells.sizes[in_company], column.top[in_company]
    bars = _people_by(-(-top * _BARS // sizes) - 1, sizes)
    return TopShares(int(cells.group_people[cells.sizes == 1].sum()), bars)


def _people_by(bars: Integers, people: Integers) -> tuple[int, ...]:
    totals = np.zeros(_BARS, np.int64)
    np.add.at(totals, bars, people)
    return tuple(totals.tolist())
