"""Weighs the evidence about a column: one judgement, with a confidence and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from idbits.studies.shared.roles.content import (
    column_values,
    digits,
    has_decimals,
    is_whole,
    looks_like_time,
    value_evidence,
)
from idbits.studies.shared.roles.evidence import ColumnFacts, Evidence, Role, Subject
from idbits.studies.shared.roles.naming import name_evidence
from idbits.values.attributes import Kind
from idbits.values.profile import Profile

__all__ = ["RoleJudgement", "judge"]

_STRONG = 0.9
_NAMED = 0.75
_ORDINAL = 0.6
_MOSTLY = 0.8
_FEW = 10
_EPOCH_DIGITS = (9, 10, 13)
# 31. 12. 2020 and shorter notations are days.
_LONGEST_DATE = 12
_SHORTEST_DATE = 5
# Names of months, of days, of seasons.
_MOST_PARTS = 60


@dataclass(frozen=True, slots=True)
class RoleJudgement:
    """The likely role of a column.

    Attributes:
        confidence: between 0 and 1.
        evidence: what speaks for the role, strongest first.
        subject: whom or what an identifier names, if that is known.
        is_key: whether an identifier is a number or another key, not a name or an address.
        n_values: the number of distinct values in all rows, counted or estimated; None if unknown.
        repeats: whether values repeat; None if unknown.
        varying: columns that vary within its values; None if that was not tried.
        day_view: the view that makes a time as coarse as a day, if it is finer.
    """

    column: str
    kind: Kind
    role: Role
    confidence: float
    evidence: tuple[str, ...]
    subject: Subject | None = None
    is_key: bool = False
    n_values: int | None = None
    repeats: bool | None = None
    varying: tuple[str, ...] | None = None
    day_view: str | None = None

    @property
    def attribute(self) -> str:
        """The column as someone may know it: times by the day."""
        return self.column if self.day_view is None else f"{self.column}:{self.day_view}"

    @property
    def reason(self) -> str:
        """The strongest evidence."""
        return self.evidence[0]


def judge(column: str, facts: ColumnFacts) -> RoleJudgement:
    """Judge a column by everything that is known about it."""
    n_values, repeats = _values(facts)
    certain = _certain(facts)
    if certain is not None:
        return RoleJudgement(
            column, facts.kind, certain.role, 1.0, (certain.sentence,), n_values=n_values, repeats=repeats
        )
    evidence = [*_of_name(facts), *value_evidence(facts)] or [Evidence(Role.QUASI, 0.3, "no sign of another role")]
    evidence = [fitting for item in evidence if (fitting := _fitted(item, facts, evidence)) is not None]
    strengths = {role: _together([item for item in evidence if item.role is role]) for role in Role}
    role = max(strengths, key=lambda role: strengths[role])
    rest = max(strength for other, strength in strengths.items() if other is not role)
    reasons = sorted((item for item in evidence if item.role is role), key=lambda item: -item.strength)
    return RoleJudgement(
        column=column,
        kind=facts.kind,
        role=role,
        confidence=strengths[role] * (1 - rest / 2),
        evidence=tuple(dict.fromkeys(item.sentence for item in reasons)),
        subject=next((item.subject for item in reasons if item.subject is not None), None) if role is Role.IDENTIFIER else None,
        is_key=role is Role.IDENTIFIER and all(item.is_key for item in reasons),
        n_values=n_values,
        repeats=repeats,
        varying=facts.dependence.varying if facts.dependence is not None else None,
        day_view=_day_view(facts, is_epoch=_is_epoch(facts, evidence)) if role in (Role.TIME, Role.QUASI) else None,
    )


def _certain(facts: ColumnFacts) -> Evidence | None:
    profile = facts.profile
    if profile is None:
        return None
    if not profile.known and profile.people:
        return Evidence(Role.EMPTY, 1.0, "only missing values")
    # A missing value counts as a value: a column of "yes" and missing values distinguishes people.
    if profile.distinct == 1 and not profile.null_people:
        return Evidence(Role.CONSTANT, 1.0, "a single value")
    return None


def _values(facts: ColumnFacts) -> tuple[int | None, bool | None]:
    if facts.profile is None:
        return facts.distinct, None
    known, distinct = column_values(facts)
    return distinct, distinct < known


def _of_name(facts: ColumnFacts) -> tuple[Evidence, ...]:
    return name_evidence(facts.name) if facts.name is not None else ()


def _fitted(item: Evidence, facts: ColumnFacts, evidence: Sequence[Evidence]) -> Evidence | None:
    """Return evidence as far as the values allow it; None if they rule it out."""
    is_time = looks_like_time(facts) is not None
    if item.role is Role.TIME and any("birth" in other.sentence for other in evidence):
        return None
    if facts.profile is None:
        return item if not (is_time and item.role in (Role.IDENTIFIER, Role.COUNT)) else None
    if item.role is Role.COUNT and not _may_count(facts):
        return Evidence(Role.MEASUREMENT, 0.6, "named like a number of people") if is_whole(facts) else None
    if item.role is Role.IDENTIFIER:
        is_time = is_time or _is_epoch(facts, evidence)
        return _fitted_identifier(item, facts, is_time=is_time, is_named=_is_named(facts))
    if item.role is Role.TIME and not is_time:
        return _fitted_time(item, facts)
    if item.role is Role.MEASUREMENT:
        return _fitted_measurement(item, facts.profile)
    if item.role is Role.QUASI and item.strength <= _NAMED and _is_scattered(facts.profile):
        return replace(item, strength=item.strength / 2)
    if item.role is Role.FREE_TEXT and item.strength < _NAMED and 4 * facts.profile.distinct < facts.profile.known:
        return replace(item, strength=item.strength / 2)
    return item


def _is_scattered(profile: Profile) -> bool:
    """Whether values are decimals or negative numbers, as no numbers of places and things are."""
    return profile.distinct > _FEW and (has_decimals(profile) or 0 < profile.negatives <= profile.numbers)


def _fitted_measurement(item: Evidence, profile: Profile) -> Evidence:
    if profile.numbers < profile.known / 2:
        return replace(item, strength=item.strength / 4)
    is_scale = profile.distinct <= _FEW and not has_decimals(profile)
    return replace(item, strength=item.strength / 2) if is_scale else item


def _may_count(facts: ColumnFacts) -> bool:
    """Whether values can be numbers of people: whole, never negative, never missing."""
    profile = facts.profile
    assert profile is not None
    return is_whole(facts) and not profile.null_people and not profile.negatives


def _is_named(facts: ColumnFacts) -> bool:
    """Whether the name says what else a column is."""
    return any(item.role is not Role.IDENTIFIER and item.strength >= _NAMED for item in _of_name(facts))


def _is_firmly_timed(facts: ColumnFacts) -> bool:
    """Whether the name says that texts are dates, in whatever notation: a time is no identifier because it is unique."""
    shapes = facts.profile.shapes if facts.profile is not None else None
    has_digits = shapes is None or shapes.share("with_digits") > _MOSTLY
    return has_digits and any(item.role is Role.TIME and item.strength >= _NAMED for item in _of_name(facts))


def _fitted_identifier(item: Evidence, facts: ColumnFacts, *, is_time: bool, is_named: bool) -> Evidence | None:
    profile = facts.profile
    assert profile is not None
    if is_time:
        return None
    known, distinct = column_values(facts)
    if item.is_repetition and not is_whole(facts) and _is_firmly_timed(facts):
        return None
    if facts.kind is Kind.BOOLEAN or (distinct <= 2 and known > _FEW):
        return replace(item, strength=item.strength / 10)
    if has_decimals(profile):
        return replace(item, strength=item.strength / 6)
    if distinct < _FEW and known > 2 * distinct and item.strength < _STRONG:
        return replace(item, strength=item.strength / 3)
    # The second visit, question 17: numbers that start again and again.
    if item.strength < _ORDINAL and is_whole(facts) and digits(facts)[1] <= 2:
        return replace(item, strength=item.strength / 3)
    # Diagnoses and places that happen to differ are no identifiers; shapes of values are stronger than a name.
    return replace(item, strength=item.strength * 0.7) if is_named and item.strength < _STRONG else item


def _is_epoch(facts: ColumnFacts, evidence: Sequence[Evidence]) -> bool:
    """Whether whole numbers count seconds or milliseconds, by their length and the name."""
    profile = facts.profile
    named = any(item.role is Role.TIME for item in evidence)
    return named and profile is not None and is_whole(facts) and digits(facts)[1] in _EPOCH_DIGITS


def _fitted_time(item: Evidence, facts: ColumnFacts) -> Evidence | None:
    """Return the evidence of a name if the values can be a time, a part of a date or the name of one."""
    profile = facts.profile
    assert profile is not None
    if is_whole(facts):
        shortest, longest = digits(facts)
        fits = longest <= 2 or shortest == longest == 4 or longest in _EPOCH_DIGITS
        return item if fits and not profile.negatives else replace(item, strength=item.strength / 4)
    is_part = item.strength < _NAMED
    has_digits = profile.shapes is None or profile.shapes.share("with_digits") > _MOSTLY
    fits = profile.distinct <= _MOST_PARTS if is_part else profile.longest > _SHORTEST_DATE and has_digits
    return item if fits and not has_decimals(profile) else replace(item, strength=item.strength / 4)


def _together(evidence: Sequence[Evidence]) -> float:
    doubt = 1.0
    for item in evidence:
        doubt *= 1 - item.strength
    return 1 - doubt


def _day_view(facts: ColumnFacts, *, is_epoch: bool) -> str | None:
    """Return the view of a time by the day, if it is finer."""
    profile = facts.profile
    if facts.kind is Kind.TIMESTAMP:
        return "day"
    if profile is None or not profile.known:
        return None
    if is_epoch:
        # A day in seconds, or in milliseconds.
        return "band86400" if digits(facts)[1] < _EPOCH_DIGITS[-1] else "band86400000"
    finer = facts.kind is Kind.TEXT and profile.dates == profile.known and profile.longest > _LONGEST_DATE
    return "day" if finer and not profile.ambiguous_dates else None
