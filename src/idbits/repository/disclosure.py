"""Which entries would themselves be a leak: too few people, or few people left over between entries.

A reader can subtract: whoever knows how many people live in a town, and how many of them own a car, knows how many do
not. So every published size of a population, and every published cell of a distribution, is a *count* of a group (the
people who satisfy some conditions), and no count may follow from others that is above 0 and below the limit:

- **population-floor**: a population has fewer people than the floor.
- **small-cell**: a cell of a distribution, or what is left out of it, has fewer people than a cell may have.
- **difference**: two counts of the same group, or of a group and one within it, differ by fewer people than the limit.
- **remainder**: what is left of a group when published parts of it are taken away is below the limit: all published
  values of one attribute, or of two attributes at once (inclusion and exclusion).

The limit is the floor between populations, and the least size of a cell where a cell is involved. Entries count
whoever published them, whether superseded and retracted or not: they have been seen. Counts are compared that are
less than a year apart; people move, and older counts are of other people.

Implements: SPEC section 6; S2 7.2.1.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from idbits.repository.conditions import Condition, Group, concept_of, finer, follows

__all__ = ["LEAST_CELL", "SAME_TIME_DAYS", "Count", "Published", "Rule", "day_number"]

LEAST_CELL = 10
"""The least people of a published cell (SPEC section 12)."""

SAME_TIME_DAYS = 365
"""Counts whose days are fewer days apart are compared."""

_MOST_WAYS = 4096


class Rule:
    """The names of the rules."""

    FLOOR = "population-floor"
    CELL = "small-cell"
    DIFFERENCE = "difference"
    REMAINDER = "remainder"


@dataclass(frozen=True, slots=True)
class Count:
    """How many people a group has, on a day.

    Attributes:
        group: the conditions that they satisfy.
        people: how many they are.
        day: the day that the count is about, as an ordinal.
        holder: who counted.
        is_cell: whether it is a cell of a distribution, and not a population of its own.
    """

    group: Group
    people: int
    day: int
    holder: str = ""
    is_cell: bool = False


class Published:
    """All counts that have been published, and whether others may join them."""

    def __init__(self, floor: int, least_cell: int = LEAST_CELL) -> None:
        self._floor = floor
        self._least_cell = min(least_cell, floor)
        self._counts: dict[Group, dict[Count, int]] = {}
        self._with: dict[Condition, set[Group]] = defaultdict(set)
        # For each concept its attributes, and for each attribute its conditions.
        self._attributes: dict[str, set[str]] = defaultdict(set)
        self._conditions: dict[str, set[Condition]] = defaultdict(set)
        # For each group the conditions that published groups add to it, by the concept they are about.
        self._parts: dict[Group, dict[str, set[Condition]]] = {}

    def add(self, counts: Iterable[Count]) -> None:
        """Take note of counts that have been published."""
        for count in counts:
            known = self._counts.setdefault(count.group, {})
            known[count] = known.get(count, 0) + 1
            for one in count.group:
                self._with[one].add(count.group)
                self._attributes[concept_of(one)].add(one[0])
                self._conditions[one[0]].add(one)
                self._parts.setdefault(count.group - {one}, {}).setdefault(concept_of(one), set()).add(one)

    def remove(self, counts: Iterable[Count]) -> None:
        """Forget counts that were not published after all."""
        for count in counts:
            known = self._counts[count.group]
            known[count] -= 1
            if not known[count]:
                del known[count]
            if not known:
                del self._counts[count.group]
                for one in count.group:
                    self._with[one].discard(count.group)
                    self._parts[count.group - {one}][concept_of(one)].discard(one)

    def refuses(self, counts: Sequence[Count], rest_people: int = 0) -> str | None:
        """Return the rule by which counts may not be published together; None where they may.

        Args:
            counts: the population of an entry first, then the cells of its distribution.
            rest_people: the people whose cells are left out.

        >>> town = frozenset({("municipality", "a")})
        >>> published = Published(floor=100)
        >>> published.add([Count(town, 5000, 1)])
        >>> published.refuses([Count(town | {("car owner", "yes")}, 4950, 1)])
        'difference'
        """
        if counts[0].people < self._floor:
            return Rule.FLOOR
        if any(count.people < self._least_cell for count in counts[1:]) or 0 < rest_people < self._least_cell:
            return Rule.CELL
        self.add(counts)
        try:
            if any(self._isolates(count) for count in counts):
                return Rule.DIFFERENCE
            if self._leaves_few(counts):
                return Rule.REMAINDER
        finally:
            self.remove(counts)
        return None

    def _at(self, group: Group, day: int) -> list[Count]:
        return [count for count in self._counts.get(group, ()) if abs(count.day - day) < SAME_TIME_DAYS]

    def _isolates(self, count: Count) -> bool:
        """Return whether a count differs by few people from one of the same group, a wider or a narrower one."""
        for group in itertools.chain(self._wider(count.group), self._narrower(count.group)):
            for other in self._at(group, count.day):
                limit = self._least_cell if count.is_cell or other.is_cell else self._floor
                if 0 < abs(other.people - count.people) < limit:
                    return True
        return False

    def _coarser(self, one: Condition) -> set[Condition]:
        """Return a condition and what follows from it about other attributes that have been published."""
        found = (follows(one, attribute) for attribute in self._attributes[concept_of(one)])
        return {coarse for coarse in found if coarse is not None}

    def _wider(self, group: Group) -> Iterator[Group]:
        """Yield the published groups that hold all of a group, itself among them."""
        choices = [[None, *self._coarser(one)] for one in group]
        ways = 1
        for choice in choices:
            ways *= len(choice)
        if ways <= min(_MOST_WAYS, 4 * len(self._counts) + 16):
            found = {frozenset(filter(None, kept)) for kept in itertools.product(*choices)}
            yield from (wider for wider in found if wider in self._counts)
            return
        possible = {one for choice in choices for one in choice if one is not None}
        yield from (wider for wider in self._counts if wider <= possible)

    def _narrower(self, group: Group) -> Iterator[Group]:
        """Yield the published groups that lie within a group, itself not among them."""
        found: set[Group] | None = None
        for one in group:
            having = set(self._with[one])
            for attribute in self._attributes[concept_of(one)]:
                if attribute != one[0] and finer(attribute, one[0]):
                    for narrow in self._conditions[attribute]:
                        if follows(narrow, one[0]) == one:
                            having |= self._with[narrow]
            found = having if found is None else found & having
        yield from (found or set()) - {group}

    def _leaves_few(self, counts: Sequence[Count]) -> bool:
        """Return whether parts taken away from a whole leave few people, with new counts among them."""
        day, groups = counts[0].day, {count.group for count in counts}
        wholes = set(groups)
        for group in groups:
            for one in group:
                others = group - {one}
                wholes.add(others)
                wholes.update(others | {coarse} for coarse in self._coarser(one))
                wholes.update(others - {other} for other in others)
        for whole in wholes & self._counts.keys():
            families = self._families(whole)
            if any(self._few_left(whole, [part for _, part in family], (), day) for family in families):
                return True
            if self._crossed_leaves_few(whole, day):
                return True
        return False

    def _families(self, whole: Group) -> Iterator[list[tuple[Condition, Group]]]:
        """Yield parts of a whole that exclude each other: what is published of one concept, on top or instead."""
        for conditions in self._parts.get(whole, {}).values():
            for family in _exclusive(conditions):
                yield [(one, whole | {one}) for one in family]
        for one in whole:
            beside = self._parts.get(whole - {one}, {}).get(concept_of(one), set())
            within = {other for other in beside if other != one and follows(other, one[0]) == one}
            for family in _exclusive(within):
                yield [(other, whole - {one} | {other}) for other in family]

    def _crossed_leaves_few(self, whole: Group, day: int) -> bool:
        """Return whether two concepts taken away at once leave few people: n - A - B + AB."""
        parts = self._parts.get(whole, {})
        for first, second in itertools.combinations(sorted(parts), 2):
            for mine, theirs in itertools.product(_exclusive(parts[first]), _exclusive(parts[second])):
                rows = [mine, *([one] for one in mine)] if len(mine) > 1 else [mine]
                columns = [theirs, *([one] for one in theirs)] if len(theirs) > 1 else [theirs]
                for row, column in itertools.product(rows, columns):
                    crossed = [whole | {a, b} for a in row for b in column]
                    taken = [whole | {one} for one in (*row, *column)]
                    if all(group in self._counts for group in crossed) and self._few_left(whole, taken, crossed, day):
                        return True
        return False

    def _few_left(self, whole: Group, taken: Sequence[Group], back: Sequence[Group], day: int) -> bool:
        """Return whether published counts of a whole and its parts leave 1 to limit - 1 people.

        Counts of one holder are taken together; where a holder has none, those of the others are.
        """
        terms = [(1, self._at(whole, day)), *((-1, self._at(part, day)) for part in taken)]
        terms += [(1, self._at(part, day)) for part in back]
        if back and not all(counts for _, counts in terms):
            return False
        terms = [term for term in terms if term[1]]
        if len(terms) < 2 or terms[0][0] < 0:
            return False
        # Between populations alone the floor counts; where a cell is needed to subtract, the least cell.
        pure = all(any(not count.is_cell for count in counts) for _, counts in terms)
        limit = self._floor if pure else self._least_cell
        for holder in {count.holder for _, counts in terms for count in counts}:
            own = [(sign, [c for c in counts if c.holder == holder] or counts) for sign, counts in terms]
            if any(0 < left < limit for left in _totals(own)):
                return True
        return False


def _totals(terms: Sequence[tuple[int, list[Count]]]) -> set[int]:
    """Return what the terms can add up to; with too many ways, of each term only what was published last."""
    totals = {0}
    for sign, counts in terms:
        totals = {total + sign * people for total in totals for people in {count.people for count in counts}}
        if len(totals) > _MOST_WAYS:
            return {sum(sign * counts[-1].people for sign, counts in terms)}
    return totals


def _exclusive(conditions: Iterable[Condition]) -> list[list[Condition]]:
    """Return sets of conditions on one concept that exclude each other: those of each view, and the coarsest of all.

    Coarser and finer values are mixed only where it is known how they lie in each other.
    """
    by_view: dict[str, list[Condition]] = defaultdict(list)
    for one in conditions:
        by_view[one[0]].append(one)
    found = list(by_view.values())
    if len(by_view) > 1:
        mixed: list[Condition] = []
        for view in sorted(by_view, key=lambda view: (sum(finer(view, other) for other in by_view), view)):
            coarser = {kept[0] for kept in mixed}
            for one in by_view[view]:
                inside = [follows(one, other) for other in coarser]
                if all(seen is not None for seen in inside) and not set(inside) & set(mixed):
                    mixed.append(one)
        found.append(mixed)
    return found


def day_number(text: str) -> int:
    """Return the ordinal of a day."""
    return date.fromisoformat(text).toordinal()
