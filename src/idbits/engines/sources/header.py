"""Finds the row with the column names: below title rows, in two rows, or followed by a row of units.

The names are texts that differ from each other and from the values below them. A title fills fewer cells than the rows
of the table. If the rows do not show where the names are, the first row has them, as in most files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from idbits.engines.sources.cell_texts import is_unit, is_value, looks_like_year, may_be_unit
from idbits.engines.sources.group_names import completed_names, padded_row
from idbits.engines.sources.header_rows import HeaderRows
from idbits.engines.sources.row_comparison import COMPARED_ROWS, Row, RowComparison

__all__ = ["differs_below", "find_header", "has_values_below", "header_at", "table_start"]

_LOOKED_AT_ROWS = 2000
# Rows with several filled cells in which a title may be continued.
_MOST_PARTIAL = 8


def find_header(rows: Sequence[Row]) -> HeaderRows:
    """Return where the names are, from the first rows of a file, empty ones included; at least one is not empty.

    >>> find_header([["Report", "", ""], [], ["name", "age", "zip"], ["Ann", "34", "1011"], ["Bob", "35", "1012"]]).row
    2
    >>> find_header([["", "before", "", "after", ""], ["id", "kg", "cm", "kg", "cm"], list("12345")]).names
    ('id', 'before kg', 'before cm', 'after kg', 'after cm')
    """
    table = _FirstRows(rows[:_LOOKED_AT_ROWS])
    index = table.after_titles()
    return table.in_two_rows(index) or table.below_partial_titles(index)


def header_at(rows: Sequence[Row], index: int) -> HeaderRows:
    """Return the names in a row that the user chose; the row above completes repeated ones."""
    names = tuple(rows[index])
    if index and len(set(filter(None, names))) < len(list(filter(None, names))) and not _begins_only(rows[index - 1]):
        completed = completed_names(rows[index - 1], names)
        if completed is not None:
            return HeaderRows(index, index + 1, completed, groups=True)
    return HeaderRows(index, index + 1, names)


def table_start(rows: Sequence[Row]) -> int:
    """Return the first row of a file without column names, below title rows."""
    return _FirstRows(rows[:_LOOKED_AT_ROWS]).after_titles()


def differs_below(rows: Sequence[Row]) -> bool:
    """Whether the first row differs from the others as names differ from values.

    >>> differs_below([["name", "age"], ["Ann", "34"]]), differs_below([["Ann", "34"], ["Bob", "35"]])
    (True, False)
    """
    table = _FirstRows(rows[:_LOOKED_AT_ROWS])
    seen = table.compare(table.first)
    return not seen.values and (seen.over_values > 0 or seen.other_shapes > seen.same_shapes)


def has_values_below(rows: Sequence[Row]) -> bool:
    """Whether the first row has a text where the others, at least three, have numbers or dates.

    >>> has_values_below([["name", "age"], ["Ann", "34"], ["Bob", "35"], ["Cid", "36"]])
    True
    """
    table = _FirstRows(rows[:_LOOKED_AT_ROWS])
    seen = table.compare(table.first)
    return seen.rows > 2 and seen.over_values > 0


class _FirstRows:
    """The first rows of a file, and what they have in common."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.present = [index for index, row in enumerate(rows) if row]
        self.first = self.present[0]
        self.filled = {index: sum(1 for cell in rows[index] if cell.strip()) for index in self.present}

    @cached_property
    def width(self) -> int:
        """The last column that the rows of the table fill: the largest that is not an exception.

        Rows with more fields than the first are errors of the file, and do not count.
        """
        longest = len(self.rows[self.first])
        extents = [_extent(self.rows[index]) for index in self.present if len(self.rows[index]) <= longest]
        counts = Counter(extents)
        for extent, number in sorted(counts.items(), reverse=True):
            since = len(extents) - extents.index(extent)
            if (number > 1 or extents[-1] == extent) and number >= since / 10:
                return extent
        return max(extents)

    def after_titles(self) -> int:
        """Return the first row that is no title by its empty cells; the first row if that would be the data."""
        if self.width < 2:
            return self.first
        above: list[int] = []
        for index in self.present:
            if self._is_mostly_filled(index):
                return index if self._are_titles(above, index) else self.first
            above.append(index)
        return self.first

    def _is_mostly_filled(self, index: int) -> bool:
        return 2 * self.filled[index] > self.width

    def _are_titles(self, above: Sequence[int], index: int) -> bool:
        """Whether sparsely filled rows are titles of the table that begins at a row."""
        if not above:
            return False
        seen = self.compare(index)
        titles = [row for row in above if self.filled[row]]
        if self.width > 2 and titles and all(_begins_only(self.rows[row]) for row in titles):
            # A single cell names no columns, nor does what an empty row separates from the table.
            if max(self.filled[row] for row in titles) == 1 or titles[-1] < index - 1:
                return True
            is_dated = any(is_value(cell.strip()) for row in titles for cell in self.rows[row])
            return not seen.values and (seen.over_values > 0 or seen.other_shapes > seen.same_shapes or is_dated)
        if seen.values:
            return False
        if self.width == 2:
            # A column that numbers the rows often has no name, but it is the first one.
            is_title = all(_begins_only(self.rows[row]) for row in titles)
            return is_title and self.has_names(index) and (seen.over_values > 0 or seen.are_names)
        return self.has_names(index) or seen.over_values > 0 or self.in_two_rows(above[-1]) is not None

    def has_names(self, index: int) -> bool:
        """Whether a row has a different text for every column (one may be missing) and no value."""
        texts = [cell.strip() for cell in self.rows[index] if cell.strip()]
        return (
            len(texts) >= self.width - (self.width > 2)
            and len(set(texts)) == len(texts)
            and not any(map(is_value, texts))
        )

    def is_complete(self, index: int) -> bool:
        """Whether a row has a different text for every column and no value: as good as column names can be."""
        return self.filled[index] >= self.width and self.has_names(index)

    def compare(self, index: int, *, below: int | None = None) -> RowComparison:
        """Compare a row with those below it, or below another one."""
        start = index if below is None else below
        rows = (self.rows[other] for other in self.present if other > start and self.filled[other])
        return RowComparison.of(self.rows[index], list(islice(rows, COMPARED_ROWS)))

    def below_partial_titles(self, index: int) -> HeaderRows:
        """Return the header at a row, or below it if it is the continuation of a title."""
        following = [other for other in self.present if other > index and self.filled[other]][:_MOST_PARTIAL]
        complete = self.is_complete(index)
        here = HeaderRows(index, index + 1, tuple(self.rows[index]))
        last_unit = next((other for other in reversed(following[:2]) if complete and self._has_units(other)), None)
        if last_unit is not None and all(map(self._has_texts, following[: following.index(last_unit)])):
            return HeaderRows(index, last_unit + 1, here.names)
        candidate = self._next_names(index, following)
        seen = self.compare(candidate) if candidate is not None else None
        if candidate is None or seen is None or seen.values:
            return here
        if not self._is_title(index, candidate, seen):
            suspicious = seen.over_values > 1 or seen.is_new or (not complete and self._blanks(index) > 1)
            return HeaderRows(index, index + 1, here.names, suspect=candidate if suspicious else None)
        if complete and self._describes(candidate, index):
            return HeaderRows(index, candidate + 1, here.names)
        return HeaderRows(candidate, candidate + 1, tuple(self.rows[candidate]))

    def _next_names(self, index: int, following: Sequence[int]) -> int | None:
        """Return the next row, or the next below further titles, if it has names."""
        if self.filled[index] < self.width:
            least = max(self.filled[index] + 1, self.width - 1)
            following = [other for other in following if self.filled[other] >= least] if self.width > 2 else []
        return next((other for other in following[:1] if self.has_names(other)), None)

    def _is_title(self, index: int, names: int, below: RowComparison) -> bool:
        """Whether a row is a title, given how the row with possible names compares with the rows below it.

        Otherwise the latter is a person, with words for some numbers, whose values must not become names. So the more
        the first row looks like names, the more columns must show that it is a title.
        """
        over, same, others = below.over_values, below.same_shapes, below.other_shapes
        if below.is_new and (not self.is_complete(index) or self._is_in_phrases(index, names)):
            return True
        if self.is_complete(index):
            is_likely = self.width > 2 and over > 1 and below.rows > 1
            return is_likely and over + others == self.filled[names] >= self.width
        is_odd = self._has_odd_values(index, names)
        if self.filled[index] >= self.width:
            return over > (0 if is_odd else same) or (below.rows > 2 and others >= max(3, self.width))
        if is_odd:
            return True
        if self._blanks(index) > 1:
            return over > max(0, same - 1) or others > max(1, same)
        return over > max(1, 2 * same) or over + others == self.filled[names] > 1

    def _is_in_phrases(self, index: int, names: int) -> bool:
        """Whether a row has several words in half of its cells, and the names are single words."""
        phrases = sum(" " in cell.strip() for cell in self.rows[index])
        return 2 * phrases >= self.width and not any(" " in cell.strip() for cell in self.rows[names])

    def _has_odd_values(self, index: int, names: int) -> bool:
        """Whether a row has numbers or dates like no person: where others have texts, or beside texts for numbers."""
        if self._has_texts(index, are_years_names=False):
            return False
        seen = self.compare(index, below=names)
        return seen.over_values >= seen.values

    def _has_units(self, index: int) -> bool:
        texts = [cell.strip() for cell in self.rows[index] if cell.strip()]
        if 2 * len(texts) < self.width or not any(map(is_unit, texts)) or not all(map(may_be_unit, texts)):
            return False
        seen = self.compare(index)
        return seen.over_values > 0 and not seen.values

    def _has_texts(self, index: int, *, are_years_names: bool = True) -> bool:
        """Whether a row has no numbers and dates; years may be names."""
        values = [cell for cell in map(str.strip, self.rows[index]) if is_value(cell)]
        return all(are_years_names and looks_like_year(value) for value in values)

    def _describes(self, index: int, names: int) -> bool:
        """Whether a row describes the columns in words, below their names."""
        texts = [cell.strip() for cell in self.rows[index]]
        is_long = sum(map(len, texts)) > 2 * sum(len(name.strip()) for name in self.rows[names])
        return is_long and 2 * sum(" " in text for text in texts) > self.width

    def in_two_rows(self, index: int) -> HeaderRows | None:
        """Return the header if a row and the one above or below it have the names together."""
        place = self.present.index(index)
        neighbours = [self.present[place - 1]] if place else []
        for upper, lower in [*((other, index) for other in neighbours), *self._with_next(place)]:
            completed = completed_names(self.rows[upper], self.rows[lower])
            if lower == upper + 1 and completed is not None and self._is_pair(upper, lower, chosen=lower == index):
                return HeaderRows(lower, lower + 1, completed, groups=True)
        return None

    def _with_next(self, place: int) -> list[tuple[int, int]]:
        index = self.present[place]
        return [] if place + 1 == len(self.present) or self.is_complete(index) else [(index, self.present[place + 1])]

    def _is_pair(self, upper: int, lower: int, *, chosen: bool) -> bool:
        """Whether two rows together have the names; ``chosen`` says that the upper one is known to have no data."""
        seen = self.compare(lower)
        if chosen:
            return not _begins_only(self.rows[upper])
        if seen.values or not seen.rows or not self._has_texts(lower):
            return False
        if seen.over_values > seen.same_shapes or not self._is_mostly_filled(upper):
            return True
        longest = max(len(self.rows[upper]), len(self.rows[lower]))
        above, below = (padded_row(self.rows[row], longest) for row in (upper, lower))
        is_complementary = all(high.strip() or low.strip() for high, low in zip(above, below, strict=True))
        body = [self.rows[other] for other in self.present if other > lower][:COMPARED_ROWS]
        only_above = [column for column, low in enumerate(below) if not low.strip() and above[column].strip()]
        # A first person without these values would be the only one.
        return bool(
            is_complementary
            and self._blanks(upper)
            and body
            and len(only_above) > (seen.same_shapes > 0)
            and all(column < len(row) and row[column].strip() for column in only_above for row in body)
        )

    def _blanks(self, index: int) -> int:
        return self.width - self.filled[index]


def _extent(row: Row) -> int:
    """Return the number of cells up to the last that is filled."""
    return next((index + 1 for index in reversed(range(len(row))) if row[index].strip()), 0)


def _begins_only(row: Row) -> bool:
    """Whether only the first cells of a row are filled, as in a title."""
    return 0 < _extent(row) == sum(1 for cell in row if cell.strip())
