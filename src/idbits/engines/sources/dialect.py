"""The dialect of a text file: its encoding, delimiter, quotes and column names, detected from its beginning."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from idbits.engines.sources.encoding import Packing, decode_head, find_encoding, read_head, shown_path, text_lines
from idbits.errors import DataError, InputError
from idbits.values.dates import form_of, read_date
from idbits.values.readings import NUMBER_PATTERN
from idbits.wording import counted

__all__ = ["Dialect", "MissedDelimiter", "find_missed_delimiter", "long_fields", "read_dialect"]

_HEAD_BYTES = 1 << 18
# If several fit equally well, the last wins: commas occur in texts and numbers more often than tabs.
_SURE_DELIMITERS = (",", "|", ";", "\t")
_RARE_DELIMITERS = ("^", "~", "\x1f")
_NO_DELIMITER = "\x1f"
_NEARLY_ALL = 0.95
_MOST_COUNTED = 1_000_000
_COMPARED_ROWS = 50


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written.

    Attributes:
        names: the column names; a column without a name is column1, column2, ... by its position.
        header: whether the first row contains the names.
        doubtful: whether the names look like data.
        rival: another delimiter that would separate the rows as evenly.
        blank_start: whether the file begins with an empty line.
        packing: none, gzip or zstd.
        like_rows: whether the names look like the rows below them, as in a file without a header.
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
    like_rows: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class MissedDelimiter:
    """A delimiter that separates the rows of a file that was read as a single column.

    Attributes:
        rows: how many rows it would separate into several columns.
        is_all: whether all rows of the file were counted.
        in_header: whether it would also separate the first line; otherwise there are lines above the column names.
    """

    delimiter: str
    rows: int
    is_all: bool
    in_header: bool

    @property
    def sentence(self) -> str:
        """What was seen, and what to do next."""
        rows = f"{'' if self.is_all else 'more than '}{counted(self.rows, 'row')}"
        verb = "contains" if self.rows == 1 else "contain"
        seen = f"the file was read as 1 column, but {rows} {verb} {self.delimiter!r}"
        if self.in_header:
            return f"{seen} (try --delimiter {self.delimiter!r}, in Python delimiter={self.delimiter!r})"
        return f"{seen} and the first line does not (remove the lines above the column names)"


class long_fields:  # noqa: N801 (reads as a verb where it is used)
    """Lift the length limit of Python's csv reader inside the block."""

    def __enter__(self) -> None:
        self.limit = csv.field_size_limit(1 << 30)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self.limit)


