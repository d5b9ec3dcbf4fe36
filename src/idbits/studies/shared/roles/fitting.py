"""How far the values of a column allow what its name or another observation says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idbits.studies.shared.roles.evidence import Evidence, Role, RoleFacts
from idbits.studies.shared.roles.naming import BIRTH_SENTENCE, name_evidence
from idbits.studies.shared.roles.times import FIRM, counts_time, describe_times, is_firmly_timed, may_be_time
from idbits.values.attributes import Kind

__all__ = ["fit_evidence"]

_CERTAIN = 0.9
_WEAK = 0.6
_FEW = 10
_ENOUGH_ROWS, _SHORTEST_CODE, _NEARLY_ALL = 20, 3, 0.95


def fit_evidence(evidence: Sequence[Evidence], facts: RoleFacts) -> list[Evidence]:
    """Return evidence as strong as the values allow, without what they rule out."""
    if any(item.sentence == BIRTH_SENTENCE for item in evidence):
        # A birth date is what the name says, not when a record was made.
        evidence = [item for item in evidence if item.role is not Role.TIME]
    fitted = [_fitted(item, facts) for item in evidence]
    return [item for item in fitted if item is not None]


def _fitted(item: Evidence, facts: RoleFacts) -> Evidence | None:
    profile = facts.profile
    is_time = describe_times(facts) is not None
    if profile is None:
        return None if is_time and item.role in (Role.IDENTIFIER, Role.COUNT) else item
    match item.role:
        case Role.COUNT if not _may_count(facts):
            return replace(item, role=Role.MEASUREMENT, strength=_WEAK) if facts.is_whole else None
        case Role.IDENTIFIER:
            return None if is_time or counts_time(facts) else _fitted_identifier(item, facts)
        case Role.TIME if not is_time and not may_be_time(facts, item.strength):
            return _weaker(item, 4)
        case Role.MEASUREMENT if 2 * profile.numbers < profile.known:
            return _weaker(item, 4)
        case Role.MEASUREMENT if profile.distinct <= _FEW and not facts.has_decimals:
            return _weaker(item, 2)
        case Role.QUASI if item.strength <= FIRM and (_is_scattered(facts) or _is_own_code(facts)):
            return _weaker(item, 2)
        case Role.FREE_TEXT if is_time:
            return None
        case Role.FREE_TEXT if item.strength < FIRM and 4 * profile.distinct < profile.known:
            return _weaker(item, 2)
    return item


def _fitted_identifier(item: Evidence, facts: RoleFacts) -> Evidence | None:
    known, distinct = facts.n_known, facts.n_distinct
    if item.is_repetition and is_firmly_timed(facts):
        return None
    if facts.kind is Kind.BOOLEAN or (distinct <= 2 and known > _FEW):
        return _weaker(item, 10)
    if facts.has_decimals:
        return _weaker(item, 6)
    if distinct < _FEW and known > 2 * distinct and item.strength < _CERTAIN:
        return _weaker(item, 3)
    # The second visit, question 17: numbers that start again and again.
    if item.strength < _WEAK and facts.is_whole and facts.digits[1] <= 2:
        return _weaker(item, 3)
    # Diagnoses and places that happen to differ are no identifiers.
    return _weaker(item, 1.4) if item.strength < _CERTAIN and _is_named_otherwise(facts) else item


def _weaker(item: Evidence, divisor: float) -> Evidence:
    return replace(item, strength=item.strength / divisor)


def _may_count(facts: RoleFacts) -> bool:
    """Whether values can be numbers of people: whole, never negative, never missing."""
    profile = facts.profile
    return facts.is_whole and profile is not None and not profile.null_people and not profile.negatives


def _is_scattered(facts: RoleFacts) -> bool:
    """Whether values are decimals or negative numbers, as no numbers of places and things are."""
    profile = facts.profile
    assert profile is not None
    return profile.distinct > _FEW and (facts.has_decimals or 0 < profile.negatives <= profile.numbers)


def _is_own_code(facts: RoleFacts) -> bool:
    """Whether each row has a number or code of its own, as no place and no thing gives its people."""
    profile = facts.profile
    assert profile is not None
    is_code = (facts.is_whole or facts.has_digits) and not profile.spaced and profile.shortest >= _SHORTEST_CODE
    return is_code and profile.known >= _ENOUGH_ROWS and facts.n_distinct >= _NEARLY_ALL * facts.n_known


def _is_named_otherwise(facts: RoleFacts) -> bool:
    if _is_own_code(facts):
        return False
    named = name_evidence(facts.name) if facts.name is not None else ()
    return any(item.role is not Role.IDENTIFIER and item.strength >= FIRM for item in named)
