"""Which entries would reveal a small group, by themselves or together with other entries.

Readers can subtract: from the number of people in a town and the number of them who own a car, they know how many do
not. So every published population size and every published cell of a distribution is a *count* of a group (the people
who satisfy some conditions), and readers must not be able to compute a count above 0 and below the limit:

- **population-floor**: a population has fewer people than the floor.
- **small-cell**: a cell of a distribution, or its left-out values together, have fewer people than the minimum.
- **difference**: two counts of the same group, or of a group and one within it, differ by fewer people than the limit.
- **remainder**: subtracting published parts from a group leaves fewer people than the limit. The parts may exclude each
  other, be values of two attributes (inclusion and exclusion), be ranges of one number or day that are cut at different
  points, or be cells of a cross table of attributes whose values everyone knows.

The limit is the floor between populations, and the minimum size of a cell if a cell is involved. The rules include
the entries of all publishers, and superseded and retracted entries too: readers have seen them. They compare only
counts less than a year apart: people move, so older counts are of other people.

Implements: SPEC section 6; S2 7.2.1.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from idbits.repository.coarser_sums import coarser_groups, coarser_sums
from idbits.repository.conditions import Condition, Group, concept_of, extent_of, implied_condition, is_finer, is_null
from idbits.repository.counted_groups import CountedGroups, GroupCount
from idbits.repository.cross_tables import known_values_leave_few
from idbits.repository.exclusive_parts import FamilyTotal, exclusions, family_totals
from idbits.repository.remainders import Cuts, exclusive_families, left_over, same_attribute_families

__all__ = ["LEAST_CELL", "PublishedCounts", "RefusalRule"]

LEAST_CELL = 10
"""The minimum number of people in a published cell (SPEC section 12)."""

_MOST_WAYS = 4096
_MOST_PARTS = 300


class RefusalRule:
    """The names of the rules."""

    FLOOR = "population-floor"
    CELL = "small-cell"
    DIFFERENCE = "difference"
    REMAINDER = "remainder"


class PublishedCounts(CountedGroups):
    """All published counts, and the rules that decide whether to publish more."""

    def __init__(
        self, floor: int, least_cell: int = LEAST_CELL, is_whole: Callable[[str], bool] = lambda _: False
    ) -> None:
        """Start with no counts; ``is_whole`` returns whether the values of a concept are whole numbers or days."""
        super().__init__()
        self._is_whole = is_whole
        self._floor = floor
        self.least_cell = min(least_cell, floor)
        self._too_many: set[tuple[int, ...]] = set()

    def refuses(
        self, counts: Sequence[GroupCount], rest_people: int = 0, is_whole: Callable[[str], bool] | None = None
    ) -> str | None:
        """Return the rule that forbids publishing counts; None if they may be published.

        Args:
            counts: the population of an entry, then the cells of its distribution.
            rest_people: the number of people whose cells are left out.
            is_whole: as for a new object, if the vocabulary has changed.

        >>> town = frozenset({("municipality", "a")})
        >>> published = PublishedCounts(floor=100)
        >>> published.add([GroupCount(town, 5000, 1)])
        >>> published.refuses([GroupCount(town | {("car owner", "yes")}, 4950, 1)])
        'difference'
        """
        self._is_whole = is_whole or self._is_whole
        self.forget_reads()
        self._too_many.clear()
        if counts[0].people < self._floor:
            return RefusalRule.FLOOR
        if any(count.people < self.least_cell for count in counts[1:]) or 0 < rest_people < self.least_cell:
            return RefusalRule.CELL
        known = list(counts)
        self.add(counts)
        try:
            for derive in (self._derived, self._added_up):
                derived = list(derive(counts))
                self.add(derived)
                known += derived
            if any(self._isolates(count) for count in known):
                return RefusalRule.DIFFERENCE
            if self._leaves_few(known) or self._known_values_leave_few(counts):
                return RefusalRule.REMAINDER
        finally:
            self.remove(known)
        return None

    def _isolates(self, count: GroupCount) -> bool:
        """Return whether a count is within the limit of a count of the same, a wider or a narrower group."""
        for group in itertools.chain(self._wider(count.group), self._narrower(count.group)):
            for other in self._at(group, count.day):
                limit = self.least_cell if count.is_cell or other.is_cell else self._floor
                if 0 < abs(other.people - count.people) < limit:
                    return True
        return False

    def _leaves_few(self, counts: Sequence[GroupCount]) -> bool:
        """Return whether subtracting parts from a whole leaves few people, using at least one new count."""
        day, groups = counts[0].day, {count.group for count in counts}
        wholes = set(groups)
        for group in groups:
            wholes.update(self._wider(group))
        crossing = set(wholes)
        for group in groups:
            crossing.update(group - {condition, other} for condition, other in itertools.combinations(group, 2))
        return (
            any(self._parts_leave_few(whole, day) for whole in wholes)
            or any(self._crossed_leaves_few(whole, groups, day) for whole in crossing & self._groups.keys())
            or any(self._ranges_leave_few(whole, concept, day) for whole, concept in self._ranged(groups))
        )

    def _parts_leave_few(self, whole: Group, day: int) -> bool:
        """Return whether subtracting parts that exclude each other leaves few people: n - A - B - ..."""
        parts = [group for group in self._narrower(whole) if self._at(group, day)]
        if len(parts) <= _MOST_PARTS:
            # Wholes that are divided in the same way have the same exclusions, in the same order.
            parts.sort(key=lambda part: sorted(part - whole))
        populations = [group for group in parts if any(not count.is_cell for count in self._at(group, day))]
        return self._families_leave_few(whole, parts, day) or (
            len(populations) < len(parts) and self._families_leave_few(whole, populations, day)
        )

    def _families_leave_few(self, whole: Group, parts: Sequence[Group], day: int) -> bool:
        """Return whether subtracting a family of parts that exclude each other leaves few people.

        For more than 300 parts, we try only families with conditions on the same attributes, which is how populations
        are usually divided.
        """
        families = same_attribute_families(parts)
        everyone, counted = self._at(whole, day), {part: self._at(part, day) for part in parts}

        def leaves_few(family: Sequence[Group]) -> bool:
            return self._few_left(everyone, [counted[part] for part in family])

        if any(map(leaves_few, families)):
            return True
        if len(families) < 2 or len(parts) > _MOST_PARTS:
            return False
        few = self._totals_leave_few(whole, parts, day)
        if few is None:
            return any(map(leaves_few, exclusive_families(parts)))
        return few

    def _totals_leave_few(self, whole: Group, parts: Sequence[Group], day: int) -> bool | None:
        """Return whether a maximal family of exclusive parts leaves few people; None if it would take too long."""
        everyone, counted = self._at(whole, day), [self._at(part, day) for part in parts]
        sizes = [{count.people for count in counts} for counts in (everyone, *counted)]
        if math.prod(map(len, sizes)) > _MOST_WAYS or min(map(min, sizes[1:])) < 0:
            return None
        excludes = exclusions(parts)
        for holder in {count.holder for counts in (everyone, *counted) for count in counts} if everyone else ():
            options = [_options(counts, holder) for counts in counted]
            totals = family_totals(excludes, options, max(sizes[0]), self._too_many)
            if totals is None:
                return None
            for people, whole_is_cell, whole_has in _options(everyone, holder):
                for total, is_cell, has in totals:
                    limit = self.least_cell if whole_is_cell or is_cell else self._floor
                    if (whole_has or has) and 0 < people - total < limit:
                        return True
        return False

    def _crossed_leaves_few(self, whole: Group, new: set[Group], day: int) -> bool:
        """Return whether subtracting two concepts at once leaves few people: n - A - B + AB.

        We try all values of each concept together, and single values: every value if the whole is new, otherwise only
        values in new counts.
        """
        parts = self._parts.get(whole, {})
        fresh = None if whole in new else {condition for group in new if whole < group for condition in group - whole}
        for first, second in itertools.combinations(sorted(parts), 2):
            for mine, theirs in itertools.product(_by_view(parts[first]), _by_view(parts[second])):
                for row, column in itertools.product(_all_and_single(mine, fresh), _all_and_single(theirs, fresh)):
                    # Most combinations are not published: stop at the first missing one.
                    if not all(whole | {a, b} in self._groups for a in row for b in column):
                        continue
                    crossed = [self._at(whole | {a, b}, day) for a in row for b in column]
                    taken = [self._at(whole | {condition}, day) for condition in (*row, *column)]
                    if self._few_left(self._at(whole, day), taken, crossed):
                        return True
                if (fresh is None or fresh & {*mine, *theirs}) and self._table_leaves_few(whole, mine, theirs, day):
                    return True
        return False

    def _table_leaves_few(self, whole: Group, mine: Sequence[Condition], theirs: Sequence[Condition], day: int) -> bool:
        """Return whether the counts of two attributes, and their published cells, reveal few people."""
        crossed = {(a, b) for a in mine for b in self._within(whole | {a}, theirs[0])}
        crossed |= {(a, b) for b in theirs for a in self._within(whole | {b}, mine[0])}
        groups = {whole} | {whole | {condition} for condition in (*mine, *theirs)}
        groups |= {whole | {a, b} for a, b in crossed}
        for last, limit in self._last(groups, day):
            if whole in last:
                rows = {a: last[whole | {a}] for a in mine if whole | {a} in last}
                tops = {b: last[whole | {b}] for b in theirs if whole | {b} in last}
                cells = {(a, b): last[whole | {a, b}] for a, b in crossed if whole | {a, b} in last}
                if cells and any(0 < left < limit for left in left_over(last[whole], rows, tops, cells)):
                    return True
        return False

    def _known_values_leave_few(self, counts: Sequence[GroupCount]) -> bool:
        """Return whether the counts reveal few people to an attacker who knows all values of the attributes."""
        new, first = [count.group for count in counts], counts[0]
        values, always = self._values, self._always(first.group)

        def last(group: Group, *, of_others: bool) -> int | None:
            known = self._at(group, first.day)
            preferred = [count for count in known if count.holder == first.holder] or (known if of_others else [])
            return _nearest(preferred, first.day).people if preferred else None

        return any(
            known_values_leave_few(
                new, values, always, partial(last, of_others=of_others), self.least_cell, self._is_whole
            )
            for of_others in ((True, False) if len(self._holders) > 1 else (True,))
        )

    def _ranged(self, groups: set[Group]) -> set[tuple[Group, str]]:
        """Return the wholes that new groups belong to, with the concepts that divide them in several views."""
        return {
            (whole, concept)
            for whole, concept in self._parted(groups)
            if len({name for name, _ in self._parts.get(whole, {}).get(concept, ())}) > 1
        }

    def _parted(self, groups: set[Group]) -> set[tuple[Group, str]]:
        """Return the wholes that new groups are or are part of, with the concepts that divide them."""
        near = {(group - {condition}, concept_of(condition)) for group in groups for condition in group}
        return near | {(group, concept) for group in groups for concept in self._parts.get(group, ())}

    def _ranges_leave_few(self, whole: Group, concept: str, day: int) -> bool:
        """Return whether views of one concept that are cut at different points reveal few people."""
        return any(
            0 < left < limit
            for last, limit in self._last(self._whole_and_parts(whole, concept), day)
            for left in self._cuts(whole, concept, last).between()
        )

    def _whole_and_parts(self, whole: Group, concept: str) -> set[Group]:
        return {whole, *(whole | {condition} for condition in self._parts[whole][concept])}

    def _cuts(self, whole: Group, concept: str, last: Mapping[Group, int]) -> Cuts:
        parts = [condition for condition in self._parts[whole][concept] if whole | {condition} in last]
        extents = ((extent_of(condition), last[whole | {condition}]) for condition in parts)
        ranges = {extent: people for extent, people in extents if extent is not None}
        nulls = next((last[whole | {condition}] for condition in parts if is_null(condition)), None)
        return Cuts(last.get(whole), nulls, ranges, whole=self._is_whole(concept))

    def _derived(self, counts: Sequence[GroupCount]) -> Iterator[GroupCount]:
        """Yield counts that can be computed from finer ones of the same whole, if a narrower group is published."""
        day, wanted = counts[0].day, defaultdict(set)
        for whole, condition in self._coarsely_narrowed({count.group for count in counts}):
            if whole | {condition} not in self._groups:
                wanted[whole, concept_of(condition)].add(condition)
        for (whole, concept), conditions in wanted.items():
            for last, limit in self._last(self._whole_and_parts(whole, concept), day):
                cuts = self._cuts(whole, concept, last)
                for condition in conditions:
                    extent = extent_of(condition)
                    people = cuts.inside(extent) if extent is not None else self._summed(whole, condition, last)
                    if people:
                        yield GroupCount(whole | {condition}, people, day, is_cell=limit < self._floor)

    def _added_up(self, counts: Sequence[GroupCount]) -> Iterator[GroupCount]:
        """Yield counts that cells which leave nobody out add up to, if a narrower group is published."""
        day, new = counts[0].day, {count.group for count in counts}
        added: set[tuple[Group, int]] = set()
        for whole in {wider for group in new for wider in self._wider(group)}:
            families = same_attribute_families([part for part in self._narrower(whole) if self._at(part, day)])
            fresh = [whole in new or not new.isdisjoint(family) for family in families]
            for cells, is_new in zip(families, fresh, strict=True):
                others = [family for family, touched in zip(families, fresh, strict=True) if touched or is_new]
                wanted = coarser_groups(whole, cells, others) if all(whole < cell for cell in cells) else {}
                for last, limit in self._last([whole, *cells], day) if wanted else ():
                    if len(last) > len(cells) and sum(last.values()) == 2 * last[whole]:
                        sizes = {cell: last[cell] for cell in cells}
                        sums = (coarser_sums(sizes, names, groups) for names, groups in wanted.items())
                        for group, people in itertools.chain.from_iterable(sums):
                            if whole | group not in self._groups and (whole | group, people) not in added:
                                added.add((whole | group, people))
                                yield GroupCount(whole | group, people, day, is_cell=limit < self._floor)

    def _coarsely_narrowed(self, groups: set[Group]) -> Iterator[tuple[Group, Condition]]:
        """Yield wholes with conditions on a concept that divides them in one view and narrower groups in another."""
        for group in groups:
            for condition in group:
                if len(self._attributes[concept_of(condition)]) > 1:
                    # The size of the whole may be unknown: two single ages make up their band nevertheless.
                    yield from (
                        (whole, condition)
                        for whole in self._wider(group - {condition}, self._parts, self._part_shapes)
                        if concept_of(condition) in self._parts.get(whole, ())
                    )
        for whole, concept in self._parted(groups):
            if len(self._attributes[concept]) > 1 and concept in self._parts.get(whole, ()):
                views = (self._conditions[name] for name in self._attributes[concept])
                for condition in itertools.chain.from_iterable(views):
                    if any(whole < group for group in self._with[condition]):
                        yield whole, condition

    def _summed(self, whole: Group, condition: Condition, last: Mapping[Group, int]) -> int | None:
        """Return the number of people who satisfy a condition, if finer values are published for everyone."""
        for parts in _by_view(self._parts[whole][concept_of(condition)]):
            known = [part for part in parts if whole | {part} in last] if is_finer(parts[0][0], condition[0]) else []
            if known and sum(last[whole | {part}] for part in known) == last.get(whole):
                return sum(last[whole | {part}] for part in known if implied_condition(part, condition[0]) == condition)
        return None

    def _last(self, groups: Iterable[Group], day: int) -> Iterator[tuple[dict[Group, int], int]]:
        """Yield, for each holder, the counts of some groups nearest to a day (or others' counts), with the limit."""
        counted = [(group, self._at(group, day)) for group in groups]
        for only, limit in ((False, self.least_cell), (True, self._floor)):
            known = [(group, [c for c in counts if not (only and c.is_cell)]) for group, counts in counted]
            for holder in {count.holder for _, counts in known for count in counts}:
                yield (
                    {group: _nearest(counts, day, holder).people for group, counts in known if counts},
                    limit,
                )

    def _few_left(
        self, everyone: list[GroupCount], taken: Sequence[list[GroupCount]], back: Sequence[list[GroupCount]] = ()
    ) -> bool:
        """Return whether published counts of a whole and its parts leave 1 to limit - 1 people.

        Counts of one holder are combined; if the holder has no count of a group, those of other holders are used.
        """
        if not everyone or (back and not all((*taken, *back))):
            return False
        terms = [(1, everyone), *((-1, counts) for counts in taken if counts), *((1, counts) for counts in back)]
        if len(terms) < 2:
            return False
        if all(len(counts) == 1 for _, counts in terms):
            # Who counted does not matter if there is nothing to choose.
            limit = self.least_cell if any(counts[0].is_cell for _, counts in terms) else self._floor
            return 0 < sum(sign * counts[0].people for sign, counts in terms) < limit
        # The floor applies between populations; the minimum cell size applies if a cell is needed to subtract.
        pure = all(any(not count.is_cell for count in counts) for _, counts in terms)
        limit = self._floor if pure else self.least_cell
        for holder in {count.holder for _, counts in terms for count in counts}:
            preferred = [(sign, [c for c in counts if c.holder == holder] or counts) for sign, counts in terms]
            if any(0 < left < limit for left in _totals(preferred)):
                return True
        return False


def _nearest(counts: Sequence[GroupCount], day: int, holder: str = "") -> GroupCount:
    """Return the count of a holder, or else of others, whose day is nearest; the latest of several.

    Entries can come late: those of January are compared with each other, even if February is published already.
    """
    if len(counts) == 1:
        return counts[0]
    return max(reversed(counts), key=lambda count: (count.holder == holder, -abs(count.day - day)))


def _options(counts: Sequence[GroupCount], holder: str) -> frozenset[FamilyTotal]:
    """Return the published sizes of a group: those of a holder, or of others if it has none."""
    mine, is_cell = [count for count in counts if count.holder == holder], all(count.is_cell for count in counts)
    return frozenset((count.people, is_cell, bool(mine)) for count in mine or counts)


def _totals(terms: Sequence[tuple[int, list[GroupCount]]]) -> set[int]:
    """Return the possible totals of the terms; if there are too many, use only the latest count of each term."""
    totals = {0}
    for sign, counts in terms:
        totals = {total + sign * people for total in totals for people in {count.people for count in counts}}
        if len(totals) > _MOST_WAYS:
            return {sum(sign * counts[-1].people for sign, counts in terms)}
    return totals


def _all_and_single(conditions: list[Condition], fresh: set[Condition] | None) -> list[list[Condition]]:
    """Return all conditions together, then each new condition by itself; ``fresh`` is None if all are new."""
    several = len(conditions) > 1
    return [conditions, *([condition] for condition in conditions if several and (fresh is None or condition in fresh))]


def _by_view(conditions: Iterable[Condition]) -> list[list[Condition]]:
    """Return the conditions grouped by attribute: those of one attribute exclude each other."""
    views: dict[str, list[Condition]] = defaultdict(list)
    for condition in conditions:
        views[condition[0]].append(condition)
    return list(views.values())
