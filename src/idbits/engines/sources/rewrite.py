"""Rewrites a text file in the one dialect that DuckDB reads in parallel and in strict mode.

For files in other encodings, with mixed line breaks, single quotes, spaces before quotes, or rows of different
lengths: slower than reading them directly, but every row is accounted for.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from idbits.engines.sources.dialect import Dialect
from idbits.engines.sources.encoding import UTF8, open_unpacked, shown_path, text_lines
from idbits.engines.sources.sample import long_fields
from idbits.errors import DataError, EngineError
from idbits.wording import counted

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

__all__ = [
    "EvenRows", "FileSurvey", "RecordCount", "RewrittenFile", "may_be_regular", "no_room", "rewrite", "survey",
]  # fmt: skip

# A piece and what is found in it stay in the cache.
_CHUNK = 1 << 18
_OVERLAP = 1 << 12
_SPACED_HINTS = (b' "', b'" ', b'"\t')
_LF, _QUOTE = 10, 34


class RecordCount:
    """Counts records in a stream of bytes; line breaks inside double quotes do not end a record.

    Quotes in the middle of an unquoted field make the count wrong. It then differs from the reader's count, and the
    file is read in the slow way, which is always right.

    >>> count = RecordCount()
    >>> for piece in (b'zip,sex\\r\\n10', b'11,F\\r\\n\\r', b'\\n"10\\n12",M'):
    ...     count.add(piece)
    >>> count.records(), count.records(blank=True)
    (3, 4)
    """

    def __init__(self) -> None:
        self._filled = 0
        self._blank = 0
        self._in_quotes = False
        self._has_bytes = False
        self._after_return = False

    def records(self, *, blank: bool = False) -> int:
        """Return the number of records so far; in a file with one column, blank lines are records, too."""
        return self._filled + (self._blank if blank else 0) + self._has_bytes

    def add(self, piece: bytes) -> None:
        """Add the next bytes."""
        if self._after_return and piece[:1] == b"\n":
            piece = piece[1:]
        if not piece:
            return
        self._after_return = piece.endswith(b"\r")
        if b"\r" in piece:
            # One byte per line break.
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        codes = np.frombuffer(piece, np.uint8)
        is_end = codes == _LF
        is_blank = is_end[1:] & is_end[:-1]
        # The first line may have begun in the previous piece.
        is_first_blank = bool(is_end[0]) and not self._has_bytes
        if self._in_quotes or b'"' in piece:
            ends = np.flatnonzero(is_end)
            quotes = np.flatnonzero(codes == _QUOTE)
            outside = (np.searchsorted(quotes, ends) & 1) == self._in_quotes
            self._in_quotes ^= len(quotes) % 2 == 1
            blank = np.concatenate(([is_first_blank], is_blank))
            n_ended, n_blank = np.count_nonzero(outside), np.count_nonzero(blank[ends] & outside)
        else:
            n_ended, n_blank = np.count_nonzero(is_end), np.count_nonzero(is_blank) + is_first_blank
        self._filled += int(n_ended - n_blank)
        self._blank += int(n_blank)
        self._has_bytes = self._in_quotes or not is_end[-1]


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """The number of rows written, the number of short rows among them, and the length of the longest."""

    rows: int
    short_rows: int
    longest_row: int


@dataclass(slots=True)
class FileSurvey:
    """The result of scanning a file: whether DuckDB can read it as it is, and how to check that it did."""

    regular: bool
    delimiters: int = 0
    trailing: bool = False
    count: RecordCount = field(default_factory=RecordCount)

    def agrees(self, dialect: Dialect, rows: int) -> bool:
        """Whether this number of rows accounts for all records and all delimiters.

        DuckDB skips very long rows, and an extra delimiter at the end of a row.
        """
        lines = rows + dialect.reads_header
        if self.count.records(blank=len(dialect.names) == 1) != lines:
            return False
        return not self.trailing or self.delimiters == (len(dialect.names) - 1) * lines


def may_be_regular(dialect: Dialect) -> bool:
    """Whether DuckDB can read a file with this dialect as it is, unless a survey shows otherwise."""
    if dialect.encoding != UTF8 or dialect.quote != '"' or dialect.packing == "zstd" or dialect.blank_start:
        return False
    if dialect.lead is not None and not dialect.lead.is_simple:
        return False
    # If a name contains a line break other than that of the rows, DuckDB takes the whole file as the header.
    return not any(end in name for name in dialect.names for end in "\r\n")


def survey(path: Path, dialect: Dialect, *, nulls: bool = False, stopped: Event | None = None) -> FileSurvey:
    """Scan a file: a regular one is UTF-8 with double quotes and no spaces outside them.

    With ``nulls`` (texts that mean null), DuckDB also skips an extra null text at the end of a row. Another thread can
    end the scan with ``stopped`` when it no longer needs the result.
    """
    if not may_be_regular(dialect):
        return FileSurvey(regular=False)
    delimiter = dialect.delimiter.encode()
    cut = re.escape(delimiter)
    spaced = re.compile(cut + rb"[ ]+\"|\"[ \t]+(?:" + cut + rb"|\r|\n)")
    result = FileSurvey(regular=True, trailing=nulls)
    tail = b""
    with open_unpacked(path) as (_, stream):
        for _ in range(dialect.lead.lines if dialect.lead is not None else 0):
            stream.readline()
        while (chunk := stream.read(_CHUNK)) and not (stopped is not None and stopped.is_set()):
            seen = tail + chunk
            # Searching for single bytes is many times faster than patterns, and rarely finds anything.
            quoted = b'"' in seen
            if quoted and any(hint in seen for hint in _SPACED_HINTS) and spaced.search(seen) is not None:
                return FileSurvey(regular=False)
            result.delimiters += _count(chunk, delimiter)
            result.count.add(chunk)
            result.trailing = result.trailing or _ends_rows(seen, delimiter, quoted=quoted)
            tail = seen[-_OVERLAP:]
    if re.search(rb"\"[ \t]+\Z", tail) is not None:
        return FileSurvey(regular=False)
    result.trailing = result.trailing or tail.endswith((delimiter, delimiter + b'""'))
    return result


def _count(chunk: bytes, delimiter: bytes) -> int:
    if len(delimiter) > 1:
        return chunk.count(delimiter)
    return int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == delimiter[0]))


def _ends_rows(chunk: bytes, delimiter: bytes, *, quoted: bool) -> bool:
    """Whether a row ends with a delimiter, or with a delimiter and an empty quoted field."""
    returns = b"\r" in chunk
    ends = [b"\n", b"\r"] if returns else [b"\n"]
    if quoted and any(delimiter + b'""' + end in chunk for end in ends):
        return True
    if len(delimiter) > 1:
        return any(delimiter + end in chunk for end in ends)
    codes = np.frombuffer(chunk, np.uint8)
    is_cut = codes[:-1] == delimiter[0]
    return any(bool(np.any(is_cut & (codes[1:] == end[0]))) for end in ends)


def no_room(error: OSError) -> EngineError:
    """Return the error about a temporary folder that cannot be written."""
    return EngineError(
        f"the temporary folder (TMPDIR) cannot be written: {error.strerror}; free space there or name another"
    )


def rewrite(path: Path, dialect: Dialect, columns: Sequence[str], target: Path) -> RewrittenFile:
    """Write the columns of a file to ``target`` as comma-separated UTF-8 with a header, all rows of equal length.

    The header has positions instead of names, because it is skipped.
    """
    rows, longest = EvenRows(path, dialect, columns), 0
    try:
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerow(range(len(columns)))
            for row in rows:
                longest = max(longest, writer.writerow(row))
    except OSError as error:
        raise no_room(error) from error
    return RewrittenFile(rows.number, rows.short, longest)


class EvenRows:
    """The rows of a file with some of its columns, all of equal length: missing cells at the end of a row are empty.

    Attributes:
        number: the number of rows so far.
        short: how many of them were shorter than the header.
    """

    def __init__(self, path: Path, dialect: Dialect, columns: Sequence[str]) -> None:
        self._path, self._dialect = path, dialect
        places = {name: index for index, name in enumerate(dialect.names)}
        self._positions = [places[column] for column in columns]
        self._above = dialect.lead.lines if dialect.lead is not None else 0
        self.number = self.short = 0

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the rows; an error that names no cell if some are longer than the header."""
        lines = islice(text_lines(self._path, self._dialect.encoding), self._above, None)
        reader = csv.reader(lines, delimiter=self._dialect.delimiter, quotechar=self._dialect.quote, strict=True)
        try:
            with long_fields():
                yield from self._even(reader)
        except csv.Error as error:
            where = f"near line {self._above + reader.line_num:,}"
            if "field larger" in str(error):
                raise DataError(f"{shown_path(self._path)} has a field of more than 1 GiB {where}") from error
            raise DataError(f"{shown_path(self._path)} cannot be read {where}: a quote is not closed") from error

    def _even(self, reader: CsvReader) -> Iterator[list[str]]:
        positions, width = self._positions, len(self._dialect.names)
        is_whole, skip_header = positions == list(range(width)), self._dialect.reads_header
        long = first_long = 0
        for row in reader:
            if not row and width > 1:
                continue
            if skip_header:
                skip_header = False
                continue
            if len(row) < width:
                self.short += bool(row) or width > 1
                row += [""] * (width - len(row))
            elif len(row) > width:
                long += 1
                first_long = first_long or self._above + reader.line_num
                continue
            self.number += 1
            yield row if is_whole else [row[position] for position in positions]
        if long:
            raise DataError(
                f"{shown_path(self._path)} has {counted(long, 'row')} with more fields than the header (the first near "
                f"line {first_long:,}); check --delimiter, --header-row and the quotes"
            )
