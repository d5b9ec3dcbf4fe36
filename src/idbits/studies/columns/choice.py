"""Which columns are looked at: those the user names, or all that may be quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass

from idbits.engines.base import OpenOptions, Table
from idbits.errors import InputError, NotEstimableError
from idbits.reading import Names, name_list
from idbits.studies.columns.figures import LeftOut
from idbits.studies.shared.roles import role_of
from idbits.values.attributes import Attribute, parse_attributes

__all__ = ["Chosen", "choose_columns"]

_LEFT_OUT = ("direct identifier", "constant", "empty", "free text", "measurement")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The columns to look at, the names they are shown by, and what was left out."""

    attributes: tuple[Attribute, ...]
    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    withheld: bool


def choose_columns(table: Table, candidates: Names | None, options: OpenOptions) -> Chosen:
    """Take what the user named, or leave out what does not look like a quasi-identifier."""
    if candidates is not None:
        named = name_list(candidates)
        if not named:
            raise InputError("name at least one column (--candidates)")
        attributes = parse_attributes(named, table.columns)
        table.load(dict.fromkeys(attribute.column for attribute in attributes))
        _somebody(table, options)
        return Chosen(attributes, tuple(attribute.name for attribute in attributes), (), (), False)
    columns = [name for name in table.columns if name != options.count]
    if not columns:
        raise NotEstimableError("the table has no column to look at")
    table.load(columns)
    _somebody(table, options)
    withheld = table.names_may_be_data
    shown = {name: f"column{place}" if withheld else name for place, name in enumerate(columns, start=1)}
    roles = {name: role_of(name, table.profile(name), table.columns[name]) for name in columns}
    kept = [name for name in columns if roles[name][0] not in _LEFT_OUT]
    notes = ["names are withheld here, since they may be data"] if withheld else []
    if not kept:
        kept = columns
        notes.append("every column looks like one to leave out, so all of them are looked at")
    if options.count is None:
        notes += [
            f'column "{shown[name]}" may say how many people a row stands for; if so, name it with --count'
            for name in kept
            if roles[name][0] == "count"
        ]
    left_out = tuple(LeftOut(shown[name], *roles[name]) for name in columns if name not in kept)
    attributes = tuple(Attribute(name, table.columns[name]) for name in kept)
    return Chosen(attributes, tuple(shown[name] for name in kept), left_out, tuple(notes), withheld)


def _somebody(table: Table, options: OpenOptions) -> None:
    if table.n_people() == 0:
        left = "no row is left after the filter" if options.where is not None else "the table has no people in it"
        raise NotEstimableError(f"there is nobody to measure: {left}")
