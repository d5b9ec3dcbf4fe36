"""Placeholders for the literals of a filter, so that a statement can be shown without them.

The literals do not get as far as the statement: a stand-in of the same type is compiled in place of each, and what
the database's words make of it is then shown as ``:where1``, ``:where2`` and so on.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from idbits.engines import where

__all__ = ["Placeholders"]

_NUMBER = 27_182_818_284_590_452_353_602
_DAY = date(8000, 1, 1)
_MOMENT = datetime(8000, 1, 1, 0, 0, 0, 271828)


class Placeholders:
    """The stand-ins of one filter, in the order of its literals."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self) -> str:
        """Return the next placeholder itself."""
        name = f":where{len(self._names) + 1}"
        self._names[name] = name
        return name

    def stand_in(self, literal: where.Literal) -> where.Literal:
        """Return what is compiled in place of a literal."""
        number = len(self._names) + 1
        written, found = self._written(literal, number)
        self._names[written] = f":where{number}"
        return found

    def _written(self, literal: where.Literal, number: int) -> tuple[str, where.Literal]:
        if isinstance(literal, datetime):
            moment = _MOMENT + timedelta(days=number)
            return moment.isoformat(sep=" "), moment
        if isinstance(literal, date):
            day = _DAY + timedelta(days=number)
            return day.isoformat(), day
        if isinstance(literal, str):
            text = f"idbits-271828-{number}-"  # some databases write other signs in ways of their own
            return text, text
        return str(_NUMBER + number), _NUMBER + number

    def shown(self, sql: str) -> str:
        """Return a statement with placeholders for the stand-ins."""
        for written, name in self._names.items():
            for form in (f"N'{written}'", f"'{written}'", written):
                sql = sql.replace(form, name)
        return sql
