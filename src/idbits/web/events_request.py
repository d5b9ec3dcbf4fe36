"""The request in an address of the tab Over time: when something happened, and what else is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from idbits.web.table_request import TableRequest

__all__ = ["STEPS", "EventChoice"]

STEPS = {"day": "by the day", "week": "by the week", "month": "by the month"}
"""How exactly a time is known, in plain words."""
_USUAL = "day"


@dataclass(frozen=True, slots=True)
class EventChoice:
    """What someone may know of an event.

    Attributes:
        when: the column that says when it happened; empty before one is chosen.
        step: how exactly the time is known, a key of ``STEPS``.
        also: the other columns that are known.

    >>> EventChoice.read([("when", "date"), ("step", "week"), ("also", "place")]).time
    'date:week'
    """

    when: str = ""
    step: str = _USUAL
    also: tuple[str, ...] = ()

    @classmethod
    def read(cls, parameters: Sequence[tuple[str, str]]) -> EventChoice:
        """Return the choice in the parameters of an address."""
        given = dict(parameters)
        step = given.get("step", _USUAL)
        also = dict.fromkeys(value for name, value in parameters if name == "also" and value)
        return cls(given.get("when", ""), step if step in STEPS else _USUAL, tuple(also))

    @property
    def time(self) -> str:
        """The column with its step, as the study takes it."""
        return self.when if self.step == _USUAL else f"{self.when}:{self.step}"

    def query(self, asked: TableRequest) -> str:
        """Return the request as the end of an address."""
        pairs = [("when", self.when), ("step", self.step), *(("also", name) for name in self.also)]
        return f"{asked.without_reveal().query()}&{urlencode(pairs)}"