def read_dialect(
    path: Path, *, delimiter: str | None = None, header: bool = True, encoding: str | None = None
) -> Dialect:
    """Return the dialect of a file; its delimiter gives the first rows the same number of fields."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise InputError("--delimiter must be one character, not a quote or a line break (write a tab as '\\t')")
    head = read_head(path, _HEAD_BYTES)
    codec = find_encoding(head.data, encoding, path)
    try:
        text = decode_head(head.data, codec)
    except UnicodeError:
        raise DataError(f"{shown_path(path)} is not in {codec}; name its encoding with --encoding") from None
    if not text.strip("\r\n"):
        raise DataError(f"{shown_path(path)} is empty")
    sample = _Sample(text, head.whole)
    quote = "'" if sample.is_quoted_with("'") else '"'
    chosen, rival = (delimiter, "") if delimiter is not None else sample.find_delimiter(quote)
    rows = sample.rows(chosen, quote)
    if not rows:
        raise DataError(f"the first row of {shown_path(path)} is too long, or a quote in it is not closed")
    # A file may begin with an empty line instead of names: then its columns are numbered.
    blank_start = text[0] in "\r\n"
    nameless = blank_start and any(_looks_like_data(name) for name in rows[0])
    named = header and not nameless
    width = max(map(len, rows)) if nameless else len(rows[0])
    names = rows[0] if named else [""] * width
    doubtful = named and any(_looks_like_data(name) for name in names)
    like_rows = named and _looks_like_rows(names, rows[1 : 1 + _COMPARED_ROWS])
    unique = _unique_names(names, path)
    return Dialect(chosen, unique, head.packing, codec, quote, named, doubtful, rival, blank_start, like_rows)


def find_missed_delimiter(path: Path, dialect: Dialect) -> MissedDelimiter | None:
    """Return the delimiter that a file seems to have if it was read as a single column; None for all other files."""
    if len(dialect.names) != 1 or not dialect.header:
        return None
    head = read_head(path, _HEAD_BYTES)
    sample = _Sample(decode_head(head.data, dialect.encoding), head.whole)
    for candidate in (";", "\t", "|", ","):
        rows = sample.rows(candidate, dialect.quote)
        if candidate == dialect.delimiter or len(rows) < 2:
            continue
        (width, same), *_ = Counter(map(len, rows[1:])).most_common(1)
        in_header = len(rows[0]) == width
        # A comma in every row of one column is common (a name, a decimal number) unless the first line has one, too.
        if width > 1 and same >= _NEARLY_ALL * (len(rows) - 1) and (in_header or candidate != ","):
            return _count_separated(path, dialect, candidate, in_header=in_header)
    return None


def _count_separated(path: Path, dialect: Dialect, delimiter: str, *, in_header: bool) -> MissedDelimiter:
    """Count the rows that a delimiter would separate into several columns."""
    rows = 0
    with long_fields(), contextlib.suppress(csv.Error):
        reader = csv.reader(text_lines(path, dialect.encoding), delimiter=delimiter, quotechar=dialect.quote)
        for row in reader:
            rows += len(row) > 1
            if rows > _MOST_COUNTED:
                return MissedDelimiter(delimiter, _MOST_COUNTED, False, in_header)
    return MissedDelimiter(delimiter, rows - in_header, True, in_header)


class _Sample:
    """The beginning of a text, to be separated into fields by one delimiter or another."""

    def __init__(self, text: str, whole: bool) -> None:
        self.text = text
        self.whole = whole

    def is_quoted_with(self, quote: str) -> bool:
        """Whether all names in the first line are enclosed in such quotes."""
        line = self.text.lstrip("\r\n").splitlines()[0]
        return any(
            len(fields) > 1 and all(len(field) > 1 and field[0] == field[-1] == quote for field in fields)
            for fields in (line.split(candidate) for candidate in _SURE_DELIMITERS)
        )

    def rows(self, delimiter: str, quote: str) -> list[list[str]]:
        """Return the complete rows, without blank lines."""
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
        """Return the delimiter and its rival, if any; a rare delimiter must fit every row."""
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
    return re.fullmatch(NUMBER_PATTERN, name) is not None or _is_day(name)


def _is_day(name: str) -> bool:
    # A month or a year may well be the name of a column.
    form = form_of(name)
    return form is not None and form.step == "day" and any(read_date(name, form, order) for order in form.orders)


def _looks_like_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a name is also a value of its column, or all names are written like most values of their columns.

    >>> _looks_like_rows(["Ann", "F"], [["Bob", "M"], ["Cid", "F"]])
    True
    >>> _looks_like_rows(["Name", "Age"], [["Bob", "20"], ["Cid", "30"]])
    False
    """
    columns = list(zip_longest(*rows, fillvalue=""))[: len(names)]
    if any(name and name in column for name, column in zip(names, columns, strict=False)):
        return True
    common = [Counter(map(_shape, column)).most_common(1)[0][0] for column in columns]
    return bool(common) and all(_shape(name) == shape for name, shape in zip(names, common, strict=False))


def _shape(text: str) -> str:
    """Return how a text is written, so that Ann and Bob, or AB1 and CD23, have the same shape."""
    return re.sub("[A-Z]+", "A", re.sub("[a-z]+", "a", re.sub("[0-9]+", "9", text)))


def _unique_names(names: Sequence[str], path: Path) -> tuple[str, ...]:
    filled = tuple(name or f"column{position}" for position, name in enumerate(names, start=1))
    first_places: dict[str, int] = {}
    for index, name in enumerate(filled, start=1):
        # By position: in a file without a header the names are cells.
        if name in first_places:
            raise DataError(
                f"columns {first_places[name]} and {index} of {shown_path(path)} have the same name; rename one of them"
            )
        first_places[name] = index
    return filled
