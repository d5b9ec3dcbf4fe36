"""The dialect of a text file: its delimiter and the names in its first row, found by looking at its beginning."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from idbits.errors import DataError, InputError

__all__ = ["Dialect", "read_dialect"]

_HEAD_BYTES = 1 << 18
_SURE_DELIMITERS = (",", ";", "\t", "|")
_RARE_DELIMITERS = ("^", "~", "\x1f", ":", " ")
_NO_DELIMITER = "\x1f"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written."""

    delimiter: str
    names: tuple[str, ...]
    compression: str


def read_dialect(path: Path, *, delimiter: str | None = None, header: bool = True) -> Dialect:
    """Return the dialect of a file; its delimiter is the one that cuts the first rows into equally many fields."""
    compression, head, whole = _read_head(path)
    if not head.strip("\ufeff\r\n"):
        raise DataError(f'"{path}" is empty')
    chosen = delimiter if delimiter is not None else _find_delimiter(head, whole)
    if len(chosen) != 1:
        raise InputError("a delimiter is one character (write a tab as '\\t' or $'\\t')")
    rows = _rows(head, chosen, whole)
    if not rows:
        raise DataError(f'the first row of "{path}" is longer than {_HEAD_BYTES:,} bytes or its quotes do not close')
    names = rows[0] if header else [""] * len(rows[0])
    return Dialect(chosen, _unique_names(names, path), compression)


def _read_head(path: Path) -> tuple[str, str, bool]:
    try:
        with path.open("rb") as file:
            packed = file.peek(2)[:2] == b"\x1f\x8b"
            stream: io.BufferedIOBase = gzip.GzipFile(fileobj=file) if packed else file
            head = stream.read(_HEAD_BYTES)
            whole = len(head) < _HEAD_BYTES
            # A very wide first row: read on to its end.
            while not whole and b"\n" not in head and len(head) < 64 * _HEAD_BYTES:
                more = stream.read(_HEAD_BYTES)
                head, whole = head + more, len(more) < _HEAD_BYTES
    except (OSError, EOFError) as error:
        raise DataError(f'"{path}" cannot be read: {_reason(error)}') from error
    text = head.decode("utf-8-sig", errors="replace")
    return ("gzip" if packed else "none"), text, whole


def _reason(error: OSError | EOFError) -> str:
    return (isinstance(error, OSError) and error.strerror) or "it is damaged or cut short"


def _rows(head: str, delimiter: str, whole: bool) -> list[list[str]]:
    """Return the complete rows in the head; blank lines are none."""
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    csv.field_size_limit(max(csv.field_size_limit(), len(head)))
    rows: list[list[str]] = []
    try:
        rows.extend(row for row in reader if row)
    except csv.Error:
        whole = False
    return rows if whole or len(rows) < 2 else rows[:-1]


def _find_delimiter(head: str, whole: bool) -> str:
    def best(candidates: Sequence[str]) -> str | None:
        scores = {}
        for candidate in candidates:
            rows = _rows(head, candidate, whole)
            width = len(rows[0]) if rows else 0
            if width > 1:
                same = Counter(map(len, rows))[width] / len(rows)
                scores[candidate] = (round(same, 1), width)
        return max(scores, key=scores.__getitem__) if scores else None

    sure = best(_SURE_DELIMITERS)
    if sure is not None:
        return sure
    rare = best(_RARE_DELIMITERS)
    if rare is not None and len({len(row) for row in _rows(head, rare, whole)}) == 1:
        return rare
    return _NO_DELIMITER


def _unique_names(names: Sequence[str], path: Path) -> tuple[str, ...]:
    filled = tuple(name or f"column{position}" for position, name in enumerate(names, start=1))
    repeated = [name for name, times in Counter(filled).items() if times > 1]
    if repeated:
        raise DataError(f'"{path}" has more than one column "{repeated[0]}"; give each column a name of its own')
    return filled
