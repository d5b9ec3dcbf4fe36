"""Columns beside the plan that would identify people in the treated file by themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from idbits.errors import DataError, InputError
from idbits.studies.shared.beside import few_names
from idbits.studies.shared.roles.choice import person_candidates
from idbits.studies.shared.roles.evidence import Role, Subject
from idbits.studies.shared.roles.judgement import RoleJudgement

__all__ = [
    "free_text_columns", "refuse_identifiers", "refuse_mostly_unique", "refuse_repeated_people",
]  # fmt: skip


def refuse_identifiers(judgements: Sequence[RoleJudgement], allowed: Collection[str]) -> None:
    """Raise an error if a column identifies people or records, unless it is allowed."""
    names = [item.column for item in judgements if item.role is Role.IDENTIFIER and item.column not in allowed]
    if names:
        verb, them = ("identifies", "it") if len(names) == 1 else ("identify", "them")
        raise InputError(
            f"{few_names(names)} {verb} people by {them}sel{'f' if len(names) == 1 else 'ves'}; leave {them} out with "
            f"--drop, replace {them} with --pseudonym, or keep {them} with --keep-identifier"
        )


def refuse_mostly_unique(names: Sequence[str]) -> None:
    """Raise an error if a column beside the plan is nearly as good as an identifier."""
    if names:
        them = "it" if len(names) == 1 else "them"
        raise InputError(
            f"more than half of the rows are unique with {few_names(names)} alone; leave {them} out with --drop, or "
            f"keep {them} with --keep-identifier"
        )


def free_text_columns(judgements: Sequence[RoleJudgement]) -> list[str]:
    """Return the columns in which names may occur."""
    return [item.column for item in judgements if item.role is Role.FREE_TEXT]


def refuse_repeated_people(judgements: Sequence[RoleJudgement]) -> None:
    """Raise an error if people seem to have several rows: groups of rows would look larger than groups of people."""
    persons = [item for item in person_candidates(judgements) if item.subject is Subject.PERSON]
    if persons:
        raise DataError(
            f'people seem to have several rows by column "{persons[0].column}"; make a table with one row per person, '
            "or add --rows-are-people if each row is a person"
        )
