"""What the values of a column say about its role, as far as counts can tell."""

from __future__ import annotations

from collections.abc import Iterator

from idbits.render.numbers import count, whole_percent
from idbits.studies.shared.roles.evidence import Evidence, Role, RoleFacts, Subject
from idbits.studies.shared.roles.naming import is_personal
from idbits.studies.shared.roles.times import describe_times
from idbits.values.attributes import Kind
from idbits.values.profile import Profile
from idbits.wording import counted

__all__ = ["NUMBERS_THE_RECORDS", "value_evidence"]

NUMBERS_THE_RECORDS = "numbers the records"

_ENOUGH_ROWS = 20
_MOST, _NEARLY_ALL, _SOME = 0.9, 0.95, 0.2
_LONG_TEXT, _SHORT_TEXT = 40, 14
_FEW_VALUES, _MANY_VALUES, _VERY_MANY_VALUES = 10, 100, 500
_CODE_DIGITS, _LONG_CODE = 5, 10
# A random code that stands for more rows than this rarely stands for a person.
_MANY_ROWS = 20
# Numbers of people leave few gaps, amounts many.
_DENSE = 10
_ABOUT = 0.05
# Rows of the most frequent value of a key, at most, as a multiple of the rows of an average value.
_EVEN = 5
_SMALL_TABLE = 30
# Most first names are rare ones; some towns, streets and companies are named after people.
_MANY_NAMES = 0.25
_IDENTIFIER_SHAPES = {
    "emails": ("e-mail addresses", 0.97),
    "phones": ("telephone numbers", 0.9),
    "ips": ("addresses of devices", 0.9),
}


def value_evidence(facts: RoleFacts) -> Iterator[Evidence]:
    """Yield what the values say."""
    times = describe_times(facts)
    if times is not None:
        yield Evidence(Role.TIME, 0.97, times)
    if facts.profile is None:
        return
    yield from _shapes(facts, facts.profile)
    yield from _texts(facts, facts.profile)
    yield from _numbers(facts, facts.profile)
    yield from _repetition(facts, facts.profile)
    yield from _codes(facts, facts.profile)
    yield from _dependence(facts)
    is_shared = 2 * facts.n_distinct <= facts.n_known or facts.n_known < _ENOUGH_ROWS
    yield (
        Evidence(Role.QUASI, 0.4, "values are shared")
        if is_shared
        else Evidence(Role.QUASI, 0.25, "no sign of another role")
    )


def _shapes(facts: RoleFacts, profile: Profile) -> Iterator[Evidence]:
    shapes = profile.shapes
    if shapes is None:
        return
    for shape, (words, strength) in _IDENTIFIER_SHAPES.items():
        share = shapes.share(shape)
        # Dates with the day first look like telephone numbers.
        if share > 0.5 and (shape != "phones" or shapes.share("moments") < share / 2):
            yield Evidence(Role.IDENTIFIER, strength, f"{whole_percent(share)} of values are {words}", Subject.PERSON)
    share = shapes.share("uuids")
    if share > 0.5:
        strength = 0.5 if facts.n_known > _MANY_ROWS * facts.n_distinct else 0.85
        yield Evidence(Role.IDENTIFIER, strength, f"{whole_percent(share)} of values are random codes")
    share = shapes.share("urls")
    if share > 0.5:
        role = Role.IDENTIFIER if 2 * facts.n_distinct > facts.n_known else Role.FREE_TEXT
        yield Evidence(role, 0.6, f"{whole_percent(share)} of values are web addresses", is_key=False)
    share = shapes.share("streets")
    if share > 0.5:
        sentence = f"{whole_percent(share)} of values are streets with a house number"
        yield Evidence(Role.IDENTIFIER, 0.8, sentence, is_key=False)
    share = shapes.share("given_names")
    if share >= _MANY_NAMES and shapes.values >= _FEW_VALUES:
        sentence = f"{whole_percent(share)} of values contain a common first name"
        yield Evidence(Role.IDENTIFIER, 0.8, sentence, is_key=False)
    share = shapes.share("listed_names")
    if share >= _MOST and shapes.values >= _FEW_VALUES:
        sentence = f"{whole_percent(share)} of values are written like a surname, a comma and a first name"
        yield Evidence(Role.IDENTIFIER, 0.5, sentence, is_key=False)
    valid = shapes.valid_numbers / shapes.values if shapes.values else 0.0
    if valid >= _MOST and shapes.values >= _FEW_VALUES:
        sentence = f"{whole_percent(valid)} of values are valid {shapes.number_kind}"
        yield Evidence(Role.IDENTIFIER, 0.97, sentence, Subject.PERSON)


def _texts(facts: RoleFacts, profile: Profile) -> Iterator[Evidence]:
    length = profile.characters / profile.known
    if facts.kind is not Kind.TEXT or 2 * profile.spaced <= profile.known or length < _SHORT_TEXT:
        return
    if length >= _LONG_TEXT:
        yield Evidence(Role.FREE_TEXT, 0.92, "long values of several words")
    elif 4 * facts.n_distinct > facts.n_known:
        shapes = profile.shapes
        if shapes is not None and shapes.share("phrases") >= _MOST and length < 2 * _SHORT_TEXT:
            sentence = "two to five words that rarely repeat, as names of people do"
            yield Evidence(Role.IDENTIFIER, 0.5, sentence, is_key=False)
        else:
            yield Evidence(Role.FREE_TEXT, 0.45, "values of several words that rarely repeat")


