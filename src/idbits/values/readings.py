"""The patterns by which every engine reads text as a number, and what is known about reading texts.

Numbers have a decimal point and an optional sign and exponent. The forms of dates are in ``dates.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.date_readings import DateReading

__all__ = [
    "COMMA_NUMBER_PATTERN", "COUNT_PATTERN", "NUMBER_PATTERN", "SURE_COMMA_PATTERN", "TextReadings", "before_reading",
    "has_decimal_comma", "has_numbers_to_check",
]  # fmt: skip

# For RE2 and for Python's re with ASCII digits; matched against the whole value. Adjacent parts never match the same
# characters, so that backtracking takes no quadratic time.
NUMBER_PATTERN = r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*"
COMMA_NUMBER_PATTERN = r"\s*[+-]?[0-9]+(,[0-9]+)?\s*"
# 1,234 may be a thousand: only another number of digits shows that the comma is a decimal comma.
SURE_COMMA_PATTERN = r"\s*[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})\s*"
COUNT_PATTERN = r"\s*\+?([0-9]+)(\.0*)?\s*"


def has_decimal_comma(unfit_with_point: int, unfit_with_comma: int, sure: int) -> bool:
    """Whether numbers have a decimal comma (3,5): all fit it, not all fit a point, and one is surely no thousand.

    >>> has_decimal_comma(unfit_with_point=7, unfit_with_comma=0, sure=2)
    True
    """
    return unfit_with_point > 0 and unfit_with_comma == 0 and sure > 0


@dataclass(slots=True)
class TextReadings:
    """What is known about reading texts: how dates are written, and which numbers have a decimal comma.

    Texts are identified by the attribute that reads them: a column, or a prefix of it.
    """

    dates: dict[Attribute, DateReading] = field(default_factory=dict)
    commas: dict[Attribute, bool] = field(default_factory=dict)


def before_reading(attribute: Attribute) -> list[tuple[Attribute, Transform]]:
    """Return the texts that an attribute reads as numbers or dates, each with the transform that does."""
    texts = []
    for index, (transform, kind) in enumerate(attribute.steps()):
        if kind is Kind.TEXT and (transform.wants_dates or transform.wants_numbers):
            texts.append((Attribute(attribute.column, attribute.kind, attribute.transforms[:index]), transform))
    return texts


def has_numbers_to_check(attribute: Attribute) -> bool:
    """Whether an attribute coarsens a column of floats or decimals, which must be finite."""
    return attribute.kind is Kind.NUMBER and any(transform.wants_numbers for transform in attribute.transforms)
