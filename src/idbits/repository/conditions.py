"""Conditions on people, ``municipality=Amsterdam``, and which of them follow from which.

What the differencing rule and the wider and narrower populations of a query rest on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from idbits.errors import IdbitsError
from idbits.repository.extents import Extent, extent_of, first_text
from idbits.repository.vocabulary import determines, remaining_steps, simplified
from idbits.values.attributes import Attribute, Kind, parse_attribute
from idbits.values.labels import OTHER_VALUES, label
from idbits.values.plain import transform_column

__all__ = [
    "Condition",
    "Group",
    "coarsened",
    "concept_of",
    "condition",
    "excluding",
    "extent",
    "finer",
    "follows",
    "implies",
    "is_null",
]

Condition = tuple[str, str]
"""The name of an attribute in the vocabulary's words, and the value that people of a group have, as it is compared."""

Group = frozenset[Condition]
"""People who satisfy all of some conditions."""

_NULL = "\0null"
_OTHER = OTHER_VALUES.casefold()


def condition(name: str, value: str | None) -> Condition:
    """Return a condition; case and blanks of its value do not matter.

    >>> condition("municipality", "Den  Haag") == condition("municipality", "den haag")
    True
    """
    return name, _NULL if value is None else " ".join(unicodedata.normalize("NFKC", value).casefold().split())


def concept_of(one: Condition) -> str:
    """Return the concept that a condition is about, whatever view of it."""
    return one[0].partition(":")[0]


@lru_cache(maxsize=10_000)
def _attribute(name: str) -> Attribute:
    # Any transform fits text, and which one is meant does not depend on the kind.
    return simplified(parse_attribute(name, {name.partition(":")[0]: Kind.TEXT}))


@lru_cache(maxsize=10_000)
def finer(fine: str, coarse: str) -> bool:
    """Return whether one attribute determines the other."""
    return determines(_attribute(fine), _attribute(coarse))


def is_null(one: Condition) -> bool:
    """Return whether a condition is about people of whom the value is not known."""
    return one[1] == _NULL


def _is_rest(one: Condition) -> bool:
    """Return whether a condition is about the values that ``top`` puts together."""
    return one[1] == _OTHER


def _kept_by_top(one: Condition) -> Condition:
    """Return a condition without ``top``: the people with one of the most frequent values are those who have it."""
    name, step, _ = one[0].rpartition(":top")
    return (name, one[1]) if step and not _is_rest(one) else one


@lru_cache(maxsize=200_000)
def extent(one: Condition) -> Extent | None:
    """Return which numbers or days a condition allows; None where that is not known."""
    name, value = _kept_by_top(one)
    return extent_of(_attribute(name), value)


@lru_cache(maxsize=200_000)
def follows(fine: Condition, coarse: str) -> Condition | None:
    """Return what a condition says about another attribute; None where it says nothing that is known here.

    Of ``top`` it says which value it would be, if that is among the most frequent ones.

    >>> follows(("age", "34"), "age:band5"), follows(("age:cap90", "34"), "age:band5")
    (('age:band5', '30'), ('age:band5', '30'))
    """
    if fine[0] == coarse:
        return fine
    name, value = _kept_by_top(fine)
    view, is_top, _ = coarse.rpartition(":top")
    if is_top:
        kept = follows((name, value), view)
        return (coarse, kept[1]) if kept is not None and not _is_rest(kept) else None
    if name == coarse:
        return name, value
    found = coarsened(name, None if value == _NULL else value, coarse)
    return condition(coarse, found[0]) if found is not None else _holding((name, value), coarse)


def _holding(fine: Condition, coarse: str) -> Condition | None:
    """Return the value of another attribute that all values of a condition have, though not all conditions have one."""
    mine = extent(fine)
    found = coarsened(concept_of(fine), first_text(mine), coarse) if mine is not None else None
    wide = condition(coarse, found[0]) if found is not None else None
    theirs = extent(wide) if wide is not None else None
    return wide if mine is not None and theirs is not None and theirs.holds(mine) else None


@lru_cache(maxsize=200_000)
def excluding(one: Condition, other: Condition) -> bool:
    """Return whether nobody can satisfy both conditions, as far as they tell.

    >>> excluding(("age", "34"), ("age:band5", "35")), excluding(("age", "34"), ("gender", "f"))
    (True, False)
    """
    if concept_of(one) != concept_of(other):
        return False
    if one[0] != other[0] and (_is_rest(one) or _is_rest(other)):
        return False
    mine, theirs = follows(one, other[0]), follows(other, one[0])
    if (mine is not None and mine != other) or (theirs is not None and theirs != one):
        return True
    ranges = extent(one), extent(other)
    return ranges[0] is not None and ranges[1] is not None and ranges[0].misses(ranges[1])


@lru_cache(maxsize=200_000)
def coarsened(name: str, value: str | None, coarse: str) -> tuple[str | None] | None:
    """Return the value of a coarser attribute as it is written, in a tuple; None where it is not known here.

    >>> coarsened("postcode", "Ab12", "postcode:prefix2"), coarsened("age", None, "age:band5")
    (('Ab',), (None,))
    """
    attribute, wanted = _attribute(name), _attribute(coarse)
    steps = remaining_steps(attribute, wanted)
    if steps == ():
        return (value,)
    if steps is None or any(step.name == "top" for step in steps) or (value or "").casefold() == _OTHER:
        return None
    if value is None:
        return (None,)
    if attribute.transforms and attribute.transforms[-1].name in ("month", "quarter") and steps[0].name == "year":
        # Months and quarters are written 1985-05 and 1985-Q2.
        value, steps = value[:4], steps[1:]
        if not steps:
            return (value,)
    try:
        view = Attribute(wanted.column, Kind.TEXT, steps)
        return (label(transform_column([value], [1], view, "ymd")[0], view),)
    except (IdbitsError, ValueError, ArithmeticError, AttributeError):
        return None


def implies(narrow: Iterable[Condition], wide: Iterable[Condition]) -> bool:
    """Return whether everyone in one group is in the other, as far as their conditions tell.

    >>> implies({("age", "34"), ("gender", "f")}, {("age:band5", "30")})
    True
    """
    narrow = tuple(narrow)
    return all(any(follows(mine, theirs[0]) == theirs for mine in narrow) for theirs in wide)
