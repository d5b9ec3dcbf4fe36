"""Groups of people, indexed by their conditions: which contain a group, and which are within it."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Generic, TypeVar

from idbits.repository.conditions import Condition, Group, concept_of, implied_condition, is_finer

__all__ = ["GroupIndex", "Shapes"]

_Kept = TypeVar("_Kept")


class Shapes:
    """The sets of attributes that groups have conditions on: far fewer than groups."""

    def __init__(self) -> None:
        self._known: set[frozenset[str]] = set()
        self._found: dict[frozenset[str], list[frozenset[str]]] = {}

    def add(self, group: Group) -> None:
        """Add the attributes of a group."""
        names = frozenset(name for name, _ in group)
        if names not in self._known:
            self._known.add(names)
            self._found.clear()

    def within(self, names: frozenset[str]) -> list[frozenset[str]]:
        """Return the shapes that have only some attributes; the cells of a distribution share the answer."""
        if names not in self._found:
            self._found[names] = [shape for shape in self._known if shape <= names]
        return self._found[names]


class GroupIndex(Generic[_Kept]):
    """Groups with something kept for each; a lookup touches only groups that share conditions with the wanted one."""

    def __init__(self) -> None:
        self._groups: dict[Group, _Kept] = {}
        self._with: dict[Condition, set[Group]] = defaultdict(set)
        # For each concept its attributes, and for each attribute its conditions.
        self._attributes: dict[str, set[str]] = defaultdict(set)
        self._conditions: dict[str, set[Condition]] = defaultdict(set)
        self._shapes = Shapes()

    def _add_group(self, group: Group, kept: _Kept) -> None:
        self._groups[group] = kept
        self._shapes.add(group)
        for condition in group:
            self._with[condition].add(group)
            self._attributes[concept_of(condition)].add(condition[0])
            self._conditions[condition[0]].add(condition)

    def _coarser(self, condition: Condition) -> set[Condition]:
        """Return a condition and the conditions on other published attributes that it implies."""
        implied = (implied_condition(condition, attribute) for attribute in self._attributes[concept_of(condition)])
        return {coarse for coarse in implied if coarse is not None}

    def _wider(
        self, group: Group, among: Collection[Group] | None = None, shapes: Shapes | None = None
    ) -> Iterator[Group]:
        """Yield the published groups that contain a group, including itself; ``among`` gives other groups."""
        known, shapes = self._groups if among is None else among, shapes or self._shapes
        choices = [[None, *self._coarser(condition)] for condition in group]
        possible: dict[str, set[Condition]] = defaultdict(set)
        for condition in itertools.chain.from_iterable(choices):
            if condition is not None:
                possible[condition[0]].add(condition)
        fitting = shapes.within(frozenset(possible))
        if math.prod(map(len, choices)) <= len(fitting):
            candidates = {frozenset(filter(None, kept)) for kept in itertools.product(*choices)}
            yield from (wider for wider in candidates if wider in known)
            return
        for shape in fitting:
            for kept in itertools.product(*(possible[name] for name in shape)):
                if (wider := frozenset(kept)) in known:
                    yield wider

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
