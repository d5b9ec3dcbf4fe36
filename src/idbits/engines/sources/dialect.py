"""The dialect of a text file: its encoding, delimiter, quote and names, found by looking at its beginning."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from idbits.engines.sources.encoding import Packing, decode_head, find_encoding, read_head
from idbits.errors import DataError, InputError
from idbits.values.readings import DATE_PATTERNS, NUMBER_PATTERN

__all__ = ["Dialect", "long_fields", "read_dialect"]

_HEAD_BYTES = 1 << 18
# The last of those that fit equally well is taken: commas stand in texts and numbers more often than tabs.
_SURE_DELIMITERS = (",", "|", ";", "\t")
_RARE_DELIMITERS = ("^", "~", "\x1f")
_NO_DELIMITER = "\x1f"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written.

    Attributes:
        names: the names of the columns; a column without one is column1, column2, ... by its place.
        header: whether the first row holds the names.
        doubtful: whether the names look like data.
        rival: another delimiter that would have cut the rows as evenly.
        blank_start: whether the file begins with an empty line.
        packing: none, gzip or zstd.
    """

    delimiter: str
    names: tuple[str, ...]
    packing: Packing
    encoding: str = "utf-8"
    quote: str = '"'
    header: bool = True
    doubtful: bool = False
    rival: str = ""
    blank_start: bool = False


class long_fields:  # noqa: N801 (reads as a verb where it is used)
    """Lift the length limit of Python's csv reader while the context lasts."""

    def __enter__(self) -> None:
        self.limit = csv.field_size_limit(1 << 30)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self.limit)


def read_dialect(
    path: Path, *, delimiter: str | None = None, header: bool = True, encoding: str | None = None
) -> Dialect:
    """Return the dialect of a file; its delimiter is the one that cuts the first rows into equally many fields."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise InputError("a delimiter is one character, and no quote or line end (write a tab as '\\t')")
    head = read_head(path, _HEAD_BYTES)
    codec = find_encoding(head.data, encoding, path)
    try:
        text = decode_head(head.data, codec)
    except UnicodeError:
        raise DataError(f'"{path}" is not written in {codec}; say how it is with --encoding') from None
    if not text.strip("\r\n"):
        raise DataError(f'"{path}" is empty')
    sample = _Sample(text, head.whole)
    quote = "'" if sample.is_quoted_with("'") else '"'
    chosen, rival = (delimiter, "") if delimiter is not None else sample.find_delimiter(quote)
    rows = sample.rows(chosen, quote)
    if not rows:
        raise DataError(f'the first row of "{path}" is too long, or a quote in it does not close')
    # A file may begin with an empty line where its names should be: then its columns have none.
    blank_start = text[0] in "\r\n"
    nameless = blank_start and any(_looks_like_data(name) for name in rows[0])
    named = header and not nameless
    width = max(map(len, rows)) if nameless else len(rows[0])
    names = rows[0] if named else [""] * width
    doubtful = named and any(_looks_like_data(name) for name in names)
    return Dialect(chosen, _unique_names(names, path), head.packing, codec, quote, named, doubtful, rival, blank_start)


class _Sample:
    """The beginning of a text, cut into rows by one delimiter or another."""

    def __init__(self, text: str, whole: bool) -> None:
        self.text = text
        self.whole = whole

    def is_quoted_with(self, quote: str) -> bool:
        """Whether the first line is a row of names that all stand in such quotes."""
        line = self.text.lstrip("\r\n").splitlines()[0]
        return any(
            len(fields) > 1 and all(len(field) > 1 and field[0] == field[-1] == quote for field in fields)
            for fields in (line.split(candidate) for candidate in _SURE_DELIMITERS)
        )

    def rows(self, delimiter: str, quote: str) -> list[list[str]]:
        """Return the complete rows; blank lines are none."""
        rows: list[list[str]] = []
        whole = self.whole
        with long_fields():
            try:
                reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=delimiter, quotechar=quote)
                rows.extend(row for row in reader if row)
            except csv.Error:
                whole = False
        return rows if whole or len(rows) < 2 else rows[:-1]

    def find_delimiter(self, quote: str) -> tuple[str, str]:
        """Return the delimiter and its rival, if any; one that hardly anyone uses must fit every row."""
        sure, rival = self._best(_SURE_DELIMITERS, quote)
        if sure:
            return sure, rival
        rare, _ = self._best(_RARE_DELIMITERS, quote)
        if rare and len({len(row) for row in self.rows(rare, quote)}) == 1:
            return rare, ""
        return _NO_DELIMITER, ""

    def _best(self, candidates: Sequence[str], quote: str) -> tuple[str, str]:
        scores = {}
        for candidate in candidates:
            rows = self.rows(candidate, quote)
            width = len(rows[0]) if rows else 0
            if width > 1:
                same = Counter(map(len, rows))[width] / len(rows)
                scores[candidate] = (round(same, 1), width)
        if not scores:
            return "", ""
        best = max(scores.values())
        *rivals, chosen = [candidate for candidate, score in scores.items() if score == best]
        even = [candidate for candidate, score in scores.items() if score[0] == best[0] == 1 and candidate != chosen]
        return chosen, next(iter([*rivals, *even]), "")


def _looks_like_data(name: str) -> bool:
    patterns = (NUMBER_PATTERN, *(pattern for order in DATE_PATTERNS.values() for pattern, _ in order))
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _unique_names(names: Sequence[str], path: Path) -> tuple[str, ...]:
    filled = tuple(name or f"column{position}" for position, name in enumerate(names, start=1))
    first_places: dict[str, int] = {}
    for index, name in enumerate(filled, start=1):
        # By their places: in a file without a header the names are cells.
        if name in first_places:
            raise DataError(
                f'columns {first_places[name]} and {index} of "{path}" have the same name; give each its own'
            )
        first_places[name] = index
    return filled