def _numbers(facts: RoleFacts, profile: Profile) -> Iterator[Evidence]:
    if profile.numbers < profile.known:
        return
    known, distinct = facts.n_known, facts.n_distinct
    is_number = not profile.leading_zeros and not _is_code(facts)
    if facts.has_decimals:
        yield Evidence(Role.MEASUREMENT, 0.8 if profile.distinct > _FEW_VALUES else 0.55, "numbers with decimals")
    elif is_number and known >= _ENOUGH_ROWS and distinct > max(_SOME * known, min(known / 2, _MANY_VALUES)):
        sentence = f"numbers; {whole_percent(distinct / known)} of them differ"
        yield Evidence(Role.MEASUREMENT, 0.55 if distinct < known else 0.4, sentence)
    elif is_number and distinct > _VERY_MANY_VALUES and profile.longest - profile.shortest > 1:
        yield Evidence(Role.MEASUREMENT, 0.45, f"numbers with {count(distinct)} values")
    if profile.negatives and not facts.has_decimals:
        yield Evidence(Role.MEASUREMENT, 0.4, "some numbers are negative")


def _is_code(facts: RoleFacts) -> bool:
    """Whether values are digits of equal length, as numbers of people and cases are."""
    shortest, longest = facts.digits
    is_negative = facts.profile is not None and facts.profile.negatives > 0
    return facts.is_whole and not is_negative and shortest == longest >= _CODE_DIGITS


def _repetition(facts: RoleFacts, profile: Profile) -> Iterator[Evidence]:
    """Yield how often values repeat: an identifier never repeats, or a little and about equally for all values."""
    known, distinct = facts.n_known, facts.n_distinct
    if profile.known < _ENOUGH_ROWS or facts.has_decimals or facts.kind is Kind.BOOLEAN:
        return
    if distinct == known and facts.is_whole and (_has_no_gaps(facts, profile) or facts.rises):
        yield Evidence(Role.IDENTIFIER, 0.9, NUMBERS_THE_RECORDS, Subject.RECORD)
    elif distinct >= _NEARLY_ALL * known:
        sentence = f"{whole_percent(distinct / known)} of values differ"
        yield Evidence(Role.IDENTIFIER, _strength_of_differing(facts, profile), sentence, is_repetition=True)
    elif not facts.is_sampled and _repeats_evenly(facts, profile):
        sentence = "repeats about equally for all its values"
        yield Evidence(Role.IDENTIFIER, 0.45 if _is_code(facts) else 0.3, sentence, is_repetition=True)


def _has_no_gaps(facts: RoleFacts, profile: Profile) -> bool:
    gaps = profile.span - facts.n_distinct
    return profile.span > 0 and (gaps == 0 or (facts.is_sampled and abs(gaps) <= _ABOUT * facts.n_distinct))


def _strength_of_differing(facts: RoleFacts, profile: Profile) -> float:
    """Return how much values that hardly repeat speak for an identifier: amounts hardly repeat either."""
    known, distinct = facts.n_known, facts.n_distinct
    if not facts.is_whole or _is_code(facts):
        strength = 0.85 if distinct == known else 0.6
    else:
        strength = 0.6 if distinct == known or 0 < profile.span <= _DENSE * distinct else 0.35
    # In a small table, what few people share may differ by chance.
    return strength * known / (known + _SMALL_TABLE)


def _repeats_evenly(facts: RoleFacts, profile: Profile) -> bool:
    """Whether whole numbers or words without spaces repeat about equally often."""
    known, distinct = facts.n_known, facts.n_distinct
    is_number = facts.is_whole and not profile.negatives
    is_word = facts.kind in (Kind.TEXT, Kind.OTHER) and not profile.spaced
    even = profile.most_frequent <= _EVEN * known / max(1, distinct) + 2
    return (is_number or is_word) and even and distinct >= _ENOUGH_ROWS and known > 1.1 * distinct


def _codes(facts: RoleFacts, profile: Profile) -> Iterator[Evidence]:
    if facts.n_distinct < _ENOUGH_ROWS:
        return
    is_long = profile.shortest == profile.longest >= _LONG_CODE
    if is_long and profile.shapes is not None and profile.shapes.share("mixed_codes") >= _MOST:
        yield Evidence(Role.IDENTIFIER, 0.35, "long codes of letters and digits")
    if _is_code(facts) and facts.n_distinct < _NEARLY_ALL * facts.n_known:
        yield Evidence(Role.IDENTIFIER, 0.25, "whole numbers of equal length")


def _dependence(facts: RoleFacts) -> Iterator[Evidence]:
    found = facts.dependence
    if found is None or not found.determined:
        return
    sentence = f"determines {len(found.determined)} of {counted(found.others, 'other column')}"
    personal = [name for name in found.determined if is_personal(name)]
    if 2 * len(found.determined) > found.others > 2:
        yield Evidence(Role.IDENTIFIER, 0.7, sentence, Subject.PERSON if personal else None)
    elif len(personal) > 1:
        yield Evidence(Role.IDENTIFIER, 0.65, f"{sentence}, which describe a person", Subject.PERSON)
    elif len(found.determined) > 1 or personal:
        yield Evidence(Role.IDENTIFIER, 0.4, sentence)
