"""From the figures that a query returns about a column to its profile."""

from __future__ import annotations

from collections.abc import Mapping

from idbits.attributes import Kind
from idbits.engines.base import Profile
from idbits.engines.readings import DATE_ORDERS

__all__ = ["profile_of_figures"]


def profile_of_figures(found: Mapping[str, int], kind: Kind, people: int, null_people: int) -> Profile:
    """Return the profile of a column; a figure that is missing was not asked for, as no value can be so."""
    present = people - null_people
    return Profile(
        people=people,
        null_people=null_people,
        distinct=found["distinct"],
        unique_people=found["unique"],
        most_frequent=found["most"],
        dates=present if kind in (Kind.DATE, Kind.TIMESTAMP) else max(found.get(order, 0) for order in DATE_ORDERS),
        numbers=present if kind in (Kind.INTEGER, Kind.NUMBER) else found.get("numbers", 0),
        fractions=found.get("fractions", 0),
        characters=found["characters"],
        longest=found["longest"],
        spaced=found["spaced"],
        fixed_length=found["longest"] == found["shortest"],
        leading_zeros=found.get("zeros", 0),
        padded=found["padded"],
        null_words=found["null_words"],
    )
