"""Attributes: a column, or a coarser view of it such as ``birthdate:year`` or ``age:cap90:band5``.

An attribute defines *what* is measured; each engine decides how to compute it.

Implements: SPEC section 11 (Attributes) and section 12 (Transforms).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from idbits.errors import ColumnNotFoundError, InputError

__all__ = ["Attribute", "Kind", "Transform", "parse_attribute", "parse_attributes", "split_names"]


class Kind(StrEnum):
    """The kind of a column's values, as far as transforms depend on it."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"


_DATE_TRANSFORMS = ("year", "quarter", "month", "week", "day", "monthofyear")
_NUMBER_TRANSFORMS = ("band", "cap", "round")
_WITH_ARGUMENT = ("prefix", "top", *_NUMBER_TRANSFORMS)

# Text may contain dates or numbers: its values decide whether a transform applies.
_FITTING: Mapping[Kind, tuple[str, ...]] = {
    Kind.TEXT: ("prefix", "top", *_NUMBER_TRANSFORMS, *_DATE_TRANSFORMS),
    Kind.INTEGER: ("prefix", "top", *_NUMBER_TRANSFORMS),
    Kind.NUMBER: ("top", *_NUMBER_TRANSFORMS),
    Kind.BOOLEAN: ("top",),
    Kind.DATE: ("top", *_DATE_TRANSFORMS),
    Kind.TIMESTAMP: ("top", *_DATE_TRANSFORMS),
    Kind.OTHER: ("top",),
}


@dataclass(frozen=True, slots=True)
class Transform:
    """One coarsening step: its name and its argument, if it has one."""

    name: str
    argument: Decimal | None = None

    def __str__(self) -> str:
        return self.name if self.argument is None else f"{self.name}{self.argument:f}"

    @property
    def wants_dates(self) -> bool:
        """Whether text must be read as dates first."""
        return self.name in _DATE_TRANSFORMS

    @property
    def wants_numbers(self) -> bool:
        """Whether text must be read as numbers first."""
        return self.name in _NUMBER_TRANSFORMS

    def result_kind(self, kind: Kind) -> Kind:
        """Return the kind of the transform's results for values of ``kind``."""
        if self.name in ("year", "monthofyear"):
            return Kind.INTEGER
        if self.wants_dates:
            return Kind.DATE
        if self.name == "prefix":
            return Kind.TEXT
        if self.wants_numbers:
            whole = self.argument is not None and self.argument == self.argument.to_integral_value()
            return Kind.INTEGER if whole and kind is Kind.INTEGER else Kind.NUMBER
        return kind


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column with its transforms, applied from left to right."""

    column: str
    kind: Kind
    transforms: tuple[Transform, ...] = ()

    @property
    def name(self) -> str:
        """The attribute as the user writes it."""
        return ":".join([self.column, *map(str, self.transforms)])

    def steps(self) -> list[tuple[Transform, Kind]]:
        """Return each transform with the kind of the values that it is applied to."""
        steps, kind = [], self.kind
        for transform in self.transforms:
            steps.append((transform, kind))
            kind = transform.result_kind(kind)
        return steps

    @property
    def result_kind(self) -> Kind:
        """The kind of the attribute's values."""
        kind = self.kind
        for transform in self.transforms:
            kind = transform.result_kind(kind)
        return kind


def split_names(text: str) -> list[str]:
    """Split a comma-separated list of names; a name that contains a comma is quoted as in CSV.

    >>> split_names('birthdate, zip,"income, yearly"')
    ['birthdate', 'zip', 'income, yearly']
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise InputError("the list of columns cannot be read: it has a misplaced quote or line break") from error
    names = rows[0] if rows else []
    if not names or not all(names):
        raise InputError("the list of columns is empty or contains an empty name")
    return names


def parse_attributes(names: Iterable[str], columns: Mapping[str, Kind]) -> tuple[Attribute, ...]:
    """Return the attributes with these names, each once, in the order given."""
    return tuple(dict.fromkeys(parse_attribute(name, columns) for name in names))


def parse_attribute(name: str, columns: Mapping[str, Kind]) -> Attribute:
    """Return the attribute with a name such as ``age:cap90:band5``.

    The longest prefix that is a column name is the column, even if it contains colons. Spaces around a column name, as
    in files with a space after each comma, need not be given.

    >>> parse_attribute("a:b:year", {"a": Kind.TEXT, "a:b": Kind.DATE})
    Attribute(column='a:b', kind=<Kind.DATE: 'date'>, transforms=(Transform(name='year', argument=None),))
    >>> parse_attribute("zip", {"name": Kind.TEXT, " zip": Kind.TEXT}).column
    ' zip'
    """
    if not isinstance(name, str):
        # Python passes anything; the command line and policies pass texts.
        raise InputError(f"a column is named by a text, not by {type(name).__name__}")
    parts = name.split(":")
    prefixes = [":".join(parts[:length]) for length in range(len(parts), 0, -1)]
    found: list[str | None] = [prefix if prefix in columns else None for prefix in prefixes]
    if not any(column is not None for column in found):
        names = _without_spaces(columns)
        found = [names.get(prefix) for prefix in prefixes]
    for place, column in enumerate(found):
        if column is not None:
            views = parts[len(parts) - place :]
            return Attribute(column, columns[column], _transforms(column, columns[column], views))
    raise ColumnNotFoundError(_without_transforms(parts), columns)


def _without_spaces(columns: Mapping[str, Kind]) -> dict[str, str]:
    """Return columns by their names without spaces around them, if only one has such a name."""
    found: dict[str, list[str]] = {}
    for column in columns:
        found.setdefault(column.strip(), []).append(column)
    return {name: same[0] for name, same in found.items() if len(same) == 1}


def _without_transforms(parts: list[str]) -> str:
    parts = list(parts)
    while len(parts) > 1 and _read_transform(parts[-1]) is not None:
        parts.pop()
    return ":".join(parts)


def _transforms(column: str, kind: Kind, words: Sequence[str]) -> tuple[Transform, ...]:
    transforms: list[Transform] = []
    for word in words:
        if transforms and transforms[-1].name == "top":
            raise InputError(f'in "{column}:{":".join(words)}", top must be the last transform')
        transform = _read_transform(word)
        if transform is None or transform.name not in _FITTING[kind]:
            raise InputError(
                f'"{word}" is not a transform for column "{column}" ({kind}); use one of {", ".join(_examples(kind))}'
            )
        transforms.append(transform)
        kind = transform.result_kind(kind)
    return tuple(transforms)


def _read_transform(word: str) -> Transform | None:
    match = re.fullmatch(r"([a-z]+)(\d{1,15}(?:\.\d{1,9})?)?", word, flags=re.ASCII)
    if match is None:
        return None
    name, digits = match.groups()
    if name in _DATE_TRANSFORMS and digits is None:
        return Transform(name)
    if name not in _WITH_ARGUMENT or digits is None:
        return None
    argument = Decimal(digits)
    argument = argument.quantize(Decimal(1)) if argument == argument.to_integral_value() else argument.normalize()
    whole = argument == argument.to_integral_value()
    if name in ("prefix", "top") and not whole:
        return None
    if name != "cap" and argument <= 0:
        return None
    return Transform(name, argument)


def _examples(kind: Kind) -> list[str]:
    arguments = {"prefix": "2", "top": "20", "band": "5", "cap": "90", "round": "10"}
    return [name + arguments.get(name, "") for name in _FITTING[kind]]
