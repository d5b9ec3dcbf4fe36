"""What the values of a column say about its role, as far as counts can tell."""

from __future__ import annotations

from collections.abc import Iterator

from idbits.render.numbers import count, whole_percent
from idbits.studies.shared.roles.evidence import ColumnFacts, Evidence, Role, Subject
from idbits.studies.shared.roles.naming import is_personal
from idbits.values.attributes import Kind
from idbits.values.profile import Profile
from idbits.wording import counted

__all__ = ["column_values", "digits", "has_decimals", "is_whole", "looks_like_time", "value_evidence"]

_ENOUGH = 20
_MOST = 0.9
_NEARLY_ALL = 0.95
_SOME = 0.2
_LONG_TEXT, _SHORT_TEXT = 40, 14
_FEW_VALUES = 10
_MANY_VALUES = 100
_MANY_NUMBERS = 500
_DENSE = 10
_CODE_DIGITS = 5
_LONG_CODE = 10
_EVEN = 5
_SMALL_TABLE = 30
_IDENTIFIER_SHAPES = {
    "emails": ("e-mail addresses", 0.97, Subject.PERSON),
    "phones": ("telephone numbers", 0.9, Subject.PERSON),
    "ips": ("addresses of devices", 0.9, Subject.PERSON),
}


def column_values(facts: ColumnFacts) -> tuple[int, int]:
    """Return the number of rows with a value and of distinct values, in all rows."""
    profile = facts.profile
    assert profile is not None
    if not facts.is_sampled or facts.n_rows is None or not profile.people:
        return profile.known, profile.distinct
    known = max(profile.known, facts.n_rows * profile.known // profile.people)
    return known, min(known, facts.distinct if facts.distinct is not None else profile.distinct)


def has_decimals(profile: Profile) -> bool:
    """Whether more than a few values are numbers with decimals."""
    return profile.fractions > profile.known / 100


def is_whole(facts: ColumnFacts) -> bool:
    """Whether all values are whole numbers."""
    profile = facts.profile
    return profile is not None and 0 < profile.known == profile.numbers and not profile.fractions


def digits(facts: ColumnFacts) -> tuple[int, int]:
    """Return the length of the shortest and of the longest whole number, without the .0 that floats have."""
    profile = facts.profile
    assert profile is not None
    written_as_floats = profile.shapes is not None and profile.shapes.share("point_zeros") > 0.5
    tail = len(".0") if written_as_floats else 0
    return profile.shortest - tail, profile.longest - tail


def looks_like_time(facts: ColumnFacts) -> str | None:
    """Return the observation that values are dates or times, if they are."""
    profile = facts.profile
    if facts.kind in (Kind.DATE, Kind.TIMESTAMP):
        return "a column of dates" if facts.kind is Kind.DATE else "a column of dates with times"
    if profile is None or not profile.known:
        return None
    code = is_whole(facts) and digits(facts)[1] < 8
    share = profile.dates / profile.known
    if profile.shapes is not None:
        share = max(share, profile.shapes.share("moments"))
        if profile.shapes.share("clocks") >= _MOST:
            return f"{whole_percent(profile.shapes.share('clocks'))} of values are times of day"
        if profile.shapes.share("compact_dates") >= _NEARLY_ALL:
            return f"{whole_percent(profile.shapes.share('compact_dates'))} of values are dates"
    return f"{whole_percent(share)} of values are dates" if share >= _MOST and not code else None


def value_evidence(facts: ColumnFacts) -> Iterator[Evidence]:
    """Yield what the values say."""
    time = looks_like_time(facts)
    if time is not None:
        yield Evidence(Role.TIME, 0.97, time)
    if facts.profile is None or not facts.profile.known:
        return
    yield from _shapes(facts, facts.profile)
    yield from _text(facts, facts.profile)
    yield from _numbers(facts, facts.profile)
    yield from _repetition(facts, facts.profile)
    yield from _dependence(facts)
    yield from _few(facts)


def _shapes(facts: ColumnFacts, profile: Profile) -> Iterator[Evidence]:
    shapes = profile.shapes
    if shapes is None:
        return
    known, distinct = column_values(facts)
    for shape, (words, strength, subject) in _IDENTIFIER_SHAPES.items():
        share = shapes.share(shape)
        if share > 0.5 and (shape != "phones" or shapes.share("moments") < share / 2):
            yield Evidence(Role.IDENTIFIER, strength, f"{whole_percent(share)} of values are {words}", subject)
    share = shapes.share("uuids")
    if share > 0.5:
        repeated = known > 20 * distinct
        yield Evidence(Role.IDENTIFIER, 0.5 if repeated else 0.85, f"{whole_percent(share)} of values are random codes")
    share = shapes.share("urls")
    if share > 0.5:
        sentence = f"{whole_percent(share)} of values are web addresses"
        yield Evidence(Role.IDENTIFIER if 2 * distinct > known else Role.FREE_TEXT, 0.6, sentence)
    valid = shapes.valid_numbers / shapes.values if shapes.values else 0.0
    if valid >= _MOST and shapes.values >= _FEW_VALUES:
        sentence = f"{whole_percent(valid)} of values are valid {shapes.number_kind}"
        yield Evidence(Role.IDENTIFIER, 0.97, sentence, Subject.PERSON)


def _text(facts: ColumnFacts, profile: Profile) -> Iterator[Evidence]:
    if facts.kind is not Kind.TEXT:
        return
    known, distinct = column_values(facts)
    length = profile.characters / profile.known
    if 2 * profile.spaced > profile.known and length >= _LONG_TEXT:
        yield Evidence(Role.FREE_TEXT, 0.92, "long values of several words")
    elif 2 * profile.spaced > profile.known and length >= _SHORT_TEXT and 4 * distinct > known:
        shapes = profile.shapes
        if shapes is not None and shapes.share("phrases") >= _MOST and length < 2 * _SHORT_TEXT:
            yield Evidence(Role.IDENTIFIER, 0.5, "short phrases that rarely repeat, as names of people do", Subject.PERSON)
        else:
            yield Evidence(Role.FREE_TEXT, 0.45, "values of several words that rarely repeat")


def _numbers(facts: ColumnFacts, profile: Profile) -> Iterator[Evidence]:
    if profile.numbers < profile.known:
        return
    known, distinct = column_values(facts)
    if has_decimals(profile):
        yield Evidence(Role.MEASUREMENT, 0.8 if profile.distinct > _FEW_VALUES else 0.55, "numbers with decimals")
    elif not profile.leading_zeros and not _is_code(facts, profile) and _many(distinct, known):
        sentence = f"numbers; {whole_percent(distinct / known)} of them differ"
        yield Evidence(Role.MEASUREMENT, 0.55 if distinct < known else 0.4, sentence)
    elif distinct > _MANY_NUMBERS and not profile.leading_zeros and profile.longest - profile.shortest > 1:
        yield Evidence(Role.MEASUREMENT, 0.45, f"numbers with {count(distinct)} values")
    if profile.negatives and not has_decimals(profile):
        yield Evidence(Role.MEASUREMENT, 0.4, "some numbers are negative")


def _many(distinct: int, known: int) -> bool:
    return known >= _ENOUGH and (distinct > known / 2 or (distinct > _SOME * known and distinct > _MANY_VALUES))


def _is_code(facts: ColumnFacts, profile: Profile) -> bool:
    """Whether values are digits of equal length, as numbers of people and cases are."""
    if not is_whole(facts) or profile.negatives:
        return False
    shortest, longest = digits(facts)
    return shortest == longest >= _CODE_DIGITS


def _repetition(facts: ColumnFacts, profile: Profile) -> Iterator[Evidence]:
    """Yield how often values repeat: an identifier never repeats, or a little and about equally for all values."""
    known, distinct = column_values(facts)
    if known < _ENOUGH or has_decimals(profile) or facts.kind is Kind.BOOLEAN:
        return
    code = _is_code(facts, profile)
    if distinct == known and is_whole(facts) and (profile.span == distinct or facts.rises):
        yield Evidence(Role.IDENTIFIER, 0.9, "numbers the records", Subject.RECORD)
    elif distinct >= _NEARLY_ALL * known:
        strength = _strength_of_differing(facts, profile)
        sentence = f"{whole_percent(distinct / known)} of values differ"
        yield Evidence(Role.IDENTIFIER, strength, sentence, Subject.RECORD, is_repetition=True)
    elif not facts.is_sampled and distinct >= _ENOUGH and known > 1.1 * distinct and _may_be_key(facts, profile):
        if profile.most_frequent <= _EVEN * known / distinct + 2:
            sentence = "repeats about equally for all its values"
            yield Evidence(Role.IDENTIFIER, 0.45 if code else 0.3, sentence, is_repetition=True)
    if profile.shortest == profile.longest >= _LONG_CODE and distinct >= _ENOUGH and profile.shapes is not None:
        if profile.shapes.share("mixed_codes") >= _MOST:
            yield Evidence(Role.IDENTIFIER, 0.35, "long codes of letters and digits")
    if code and distinct >= _ENOUGH and distinct < _NEARLY_ALL * known:
        yield Evidence(Role.IDENTIFIER, 0.25, "whole numbers of equal length")


def _strength_of_differing(facts: ColumnFacts, profile: Profile) -> float:
    """Return how much values that hardly repeat speak for an identifier: amounts hardly repeat either."""
    known, distinct = column_values(facts)
    if not is_whole(facts) or _is_code(facts, profile):
        strength = 0.85 if distinct == known else 0.6
    else:
        is_dense = 0 < profile.span <= _DENSE * distinct
        strength = 0.6 if distinct == known or is_dense else 0.35
    # In a small table, what few people share may differ by chance.
    return strength * known / (known + _SMALL_TABLE)


def _may_be_key(facts: ColumnFacts, profile: Profile) -> bool:
    """Whether values are whole numbers or short codes without spaces."""
    return (is_whole(facts) and not profile.negatives) or (facts.kind in (Kind.TEXT, Kind.OTHER) and not profile.spaced)


def _dependence(facts: ColumnFacts) -> Iterator[Evidence]:
    found = facts.dependence
    if found is None or not found.determined:
        return
    sentence = f"determines {len(found.determined)} of {counted(found.others, 'other column')}"
    personal = [name for name in found.determined if is_personal(name)]
    if 2 * len(found.determined) > found.others and found.others > 2:
        yield Evidence(Role.IDENTIFIER, 0.7, sentence, Subject.PERSON if personal else None)
    elif len(personal) > 1:
        yield Evidence(Role.IDENTIFIER, 0.65, f"{sentence}, which describe a person", Subject.PERSON)
    elif len(found.determined) > 1 or personal:
        yield Evidence(Role.IDENTIFIER, 0.4, sentence)


def _few(facts: ColumnFacts) -> Iterator[Evidence]:
    known, distinct = column_values(facts)
    if distinct <= 0.5 * known or known < _ENOUGH:
        yield Evidence(Role.QUASI, 0.4, "values are shared")
    else:
        yield Evidence(Role.QUASI, 0.25, "no sign of another role")
