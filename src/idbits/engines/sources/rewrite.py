"""Rewriting a text file in the one dialect that DuckDB reads in parallel and in strict mode.

For files in other encodings, with mixed line ends, single quotes, blanks before quotes, or rows of differing
length: slower than reading them directly, but every row is accounted for.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from idbits.engines.sources.dialect import Dialect, long_fields
from idbits.engines.sources.encoding import UTF8, open_unpacked, text_lines
from idbits.engines.sources.record_count import RecordCount
from idbits.errors import DataError, EngineError
from idbits.wording import counted

__all__ = ["Rewritten", "Survey", "rewrite", "survey"]

_CHUNK = 1 << 22
_SPACED_HINTS = (b' "', b'" ', b'"\t')


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a file was found to hold."""

    rows: int
    short_rows: int
    longest_row: int


@dataclass(slots=True)
class Survey:
    """What a look at all bytes of a file tells: whether DuckDB can read it as it is, and how to check that it did."""

    regular: bool
    delimiters: int = 0
    trailing: bool = False
    count: RecordCount = field(default_factory=RecordCount)

    def agrees(self, dialect: Dialect, rows: int) -> bool:
        """Whether so many rows account for all records, and for the delimiters.

        DuckDB passes over rows that are very long, and over a delimiter too many at the end of a row.
        """
        lines = rows + dialect.header
        if self.count.records(blank=len(dialect.names) == 1) != lines:
            return False
        return not self.trailing or self.delimiters == (len(dialect.names) - 1) * lines


def survey(path: Path, dialect: Dialect, *, nulls: bool = False) -> Survey:
    """Look at a file: regular is UTF-8 with double quotes and no blank outside of them.

    With ``nulls``, texts that stand for null, DuckDB passes over such a text too many at the end of a row as well.
    """
    if dialect.encoding != UTF8 or dialect.quote != '"' or dialect.packing == "zstd" or dialect.blank_start:
        return Survey(regular=False)
    # Where a name holds a line end other than that of the rows, DuckDB takes the whole file for its header.
    if any(end in name for name in dialect.names for end in "\r\n"):
        return Survey(regular=False)
    delimiter = dialect.delimiter.encode()
    cut = re.escape(delimiter)
    spaced = re.compile(cut + rb"[ ]+\"|\"[ \t]+(?:" + cut + rb"|\r|\n|$)")
    found = Survey(regular=True, trailing=nulls)
    tail = b""
    with open_unpacked(path) as (_, stream):
        while chunk := stream.read(_CHUNK):
            seen = tail + chunk
            # Searches for one byte are many times faster than patterns, and mostly answer no.
            quoted = b'"' in seen
            if quoted and any(hint in seen for hint in _SPACED_HINTS) and spaced.search(seen) is not None:
                return Survey(regular=False)
            found.delimiters += _count(chunk, delimiter)
            found.count.add(chunk)
            found.trailing = found.trailing or _ends_rows(seen, delimiter, quoted=quoted)
            tail = chunk[-64:]
    found.trailing = found.trailing or tail.endswith((delimiter, delimiter + b'""'))
    return found


def _count(chunk: bytes, delimiter: bytes) -> int:
    if len(delimiter) > 1:
        return chunk.count(delimiter)
    return int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == delimiter[0]))


def _ends_rows(chunk: bytes, delimiter: bytes, *, quoted: bool) -> bool:
    """Whether a row ends with a delimiter, or with one and an empty field in quotes."""
    returns = b"\r" in chunk
    ends = [b"\n", b"\r"] if returns else [b"\n"]
    if quoted and any(delimiter + b'""' + end in chunk for end in ends):
        return True
    if len(delimiter) > 1:
        return any(delimiter + end in chunk for end in ends)
    codes = np.frombuffer(chunk, np.uint8)
    after = codes[1:][codes[:-1] == delimiter[0]]
    return bool(np.any(after == ord("\n"))) or (returns and bool(np.any(after == ord("\r"))))


def rewrite(path: Path, dialect: Dialect, columns: Sequence[str], target: Path) -> Rewritten:
    """Write the columns of a file to ``target`` as comma-separated UTF-8 with a header, every row of equal length.

    The header has places instead of names: it is passed over.
    """
    places = [dialect.names.index(column) for column in columns]
    width, rows, short, long, first_long, longest = len(dialect.names), 0, 0, 0, 0, 0
    reader = csv.reader(
        text_lines(path, dialect.encoding), delimiter=dialect.delimiter, quotechar=dialect.quote, strict=True
    )
    try:
        with long_fields(), target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerow(range(len(places)))
            skip_header = dialect.header
            for row in reader:
                if not row and width > 1:
                    continue
                if skip_header:
                    skip_header = False
                    continue
                if len(row) < width:
                    short += bool(row) or width > 1
                    row += [""] * (width - len(row))
                elif len(row) > width:
                    long += 1
                    first_long = first_long or reader.line_num
                    continue
                longest = max(longest, writer.writerow([row[place] for place in places]))
                rows += 1
    except csv.Error as error:
        if "field larger" in str(error):
            raise DataError(f'"{path}" has a field of more than 1 GiB near line {reader.line_num:,}') from error
        raise DataError(f'"{path}" cannot be read near line {reader.line_num:,}: a quote does not close') from error
    except OSError as error:
        raise EngineError(f"the temporary folder (TMPDIR) cannot be written: {error.strerror}") from error
    if long:
        raise DataError(
            f'"{path}" has {counted(long, "row")} with more fields than the header (the first near line {first_long:,})'
        )
    return Rewritten(rows, short, longest)
