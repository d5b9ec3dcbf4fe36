"""The request in an address of the pages about synthetic data: their tables, and the attack on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from idbits.errors import InputError
from idbits.studies.link.attacks.question import ATTACKS
from idbits.web.table_request import OPTIONS, PERSON_OPTIONS, TableRequest, check_size, table_fields

__all__ = ["AttackRequest"]

_SUFFIXES = ("", "2", "3")
_OF_ONE_TABLE = {"in", "file", "set"}
# Options of the page Measure that mean nothing here.
_OTHERS = {"count", "person", "by", "people", "sensitive", *PERSON_OPTIONS}
_SHARED = {*OPTIONS, "header", "names"} - _OTHERS


@dataclass(frozen=True, slots=True)
class AttackRequest:
    """The request in an address.

    Attributes:
        numbered: the synthetic, the original and the control table as far as they are named, all read alike.
        attack: ``singling-out``, ``linkability`` or ``inference``.
        left, right: the columns of each half of a person; for linkability.
        infer: the column to guess; for inference.
        attacks: the largest number of attacks, as typed.
    """

    numbered: tuple[TableRequest, ...]
    attack: str = ATTACKS[0]
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    infer: str = ""
    attacks: str = ""

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> AttackRequest:
        """Return the request in the parameters of an address.

        Those of the original table end with a 2, those of the control table with a 3. The form sends the half of a
        column as ``half=left|age``.
        """
        check_size(parameters)
        given = [
            (value.partition("|")[0], value.partition("|")[2]) if name == "half" else (name, value)
            for name, value in parameters
        ]
        shared = [(name, value) for name, value in given if name in _SHARED]
        tables = [
            TableRequest.read(
                [(name.removesuffix(suffix), value) for name, value in given
                 if name.endswith(suffix) and name.removesuffix(suffix) in _OF_ONE_TABLE] + shared
            )
            for suffix in _SUFFIXES
        ]  # fmt: skip
        attack = dict(given).get("attack", "")
        left, right = (
            tuple(dict.fromkeys(value for name, value in given if name == half and value and attack == "linkability"))
            for half in ("left", "right")
        )
        return cls(
            tuple(tables),
            attack if attack in ATTACKS else ATTACKS[0],
            left,
            right,
            dict(given).get("infer", "") if attack == "inference" else "",
            dict(given).get("attacks", "").strip(),
        )

    @property
    def first(self) -> TableRequest:
        """The synthetic table."""
        return self.numbered[0]

    @property
    def tables(self) -> tuple[TableRequest, ...]:
        """The tables that are named."""
        return tuple(table for table in self.numbered if table.file or table.dataset)

    @property
    def is_single(self) -> bool:
        """Whether the question is about one table."""
        return False

    @property
    def reads_apart(self) -> bool:
        """Whether it is said for each table how it is read; here for all at once."""
        return False

    def option(self, name: str) -> str | None:
        """Return an option of all tables, or None."""
        return self.first.option(name)

    @property
    def has_reading_options(self) -> bool:
        """Whether it is said how the tables are read."""
        return bool(self.first.options)

    def most_attacks(self) -> int | None:
        """Return the largest number of attacks; None for the usual one."""
        if not self.attacks:
            return None
        if re.fullmatch("[0-9]{1,9}", self.attacks) is None or int(self.attacks) < 1:
            raise InputError("write the number of attacks as a whole number, such as 500")
        return int(self.attacks)

    def hidden_fields(self) -> list[tuple[str, str]]:
        """Return the tables, and whether their first row has names, for a form."""
        pairs = [
            (f"{name}{suffix}", value)
            for suffix, table in zip(_SUFFIXES, self.numbered, strict=True)
            for name, value in table_fields(table)
        ]
        pairs += [("header", "no")] if not self.first.header else []
        return pairs + ([("names", "shown")] if self.first.show_names else [])

    def chosen_fields(self) -> list[tuple[str, str]]:
        """Return the attack, for a form that does not show it."""
        pairs = [("attack", self.attack)] if self.attack != ATTACKS[0] else []
        pairs += [(half, name) for half, names in (("left", self.left), ("right", self.right)) for name in names]
        pairs += [("infer", self.infer)] if self.infer else []
        return pairs + ([("attacks", self.attacks)] if self.attacks else [])

    def query(self) -> str:
        """Return the request as the end of an address."""
        return urlencode([*self.hidden_fields(), *self.first.options, *self.chosen_fields()])

    def with_rows(self, *, header: bool = True, show_names: bool = False) -> AttackRequest:
        """Return the same request with another first row."""
        changed = (replace(table, header=header, show_names=show_names) for table in self.numbered)
        return replace(self, numbered=tuple(changed))
