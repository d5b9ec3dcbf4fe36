"""How coarser values are written to a treated file: ``20-39``, ``12**``, ``2005-Q1``, ``other``.

All people of a group get the same text, and people of different groups different ones. The text must not be a value of
the column already: then nobody could tell what it means.

Implements: advise section 6 (columns) and section 10 (types).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from idbits.counts import Value
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.decimals import Number, as_decimal, number_text
from idbits.values.labels import label, plain_label

__all__ = [
    "FORMULA_STARTS", "LabelWords", "ReleasedKind", "ValueLengths", "formula_safe", "released_kind", "released_label",
]  # fmt: skip

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which a spreadsheet begins a formula."""


class ReleasedKind(StrEnum):
    """The type of a coarser column in files that have types."""

    TEXT = "text"
    WHOLE = "whole number"
    DAY = "day"
    AS_SOURCE = "as in the source"


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The words for what a treated file no longer has.

    Attributes:
        rest: replaces the values that ``top`` merges.
        blank: replaces the values of a column that is given up, and the characters that ``prefix`` leaves out.
    """

    rest: str = "other"
    blank: str = "*"


@dataclass(frozen=True, slots=True)
class ValueLengths:
    """What the labels of a column depend on besides the value.

    Attributes:
        shortest, longest: the number of characters of the shortest and of the longest value in the source.
        has_fractions: whether some values are not whole numbers.
    """

    shortest: int = 0
    longest: int = 0
    has_fractions: bool = False


def released_kind(view: Attribute) -> ReleasedKind:
    """Return the type of a view's values in a treated file.

    >>> from idbits.values.attributes import parse_attribute
    >>> known = {"born": Kind.DATE, "age": Kind.INTEGER}
    >>> [str(released_kind(parse_attribute(name, known))) for name in ("born:year", "born:year:band5", "age:round10")]
    ['whole number', 'text', 'as in the source']
    """
    names = [transform.name for transform in view.transforms]
    if not names:
        return ReleasedKind.AS_SOURCE
    if names[-1] == "day":
        return ReleasedKind.DAY
    if names[-1] in ("year", "monthofyear"):
        return ReleasedKind.WHOLE
    if names[-1] in ("cap", "round"):
        is_date = any(transform.wants_dates for transform in view.transforms)
        return ReleasedKind.WHOLE if is_date else ReleasedKind.AS_SOURCE
    return ReleasedKind.TEXT


def released_label(value: object, view: Attribute, words: LabelWords, lengths: ValueLengths) -> Value:
    """Return the text of a view's value; null stays null.

    >>> from idbits.values.attributes import parse_attribute
    >>> known = {"age": Kind.INTEGER, "zip": Kind.TEXT}
    >>> released_label(20, parse_attribute("age:band20", known), LabelWords(), ValueLengths())
    '20-39'
    >>> released_label("12", parse_attribute("zip:prefix2", known), LabelWords(), ValueLengths(4, 4))
    '12**'
    """
    if value is None:
        return None
    steps = [(transform, kind) for transform, kind in view.steps() if transform.name != "top"]
    if not steps:
        return plain_label(value)
    last, kind = steps[-1]
    if last.name == "band":
        assert isinstance(value, Number | str)
        return _band_label(as_decimal(value), last, is_whole=kind is Kind.INTEGER or not lengths.has_fractions)
    if last.name == "prefix":
        return str(value) + _mask(str(value), last, words.blank, lengths)
    return label(value, view)


def _band_label(start: Decimal, band: Transform, *, is_whole: bool) -> str:
    """Return a band: 20-39 has both ends; 0.5..1.0 does not have the end; -5..-1 has both but no two minus signs."""
    width = band.argument
    assert width is not None
    if is_whole and width == width.to_integral_value():
        end = start + width - 1
        if width == 1:
            return number_text(start)
        return f"{number_text(start)}{'-' if start >= 0 else '..'}{number_text(end)}"
    digits = max(0, -int(width.as_tuple().exponent))
    return f"{start:.{digits}f}..{start + width:.{digits}f}"


def _mask(start: str, prefix: Transform, blank: str, lengths: ValueLengths) -> str:
    """Return what stands for the characters left out: as many as there are if all values have the same length."""
    kept = int(prefix.argument or 0)
    if len(start) < kept or lengths.longest <= kept:
        return ""
    return blank * (lengths.longest - kept) if lengths.shortest == lengths.longest and len(blank) == 1 else blank


def formula_safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; numbers stay as they are.

    >>> formula_safe("=1+1"), formula_safe("-5..-1"), formula_safe("-30")
    ("'=1+1", "'-5..-1", '-30')
    """
    if not text.startswith(FORMULA_STARTS):
        return text
    try:
        number = as_decimal(text)
    except ArithmeticError:
        return f"'{text}"
    return text if number.is_finite() else f"'{text}"
