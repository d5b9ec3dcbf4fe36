"""Groups of people with published counts, and how the groups relate: which contain others, which are parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from idbits.repository.conditions import Condition, Group, concept_of
from idbits.repository.group_index import GroupIndex, Shapes

__all__ = ["SAME_TIME_DAYS", "CountedGroups", "GroupCount", "day_number"]

SAME_TIME_DAYS = 365
"""Counts are compared if their dates are less than this many days apart."""


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


class CountedGroups(GroupIndex[dict[GroupCount, int]]):
    """Counts of groups, with how often each was published."""

    def __init__(self) -> None:
        super().__init__()
        # For each group, the single conditions by which published groups extend it, by concept.
        self._parts: dict[Group, dict[str, set[Condition]]] = {}
        self._part_shapes = Shapes()
        self._holders: set[str] = set()
        # For each concept the conditions that published groups have, and for each attribute how many groups have one.
        self._values: dict[str, set[Condition]] = defaultdict(set)
        self._having: dict[str, int] = defaultdict(int)
        # The entries that counts come from, until they are verified, and the groups whose counts were read.
        self._unverified: dict[Group, list[int]] = {}
        self._verified: set[int] = set()
        self._read: set[Group] = set()
        # For a day, the counts of groups that were read since counts were added or removed.
        self._of_day: dict[int, dict[Group, list[GroupCount]]] = defaultdict(dict)

    def add(self, counts: Iterable[GroupCount], entry: int | None = None) -> None:
        """Add published counts; ``entry`` is the line number of their entry, if its signature is not verified yet."""
        self._of_day.clear()
        for count in counts:
            if entry is not None:
                self._unverified.setdefault(count.group, []).append(entry)
            self._holders.add(count.holder)
            known = self._groups.get(count.group)
            if known is None:
                self._add_group(count.group, {count: 1})
            else:
                known[count] = known.get(count, 0) + 1

    def _add_group(self, group: Group, kept: dict[GroupCount, int]) -> None:
        super()._add_group(group, kept)
        for condition in group:
            concept = concept_of(condition)
            self._having[condition[0]] += 1
            self._values[concept].add(condition)
            whole = group - {condition}
            if whole not in self._parts:
                self._part_shapes.add(whole)
            self._parts.setdefault(whole, {}).setdefault(concept, set()).add(condition)

    def remove(self, counts: Iterable[GroupCount]) -> None:
        """Remove counts that were not published after all."""
        self._of_day.clear()
        for count in counts:
            known = self._groups[count.group]
            known[count] -= 1
            if not known[count]:
                del known[count]
            if not known:
                del self._groups[count.group]
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
        self._of_day.clear()

    def set_verified(self, entries: Iterable[int]) -> None:
        """Note that the signatures of all entries whose counts were read are verified."""
        self._verified.update(entries)
        for group in self._read:
            del self._unverified[group]
        self.forget_reads()

    def _at(self, group: Group, day: int) -> list[GroupCount]:
        read = self._of_day[day]
        counts = read.get(group)
        if counts is None:
            counts = [count for count in self._groups.get(group, ()) if abs(count.day - day) < SAME_TIME_DAYS]
            read[group] = counts
            if counts and group in self._unverified:
                self._read.add(group)
        return counts

    def _always(self, group: Group) -> set[str]:
        """Return the concepts of a group on which every published group has a condition, all in the same view."""
        return {
            concept_of(condition)
            for condition in group
            if self._attributes[concept_of(condition)] == {condition[0]}
            and self._having[condition[0]] == len(self._groups)
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
