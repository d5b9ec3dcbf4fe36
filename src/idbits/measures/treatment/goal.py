"""Whether the groups of a node meet a goal, and who has to be withheld for that.

Groups that break a rule about groups are withheld. For rules about the table, the smallest groups are then withheld,
as many as needed; for a limit on bits nobody is. Of equally small groups, those with the first values of the first
columns are withheld: the same ones, whatever order groups are counted in.

Implements: SPEC page advise.md, sections 1, 2 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.kernels.lattice.levels import ColumnLevels
from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.group_rules import TOLERANCE, GroupRule, SensitiveValues
from idbits.measures.treatment.necessary import NecessaryLimits, entropy_of_sizes

__all__ = ["Goal", "TableRule", "Withheld", "people_of", "risk_of_sizes"]

Mask = NDArray[np.bool_]

_UNIQUE = 2


def people_of(sizes: Integers, groups: Mask) -> int:
    """Return the people of some groups.

    >>> people_of(np.array([3, 2]), np.array([True, False]))
    3
    """
    # Products are faster than picking, if most groups are picked.
    return int((sizes * groups).sum())


@dataclass(frozen=True, slots=True)
class TableRule:
    """A rule about the table: ``singletons``, ``people_below``, ``mean_risk``, ``entropy_bits`` or ``k_hat``.

    Attributes:
        figure: the figure.
        number: the size of ``people_below``.
        limit: the limit; a share of the people kept if ``of_people``.
        strict: whether the limit itself breaks the rule.
    """

    figure: str
    number: int | None
    limit: Fraction
    strict: bool
    of_people: bool = False

    @property
    def can_withhold(self) -> bool:
        """Whether withholding small groups helps to meet the rule."""
        return self.figure not in ("entropy_bits", "k_hat")

    def most_bits(self, n_people: int) -> float:
        """Return the most bits of a table of this many people that a rule about bits allows.

        >>> TableRule("k_hat", None, Fraction(4), False).most_bits(64)
        4.0
        """
        limit = float(self.limit)
        if self.figure == "entropy_bits":
            return limit
        return math.log2(n_people / limit) if limit > 0 else math.inf

    def fewest_groups(self, ordered: Integers) -> int | None:
        """Return how many of the smallest groups have to be withheld; None if withholding all is not enough.

        >>> TableRule("singletons", None, Fraction(0), False).fewest_groups(np.array([1, 1, 3]))
        2
        """
        before = np.concatenate(([0], np.cumsum(ordered)))
        left = before[-1] - before[:-1]
        if self.figure == "mean_risk":
            value, scale = np.arange(len(ordered), 0, -1), left
        else:
            below = before[np.searchsorted(ordered, self.number or _UNIQUE)]
            value, scale = np.maximum(0, below - before[:-1]), left if self.of_people else np.ones_like(left)
        real = value - float(self.limit) * scale
        slack = TOLERANCE * float(self.limit) * scale
        holds = real < -slack if self.strict else real <= slack
        (places,) = np.nonzero(holds)
        return int(places[0]) if len(places) else None

    def holds(self, sizes: Integers) -> bool:
        """Whether groups of these sizes meet a rule for which nobody is withheld."""
        bits = entropy_of_sizes(sizes)
        value = bits if self.figure == "entropy_bits" else int(sizes.sum()) / 2.0**bits
        limit = float(self.limit)
        slack = TOLERANCE * abs(limit)
        if self.figure == "k_hat":
            return value > limit + slack if self.strict else value >= limit - slack
        return value < limit - slack if self.strict else value <= limit + slack


@dataclass(frozen=True, slots=True, eq=False)
class Withheld:
    """Who is withheld from a node.

    Attributes:
        out: the groups that are withheld; None if nobody is.
        people: their people.
        meets: whether the goal is met, by at least one person who is kept and within the limit.
    """

    out: Mask | None
    people: int
    meets: bool


@dataclass(frozen=True, eq=False)
class Goal:
    """A goal for the groups of a table.

    Attributes:
        least_size: the smallest group allowed.
        group_rules: rules about groups, each with the index of its sensitive column.
        table_rules: rules about the table.
        most_withheld: the most people who may be withheld.
        sensitive: the sensitive columns before anybody is withheld.
        columns: the levels of the columns, whose places order equally small groups; if there are none, the values of
            groups are places.
    """

    least_size: int = 1
    group_rules: Sequence[tuple[int, GroupRule]] = ()
    table_rules: Sequence[TableRule] = ()
    most_withheld: int = 0
    sensitive: Sequence[SensitiveValues] = field(default_factory=tuple)
    columns: Sequence[ColumnLevels] = ()

    @property
    def falls_when_coarser(self) -> bool:
        """Whether coarsening never raises the number of withheld people."""
        steady = all(rule.figure == "l_distinct" for _, rule in self.group_rules)
        return steady and all(rule.figure in ("singletons", "people_below") for rule in self.table_rules)

    def necessary(self, n_people: int) -> NecessaryLimits:
        """Return what the groups of some columns of a treatment that meets the goal must satisfy.

        >>> rule = TableRule("people_below", 3, Fraction(1, 10), strict=False, of_people=True)
        >>> Goal(2, (), [rule], most_withheld=20).necessary(100).small_groups
        ((3, 28.0),)
        """
        most = self.most_withheld
        least = max([self.least_size, *(rule.least_people for _, rule in self.group_rules)])
        small, groups, bits = [], math.inf, math.inf
        for rule in self.table_rules:
            limit = float(rule.limit)
            if rule.figure == "mean_risk":
                # Each withheld person may have been a group.
                groups = min(groups, limit * n_people + (1 - min(1.0, limit)) * most)
            elif rule.can_withhold:
                left = most + min(1.0, limit) * (n_people - most) if rule.of_people else most + limit
                small.append((rule.number or _UNIQUE, left))
            elif not most:
                bits = min(bits, rule.most_bits(n_people))
        return NecessaryLimits(least, most, tuple(small), groups, bits)

    def broken(self, groups: NodeGroups) -> Mask:
        """Return which groups break a rule about groups."""
        out: Mask = groups.sizes < self.least_size
        for index, rule in self.group_rules:
            out |= rule.broken(groups.cells[index], self.sensitive[index])
        return out

    def withheld(self, groups: NodeGroups) -> Withheld:
        """Return who has to be withheld from a node."""
        out = self.broken(groups)
        people = people_of(groups.sizes, out)
        if people > self.most_withheld:
            return Withheld(out, people, meets=False)
        total = int(groups.sizes.sum())
        if self.table_rules:
            more = self._smallest(groups, out)
            if more is None:
                # Even the last group would have to go.
                return Withheld(np.ones(len(out), np.bool_), total, meets=False)
            out, people = more, people_of(groups.sizes, more)
        meets = people <= self.most_withheld and people < total
        kept = groups.sizes[~out] if self.table_rules else groups.sizes
        meets = meets and all(rule.can_withhold or rule.holds(kept) for rule in self.table_rules)
        return Withheld(out if people else None, people, meets)

    def _smallest(self, groups: NodeGroups, out: Mask) -> Mask | None:
        """Withhold the smallest groups until the rules about the table hold; None if that is impossible."""
        ordered = np.sort(groups.sizes[~out])
        numbers = [rule.fewest_groups(ordered) for rule in self.table_rules if rule.can_withhold]
        if None in numbers:
            return None
        n_groups = max((number for number in numbers if number is not None), default=0)
        if not n_groups:
            return out
        largest = ordered[n_groups - 1]
        more: Mask = out | (groups.sizes < largest)
        tied = np.flatnonzero((groups.sizes == largest) & ~out)
        n_tied = n_groups - int(np.searchsorted(ordered, largest))
        more[tied if n_tied == len(tied) else tied[self._order(groups, tied)[:n_tied]]] = True
        return more

    def _order(self, groups: NodeGroups, selected: Integers) -> Integers:
        """Return the order of some groups by their values."""
        places = groups.values(selected)
        if self.columns:
            places = [
                column.places[level][values]
                for column, level, values in zip(self.columns, groups.levels, places, strict=True)
            ]
        return np.lexsort(places[::-1]) if places else np.arange(len(selected))


def risk_of_sizes(sizes: Integers, figure: str, number: int | None, n_people: int) -> float:
    """Return the risk of kept groups as a share of all people; those who are withheld have none."""
    if figure == "mean_risk":
        return len(sizes) / n_people
    if figure == "entropy_bits":
        return entropy_of_sizes(sizes) * (int(sizes.sum()) / n_people)
    return people_of(sizes, sizes < (number or _UNIQUE)) / n_people
