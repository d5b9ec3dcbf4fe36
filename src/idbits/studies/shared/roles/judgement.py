"""Weighs the evidence about a column: one judgement, with a confidence and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from idbits.studies.shared.roles.content import column_values, has_decimals, is_whole, looks_like_time, value_evidence
from idbits.studies.shared.roles.evidence import ColumnFacts, Evidence, Role, Subject
from idbits.studies.shared.roles.naming import name_evidence
from idbits.values.attributes import Kind

__all__ = ["RoleJudgement", "judge"]

_STRONG = 0.9
_FEW = 10
_EPOCH_DIGITS = (9, 10, 13)


@dataclass(frozen=True, slots=True)
class RoleJudgement:
    """The likely role of a column.

    Attributes:
        confidence: between 0 and 1.
        evidence: what speaks for the role, strongest first.
        subject: what an identifier tells apart, if that is known.
        n_values: the number of distinct values in all rows, counted or estimated; None if unknown.
        repeats: whether values repeat; None if unknown.
        day_view: how the column is written at the level of days, if it is finer than that.
    """

    column: str
    kind: Kind
    role: Role
    confidence: float
    evidence: tuple[str, ...]
    subject: Subject | None = None
    n_values: int | None = None
    repeats: bool | None = None
    day_view: str | None = None

    @property
    def reason(self) -> str:
        """The strongest evidence."""
        return self.evidence[0]


def judge(column: str, facts: ColumnFacts) -> RoleJudgement:
    """Judge a column by everything that is known about it."""
    n_values, repeats = _values(facts)
    certain = _certain(facts)
    if certain is not None:
        return RoleJudgement(column, facts.kind, certain.role, 1.0, (certain.sentence,), None, n_values, repeats)
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
        subject=next((item.subject for item in reasons if item.subject is not None), None)
        if role is Role.IDENTIFIER
        else None,
        n_values=n_values,
        repeats=repeats,
        day_view=_day_view(facts) if role is Role.TIME else None,
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
    if item.role is Role.COUNT:
        return item if _may_count(facts) else None
    if item.role is Role.IDENTIFIER:
        return _fitted_identifier(item, facts, is_time=is_time or _is_epoch(facts, evidence))
    if item.role is Role.TIME and not is_time:
        return _fitted_time(item, facts)
    if item.role is Role.MEASUREMENT and facts.profile.numbers < facts.profile.known / 2:
        return replace(item, strength=item.strength / 4)
    return item


def _may_count(facts: ColumnFacts) -> bool:
    """Whether values can be numbers of people: whole, never negative, never missing."""
    profile = facts.profile
    assert profile is not None
    return is_whole(facts) and not profile.null_people and not profile.negatives


def _fitted_identifier(item: Evidence, facts: ColumnFacts, *, is_time: bool) -> Evidence | None:
    profile = facts.profile
    assert profile is not None
    if is_time:
        return None
    known, distinct = column_values(facts)
    if facts.kind is Kind.BOOLEAN or (distinct <= 2 and known > _FEW):
        return replace(item, strength=item.strength / 10)
    if has_decimals(profile):
        return replace(item, strength=item.strength / 6)
    if distinct < _FEW and known > 2 * distinct and item.strength < _STRONG:
        return replace(item, strength=item.strength / 3)
    return item


def _is_epoch(facts: ColumnFacts, evidence: Sequence[Evidence]) -> bool:
    """Whether whole numbers count seconds or milliseconds, by their length and the name."""
    profile = facts.profile
    named = any(item.role is Role.TIME for item in evidence)
    return named and profile is not None and is_whole(facts) and profile.longest in _EPOCH_DIGITS


def _fitted_time(item: Evidence, facts: ColumnFacts) -> Evidence | None:
    """Return the evidence of a name if the values can be a time, a part of a date or the name of one."""
    profile = facts.profile
    assert profile is not None
    if is_whole(facts):
        fits = profile.longest <= 2 or profile.shortest == profile.longest == 4 or profile.longest in _EPOCH_DIGITS
        return item if fits and not profile.negatives else replace(item, strength=item.strength / 4)
    return item if not has_decimals(profile) else replace(item, strength=item.strength / 4)


def _together(evidence: Sequence[Evidence]) -> float:
    doubt = 1.0
    for item in evidence:
        doubt *= 1 - item.strength
    return 1 - doubt


def _day_view(facts: ColumnFacts) -> str | None:
    return None
