"""The columns that are compared, and how nearly equal their values must be: ``birthdate=dob~3d``.

Implements: SPEC page link.md, sections 2 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from idbits.errors import ColumnNotFoundError, InputError
from idbits.values.attributes import Attribute, Kind, parse_attribute

__all__ = ["ComparedColumn", "MatchTolerance", "Nearness", "parse_compared"]


class Nearness(StrEnum):
    """What a tolerance measures."""

    DAYS = "days"
    NUMBER = "number"
    SHARE = "share"
    EDITS = "edits"
    SIMILARITY = "similarity"
    DISTANCE = "distance"


_FORMS = {
    r"([0-9]{1,6})d": Nearness.DAYS,
    r"([0-9]{1,15}(?:\.[0-9]{1,9})?)%": Nearness.SHARE,
    r"([0-9]{1,15}(?:\.[0-9]{1,9})?)km": Nearness.DISTANCE,
    r"([0-9]{1,15}(?:\.[0-9]{1,9})?)": Nearness.NUMBER,
    r"edit([0-9]{1,2})": Nearness.EDITS,
    r"jw((?:0?\.[0-9]{1,6})|1(?:\.0{1,6})?|0)": Nearness.SIMILARITY,
}
_CLEANINGS = ("fold", "trim")
_EXAMPLES = "3d, 1, 5%, edit1, jw0.92, 5km, fold or trim"


@dataclass(frozen=True, slots=True)
class MatchTolerance:
    """How near two values must be: at most ``width`` apart, or for texts at least ``width`` similar."""

    nearness: Nearness
    width: float


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """One item of ``--on``.

    Attributes:
        text: the item as it was given.
        first: the column of the release; two of them, latitude and longitude, for a distance.
        second: the same in the second table.
        tolerance: how near values must be; None if they must be equal.
        cleanings: how texts are cleaned before they are compared: ``fold``, ``trim``.
    """

    text: str
    first: tuple[Attribute, ...]
    second: tuple[Attribute, ...]
    tolerance: MatchTolerance | None = None
    cleanings: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether values are compared as they are written."""
        return self.tolerance is None and not self.cleanings


def parse_compared(text: str, first: Mapping[str, Kind], second: Mapping[str, Kind]) -> ComparedColumn:
    """Return one item of ``--on``; a name that is a column of the release is taken as it is.

    >>> item = parse_compared("born:year=dob~fold", {"born": Kind.TEXT}, {"dob": Kind.TEXT})
    >>> item.first[0].name, item.second[0].name, item.cleanings
    ('born:year', 'dob:year', ('fold',))
    """
    names, words = text, list[str]()
    while "~" in names and names not in first:
        names, _, word = names.rpartition("~")
        words.insert(0, word)
    tolerance, cleanings = _read_words(text, words)
    left, right = names, None
    if "=" in names and names not in first:
        left, _, right = names.partition("=")
        if not left or not right:
            raise InputError(f'"{text}" must name a column of each table, for example birthdate=dob (--on)')
    is_distance = tolerance is not None and tolerance.nearness is Nearness.DISTANCE
    ours = _split(left, first) if is_distance else [left]
    theirs = ours if right is None else _split(right, second) if is_distance else [right]
    if is_distance and not len(ours) == len(theirs) == 2:
        raise InputError(f'"{text}": a distance needs two columns, latitude and longitude: lat+lon~5km (--on)')
    own = tuple(_resolved(name, first, "first") for name in ours)
    others = tuple(_counterpart(name, ours[i], own[i], second) for i, name in enumerate(theirs))
    return ComparedColumn(text, own, others, tolerance, cleanings)


def _split(names: str, columns: Mapping[str, Kind]) -> list[str]:
    return [names] if names in columns else names.split("+")


def _resolved(name: str, columns: Mapping[str, Kind], which: str) -> Attribute:
    try:
        attribute = parse_attribute(name, columns)
    except ColumnNotFoundError as error:
        error.args = (f"in the {which} table, {error}",)
        raise
    if any(transform.name == "top" for transform in attribute.transforms):
        raise InputError('":top" selects different values in the two tables; remove it (--on)')
    return attribute


def _counterpart(name: str, left: str, own: Attribute, columns: Mapping[str, Kind]) -> Attribute:
    """Return the column of the second table, with the transforms of the first unless it has others."""
    if name == left and own.column not in columns:
        raise_for = own.column
        return _resolved(raise_for, columns, "second")
    transforms = ":".join(map(str, own.transforms))
    whole = name if name == left or ":" in name or not transforms else f"{name}:{transforms}"
    return _resolved(whole, columns, "second")


def _read_words(text: str, words: list[str]) -> tuple[MatchTolerance | None, tuple[str, ...]]:
    tolerance: MatchTolerance | None = None
    cleanings: list[str] = []
    for word in words:
        if word in _CLEANINGS:
            cleanings.append(word)
            continue
        if tolerance is not None:
            raise InputError(f'"{text}" has two tolerances; give one (--on)')
        tolerance = _read_tolerance(text, word)
    if cleanings and tolerance is not None and tolerance.nearness not in (Nearness.EDITS, Nearness.SIMILARITY):
        raise InputError(f'"{text}": fold and trim are for text, not for numbers, dates and distances (--on)')
    return tolerance, tuple(dict.fromkeys(cleanings))


def _read_tolerance(text: str, word: str) -> MatchTolerance:
    for pattern, nearness in _FORMS.items():
        match = re.fullmatch(pattern, word, re.ASCII)
        if match is not None:
            width = float(match[1])
            if nearness is Nearness.SHARE and width >= 100:
                raise InputError(f'"{text}": a share must be below 100% (--on)')
            return MatchTolerance(nearness, width / 100 if nearness is Nearness.SHARE else width)
    raise InputError(f'"{text}": "~{word}" is not a tolerance; write {_EXAMPLES} (--on)')
