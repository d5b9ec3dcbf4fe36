"""The request in an address of the part Treat: a goal, protected columns, columns to leave out, and a treatment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from idbits.errors import InputError
from idbits.web.table_request import TableRequest

__all__ = ["TreatmentChoice"]

_LEAST, _WITHHOLD = "5", "5"
_WHOLE = re.compile("[0-9]{1,9}")
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?")


@dataclass(frozen=True, slots=True)
class TreatmentChoice:
    """What a treatment has to reach and may change, as the form sends it.

    Attributes:
        least: the smallest group.
        values, column: how many different values of a sensitive column each group has to have; empty for no rule.
        withhold: the largest percentage of people that may be left out.
        keep: columns that must not change.
        drop: columns that the treated file must not have.
        number: the chosen treatment, from 0; None before one is chosen.
    """

    least: str = _LEAST
    values: str = ""
    column: str = ""
    withhold: str = _WITHHOLD
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    number: int | None = None

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> TreatmentChoice:
        """Return the choice in the parameters of an address."""
        given = dict(parameters)
        number = given.get("treatment", "")
        return cls(
            given.get("least", _LEAST).strip(),
            given.get("values", "").strip(),
            given.get("of", ""),
            given.get("withhold", _WITHHOLD).strip().removesuffix("%"),
            tuple(dict.fromkeys(value for name, value in parameters if name == "keep")),
            tuple(dict.fromkeys(value for name, value in parameters if name == "drop")),
            int(number) if _WHOLE.fullmatch(number) else None,
        )

    def check(self) -> None:
        """Refuse what is not a number, and half of a rule."""
        if not _WHOLE.fullmatch(self.least) or int(self.least) < 1:
            raise InputError("the smallest group must be a whole number of at least 1")
        if not _PERCENT.fullmatch(self.withhold) or float(self.withhold) > 100:
            raise InputError("the share of people that may be left out must be 0 to 100 percent")
        if bool(self.values) != bool(self.column):
            raise InputError("a rule about different values needs their number and a column; fill in both, or none")
        if self.values and (not _WHOLE.fullmatch(self.values) or int(self.values) < 1):
            raise InputError("the number of different values must be a whole number of at least 1")

    @property
    def goal(self) -> list[str]:
        """The goal as rules."""
        rules = [f"k_min >= {int(self.least)}"]
        if self.values:
            name = self.column.replace('"', '""')
            rules.append(f'l_distinct."{name}" >= {int(self.values)}')
        return rules

    def chosen(self, number: int) -> TreatmentChoice:
        """Return the same choice with a treatment."""
        return replace(self, number=number)

    def query(self, asked: TableRequest) -> str:
        """Return the request as the end of an address."""
        pairs = [("least", self.least), ("withhold", self.withhold)]
        pairs += [("values", self.values), ("of", self.column)] if self.values or self.column else []
        pairs += [("keep", name) for name in self.keep] + [("drop", name) for name in self.drop]
        pairs += [("treatment", str(self.number))] if self.number is not None else []
        return f"{asked.without_reveal().query()}&{urlencode(pairs)}"
