"""Conditions on people, ``municipality=Amsterdam``, and which of them follow from which.

What the differencing rule and the wider and narrower populations of a query rest on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from idbits.attributes import Attribute, Kind, parse_attribute
from idbits.engines.labels import OTHER_VALUES, label
from idbits.engines.plain_values import transform_column
from idbits.errors import IdbitsError
from idbits.repository.vocabulary import determines, remaining_steps

__all__ = ["Condition", "Group", "coarsened", "concept_of", "condition", "finer", "follows", "implies"]

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
    return parse_attribute(name, {name.partition(":")[0]: Kind.TEXT})


@lru_cache(maxsize=10_000)
def finer(fine: str, coarse: str) -> bool:
    """Return whether one attribute determines the other."""
    return determines(_attribute(fine), _attribute(coarse))


@lru_cache(maxsize=200_000)
def follows(fine: Condition, coarse: str) -> Condition | None:
    """Return what a condition says about a coarser attribute; None where it says nothing that is known here.

    >>> follows(("age", "34"), "age:band5")
    ('age:band5', '30')
    """
    name, value = fine
    if name == coarse:
        return fine
    found = coarsened(name, None if value == _NULL else value, coarse)
    return condition(coarse, found[0]) if found is not None else None


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
