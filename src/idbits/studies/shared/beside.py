"""What is beside the measured columns: identifiers, free text, other columns that someone may know, and people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import count
from idbits.studies.shared.restoring import saved_value
from idbits.studies.shared.roles.choice import PersonCandidate, is_known, person_candidates
from idbits.studies.shared.roles.evidence import Role, Subject
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = [
    "NOTHING_BESIDE", "BesideAttributes", "ColumnsBeside", "columns_beside", "few_names", "records_not_people",
    "verdict_beside",
]  # fmt: skip

_NAMED = 4


@dataclass(frozen=True, slots=True)
class ColumnsBeside:
    """The columns of a table that were not measured, by what they give away.

    Attributes:
        identifiers: columns that identify people or households by themselves.
        record_numbers: columns that number the records.
        free_text: columns in which names may occur.
        may_be_known: columns that someone may know, written as a quasi-identifier names them.
        persons: columns in which people seem to repeat.
        person_by_row: a column that names each person once, if there is one.
    """

    identifiers: tuple[str, ...] = ()
    record_numbers: tuple[str, ...] = ()
    free_text: tuple[str, ...] = ()
    may_be_known: tuple[str, ...] = ()
    persons: tuple[PersonCandidate, ...] = ()
    person_by_row: str | None = None

    @classmethod
    def from_names(cls, data: Mapping[str, Any]) -> ColumnsBeside:
        """Return what ``names`` was made from, as far as it goes; none of its keys need be there."""

        def named(key: str) -> tuple[str, ...]:
            return tuple(saved_value(list[str], data.get(key) or [], key))

        return cls(
            identifiers=named("identifiers"),
            record_numbers=named("record_numbers"),
            free_text=named("free_text"),
            may_be_known=named("not_measured"),
            persons=tuple(PersonCandidate(name) for name in named("person_candidates")),
        )

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The columns that a release should not have."""
        return (*self.identifiers, *self.record_numbers, *self.free_text)

    @property
    def unit(self) -> Unit:
        """What the rows are, as far as the columns tell."""
        if self.persons:
            return Unit.RECORDS
        return Unit.PEOPLE if self.person_by_row is not None else Unit.ROWS

    @property
    def person(self) -> str | None:
        """The column in which people seem to repeat, if there is only one."""
        return self.persons[0].column if len(self.persons) == 1 else None

    @property
    def names(self) -> dict[str, list[str]]:
        """The columns by what they are, as plain data."""
        return {
            "identifiers": list(self.identifiers),
            "record_numbers": list(self.record_numbers),
            "free_text": list(self.free_text),
            "not_measured": list(self.may_be_known),
            "person_candidates": [candidate.column for candidate in self.persons],
        }


NOTHING_BESIDE = ColumnsBeside()


class BesideAttributes:
    """The columns beside the examined ones as attributes of an answer, with the names of its JSON keys."""

    beside: ColumnsBeside

    @property
    def beside_names(self) -> dict[str, list[str]]:
        """The columns that were not examined, by what they are."""
        return self.beside.names

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Columns beside the examined ones that identify people or households by themselves."""
        return self.beside.identifiers

    @property
    def record_numbers(self) -> tuple[str, ...]:
        """Columns beside the examined ones that number the records."""
        return self.beside.record_numbers

    @property
    def free_text(self) -> tuple[str, ...]:
        """Columns beside the examined ones in which names may occur."""
        return self.beside.free_text

    @property
    def not_measured(self) -> tuple[str, ...]:
        """Columns that someone may know and that were not examined."""
        return self.beside.may_be_known

    @property
    def person_candidates(self) -> tuple[str, ...]:
        """Columns in which people seem to repeat."""
        return tuple(candidate.column for candidate in self.beside.persons)


def columns_beside(judgements: Sequence[RoleJudgement], measured: Collection[str]) -> ColumnsBeside:
    """Sort the columns that were not measured; the column of persons or households is an identifier, too."""
    others = [judgement for judgement in judgements if judgement.column not in measured]
    direct = [judgement for judgement in others if judgement.role is Role.IDENTIFIER]
    once = (item.column for item in direct if item.subject is Subject.PERSON and item.is_key and item.repeats is False)
    return ColumnsBeside(
        identifiers=tuple(item.column for item in direct if item.subject is not Subject.RECORD),
        record_numbers=tuple(item.column for item in direct if item.subject is Subject.RECORD),
        free_text=tuple(item.column for item in others if item.role is Role.FREE_TEXT),
        may_be_known=tuple(item.attribute for item in others if is_known(item)),
        persons=person_candidates(judgements),
        person_by_row=next(once, None),
    )


def records_not_people(beside: ColumnsBeside, n_records: int, about_records: str) -> Verdict:
    """Give no verdict about people if the rows are known to be records of fewer people.

    ``about_records`` is the sentence with the figures, which are those of records.
    """
    title = f"These are records, not people: {Unit.RECORDS.counted(n_records)}"
    if beside.person is None:
        names = joined(candidate.column for candidate in beside.persons)
        how = f"The columns {names} may identify people; choose one with --person."
        return Verdict(Level.UNDECIDED, title, how, (about_records,))
    column, n_values = beside.person, beside.persons[0].n_values
    of = f" of about {count(n_values)} {column} values" if n_values is not None else f" with repeated {column} values"
    return Verdict(Level.UNDECIDED, title + of, f"To measure people, add --person {column}.", (about_records,))


def verdict_beside(verdict: Verdict, beside: ColumnsBeside) -> Verdict:
    """Return a verdict that knows what else is in the table: with identifiers beside it, no verdict is good."""
    reasons = _reasons(beside)
    if not reasons:
        return verdict
    more = replace(verdict, more=(*verdict.more, *reasons))
    if verdict.level in (Level.BAD, Level.UNDECIDED):
        return more
    if beside.identifiers:
        return replace(more, level=Level.BAD, title="Identifiers are still in the table")
    title = "Identifiers are still in the table" if beside.record_numbers else "Free text is still in the table"
    return replace(more, level=Level.WARN, title=title)


def _reasons(beside: ColumnsBeside) -> list[str]:
    reasons = []
    if names := beside.identifiers:
        identify, them = ("identifies people by itself", "it")
        if len(names) > 1:
            identify, them = ("identify people by themselves", "them")
        reasons.append(
            f"The table also has {few_names(names)}, which {identify}. Remove or replace {them} before you hand the "
            "table over."
        )
    if names := beside.record_numbers:
        number, they = ("numbers", "it") if len(names) == 1 else ("number", "they")
        reasons.append(
            f"The table also has {few_names(names)}, which {number} the records: {they} can be matched with other "
            "systems."
        )
    if names := beside.free_text:
        is_text = "is free text" if len(names) == 1 else "are free text"
        reasons.append(f"Names may occur in {few_names(names)}, which {is_text}. Remove it, or read it first.")
    return reasons


def few_names(names: Sequence[str]) -> str:
    """Return the first names and the number of the others."""
    rest = len(names) - _NAMED
    return joined(names if rest <= 0 else [*names[:_NAMED], counted(rest, "more column")])
