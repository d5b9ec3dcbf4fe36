"""A report on each column: its likely role and why, and its oddities, without its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from idbits.engines.base import Table
from idbits.reading import OpenOptions
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.roles.choice import PersonCandidate, is_known, person_candidates
from idbits.studies.shared.roles.evidence import Role
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.roles.judging import judge_profiles, must_withhold_names
from idbits.studies.shared.serialisation import UncheckedData
from idbits.values.attributes import Attribute, Kind
from idbits.values.ladder import ladder
from idbits.values.profile import Profile
from idbits.wording import counted

__all__ = ["ColumnReport", "oddities", "reads_as", "report_columns", "shown_role", "suggest_columns"]


def reads_as(profile: Profile, kind: Kind) -> str:
    """Return the type of a column; for text, also the type that all its values can be read as."""
    known = profile.people - profile.null_people
    if kind is not Kind.TEXT or known == 0:
        return str(kind)
    if profile.dates == known and not (profile.numbers == known and profile.longest < 8):
        return "text (dates)"
    if profile.numbers == known:
        return "text (codes)" if profile.leading_zeros else "text (numbers)"
    return "text"


def shown_role(role: str) -> str:
    """Return the role in the words of a screen.

    >>> shown_role("direct identifier"), shown_role("quasi-identifier"), shown_role("sensitive")
    ('identifier', 'may be known', 'sensitive')
    """
    return {"direct identifier": "identifier", "quasi-identifier": "may be known"}.get(role, role)


def oddities(profile: Profile, kind: Kind) -> tuple[str, ...]:
    """Describe what looks odd in a column, in numbers."""
    known = profile.people - profile.null_people
    odd = []
    if profile.padded:
        verbs = (
            "has leading or trailing spaces and counts"
            if profile.padded == 1
            else ("have leading or trailing spaces and count")
        )
        odd.append(f"{counted(profile.padded, 'value')} {verbs} as different")
    if kind is Kind.TEXT:
        if known / 2 < profile.dates < known:
            bad = known - profile.dates
            odd.append(f"{counted(bad, 'value')} cannot be read as {'a date' if bad == 1 else 'dates'}; all others can")
        elif known / 2 < profile.numbers < known:
            bad = known - profile.numbers
            as_what = "a number" if bad == 1 else "numbers"
            odd.append(f"{counted(bad, 'value')} cannot be read as {as_what}; all others can")
        if profile.leading_zeros > 0:
            verb = "has" if profile.leading_zeros == 1 else "have"
            odd.append(f"{counted(profile.leading_zeros, 'code')} {verb} a leading zero, which we keep")
        if profile.null_words:
            odd.append(f"{counted(profile.null_words, 'value')} such as NA may stand for a missing value (see --null)")
    if profile.null_people > 0 and profile.null_people > profile.people / 2:
        odd.append("most values are missing")
    return tuple(odd)


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: its inferred type, its counts, its likely role and why, and what looks odd.

    Attributes:
        reason: the strongest evidence for the role.
        confidence: how sure the role is, between 0 and 1.
        evidence: all that speaks for the role, strongest first.
        views: the coarser views of its ladder, as written after a colon; not part of the plain data.
        known_view: the view in which someone may know the column, empty for the column as it is; None if its role is
            another; not part of the plain data.
    """

    json_keys: ClassVar = (
        "column", "kind", "reads_as", "distinct", "nulls", "unique", "role", "reason", "confidence", "evidence",
        "suggested", "odd",
    )  # fmt: skip

    column: str
    kind: str
    reads_as: str
    distinct: int
    nulls: int
    unique: int
    role: str
    reason: str
    odd: tuple[str, ...]
    views: tuple[str, ...] = ()
    confidence: float = 0.0
    evidence: tuple[str, ...] = ()
    known_view: str | None = None

    @classmethod
    def _saved_fields(cls, data: Mapping[str, Any]) -> UncheckedData:
        """Return the view in which someone may know the column."""
        suggested = saved_value(str | None, data.get("suggested"), "suggested")
        view = None if suggested is None else suggested.removeprefix(str(data["column"])).removeprefix(":")
        return {"known_view": view}

    @property
    def suggested(self) -> str | None:
        """The column as ``--qid`` takes it, if someone may know it: times by the day."""
        if self.known_view is None:
            return None
        return f"{self.column}:{self.known_view}" if self.known_view else self.column


def suggest_columns(columns: Sequence[ColumnReport], most: int | None = None) -> list[str]:
    """Return the columns to measure if nobody named any, in the order of the table, times by the day.

    With ``most``, only that many: those whose role is surest.
    """
    known = [column for column in columns if column.suggested is not None]
    surest = {column.column for column in sorted(known, key=lambda column: -column.confidence)[:most]}
    return [str(column.suggested) for column in known if column.column in surest]


def report_columns(table: Table, options: OpenOptions) -> tuple[tuple[ColumnReport, ...], tuple[PersonCandidate, ...]]:
    """Load all columns except the column of counts, and describe each; names that may be data become numbers.

    Also returns the columns in which people seem to repeat.
    """
    names = [name for name in table.columns if name != options.count]
    table.load(names)
    withheld = must_withhold_names(table, options)
    profiles = {name: table.profile(name) for name in names}
    judgements = judge_profiles(table, options, profiles)
    reports = tuple(
        _report(f"column{number}" if withheld else judgement.column, judgement, profiles[judgement.column])
        for number, judgement in enumerate(judgements, start=1)
    )
    return reports, person_candidates(judgements) if not withheld and options.count is None else ()


def _report(shown: str, judgement: RoleJudgement, profile: Profile) -> ColumnReport:
    attribute = Attribute(judgement.column, judgement.kind)
    # A coarser identifier is still of no use to anybody who may have the table.
    views = ladder(attribute, profile) if judgement.role is not Role.IDENTIFIER else []
    return ColumnReport(
        column=shown,
        kind=str(judgement.kind),
        reads_as=reads_as(profile, judgement.kind),
        distinct=profile.distinct,
        nulls=profile.null_people,
        unique=profile.unique_people,
        role=str(judgement.role),
        reason=judgement.reason,
        odd=oddities(profile, judgement.kind),
        views=tuple(":".join(map(str, view.transforms)) for view in views),
        confidence=judgement.confidence,
        evidence=judgement.evidence,
        known_view=(judgement.day_view or "") if is_known(judgement) else None,
    )
