"""The columns to measure if nobody named any: those that someone may know, judged before the table is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from idbits.engines.base import Source
from idbits.engines.open import open_table
from idbits.errors import InputError
from idbits.reading import OpenOptions
from idbits.studies.shared.persons import require_people
from idbits.studies.shared.roles.choice import columns_someone_may_know
from idbits.studies.shared.roles.evidence import Role
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.roles.judging import columns_to_look_at, judge_columns, must_withhold_names
from idbits.studies.shared.serialisation import JsonObject, plain_object
from idbits.values.attributes import Kind
from idbits.wording import counted, joined

__all__ = ["MOST_CHOSEN", "ChosenColumns", "choose_columns", "chosen_columns", "judge_source"]

MOST_CHOSEN = 8
"""With more columns almost everyone is unique in any table, and nobody knows all of them."""


@dataclass(frozen=True, slots=True)
class ChosenColumns:
    """The columns that were chosen, and why.

    Attributes:
        names: the columns, written as a quasi-identifier names them.
        judgements: the judgement on each of them.
        left_out: other columns that someone may know.
        all_judgements: the judgements on all columns of the table.
        option: the option that names columns instead.
    """

    names: tuple[str, ...]
    judgements: tuple[RoleJudgement, ...]
    left_out: tuple[str, ...]
    all_judgements: tuple[RoleJudgement, ...]
    option: str = "--qid"

    @classmethod
    def from_rows(cls, rows: Any, option: str = "--qid") -> ChosenColumns | None:
        """Return what ``judgement_rows`` was made from, as far as it goes; None for no rows."""
        judgements = tuple(
            RoleJudgement(
                column=str(row["column"]),
                kind=Kind.OTHER,
                role=Role(row["role"]),
                confidence=float(row["confidence"]),
                evidence=tuple(map(str, row["evidence"])),
            )
            for row in rows or ()
        )
        names = tuple(judgement.column for judgement in judgements)
        return cls(names, judgements, (), judgements, option) if judgements else None

    @property
    def judgement_rows(self) -> list[JsonObject]:
        """Why the columns were chosen, as plain data."""
        keys = ("column=attribute", "role", "confidence", "evidence")
        return [plain_object(judgement, keys) for judgement in self.judgements]

    @property
    def sentence(self) -> str:
        """How the columns were chosen, and how to change them."""
        by_reason: dict[str, list[str]] = {}
        for judgement in self.judgements:
            by_reason.setdefault(judgement.reason, []).append(judgement.attribute)
        kinds = [f"{joined(names)} ({reason})" for reason, names in by_reason.items()]
        text = (
            f"You named no columns, so we chose those that someone may know, by their names and values: "
            f"{'; '.join(kinds)}."
        )
        if self.left_out:
            text += f" {counted(len(self.left_out), 'more column')} may be known, too."
        return f"{text} To choose others, name them with {self.option}."


def judge_source(source: Source, options: OpenOptions) -> tuple[RoleJudgement, ...] | None:
    """Judge all columns of a source; None if their names may be data."""
    with closing(open_table(source, options)) as table:
        if must_withhold_names(table, options):
            return None
        look = columns_to_look_at(table, options, ())
        table.load(look.keys, look.sampled)
        require_people(table, options)
        return judge_columns(table, options, look)


def choose_columns(
    source: Source,
    options: OpenOptions,
    used: Sequence[str] = (),
    option: str = "--qid",
    *,
    wanted: Collection[str] = (),
) -> ChosenColumns:
    """Judge the columns of a source and choose those that someone may know.

    Args:
        used: columns that have another purpose.
        option: the option that names columns, for messages.
        wanted: columns that are chosen in any case, because another option names them.
    """
    if isinstance(source, str) and source == "-":
        raise InputError(
            f"{option} is missing; name the columns someone may know, for example {option} birthdate,zip,gender"
        )
    judgements = judge_source(source, options)
    if judgements is None:
        raise InputError(
            "the first row of the table may contain data instead of column names; add --no-header and name the "
            f"columns someone may know, for example {option} column1,column2"
        )
    candidates = [judgement for judgement in judgements if judgement.column not in used]
    known = set(columns_someone_may_know(candidates, MOST_CHOSEN))
    chosen = [item for item in candidates if item.column in wanted or item.attribute in known]
    if not chosen:
        names = ", ".join(judgement.column for judgement in judgements[:MOST_CHOSEN])
        raise InputError(
            f"no column looks like one that someone may know; name the columns with {option} (there are {names})"
        )
    return chosen_columns(judgements, candidates, chosen, option)


def chosen_columns(
    judgements: Sequence[RoleJudgement],
    candidates: Sequence[RoleJudgement],
    chosen: Sequence[RoleJudgement],
    option: str,
) -> ChosenColumns:
    """Describe a choice among ``candidates``, the judgements on columns that have no other purpose."""
    names = tuple(judgement.attribute for judgement in chosen)
    return ChosenColumns(
        names=names,
        judgements=tuple(chosen),
        left_out=tuple(name for name in columns_someone_may_know(candidates) if name not in names),
        all_judgements=tuple(judgements),
        option=option,
    )
