"""Which columns are examined: those the user names, or all that may be quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.engines.base import OpenOptions, Table
from idbits.errors import InputError, NotEstimableError
from idbits.reading import Names, name_list
from idbits.studies.columns.result import LeftOutColumn
from idbits.studies.shared.persons import PersonOptions, require_other_columns
from idbits.studies.shared.roles import Role, judge_all_rows
from idbits.values.attributes import Attribute, parse_attribute, parse_attributes

__all__ = ["Candidates", "choose_candidates"]

_ROLES_LEFT_OUT = (Role.IDENTIFIER, Role.CONSTANT, Role.EMPTY, Role.FREE_TEXT, Role.MEASUREMENT)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The columns to examine.

    Attributes:
        names: the names shown.
        left_out: columns that are not examined.
        withheld: whether numbers are shown instead of the table's names, which may be data.
    """

    attributes: tuple[Attribute, ...]
    names: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...] = ()
    notes: tuple[str, ...] = ()
    withheld: bool = False


def choose_candidates(table: Table, named: Names | None, options: OpenOptions, person: PersonOptions) -> Candidates:
    """Take the columns the user named, or all that look like quasi-identifiers; load them and those about people."""
    about_people = person.columns(table.columns)
    if named is not None:
        names = name_list(named)
        if not names:
            raise InputError("name at least one column (--candidates)")
        attributes = parse_attributes(names, table.columns)
        used = [attribute.column for attribute in attributes]
        require_other_columns(person.column, used, "--candidates")
        table.load(dict.fromkeys([*used, *about_people]))
        _require_people(table, options)
        return Candidates(attributes, tuple(attribute.name for attribute in attributes))
    columns = [name for name in table.columns if name not in (options.count, *about_people)]
    if not columns:
        raise NotEstimableError("the table has no columns to examine")
    table.load([*columns, *about_people])
    _require_people(table, options)
    withheld = table.names_may_be_data
    shown = {name: f"column{number}" if withheld else name for number, name in enumerate(columns, start=1)}
    judgements = {judgement.column: judgement for judgement in judge_all_rows(table, options)}
    chosen = [name for name in columns if judgements[name].role not in _ROLES_LEFT_OUT]
    notes = ["column names are withheld because they may be data"] if withheld else []
    if not chosen:
        chosen = columns
        notes.append("we would leave out every column, so we examine all of them")
    if options.count is None and person.column is None:
        notes += [
            f'column "{shown[name]}" may be the number of people per row; if so, name it with --count'
            for name in chosen
            if judgements[name].role is Role.COUNT
        ]
    views = {name: judgements[name].day_view for name in chosen}
    return Candidates(
        attributes=tuple(_attribute(name, views[name], table) for name in chosen),
        names=tuple(shown[name] + (f":{views[name]}" if views[name] else "") for name in chosen),
        left_out=tuple(
            LeftOutColumn(shown[name], str(judgements[name].role), judgements[name].reason)
            for name in columns
            if name not in chosen
        ),
        notes=tuple(notes),
        withheld=withheld,
    )


def _attribute(name: str, view: str | None, table: Table) -> Attribute:
    """Return a column in the view in which someone may know it; another column may be named like a view."""
    kind = table.columns[name]
    return Attribute(name, kind) if view is None else parse_attribute(f"{name}:{view}", {name: kind})


def _require_people(table: Table, options: OpenOptions) -> None:
    if table.n_people() == 0:
        left = "no row is left after the filter" if options.where is not None else "the table has no people in it"
        raise NotEstimableError(f"there is nobody to measure: {left}")
