"""The request in an address of the page Compare: two zonings of a table, or two releases of the same people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from idbits.errors import InputError
from idbits.web.table_request import OPTIONS, TableRequest, check_size, table_fields

__all__ = ["RELEASES", "USUAL_LIMIT", "ZONES", "OverlapRequest"]

ZONES, RELEASES = "zones", "releases"
USUAL_LIMIT = 10
"""Groups of fewer people are small, unless another number is typed."""

_SECOND = "2"
# Options of the page Measure that mean nothing here.
_OTHERS = {"knows", "household", "null-person", "by", "people"}
_SHARED = {*OPTIONS, "header", "names"} - _OTHERS
_ABOUT_PEOPLE = {"count", "person", "rows-are-people", "sensitive"}
_OF_ONE_TABLE = {"in", "file", "set", "dir", "q", "pick", "view"}


@dataclass(frozen=True, slots=True)
class OverlapRequest:
    """The request in an address.

    Attributes:
        kind: ``"zones"`` for two zonings of a table, ``"releases"`` for two releases.
        first: the table or the first release, how tables are read, and what someone may know from the first.
        second: the second release, and what someone may know from it.
        zones: the two columns of zones, with transforms.
        below: groups of fewer people are small, as typed.
    """

    kind: str
    first: TableRequest
    second: TableRequest
    zones: tuple[str, ...] = ()
    below: str = ""

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> OverlapRequest:
        """Return the request in the parameters of an address.

        Those of the second table end with a 2: ``in=0&file=2023.csv&in2=0&file2=2024.csv``.
        """
        check_size(parameters)
        given = [pair for name, value in parameters for pair in _said_of_rows(name, value)]
        kind = RELEASES if dict(given).get("kind") == RELEASES else ZONES
        others = _OTHERS if kind == RELEASES else {*_OTHERS, "person", "sensitive", "q", "pick", "view"}
        shared = [(name, value) for name, value in given if name in _SHARED - others]
        first = [(name, value) for name, value in given if name in _OF_ONE_TABLE - others]
        renamed = [(name.removesuffix(_SECOND), value) for name, value in given if name.endswith(_SECOND)]
        second = [(name, value) for name, value in renamed if name in _OF_ONE_TABLE and kind == RELEASES]
        reveal = [(name, value) for name, value in given if name == "reveal" and kind == ZONES]
        zones = tuple(value for name, value in given if name == "zones" and value) if kind == ZONES else ()
        return cls(
            kind,
            TableRequest.read([*first, *shared, *reveal]),
            TableRequest.read([*second, *shared]),
            zones,
            dict(given).get("below", "").strip() if kind == ZONES else "",
        )

    @property
    def tables(self) -> tuple[TableRequest, ...]:
        """The tables that are named."""
        return tuple(table for table in (self.first, self.second) if table.file or table.dataset)

    @property
    def is_single(self) -> bool:
        """Whether the question is about one table."""
        return self.kind == ZONES

    @property
    def reads_apart(self) -> bool:
        """Whether it is said for each table how it is read; here for both at once."""
        return False

    @property
    def reveal(self) -> bool:
        """Whether to name the zones of small groups."""
        return self.first.reveal

    def option(self, name: str) -> str | None:
        """Return an option, or None."""
        return self.first.option(name)

    @property
    def has_reading_options(self) -> bool:
        """Whether it is said how the tables are read."""
        return any(name not in _ABOUT_PEOPLE for name, _ in self.first.options)

    def threshold(self) -> int:
        """Return the number of people below which a group is small."""
        if not self.below:
            return USUAL_LIMIT
        if re.fullmatch("[0-9]{1,9}", self.below) is None:
            raise InputError("the number of people below which a group is small must be a whole number (--below)")
        return int(self.below)

    def hidden_fields(self) -> list[tuple[str, str]]:
        """Return the tables, and whether their first row has names, for a form."""
        pairs = [("kind", self.kind), *table_fields(self.first)]
        pairs += [(f"{name}{_SECOND}", value) for name, value in table_fields(self.second)]
        pairs += [("header", "no")] if not self.first.header else []
        return pairs + ([("names", "shown")] if self.first.show_names else [])

    def chosen_fields(self) -> list[tuple[str, str]]:
        """Return the chosen columns, for a form that does not show them."""
        pairs = [("zones", name) for name in self.zones]
        pairs += [("below", self.below)] if self.below and self.below != str(USUAL_LIMIT) else []
        pairs += [("q", name) for name in self.first.qid]
        pairs += [(f"q{_SECOND}", name) for name in self.second.qid]
        return pairs + ([("reveal", "yes")] if self.reveal else [])

    def query(self) -> str:
        """Return the request as the end of an address."""
        return urlencode([*self.hidden_fields(), *self.first.options, *self.chosen_fields()])

    def with_reveal(self, *, reveal: bool) -> OverlapRequest:
        """Return the same request with or without the names of zones."""
        return replace(self, first=replace(self.first, reveal=reveal))

    def with_rows(self, *, header: bool = True, show_names: bool = False) -> OverlapRequest:
        """Return the same request with another first row."""
        first, second = (replace(table, header=header, show_names=show_names) for table in (self.first, self.second))
        return replace(self, first=first, second=second)


def _said_of_rows(name: str, value: str) -> list[tuple[str, str]]:
    """Return what a row is, as it is in addresses: the form sends ``row=people`` or ``row=count|inhabitants``.

    >>> _said_of_rows("row", "count|n"), _said_of_rows("row", "people"), _said_of_rows("row", "")
    ([('count', 'n')], [('rows-are-people', 'yes')], [])
    """
    if name != "row":
        return [(name, value)]
    kind, _, column = value.partition("|")
    return {"count": [("count", column)], "people": [("rows-are-people", "yes")]}.get(kind, [])
