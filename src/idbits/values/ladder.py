"""The ladder of a column: its coarser views, finest first, each made of the one before by joining values.

One ladder per kind of column, for everything that proposes or tries coarser views. It is chosen by what the profile
says, never by a value. Below the last rung there is only giving the column up.

===================  ======================================================================
dates                day, month, quarter, year, years in bands of 5 and 10
whole numbers        bands of 5, 10, 50, 100, ... as far as numbers of so many digits reach
other numbers        rounded to powers of ten; which of them suit depends on the spread
codes                one character less each time
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

    Without a profile, as where each look at the data is a query on somebody's server, the kind of the column decides.

    >>> [view.name for view in ladder(Attribute("age", Kind.INTEGER))][:4]
    ['age:band5', 'age:band10', 'age:band50', 'age:band100']
    >>> [view.name for view in ladder(parse_attribute("born:month", {"born": Kind.DATE}))]
    ['born:quarter', 'born:year', 'born:year:band5', 'born:year:band10']
    """
    words = _after(attribute, profile) if attribute.transforms else _from_the_top(attribute.kind, profile)
    # Named against this column alone: another one may be called "age:band5".
    known = {attribute.column: attribute.kind}
    return [parse_attribute(f"{attribute.column}:{word}", known) for word in words]


def is_fraction_ladder(views: Sequence[Attribute]) -> bool:
    """Whether views round fractions: which of them suit a column depends on how far its values spread."""
    return bool(views) and views[0].transforms[-1].name == "round"


def _from_the_top(kind: Kind, profile: Profile | None) -> list[str]:
    if profile is None:
        return _without_profile(kind)
    held = profile.people - profile.null_people
    if not held or profile.distinct <= 2:
        return []
    if kind in (Kind.DATE, Kind.TIMESTAMP) or (kind is Kind.TEXT and profile.dates == held > profile.numbers):
        return list(_DATES if kind is not Kind.DATE else _DATES[1:])
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
    """Return what comes below a view that somebody has chosen."""
    *before, last = attribute.transforms
    given = ":".join(map(str, attribute.transforms))
    front = "".join(f"{transform}:" for transform in before)
    if given in _DATES:
        return list(_DATES[_DATES.index(given) + 1 :])
    number = last.argument or Decimal(0)
    if last.name == "prefix":
        return [f"{front}prefix{length}" for length in range(int(number) - 1, 0, -1)]
    if last.name == "top":
        return [f"{front}top{fewer}" for fewer in _TOPS if fewer < number]
    digits = min(_MOST_DIGITS, profile.longest if profile is not None and not profile.dates else _MOST_DIGITS)
    if last.name == "band":
        return [f"{given}:{word}" for word in _bands(number, digits)[1:]]
    if last.name == "round":
        coarser = (number * 10**power for power in (1, 2))
        return [f"{given}:round{width:f}" for width in coarser if width < Decimal(10) ** _MOST_DIGITS]
    if last.name == "cap":
        return [f"{given}:{word}" for word in _bands(Decimal(_FIRST_BAND), len(f"{number:f}"))]
    return []


def _bands(width: Decimal | int, digits: int) -> list[str]:
    """Return bands of a width, twice, ten times, twenty times it, ...: each holds whole bands of the one before."""

    def widths() -> Iterator[Decimal]:
        current = Decimal(width)
        for factor in cycle((2, 5)):
            # What a transform takes has at most so many digits.
            if current >= Decimal(10) ** min(digits, _MOST_DIGITS):
                return
            yield current
            current *= factor

    return [f"band{band:f}" for band in widths()]


def _rounded() -> list[str]:
    return [f"round{Decimal(10) ** exponent:f}" for exponent in _FRACTION_EXPONENTS]
