"""The request in an address of the page Second table: a release, and a second table to link it with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

from idbits.errors import InputError
from idbits.web.table_request import OPTIONS, PERSON_OPTIONS, TableRequest, check_size, table_fields

__all__ = ["EVERYONE", "NOTHING", "ODDS", "SHARE", "VALUES", "LinkRequest"]

EVERYONE, SHARE, NOTHING = "everyone", "share", "nothing"
"""What is known about who is in the second table."""
VALUES, ODDS = "values", "odds"
"""How tables are compared: each column by itself, or all columns together."""

_SECOND = "2"
# Options of the page Measure that mean nothing here.
_OTHERS = {"count", "person", "by", "people", *PERSON_OPTIONS}
_OF_A_TABLE = {"in", "file", "set", "header", "names", *OPTIONS} - _OTHERS


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """The request in an address.

    Attributes:
        first, second: the release and the second table, and how each is read.
        on: the columns that are compared, such as ``birthdate=dob``.
        known: what is known about who is in the second table: ``everyone``, ``share`` or ``nothing``.
        share: the share of the release's people who are in it in percent, as typed.
        truth: the columns of the first and the second table that identify people; empty if there are none.
        compare: how the tables are compared: ``values`` or ``odds``.
        claim: the least probability of a claim in percent, as typed; for ``odds``.
    """

    first: TableRequest
    second: TableRequest
    on: tuple[str, ...] = ()
    known: str = NOTHING
    share: str = ""
    truth: tuple[str, str] = ("", "")
    compare: str = VALUES
    claim: str = ""

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> LinkRequest:
        """Return the request in the parameters of an address.

        Those of the second table end with a 2: ``in=0&file=released.csv&in2=0&file2=voters.csv``.
        """
        check_size(parameters)
        given = dict(parameters)
        first = [(name, value) for name, value in parameters if name in _OF_A_TABLE]
        renamed = [(name.removesuffix(_SECOND), value) for name, value in parameters if name.endswith(_SECOND)]
        second = [(name, value) for name, value in renamed if name in _OF_A_TABLE - {"sensitive"}]
        known = given.get("known", NOTHING)
        known = known if known in (EVERYONE, SHARE) else NOTHING
        return cls(
            TableRequest.read(first),
            TableRequest.read(second),
            _compared(parameters),
            known,
            given.get("share", "").strip(),
            (given.get("truth", ""), given.get(f"truth{_SECOND}", "")),
            ODDS if given.get("compare") == ODDS else VALUES,
            given.get("claim", "").strip(),
        )

    @property
    def tables(self) -> tuple[TableRequest, ...]:
        """The tables that are named."""
        return tuple(table for table in (self.first, self.second) if table.file or table.dataset)

    @property
    def is_single(self) -> bool:
        """Whether the question is about one table."""
        return False

    @property
    def reads_apart(self) -> bool:
        """Whether it is said for each table how it is read."""
        return True

    def option(self, name: str) -> str | None:
        """Return an option of the first table, or None."""
        return self.first.option(name)

    @property
    def has_reading_options(self) -> bool:
        """Whether it is said how the tables are read."""
        return any(name != "sensitive" for table in self.tables for name, _ in table.options)

    def coverage(self) -> float | None:
        """Return the share of the release's people who are in the second table; None if it is not known."""
        if self.known != SHARE:
            return 1.0 if self.known == EVERYONE else None
        share = _percentage(self.share)
        if share is None:
            raise InputError("write the share of people who are in the second table in percent, such as 80")
        if not 0 < share <= 1:
            raise InputError("the share of people who are in the second table must be above 0% and at most 100%")
        return share

    def threshold(self) -> float | None:
        """Return the least probability of a claim; None for the usual one."""
        if not self.claim:
            return None
        threshold = _percentage(self.claim)
        if threshold is None or not 0 < threshold < 1:
            raise InputError("write the least probability of a claim in percent, above 0 and below 100, such as 90")
        return threshold

    def hidden_fields(self) -> list[tuple[str, str]]:
        """Return the tables, and whether their first rows have names, for a form."""
        second = [(f"{name}{_SECOND}", value) for name, value in _fields(self.second)]
        return [*_fields(self.first), *second]

    def chosen_fields(self) -> list[tuple[str, str]]:
        """Return the chosen columns and what is known, for a form that does not show them."""
        pairs = [("on", item) for item in self.on]
        pairs += [("known", self.known)] if self.known != NOTHING else []
        pairs += [("share", self.share)] if self.share else []
        names = zip(("truth", f"truth{_SECOND}"), self.truth, strict=True)
        pairs += [(name, value) for name, value in names if value]
        pairs += [("compare", self.compare)] if self.compare != VALUES else []
        return pairs + ([("claim", self.claim)] if self.claim else [])

    def query(self) -> str:
        """Return the request as the end of an address."""
        options = [*self.first.options, *((f"{name}{_SECOND}", value) for name, value in self.second.options)]
        return urlencode([*self.hidden_fields(), *options, *self.chosen_fields()])

    def with_rows(self, which: Sequence[bool], *, header: bool = True, show_names: bool = False) -> LinkRequest:
        """Return the same request with another first row of some of the tables."""
        first, second = (
            replace(table, header=header, show_names=show_names) if changes else table
            for table, changes in zip((self.first, self.second), which, strict=True)
        )
        return replace(self, first=first, second=second)


def _fields(table: TableRequest) -> list[tuple[str, str]]:
    pairs = table_fields(table) + ([("header", "no")] if not table.header else [])
    return pairs + ([("names", "shown")] if table.show_names else [])


def _percentage(text: str) -> float | None:
    """Return a typed percentage as a share; None if it is not a number."""
    if re.fullmatch(r"[0-9]{1,3}([.,][0-9]{1,6})?", text) is None:
        return None
    return float(text.replace(",", ".")) / 100


def _compared(parameters: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the columns that are compared.

    The form sends how exactly a ticked pair is compared as ``how=on%3Dzip%26as%3Dzip%7Eedit1``, and a further pair as
    ``own=born&other=dob``.

    >>> _compared([("on", "zip"), ("how", "on=zip&as=zip~edit1"), ("own", "born"), ("other", "dob")])
    ('zip~edit1', 'born=dob')
    """
    given = dict(parameters)
    chosen = [dict(parse_qsl(value)) for name, value in parameters if name == "how"]
    instead = {how["on"]: how["as"] for how in chosen if "on" in how and "as" in how}
    items = [instead.get(value, value) for name, value in parameters if name == "on" and value]
    own, other = given.get("own", ""), given.get("other", "")
    if own and other:
        items.append(own if own == other else f"{own}={other}")
    return tuple(dict.fromkeys(items))
