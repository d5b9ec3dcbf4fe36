"""Levels of agreement between two values of a column, from equal to different.

A pair of values has the first level whose test holds. Equal values pass every test, so they have the first level. The
last level is ``else``. A null on either side has no level: it is no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from idbits.errors import InputError

__all__ = ["DEFAULT_LEVELS", "Agreement", "AgreementLevel", "ColumnComparison", "parse_level", "parse_levels"]


class Agreement(StrEnum):
    """What a level tests."""

    EQUAL = "equal"
    EDIT = "edit"
    JARO_WINKLER = "jw"
    DAYS = "d"
    PERCENT = "%"
    ELSE = "else"


class ColumnComparison(StrEnum):
    """How the values of a column are compared."""

    CATEGORY = "category"
    TEXT = "text"
    DATE = "date"
    CODE = "code"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class AgreementLevel:
    """One level: what is tested, and the limit of the test.

    >>> AgreementLevel(Agreement.JARO_WINKLER, 0.92).name, AgreementLevel(Agreement.DAYS, 31).name
    ('jw0.92', '31d')
    """

    agreement: Agreement
    limit: float = 0.0

    @property
    def name(self) -> str:
        """The level as it is written on the command line."""
        limit = f"{self.limit:g}"
        if self.agreement in (Agreement.EQUAL, Agreement.ELSE):
            return str(self.agreement)
        prefixed = self.agreement in (Agreement.EDIT, Agreement.JARO_WINKLER)
        return f"{self.agreement}{limit}" if prefixed else f"{limit}{self.agreement}"


_EQUAL, _ELSE = AgreementLevel(Agreement.EQUAL), AgreementLevel(Agreement.ELSE)

_DEFAULTS = {
    ColumnComparison.CATEGORY: (),
    ColumnComparison.TEXT: ((Agreement.JARO_WINKLER, 0.92), (Agreement.JARO_WINKLER, 0.8)),
    ColumnComparison.DATE: ((Agreement.EDIT, 1), (Agreement.DAYS, 31), (Agreement.DAYS, 366)),
    ColumnComparison.CODE: ((Agreement.EDIT, 1),),
    ColumnComparison.NUMBER: ((Agreement.PERCENT, 5),),
}

DEFAULT_LEVELS = {
    comparison: (_EQUAL, *(AgreementLevel(agreement, limit) for agreement, limit in levels), _ELSE)
    for comparison, levels in _DEFAULTS.items()
}
"""The levels of columns by how they are compared."""

_PATTERNS = (
    (Agreement.EDIT, re.compile(r"edit([0-9]{1,2})")),
    (Agreement.JARO_WINKLER, re.compile(r"jw(0?\.[0-9]+|1(?:\.0+)?)")),
    (Agreement.DAYS, re.compile(r"([0-9]{1,6})d")),
    (Agreement.PERCENT, re.compile(r"([0-9]+(?:\.[0-9]+)?)%")),
)


def parse_levels(text: str) -> tuple[str, tuple[AgreementLevel, ...]]:
    """Read ``name=equal,jw0.9,else``: a column and its levels; ``else`` is added if it is missing.

    >>> column, levels = parse_levels("surname=equal,jw0.9")
    >>> column, [level.name for level in levels]
    ('surname', ['equal', 'jw0.9', 'else'])
    """
    column, sign, names = text.rpartition("=")
    words = [word.strip() for word in names.split(",") if word.strip()]
    if not sign or not column or not words:
        raise InputError(f'"{text}" is not a list of levels; write column=equal,jw0.9,else')
    levels = [parse_level(word) for word in words]
    if levels[-1] != _ELSE:
        levels.append(_ELSE)
    if len(levels) < 2 or _ELSE in levels[:-1] or _EQUAL in levels[1:]:
        raise InputError(f'levels of "{column}": "equal" can only be the first, "else" the last of at least two')
    if len(set(levels)) < len(levels):
        raise InputError(f'levels of "{column}": each level can be named once')
    _require_one_kind(column, levels)
    return column, tuple(levels)


def parse_level(word: str) -> AgreementLevel:
    """Read the name of one level."""
    if word in (Agreement.EQUAL, Agreement.ELSE):
        return AgreementLevel(Agreement(word))
    for agreement, pattern in _PATTERNS:
        matched = pattern.fullmatch(word)
        if matched is not None:
            return AgreementLevel(agreement, float(matched[1]))
    raise InputError(f'no level is named "{word}"; levels are equal, edit1, jw0.92, 31d, 5% and else')


def _require_one_kind(column: str, levels: Sequence[AgreementLevel]) -> None:
    kinds = {level.agreement for level in levels}
    if Agreement.PERCENT in kinds and kinds & {Agreement.EDIT, Agreement.JARO_WINKLER, Agreement.DAYS}:
        raise InputError(f'levels of "{column}": percentages are for numbers and cannot be mixed with other levels')
    if Agreement.DAYS in kinds and Agreement.JARO_WINKLER in kinds:
        raise InputError(f'levels of "{column}": days are for dates and cannot be mixed with jw')
