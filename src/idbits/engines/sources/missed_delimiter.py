"""Notices a file that was read as a single column although a delimiter separates its rows."""

from __future__ import annotations

import contextlib
import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from idbits.engines.sources.dialect import HEAD_BYTES, Dialect
from idbits.engines.sources.encoding import decode_head, read_head, text_lines
from idbits.engines.sources.sample import TextSample, long_fields
from idbits.wording import counted

__all__ = ["MissedDelimiter", "find_missed_delimiter"]

_NEARLY_ALL = 0.95
_MOST_COUNTED = 1_000_000


@dataclass(frozen=True, slots=True)
class MissedDelimiter:
    """A delimiter that separates the rows of a file that was read as a single column.

    Attributes:
        rows: how many rows it would separate into several columns.
        is_all: whether all rows of the file were counted.
        in_header: whether it would also separate the first line; otherwise there are lines above the column names.
        header_row: the number of the first row that it separates.
    """

    delimiter: str
    rows: int
    is_all: bool
    in_header: bool
    header_row: int

    @property
    def sentence(self) -> str:
        """What was seen, and what to do next."""
        rows = f"{'' if self.is_all else 'more than '}{counted(self.rows, 'row')}"
        verb = "contains" if self.rows == 1 else "contain"
        seen = f"the file was read as 1 column, but {rows} {verb} {self.delimiter!r}"
        if self.in_header:
            return f"{seen} (try --delimiter {self.delimiter!r}, in Python delimiter={self.delimiter!r})"
        row = self.header_row
        return f"{seen} and the first line does not (try --header-row {row}, in Python header_row={row})"


def find_missed_delimiter(path: Path, dialect: Dialect) -> MissedDelimiter | None:
    """Return the delimiter that a file seems to have if it was read as a single column; None for all other files."""
    if len(dialect.names) != 1 or not dialect.header or dialect.lead is not None:
        return None
    head = read_head(path, HEAD_BYTES)
    sample = TextSample(decode_head(head.data, dialect.encoding), head.whole)
    for candidate in (";", "\t", "|", ","):
        sampled = sample.rows(candidate, dialect.quote)
        rows = sampled.filled
        if candidate == dialect.delimiter or len(rows) < 2:
            continue
        (width, same), *_ = Counter(map(len, rows[1:])).most_common(1)
        in_header = len(rows[0]) == width
        # A comma in every row of one column is common (a name, a decimal number) unless the first line has one, too.
        if width > 1 and same >= _NEARLY_ALL * (len(rows) - 1) and (in_header or candidate != ","):
            first = next(index for index, row in enumerate(sampled.all, start=1) if len(row) == width)
            return _count_separated(path, dialect, candidate, in_header=in_header, first=first)
    return None


def _count_separated(path: Path, dialect: Dialect, delimiter: str, *, in_header: bool, first: int) -> MissedDelimiter:
    """Count the rows that a delimiter would separate into several columns."""
    rows = 0
    with long_fields(), contextlib.suppress(csv.Error):
        reader = csv.reader(text_lines(path, dialect.encoding), delimiter=delimiter, quotechar=dialect.quote)
        for row in reader:
            rows += len(row) > 1
            if rows > _MOST_COUNTED:
                return MissedDelimiter(delimiter, _MOST_COUNTED, False, in_header, first)
    return MissedDelimiter(delimiter, rows - in_header, True, in_header, first)
