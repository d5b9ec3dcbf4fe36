"""What follows from the roles of columns: which ones someone may know, and which one tells people apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idbits.studies.shared.roles.evidence import Role, Subject
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.roles.naming import is_personal, is_professional

__all__ = ["PersonCandidate", "columns_someone_may_know", "is_known", "person_candidates"]

_KNOWN_ROLES = (Role.QUASI, Role.TIME)


@dataclass(frozen=True, slots=True)
class PersonCandidate:
    """A column whose values repeat and that may tell people apart.

    Attributes:
        subject: whom or what its values name: persons, households that stand for persons, or records of them.
        n_values: the number of its distinct values, counted or estimated; None if unknown.

    A saved answer has only the name.
    """

    column: str
    subject: Subject | None = None
    n_values: int | None = None


def is_known(judgement: RoleJudgement) -> bool:
    """Whether someone may know a column: a quasi-identifier or a time."""
    return judgement.role in _KNOWN_ROLES


def columns_someone_may_know(judgements: Sequence[RoleJudgement], most: int | None = None) -> list[str]:
    """Return the columns to measure if nobody named any, in the order of the table, times by the day.

    With ``most``, only that many: those whose role is surest.
    """
    known = [judgement for judgement in judgements if is_known(judgement)]
    surest = sorted(known, key=lambda judgement: -judgement.confidence)[:most]
    chosen = {judgement.column for judgement in surest}
    return [judgement.attribute for judgement in known if judgement.column in chosen]


def person_candidates(judgements: Sequence[RoleJudgement]) -> tuple[PersonCandidate, ...]:
    """Return the columns that may tell people apart in a table with several rows per person.

    Persons come before households, and households before records; only the first kind that there is is returned. None
    if a column names each person once, and no household that people with different ages or sexes share.
    """
    keys = [judgement for judgement in judgements if _is_key(judgement)]
    persons = [key for key in keys if key.subject is Subject.PERSON and not is_professional(key.column)]
    if any(key.repeats is False for key in persons):
        return ()
    households = [key for key in keys if key.subject is Subject.HOUSEHOLD and not _holds_people(key, judgements)]
    others = [key for key in keys if key.subject not in (Subject.PERSON, Subject.HOUSEHOLD)]
    for kind, subject in ((persons, Subject.PERSON), (households, Subject.HOUSEHOLD), (others, Subject.RECORD)):
        repeated = tuple(PersonCandidate(key.column, subject, key.n_values) for key in kind if key.repeats)
        if repeated:
            return repeated
    return ()


def _is_key(judgement: RoleJudgement) -> bool:
    """Whether an identifier is a number or another key, not a name or an address."""
    return judgement.role is Role.IDENTIFIER and judgement.is_key


def _holds_people(household: RoleJudgement, judgements: Sequence[RoleJudgement]) -> bool:
    """Whether the rows of a household are different people: what describes a person varies in it."""
    if household.varying is not None:
        return any(is_personal(name) for name in household.varying)
    return any(is_personal(judgement.column) for judgement in judgements if judgement is not household)
