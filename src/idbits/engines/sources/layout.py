"""How the beginning of a text file is laid out: its delimiter, its quotes, and the rows with the column names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from idbits.engines.sources.cell_texts import is_value
from idbits.engines.sources.header import (
    differs_below,
    find_header,
    has_values_below,
    header_at,
    table_start,
)
from idbits.engines.sources.header_rows import HeaderRows
from idbits.engines.sources.row_comparison import Row
from idbits.engines.sources.sample import SURE_DELIMITERS, SampleRows, TextSample
from idbits.errors import InputError
from idbits.wording import counted

__all__ = ["TextLayout", "find_layout", "layout_at"]

_MANY_ROWS = 4
_DOUBLE, _SINGLE = '"', "'"


@dataclass(frozen=True, slots=True)
class TextLayout:
    """The rows of a text, and where its table is.

    Attributes:
        rival: another delimiter that would separate the rows as evenly.
        header: the rows with the names; of a file without names, the row above the data is ``data - 1``.
    """

    delimiter: str
    quote: str
    rival: str
    rows: SampleRows
    header: HeaderRows

    @property
    def first(self) -> int:
        """The first row that is not empty."""
        return next(index for index, row in enumerate(self.rows.all) if row)

    @property
    def body(self) -> list[list[str]]:
        """The rows of the data without empty lines."""
        return [row for row in self.rows.all[self.header.data :] if row]

    @property
    def data_line(self) -> int:
        """The number of lines above the data."""
        return self.rows.line_ends[self.header.data - 1] if self.header.data else 0


def find_layout(sample: TextSample, delimiter: str | None, *, has_names: bool) -> TextLayout | None:
    """Return the layout of a text: as in its first row, unless that is a title; None if it has no complete row."""
    quote = _SINGLE if sample.is_quoted_with(_SINGLE) else _DOUBLE
    layout = _found(sample, delimiter, quote, has_names=has_names)
    if layout is not None and layout.header.row > layout.first and all(map(_is_single_quoted, layout.header.names)):
        # The first line, which is a title, did not show the quotes.
        return _found(sample, delimiter, _SINGLE, has_names=has_names)
    return layout


def _is_single_quoted(name: str) -> bool:
    return len(name) > 1 and name[0] == name[-1] == _SINGLE


def _found(sample: TextSample, delimiter: str | None, quote: str, *, has_names: bool) -> TextLayout | None:
    chosen, rival = (delimiter, "") if delimiter is not None else sample.find_delimiter(quote)
    rows = sample.rows(chosen, quote)
    filled = rows.filled
    if not filled:
        return None
    first = rows.all.index(filled[0])
    width, widths = len(filled[0]), Counter(map(len, filled))
    if width > 1 and 2 * widths[width] >= len(filled):
        # Rows that are too long would be an error, unless they are the table and those above them its description.
        is_uneven = sum(number for other, number in widths.items() if other > width) > 1
        below = _below_title(sample, quote, [chosen], by_width=False) if is_uneven and has_names else None
        return below or TextLayout(chosen, quote, rival, rows, _header(rows.all, first, has_names=has_names))
    candidates = [delimiter] if delimiter is not None else SURE_DELIMITERS
    below = _below_title(sample, quote, candidates, has_names=has_names)
    return below or TextLayout(chosen, quote, rival, rows, _at(rows.all, first, has_names=has_names))


def _header(rows: Sequence[Row], first: int, *, has_names: bool) -> HeaderRows:
    """Return the header of the table that begins at a row, or below a title at that row."""
    top = rows[first:]
    if not has_names:
        return _at(rows, first + table_start(top), has_names=False)
    found = find_header(top)
    suspect = None if found.suspect is None else found.suspect + first
    return replace(found, row=found.row + first, data=found.data + first, suspect=suspect)


def _at(rows: Sequence[Row], index: int, *, has_names: bool) -> HeaderRows:
    return HeaderRows(index, index + has_names, tuple(rows[index]))


@dataclass(frozen=True, slots=True)
class _WideRows:
    """Rows of a text that have more fields than the lines above them."""

    layout: TextLayout
    width: int
    number: int
    share: float
    has_names: bool


def _below_title(
    sample: TextSample, quote: str, candidates: Sequence[str], *, has_names: bool = True, by_width: bool = True
) -> TextLayout | None:
    """Return the layout if a delimiter separates the rows into a table, but not the first line.

    Without ``by_width``, only a row that looks like names shows that the table begins there.
    """
    wide_rows = (_wide_rows(sample.rows(delimiter, quote), delimiter, quote) for delimiter in candidates)
    possible = [wide for wide in wide_rows if wide is not None and not _is_below_other_rows(wide)]
    found = [wide for wide in possible if (_is_table(wide, has_names=has_names) if by_width else wide.has_names)]
    if not found:
        return None
    best = max(found, key=lambda wide: (wide.has_names, wide.share, wide.width)).layout
    start, rows = best.header.row, best.rows.all
    header = _header(rows, start, has_names=has_names)
    if has_names and not header.groups and header.row == start:
        # A row of group names may be shorter than the others.
        header = replace(header_at(rows, start), suspect=header.suspect, data=header.data)
    return replace(best, header=header)


def _wide_rows(rows: SampleRows, delimiter: str, quote: str) -> _WideRows | None:
    """Return where the widest rows begin that are at least half of the rows from there on."""
    filled = [index for index, row in enumerate(rows.all) if row]
    widths = [len(rows.all[index]) for index in filled]
    for width, number in sorted(Counter(widths).items(), reverse=True):
        place = widths.index(width)
        since = len(widths) - place
        if width > 1 and number > 1 and 2 * number >= since:
            if place == 0:
                return None
            start = filled[place]
            layout = TextLayout(delimiter, quote, "", rows, HeaderRows(start, start + 1, tuple(rows.all[start])))
            return _WideRows(layout, width, number, number / since, differs_below(rows.all[start:]))
    return None


def _is_below_other_rows(wide: _WideRows) -> bool:
    """Whether the rows above are no title: another table, or most rows of a single column."""
    rows, start = wide.layout.rows.all, wide.layout.header.row
    above = [row for row in rows[:start] if row]
    if any(len(row) > wide.width and _has_names(row) for row in above) or has_values_below(above):
        return True
    if len(above) < wide.number or (wide.width > 2 and not rows[start - 1]):
        return False
    # The last rows of a column of texts may have equal numbers of delimiters by chance.
    return not (wide.has_names and has_values_below(rows[start:]))


def _is_table(wide: _WideRows, *, has_names: bool) -> bool:
    """Whether rows are a table below a title, and not a single column with the delimiter in its values."""
    delimiter, rows, start = wide.layout.delimiter, wide.layout.rows.all, wide.layout.header.row
    later = [cell for row in rows[start:] for cell in row[1:]]
    is_prose = delimiter == "," and 2 * sum(cell.startswith(" ") for cell in later) > len(later)
    if has_names and wide.has_names and not (is_prose and wide.width == 2):
        return True
    if any(len(row) > wide.width for row in rows[:start]):
        return False
    if delimiter == "\t":
        return True
    return wide.width > 2 and not is_prose and (wide.number >= _MANY_ROWS or not rows[start - 1])


def _has_names(row: Row) -> bool:
    return all(cell.strip() and not is_value(cell) for cell in row) and len(set(row)) == len(row)


def layout_at(sample: TextSample, delimiter: str | None, number: int, shown: str) -> TextLayout | None:
    """Return the layout of a text whose names are in the row with this number; None if the sample is too short."""
    layout = _chosen(sample, delimiter, _DOUBLE, number, shown)
    if layout is not None and all(map(_is_single_quoted, layout.header.names)):
        return _chosen(sample, delimiter, _SINGLE, number, shown)
    return layout


def _chosen(sample: TextSample, delimiter: str | None, quote: str, number: int, shown: str) -> TextLayout | None:
    # Any delimiter gives the same number of rows, except within odd quotes.
    n_rows = len(sample.rows(delimiter or SURE_DELIMITERS[0], quote).all)
    if n_rows < number:
        if not sample.whole:
            return None
        raise InputError(
            f"{shown} has only {counted(n_rows, 'row')}; name the row with the column names (--header-row)"
        )
    chosen, rival = (delimiter, "") if delimiter is not None else sample.find_delimiter(quote, number - 1)
    rows = sample.rows(chosen, quote)
    if len(rows.all) < number:
        return None
    if not any(cell.strip() for cell in rows.all[number - 1]):
        raise InputError(f"row {number:,} of {shown} is empty; name the row with the column names (--header-row)")
    return TextLayout(chosen, quote, rival, rows, header_at(rows.all, number - 1))
