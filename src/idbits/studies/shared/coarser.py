"""Coarser views of a column that are worth trying: judged by its profile, never by a value."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.engines.base import Table
from idbits.errors import IdbitsError
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute
from idbits.values.profile import Profile

__all__ = ["coarser_views"]

_MOST_VIEWS = 4
_LONGEST_CODE = 12


def coarser_views(table: Table, attribute: Attribute) -> list[Attribute]:
    """Return views of an attribute with fewer values than it has, finest first; each is counted to see that it fits."""
    least = table.spectrum((attribute,)).n_sets
    views: list[Attribute] = []
    for words in _words(table, attribute)[:_MOST_VIEWS]:
        try:
            # Named against this column alone: another one may be called "age:band5".
            view = parse_attribute(f"{attribute.column}:{words}", {attribute.column: attribute.kind})
            n_values = table.spectrum((view,)).n_sets
        except IdbitsError:
            continue
        # One value is the same as leaving the column out.
        if 1 < n_values < least:
            views.append(view)
            least = n_values
    return views


def _words(table: Table, attribute: Attribute) -> Sequence[str]:
    """Return transforms to try, in order; on top of those that the attribute has."""
    if not attribute.transforms:
        return _for_profile(table.profile(attribute.column), attribute.kind)
    *before, last = attribute.transforms
    given = ":".join(map(str, attribute.transforms))
    if last.name in ("prefix", "top"):
        # A shorter prefix and a smaller top replace the one that is there.
        front = "".join(f"{transform}:" for transform in before)
        return [f"{front}{last.name}{argument}" for argument in _smaller(last)]
    if last.name in ("band", "round", "cap") or attribute.result_kind in (Kind.INTEGER, Kind.NUMBER):
        width = int(last.argument) if last.name in ("band", "round") and last.argument and last.argument >= 1 else 5
        return [f"{given}:band{width * factor}" for factor in (1, 2, 4)]
    if attribute.result_kind is Kind.DATE:
        return [f"{given}:month", f"{given}:year", f"{given}:year:band10"]
    return []


def _smaller(transform: Transform) -> list[int]:
    number = int(transform.argument or 0)
    if transform.name == "top":
        return sorted({number // 2, number // 4, 5} & set(range(1, number)), reverse=True)
    return list(range(number - 1, 0, -1))


def _for_profile(profile: Profile, kind: Kind) -> list[str]:
    held = profile.people - profile.null_people
    if not held:
        return []
    if kind in (Kind.DATE, Kind.TIMESTAMP) or (kind is Kind.TEXT and profile.dates == held > profile.numbers):
        return ["month", "year", "year:band10"]
    code = kind is Kind.TEXT and profile.fixed_length and profile.longest > 3
    if profile.numbers == held and not profile.leading_zeros and not code and kind is not Kind.OTHER:
        # Digits of the whole part: a fraction says nothing about how large a number is.
        digits = profile.longest if not profile.fractions else 3
        unit = 10 ** max(0, digits - 3)
        return [f"band{step * unit}" for step in (5, 10, 20, 50)]
    if kind in (Kind.TEXT, Kind.INTEGER) and (code or profile.leading_zeros) and profile.longest <= _LONGEST_CODE:
        lengths = dict.fromkeys([profile.longest - 1, profile.longest // 2, 1])
        return [f"prefix{length}" for length in lengths if length >= 1]
    return [f"top{number}" for number in (50, 20, 10, 5) if number < profile.distinct]
