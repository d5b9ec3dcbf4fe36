"""Which columns are examined: those the user names, or all that someone may know; and what is beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from idbits.engines.base import OpenOptions, Table
from idbits.errors import InputError, NotEstimableError
from idbits.reading import Names, name_list
from idbits.studies.columns.result import LeftOutColumn
from idbits.studies.shared.beside import NOTHING_BESIDE, ColumnsBeside, columns_beside
from idbits.studies.shared.default_columns import ChosenColumns, chosen_columns
from idbits.studies.shared.persons import PersonOptions, require_other_columns, require_people
from idbits.studies.shared.roles import Role, RoleJudgement, is_known, judge_all_rows
from idbits.studies.shared.surroundings import Surroundings
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes

__all__ = ["Candidates", "choose_candidates"]

_OPTION = "--candidates"


@dataclass(frozen=True, slots=True)
class Candidates:
    """The columns to examine.

    Attributes:
        names: the names shown.
        left_out: columns that are not examined.
        withheld: whether numbers are shown instead of the table's names, which may be data.
        beside: what the other columns of the table are.
        choice: how the columns were chosen, if nobody named them.
    """

    attributes: tuple[Attribute, ...]
    names: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...] = ()
    notes: tuple[str, ...] = ()
    withheld: bool = False
    beside: ColumnsBeside = NOTHING_BESIDE
    choice: ChosenColumns | None = None


def choose_candidates(table: Table, named: Names | None, options: OpenOptions, person: PersonOptions) -> Candidates:
    """Take the columns the user named, or all that someone may know; load them and those about people."""
    about_people = person.columns(table.columns)
    if named is not None:
        return _named_candidates(table, name_list(named), options, person)
    columns = [name for name in table.columns if name not in (options.count, *about_people)]
    if not columns:
        raise NotEstimableError("the table has no columns to examine")
    table.load([*columns, *about_people])
    require_people(table, options)
    judgements = judge_all_rows(table, options)
    candidates = [judgement for judgement in judgements if judgement.column in columns]
    chosen = [judgement for judgement in candidates if is_known(judgement)]
    withheld = table.names_may_be_data
    notes = ["column names are withheld because they may be data"] if withheld else []
    if not chosen:
        chosen = candidates
        notes.append("no column looks like one that someone may know, so we examine all of them")
    shown = {name: f"column{number}" if withheld else name for number, name in enumerate(columns, start=1)}
    notes += _notes_on_counts(candidates, shown, options, person)
    return Candidates(
        attributes=tuple(_attribute(judgement, table) for judgement in chosen),
        names=tuple(
            shown[judgement.column] + (f":{judgement.day_view}" if judgement.day_view else "") for judgement in chosen
        ),
        left_out=tuple(
            LeftOutColumn(shown[judgement.column], str(judgement.role), judgement.reason)
            for judgement in candidates
            if judgement not in chosen
        ),
        notes=tuple(notes),
        withheld=withheld,
        beside=NOTHING_BESIDE if withheld else _beside(judgements, chosen, about_people),
        choice=None if withheld or not is_known(chosen[0]) else chosen_columns(judgements, candidates, chosen, _OPTION),
    )


def _named_candidates(table: Table, names: list[str], options: OpenOptions, person: PersonOptions) -> Candidates:
    if not names:
        raise InputError("name at least one column (--candidates)")
    attributes = parse_attributes(names, table.columns)
    used = [attribute.column for attribute in attributes]
    about_people = person.columns(table.columns)
    require_other_columns(person.column, used, _OPTION)
    surroundings = Surroundings(table, options, used, about_people)
    table.load(dict.fromkeys([*used, *about_people, *surroundings.columns]), surroundings.sampled)
    require_people(table, options)
    return Candidates(attributes, tuple(attribute.name for attribute in attributes), beside=surroundings.beside)


def _beside(
    judgements: Sequence[RoleJudgement], chosen: Sequence[RoleJudgement], about_people: Sequence[str]
) -> ColumnsBeside:
    """Return what the other columns are; those about people identify them because the user says so."""
    found = columns_beside(judgements, {*(judgement.column for judgement in chosen), *about_people})
    return replace(found, identifiers=(*about_people, *found.identifiers))


def _notes_on_counts(
    candidates: Sequence[RoleJudgement], shown: Mapping[str, str], options: OpenOptions, person: PersonOptions
) -> list[str]:
    if options.count is not None or person.column is not None:
        return []
    return [
        f'column "{shown[judgement.column]}" may be the number of people per row; if so, name it with --count'
        for judgement in candidates
        if judgement.role is Role.COUNT
    ]


def _attribute(judgement: RoleJudgement, table: Table) -> Attribute:
    """Return a column in the view in which someone may know it; another column may be named like a view."""
    name, view = judgement.column, judgement.day_view
    kind = table.columns[name]
    return Attribute(name, kind) if view is None else parse_attribute(f"{name}:{view}", {name: kind})
