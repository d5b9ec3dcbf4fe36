"""Times in a column: how they are recognised, and the view that makes them as coarse as a day."""

from __future__ import annotations

from idbits.render.numbers import whole_percent
from idbits.studies.shared.roles.evidence import ColumnFacts, Role
from idbits.studies.shared.roles.naming import name_evidence
from idbits.values.attributes import Kind

__all__ = ["FIRM", "counts_time", "day_view", "describe_times", "is_firmly_timed", "may_be_time"]

FIRM = 0.75
"""A name that says this strongly what a column is leaves no doubt."""

_MOST, _NEARLY_ALL = 0.9, 0.95
_SHORTEST_COMPACT = 8
# 31. 12. 2020 and shorter notations are days.
_SHORTEST_DATE, _LONGEST_DATE = 5, 12
# Names of months, of days, of seasons.
_MOST_PARTS = 60
_DAY_VIEWS = {
    9: "band86400", 10: "band86400", 13: "band86400000", 16: "band86400000000", 19: "band86400000000000",
    12: "prefix8", 14: "prefix8", 17: "prefix8",
}  # fmt: skip
"""By the digits of a whole number: seconds, milliseconds, ... since 1970, or year, month, day and time in digits."""


def describe_times(facts: ColumnFacts) -> str | None:
    """Return the observation that values are dates or times, if they are."""
    profile = facts.profile
    if facts.kind in (Kind.DATE, Kind.TIMESTAMP):
        return "dates" if facts.kind is Kind.DATE else "dates with times"
    if profile is None or not profile.known:
        return None
    shares = {"dates": profile.dates / profile.known}
    if profile.shapes is not None:
        if profile.shapes.share("compact_dates") >= _NEARLY_ALL:
            return f"{whole_percent(profile.shapes.share('compact_dates'))} of values are dates"
        shares["dates"] = max(shares["dates"], profile.shapes.share("moments"))
        shares["times of day"] = profile.shapes.share("clocks")
    is_short_number = facts.is_whole and facts.digits[1] < _SHORTEST_COMPACT
    words = max(shares, key=lambda words: shares[words])
    return (
        f"{whole_percent(shares[words])} of values are {words}"
        if shares[words] >= _MOST and not is_short_number
        else None
    )


def counts_time(facts: ColumnFacts) -> bool:
    """Whether whole numbers are moments, such as seconds since 1970, by their length and the name."""
    named = any(item.role is Role.TIME for item in name_evidence(facts.name)) if facts.name is not None else False
    return named and facts.is_whole and facts.digits[1] in _DAY_VIEWS


def is_firmly_timed(facts: ColumnFacts) -> bool:
    """Whether the name says that texts are dates, in whatever notation: times differ without being identifiers."""
    if facts.name is None or facts.is_whole or not facts.has_digits:
        return False
    return any(item.role is Role.TIME and item.strength >= FIRM for item in name_evidence(facts.name))


def may_be_time(facts: ColumnFacts, *, is_firm: bool) -> bool:
    """Whether values can be what a name says: a time, a part of a date, or the name of one."""
    profile = facts.profile
    assert profile is not None
    if facts.has_decimals:
        return False
    if facts.is_whole:
        shortest, longest = facts.digits
        return not profile.negatives and (longest <= 2 or shortest == longest == 4 or longest in _DAY_VIEWS)
    return profile.longest > _SHORTEST_DATE and facts.has_digits if is_firm else profile.distinct <= _MOST_PARTS


def day_view(facts: ColumnFacts) -> str | None:
    """Return the view of a time by the day, if it is finer."""
    profile = facts.profile
    if facts.kind is Kind.TIMESTAMP:
        return "day"
    if profile is None or not profile.known:
        return None
    if counts_time(facts):
        return _DAY_VIEWS[facts.digits[1]]
    is_finer = facts.kind is Kind.TEXT and profile.dates == profile.known and profile.longest > _LONGEST_DATE
    return "day" if is_finer and not profile.ambiguous_dates else None
