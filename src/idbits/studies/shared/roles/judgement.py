"""Weighs the evidence about a column: one judgement, with a confidence and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idbits.studies.shared.roles.content import NUMBERS_THE_RECORDS, value_evidence
from idbits.studies.shared.roles.evidence import ColumnFacts, Evidence, Role, Subject
from idbits.studies.shared.roles.fitting import fit_evidence
from idbits.studies.shared.roles.naming import name_evidence
from idbits.studies.shared.roles.times import day_view
from idbits.values.attributes import Kind

__all__ = ["RoleJudgement", "judge"]

_SAMPLED = 0.9
_NO_SIGN = Evidence(Role.QUASI, 0.5, "no sign of another role")


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

    @property
    def numbers_records(self) -> bool:
        """Whether an identifier only numbers rows or events: it names nobody, but can be matched to other systems."""
        return self.subject is Subject.RECORD and not self.repeats


def judge(column: str, facts: ColumnFacts) -> RoleJudgement:
    """Judge a column by everything that is known about it."""
    certain = _certain(facts)
    if certain is not None:
        return _judgement(column, facts, certain.role, certain.strength, [certain])
    named = name_evidence(facts.name) if facts.name is not None else ()
    values = value_evidence(facts) if facts.profile is not None or facts.is_dated else [_NO_SIGN]
    evidence = fit_evidence([*named, *values], facts)
    strengths = {role: _together([item for item in evidence if item.role is role]) for role in Role}
    role = max(strengths, key=lambda role: strengths[role])
    rest = max(strength for other, strength in strengths.items() if other is not role)
    reasons = sorted((item for item in evidence if item.role is role), key=lambda item: -item.strength)
    return _judgement(column, facts, role, strengths[role] * (1 - rest / 2), reasons)


def _judgement(
    column: str, facts: ColumnFacts, role: Role, confidence: float, reasons: Sequence[Evidence]
) -> RoleJudgement:
    is_identifier = role is Role.IDENTIFIER
    subject = next((item.subject for item in reasons if item.subject is not None), None) if is_identifier else None
    repeats = facts.n_distinct < facts.n_known if facts.profile is not None else None
    sentences = [item.sentence for item in reasons]
    if subject is Subject.RECORD and repeats is False:
        sentences.append(NUMBERS_THE_RECORDS)
    return RoleJudgement(
        column=column,
        kind=facts.kind,
        role=role,
        confidence=confidence,
        evidence=tuple(dict.fromkeys(sentences)),
        subject=subject,
        is_key=is_identifier and all(item.is_key for item in reasons),
        n_values=facts.n_distinct if facts.profile is not None else None,
        repeats=repeats,
        varying=facts.dependence.varying if facts.dependence is not None else None,
        day_view=day_view(facts) if role in (Role.TIME, Role.QUASI) else None,
    )


def _certain(facts: ColumnFacts) -> Evidence | None:
    """Return what leaves no choice: nothing varies in the column."""
    profile = facts.profile
    if profile is None:
        return None
    strength, where = (_SAMPLED, " in the rows we looked at") if facts.is_sampled else (1.0, "")
    if not profile.known:
        return Evidence(Role.EMPTY, strength, f"only missing values{where}")
    # A missing value counts as a value: a column of "yes" and missing values distinguishes people.
    if profile.distinct == 1 and not profile.null_people:
        return Evidence(Role.CONSTANT, strength, f"a single value{where}")
    return None


def _together(evidence: Sequence[Evidence]) -> float:
    doubt = 1.0
    for item in evidence:
        doubt *= 1 - item.strength
    return 1 - doubt
