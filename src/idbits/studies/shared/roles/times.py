"""Times in a column: how they are recognised, and the view that makes them as coarse as a day."""

from __future__ import annotations

from idbits.render.numbers import whole_percent
from idbits.studies.shared.roles.evidence import Role, RoleFacts
from idbits.studies.shared.roles.naming import BIRTH_SENTENCE, name_evidence
from idbits.values.attributes import Kind
from idbits.values.profile import Profile
from idbits.values.value_shapes import ShapeCounts

__all__ = ["FIRM", "PART", "counts_time", "day_view", "describe_times", "is_firmly_timed", "may_be_time"]

FIRM = 0.75
"""A name that says this strongly what a column is leaves no doubt."""

PART = 0.6
"""A name that says this strongly that a column is a time may mean a part of a date, such as a month."""

_MOST, _NEARLY_ALL = 0.9, 0.95
_SHORTEST_COMPACT = 8
# The digits of a date from 1927 to 2173 in a spreadsheet.
_DAYS_SINCE_1900 = 5
_VARIED, _DENSE = 5, 10
# 31. 12. 2020 and shorter notations are days.
_SHORTEST_DATE, _LONGEST_DATE = 5, 12
# Names of months, of days, of seasons.
_MOST_PARTS = 60
_DAY_VIEWS = {
    9: "band86400", 10: "band86400", 13: "band86400000", 16: "band86400000000", 19: "band86400000000000",
    12: "prefix8", 14: "prefix8", 17: "prefix8",
}  # fmt: skip
"""By the digits of a whole number: seconds, milliseconds, ... since 1970, or year, month, day and time in digits."""


def describe_times(facts: RoleFacts) -> str | None:
    """Return the observation that values are dates or times, if they are."""
    profile = facts.profile
    if facts.kind in (Kind.DATE, Kind.TIMESTAMP):
        return "dates" if facts.kind is Kind.DATE else "dates with times"
    if profile is None or not profile.known:
        return None
    if profile.shapes is not None and facts.kind is not Kind.BOOLEAN:
        in_digits = _times_in_digits(facts, profile, profile.shapes)
        if in_digits is not None:
            return in_digits
    if facts.is_whole and facts.digits[1] < _SHORTEST_COMPACT:
        return None
    shares = {"dates": profile.dates / profile.known}
    if profile.shapes is not None:
        shares["dates"] = max(shares["dates"], profile.shapes.share("moments"))
        shares["dates with times"] = profile.shapes.share("clocked")
        shares["times of day"] = profile.shapes.share("clocks")
        shares["names of months or weekdays"] = profile.shapes.share("calendar_words")
    words = max(shares, key=lambda words: shares[words])
    return f"{whole_percent(shares[words])} of values are {words}" if shares[words] >= _MOST else None


def _times_in_digits(facts: RoleFacts, profile: Profile, shapes: ShapeCounts) -> str | None:
    """Return the observation that whole numbers are dates; some of those that only count are dates by chance."""
    is_varied = profile.distinct >= _VARIED
    is_scattered = is_varied and profile.span > _DENSE * profile.distinct
    is_named = is_named_time(facts)
    trusted = {
        "compact_dates": ("dates", True),
        "compact_stamps": ("dates with times", is_varied or is_named),
        "compact_months": ("months", is_varied or is_named),
        "digit_dates": ("dates", is_scattered or is_named),
        "short_dates": ("dates", is_named),
    }
    for shape, (words, is_trusted) in trusted.items():
        share = shapes.share(shape)
        if is_trusted and share >= _NEARLY_ALL:
            return f"{whole_percent(share)} of values are {words}"
    return None


def is_named_time(facts: RoleFacts) -> bool:
    """Whether the name speaks of a time or of a birth."""
    named = name_evidence(facts.name) if facts.name is not None else ()
    return any(item.role is Role.TIME or item.sentence == BIRTH_SENTENCE for item in named)


def counts_time(facts: RoleFacts) -> bool:
    """Whether whole numbers are moments, by their length and the name: seconds since 1970, days since 1900, ..."""
    shapes = facts.profile.shapes if facts.profile is not None else None
    in_digits = shapes is not None and shapes.share("compact_stamps") >= _NEARLY_ALL
    return (in_digits or is_named_time(facts)) and facts.is_whole and _has_digits_of_time(facts)


def _has_digits_of_time(facts: RoleFacts) -> bool:
    """Whether whole numbers are as long as numbers of seconds since 1970, dates in digits, or days since 1900."""
    return facts.digits[1] in _DAY_VIEWS or facts.digits == (_DAYS_SINCE_1900, _DAYS_SINCE_1900)


def is_firmly_timed(facts: RoleFacts) -> bool:
    """Whether the name says that texts are dates, in whatever notation: times differ without being identifiers."""
    if facts.name is None or facts.is_whole or not facts.has_digits:
        return False
    return any(item.role is Role.TIME and item.strength >= FIRM for item in name_evidence(facts.name))


def may_be_time(facts: RoleFacts, strength: float) -> bool:
    """Whether values can be what a name says with this strength: a time, a part of a date, or the name of one."""
    profile = facts.profile
    assert profile is not None
    if facts.has_decimals:
        return False
    is_part = strength >= PART
    if facts.is_whole:
        shortest, longest = facts.digits
        is_number_of_part = is_part and longest <= 2
        return not profile.negatives and (is_number_of_part or shortest == longest == 4 or _has_digits_of_time(facts))
    if strength >= FIRM:
        return profile.longest > _SHORTEST_DATE and facts.has_digits
    return 2 < profile.distinct <= _MOST_PARTS and (is_part or facts.has_digits)


def day_view(facts: RoleFacts) -> str | None:
    """Return the view of a time by the day, if it is finer."""
    profile = facts.profile
    if facts.kind is Kind.TIMESTAMP:
        return "day"
    if profile is None or not profile.known:
        return None
    if counts_time(facts):
        return _DAY_VIEWS.get(facts.digits[1])
    is_finer = facts.kind is Kind.TEXT and profile.dates == profile.known and profile.longest > _LONGEST_DATE
    return "day" if is_finer and not profile.ambiguous_dates else None
