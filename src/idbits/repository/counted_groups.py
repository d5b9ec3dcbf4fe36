"""Groups of people with published counts, and how the groups relate: which contain others, which are parts."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from idbits.repository.conditions import Condition, Group, concept_of, implied_condition, is_finer

__all__ = ["SAME_TIME_DAYS", "CountedGroups", "GroupCount", "day_number"]

SAME_TIME_DAYS = 365
"""Counts are compared if their dates are less than this many days apart."""

_MOST_WAYS = 4096


@dataclass(frozen=True, slots=True)
class GroupCount:
    """The number of people in a group on a day.

    Attributes:
        group: the conditions that the people satisfy.
        people: the number of people.
        day: the day that the count describes, as an ordinal.
        holder: the data holder that counted.
        is_cell: whether the group is a cell of a distribution instead of a population.
    """

    group: Group
    people: int
    day: int
    holder: str = ""
    is_cell: bool = False


class CountedGroups:
    """Counts of groups, indexed by the conditions that the groups share."""

    def __init__(self) -> None:
        self._counts: dict[Group, dict[GroupCount, int]] = {}
        self._with: dict[Condition, set[Group]] = defaultdict(set)
        # For each concept its attributes, and for each attribute its conditions.
        self._attributes: dict[str, set[str]] = defaultdict(set)
        self._conditions: dict[str, set[Condition]] = defaultdict(set)
        # For each group, the single conditions by which published groups extend it, by concept.
        self._parts: dict[Group, dict[str, set[Condition]]] = {}
        self._holders: set[str] = set()
        # For each concept the conditions that published groups have, and for each attribute how many groups have one.
        self._values: dict[str, set[Condition]] = defaultdict(set)
        self._having: dict[str, int] = defaultdict(int)
        # The entries that counts come from, until they are verified, and the groups whose counts were read.
        self._unverified: dict[Group, list[int]] = {}
        self._verified: set[int] = set()
        self._read: set[Group] = set()

    def add(self, counts: Iterable[GroupCount], entry: int | None = None) -> None:
        """Add published counts; ``entry`` is the line number of their entry, if its signature is not verified yet."""
        for count in counts:
            if entry is not None:
                self._unverified.setdefault(count.group, []).append(entry)
            self._holders.add(count.holder)
            known = self._counts.get(count.group)
            if known is None:
                self._counts[count.group] = {count: 1}
                self._add_group(count.group)
            else:
                known[count] = known.get(count, 0) + 1

    def _add_group(self, group: Group) -> None:
        for condition in group:
            concept = concept_of(condition)
            self._with[condition].add(group)
            self._having[condition[0]] += 1
            self._values[concept].add(condition)
            self._attributes[concept].add(condition[0])
            self._conditions[condition[0]].add(condition)
            self._parts.setdefault(group - {condition}, {}).setdefault(concept, set()).add(condition)

    def remove(self, counts: Iterable[GroupCount]) -> None:
        """Remove counts that were not published after all."""
        for count in counts:
            known = self._counts[count.group]
            known[count] -= 1
            if not known[count]:
                del known[count]
            if not known:
                del self._counts[count.group]
                for condition in count.group:
                    self._with[condition].discard(count.group)
                    self._having[condition[0]] -= 1
                    if not self._with[condition]:
                        self._values[concept_of(condition)].discard(condition)
                    self._parts[count.group - {condition}][concept_of(condition)].discard(condition)

    def entries_to_verify(self) -> set[int]:
        """Return the line numbers of the entries whose counts were read and whose signatures are not verified yet."""
        return {entry for group in self._read for entry in self._unverified[group]} - self._verified

    def forget_reads(self) -> None:
        """Forget which counts were read; a new check begins."""
        self._read.clear()

    def set_verified(self, entries: Iterable[int]) -> None:
        """Note that the signatures of all entries whose counts were read are verified."""
        self._verified.update(entries)
        for group in self._read:
            del self._unverified[group]
        self.forget_reads()

    def _at(self, group: Group, day: int) -> list[GroupCount]:
        counts = [count for count in self._counts.get(group, ()) if abs(count.day - day) < SAME_TIME_DAYS]
        if counts and group in self._unverified:
            self._read.add(group)
        return counts

    def _coarser(self, condition: Condition) -> set[Condition]:
        """Return a condition and the conditions on other published attributes that it implies."""
        implied = (implied_condition(condition, attribute) for attribute in self._attributes[concept_of(condition)])
        return {coarse for coarse in implied if coarse is not None}

    def _wider(self, group: Group) -> Iterator[Group]:
        """Yield the published groups that contain a group, including the group itself."""
        choices = [[None, *self._coarser(condition)] for condition in group]
        ways = 1
        for choice in choices:
            ways *= len(choice)
        if ways <= min(_MOST_WAYS, 4 * len(self._counts) + 16):
            wider_groups = {frozenset(filter(None, kept)) for kept in itertools.product(*choices)}
            yield from (wider for wider in wider_groups if wider in self._counts)
            return
        possible = {condition for choice in choices for condition in choice if condition is not None}
        yield from (wider for wider in self._counts if wider <= possible)

    def _narrower(self, group: Group) -> Iterator[Group]:
        """Yield the published groups within a group, excluding the group itself."""
        having = []
        for condition in group:
            finest = self._finer(condition)
            having.append(
                self._with[condition] if len(finest) == 1 else set().union(*(self._with[each] for each in finest))
            )
        having.sort(key=len)
        yield from having[0].intersection(*having[1:]) - {group} if having else ()

    def _finer(self, condition: Condition) -> set[Condition]:
        """Return a condition and the published conditions that imply it."""
        conditions = {condition}
        for attribute in self._attributes[concept_of(condition)] - {condition[0]}:
            # A coarser attribute can only have the value that this condition implies.
            coarse = implied_condition(condition, attribute) if is_finer(condition[0], attribute) else None
            possible = self._conditions[attribute] if coarse is None else self._conditions[attribute] & {coarse}
            conditions |= {narrow for narrow in possible if implied_condition(narrow, condition[0]) == condition}
        return conditions

    def _always(self, group: Group) -> set[str]:
        """Return the concepts of a group on which every published group has a condition, all in the same view."""
        return {
            concept_of(condition)
            for condition in group
            if self._attributes[concept_of(condition)] == {condition[0]}
            and self._having[condition[0]] == len(self._counts)
        }

    def _within(self, group: Group, like: Condition) -> list[Condition]:
        """Return the conditions, on the same attribute as ``like``, by which published groups extend a group."""
        return [
            condition for condition in self._parts.get(group, {}).get(concept_of(like), ()) if condition[0] == like[0]
        ]


@lru_cache(maxsize=10_000)
def day_number(text: str) -> int:
    """Return the ordinal of a day."""
    return date.fromisoformat(text).toordinal()
