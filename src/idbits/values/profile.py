"""A column described in numbers, without any of its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from idbits.values.attributes import Kind
from idbits.values.dates import DATE_ORDERS
from idbits.values.value_shapes import ShapeCounts

__all__ = ["NULL_WORDS", "SHAPED_KINDS", "Profile", "profile_of_figures"]

NULL_WORDS = ("na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", "?", ".", "unknown", "missing")
SHAPED_KINDS = (Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.OTHER)
"""The kinds of columns whose values have shapes."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A column in numbers: enough to guess its role, not enough to learn a value.

    Attributes:
        distinct: the number of distinct values, without null.
        unique_people: people whose value nobody else has.
        most_frequent: people who have the most frequent value.
        dates, numbers: people whose value can be read as a date, as a number.
        months: people whose value is a text with a month and a year, but no day.
        fractions: people whose value is a number with decimals.
        characters, longest: the sum over people, and the maximum, of the text length of values.
        spaced: people whose value contains a space.
        fixed_length: whether all texts have the same length.
        leading_zeros: people whose value is a code that begins with 0.
        padded: people whose value begins or ends with a space.
        null_words: people whose value is a word that often means null (``NULL_WORDS``).
        shortest: the minimum of the text length of values.
        negatives: people whose value begins with a minus, which is a number below 0 if all values are numbers.
        span: the largest minus the smallest whole number, plus 1; 0 if unknown.
        ambiguous_dates: whether all values are dates with the day first and with the month first.
        shapes: the shapes of its distinct values or of some of them; None if they were not looked at.
    """

    people: int
    null_people: int
    distinct: int
    unique_people: int
    most_frequent: int
    dates: int
    numbers: int
    fractions: int
    characters: int
    longest: int
    spaced: int
    fixed_length: bool
    leading_zeros: int
    padded: int
    null_words: int
    months: int = 0
    shortest: int = 0
    negatives: int = 0
    span: int = 0
    ambiguous_dates: bool = False
    shapes: ShapeCounts | None = None

    @property
    def known(self) -> int:
        """The number of people with a value."""
        return self.people - self.null_people


def profile_of_figures(
    figures: Mapping[str, int], kind: Kind, people: int, null_people: int, shapes: ShapeCounts | None = None
) -> Profile:
    """Return the profile of a column; a missing figure is 0, because no value can have that property."""
    present = people - null_people
    return Profile(
        people=people,
        null_people=null_people,
        distinct=figures["distinct"],
        unique_people=figures["unique"],
        most_frequent=figures["most"],
        dates=present if kind in (Kind.DATE, Kind.TIMESTAMP) else max(figures.get(order, 0) for order in DATE_ORDERS),
        numbers=present if kind in (Kind.INTEGER, Kind.NUMBER) else figures.get("numbers", 0),
        fractions=figures.get("fractions", 0),
        characters=figures["characters"],
        longest=figures["longest"],
        spaced=figures["spaced"],
        fixed_length=figures["longest"] == figures["shortest"],
        leading_zeros=figures.get("zeros", 0),
        padded=figures["padded"],
        null_words=figures["null_words"],
        months=max(figures.get(f"{order}_months", 0) for order in DATE_ORDERS),
        shortest=max(0, figures["shortest"]),
        negatives=figures.get("negatives", 0),
        span=figures.get("span", 0),
        ambiguous_dates=0 < present == figures.get("dmy", 0) == figures.get("mdy", 0),
        shapes=shapes,
    )
