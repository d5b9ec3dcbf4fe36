"""Compares a row with those below it: names of columns differ from the values, a person does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import prod

from idbits.engines.sources.cell_texts import is_value, looks_like_year, looks_missing, shape_of

__all__ = ["COMPARED_ROWS", "Row", "RowComparison", "looks_like_rows"]

Row = Sequence[str]

COMPARED_ROWS = 50
_NEARLY_ALL = 0.9
_MOST = 0.6
_ENOUGH = 10
_HARDLY = 0.001


@dataclass(frozen=True, slots=True)
class RowComparison:
    """How a row compares with the rows below it, as numbers of columns.

    Attributes:
        over_values: it has a text, and the rows below have numbers or dates.
        other_shapes: it has a text, and the rows below have texts of one other form.
        same_shapes: it has a text like those below, or one that means a missing value.
        values: it has a number or date like the rows below.
        rows: the number of rows below.
        chance_as_row: the chance that another row of the table would have only texts that the rows below do not have,
            in the columns whose texts repeat; 1 if it has one of theirs.
    """

    over_values: int = 0
    other_shapes: int = 0
    same_shapes: int = 0
    values: int = 0
    rows: int = 0
    chance_as_row: float = 1.0

    @property
    def are_names(self) -> bool:
        """Whether no column looks like data."""
        return not self.values and not self.same_shapes and self.over_values + self.other_shapes > 0

    @classmethod
    def of(cls, row: Row, below: Sequence[Row]) -> RowComparison:
        """Compare a row with those below it."""
        columns = list(zip(map(str.strip, row), zip_longest(*below, fillvalue=""), strict=False))
        kinds = Counter(_compared(cell, column) for cell, column in columns)
        chance = prod(_chance_of_new_text(cell, column) for cell, column in columns)
        is_known = any(cell and cell in map(str.strip, column) for cell, column in columns)
        return cls(
            kinds["over"], kinds["other"], kinds["same"], kinds["value"], len(below), 1.0 if is_known else chance
        )

    @property
    def is_new(self) -> bool:
        """Whether the row is hardly one of the rows below: none has one of its texts, although their texts repeat."""
        return self.chance_as_row <= _HARDLY


def _chance_of_new_text(cell: str, column: Sequence[str]) -> float:
    """Return the chance that another row has a new text (Good 1953): the share of texts that occur once."""
    counts = Counter(text.strip() for text in column if text.strip())
    number = counts.total()
    if not cell or is_value(cell) or number < _ENOUGH or 2 * len(counts) > number:
        return 1.0
    return (1 + sum(count == 1 for count in counts.values())) / (1 + number)


def _compared(cell: str, column: Sequence[str]) -> str:
    texts = [text.strip() for text in column if text.strip()]
    if not cell or not texts:
        return ""
    has_values = sum(map(is_value, texts)) >= _NEARLY_ALL * len(texts)
    if is_value(cell):
        # A year may be the name of a column, unless the values are years.
        is_name = looks_like_year(cell) and 2 * sum(map(looks_like_year, texts)) < len(texts)
        return "value" if has_values and not is_name else ""
    if looks_missing(cell):
        return "same"
    if has_values:
        return "over"
    (common, number), *_ = Counter(map(shape_of, texts)).most_common(1)
    if cell in texts or shape_of(cell) == common:
        return "same"
    return "other" if number >= _MOST * len(texts) and shape_of(cell) not in map(shape_of, texts) else ""


def looks_like_rows(names: Row, rows: Sequence[Row]) -> bool:
    """Whether a name is also a value of its column, or all names are written like most values of their columns.

    >>> looks_like_rows(["Ann", "F"], [["Bob", "M"], ["Cid", "F"]])
    True
    >>> looks_like_rows(["Name", "Age"], [["Bob", "20"], ["Cid", "30"]])
    False
    """
    columns = list(zip_longest(*rows[:COMPARED_ROWS], fillvalue=""))[: len(names)]
    if any(name and name in column for name, column in zip(names, columns, strict=False)):
        return True
    common = [Counter(map(shape_of, column)).most_common(1)[0][0] for column in columns]
    return bool(common) and all(shape_of(name) == shape for name, shape in zip(names, common, strict=False))
