"""The ladder of a column: its coarser views, finest first, each made from the previous one by merging values.

One ladder per kind of column, for everything that proposes or tries coarser views. It is chosen from the profile,
never from a value. After the last rung, the only choice is to give up the column.

===================  ======================================================================
dates                day, month, quarter, year, years in bands of 5 and 10
months in text       quarter, year, years in bands of 5 and 10
whole numbers        bands of 5, 10, 50, 100, ... as far as the number of digits allows
other numbers        rounded to powers of ten, depending on the spread of the values
codes                one character less per step
other text           the 50, 20, 10 and 5 most frequent values
two values           none
===================  ======================================================================

Implements: advise section 1 (ladders).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import cycle

from idbits.values.attributes import Attribute, Kind, parse_attribute
from idbits.values.profile import Profile

__all__ = ["is_fraction_ladder", "ladder"]

_DATES = ("day", "month", "quarter", "year", "year:band5", "year:band10")
_TOPS = (50, 20, 10, 5)
_FIRST_BAND = 5
_MOST_DIGITS = 15
_LONGEST_CODE = 12
_SHORTEST_CODE = 4
_FRACTION_EXPONENTS = range(-9, 13)


def ladder(attribute: Attribute, profile: Profile | None = None) -> list[Attribute]:
    """Return the views of a column below this one, finest first.

    Without a profile (each would be a query on somebody's server) the kind of the column decides.

    >>> [view.name for view in ladder(Attribute("age", Kind.INTEGER))][:4]
    ['age:band5', 'age:band10', 'age:band50', 'age:band100']
    >>> [view.name for view in ladder(parse_attribute("born:month", {"born": Kind.DATE}))]
    ['born:quarter', 'born:year', 'born:year:band5', 'born:year:band10']
    """
    words = _after(attribute, profile) if attribute.transforms else _from_the_top(attribute.kind, profile)
    # Parsed with this column only: another column may be named "age:band5".
    known = {attribute.column: attribute.kind}
    return [parse_attribute(f"{attribute.column}:{word}", known) for word in words]


def is_fraction_ladder(views: Sequence[Attribute]) -> bool:
    """Whether views round fractions: which views suit a column then depends on the spread of its values."""
    return bool(views) and views[0].transforms[-1].name == "round"


def _from_the_top(kind: Kind, profile: Profile | None) -> list[str]:
    if profile is None:
        return _without_profile(kind)
    held = profile.people - profile.null_people
    if not held or profile.distinct <= 2:
        return []
    if kind in (Kind.DATE, Kind.TIMESTAMP) or (kind is Kind.TEXT and profile.dates == held > profile.numbers):
        return list(_DATES if kind is not Kind.DATE else _DATES[1:])
    if kind is Kind.TEXT and profile.months == held > profile.numbers:
        return list(_DATES[_DATES.index("quarter") :])
    is_code = kind is Kind.TEXT and profile.fixed_length and profile.longest >= _SHORTEST_CODE
    if profile.numbers == held and not profile.leading_zeros and not is_code and kind is not Kind.OTHER:
        return _rounded() if profile.fractions else _bands(_FIRST_BAND, profile.longest)
    if (is_code or profile.leading_zeros) and profile.longest <= _LONGEST_CODE:
        return [f"prefix{length}" for length in range(profile.longest - 1, 0, -1)]
    return [f"top{number}" for number in _TOPS if number < profile.distinct]


def _without_profile(kind: Kind) -> list[str]:
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        return list(_DATES if kind is Kind.TIMESTAMP else _DATES[1:])
    if kind in (Kind.INTEGER, Kind.NUMBER):
        return _bands(_FIRST_BAND, _MOST_DIGITS)
    return [f"top{number}" for number in _TOPS] if kind is not Kind.BOOLEAN else []


def _after(attribute: Attribute, profile: Profile | None) -> list[str]:
    """Return the coarser views of a view that the user chose."""
    *before, last = attribute.transforms
    given = ":".join(map(str, attribute.transforms))
    front = "".join(f"{transform}:" for transform in before)
    if given in _DATES:
        return list(_DATES[_DATES.index(given) + 1 :])
    if last.name in _DATES:
        return [f"{front}{word}" for word in _DATES[_DATES.index(last.name) + 1 :]]
    if last.name == "week":
        # A week can span two months: the month of its first day counts.
        return [f"{given}:{word}" for word in _DATES[1:]]
    number = last.argument or Decimal(0)
    if last.name == "prefix":
        longest = profile.longest if profile is not None else _LONGEST_CODE
        return [f"{front}prefix{length}" for length in range(min(int(number) - 1, longest), 0, -1)]
    if last.name == "top":
        return [f"{front}top{fewer}" for fewer in _TOPS if fewer < number]
    digits = profile.longest if profile is not None and not profile.dates else _MOST_DIGITS
    if last.name == "band":
        return [f"{given}:{word}" for word in _bands(number, digits)[1:]]
    if last.name == "round":
        wider = [number * 10**power for power in (1, 2)]
        return [f"{given}:round{width:f}" for width in wider if width < 10**_MOST_DIGITS]
    if last.name == "cap":
        return [f"{given}:{word}" for word in _bands(Decimal(_FIRST_BAND), len(f"{number:f}"))]
    return []


def _bands(width: Decimal | int, digits: int) -> list[str]:
    """Return bands of 1, 2, 10, 20, ... times a width: each contains whole bands of the previous one."""

    def widths() -> Iterator[Decimal]:
        current = Decimal(width)
        for factor in cycle((2, 5)):
            # A transform's argument has at most this many digits; longer numbers are rarely measurements.
            if current >= 10 ** min(digits, _MOST_DIGITS):
                return
            yield current
            current *= factor

    return [f"band{band:f}" for band in widths()]


def _rounded() -> list[str]:
    return [f"round{Decimal(10) ** exponent:f}" for exponent in _FRACTION_EXPONENTS]
