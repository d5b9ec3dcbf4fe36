"""Hierarchy files in the format of ARX: one line per raw value with its coarser values, without a header.

Implements: SPEC page advise.md, section 1 (user ladders) and its errors.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from idbits.counts import Value
from idbits.errors import DataError, InputError
from idbits.file_guard import note_read
from idbits.storage import expand_home
from idbits.studies.shared.plans import ALL, AS_IS, HierarchyFile
from idbits.wording import counted, counted_people

__all__ = ["Hierarchy", "read_hierarchy"]

_DELIMITERS = (";", ",", "\t")
_MOST_BYTES = 500_000_000


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A hierarchy of values.

    Attributes:
        file: its name and hash.
        lines: for each raw value, its coarser values, finest first.
        path: where it was read.
    """

    file: HierarchyFile
    lines: dict[str, tuple[str, ...]]
    path: str

    @cached_property
    def ends_in_one(self) -> bool:
        """Whether the last level of the file has one value."""
        return len({line[-1] if line else raw for raw, line in self.lines.items()}) == 1

    @property
    def n_levels(self) -> int:
        """The levels with the raw value as the first, and one value for everything as the last."""
        in_file = 1 + len(next(iter(self.lines.values())))
        return in_file if self.ends_in_one else in_file + 1

    @property
    def views(self) -> list[str]:
        """The names of the levels."""
        return [AS_IS, *(f"level {level}" for level in range(1, self.n_levels - 1)), ALL][: max(1, self.n_levels)]

    def value(self, raw: Value, level: int) -> Value:
        """Return what a raw value becomes at a level before the last; a null without a line stays null."""
        line = self.lines.get("" if raw is None else raw)
        if line is None:
            assert raw is None
            return None
        if level == 0:
            return raw
        return line[level - 1] if level <= len(line) else ALL

    def require_values(self, values: Sequence[Value], people: Sequence[int], column: str) -> None:
        """Raise an error if the file lacks values that people have; a null needs no line."""
        missing = [number for value, number in zip(values, people, strict=True) if self._lacks(value) and number]
        if missing:
            raise DataError(
                f'{counted(len(missing), "value")} ({counted_people(sum(missing))}) of column "{column}" '
                f"{'is' if len(missing) == 1 else 'are'} not in {self.file.name}; add a line for each (--hierarchy)"
            )

    def _lacks(self, value: Value) -> bool:
        return value is not None and value not in self.lines


def read_hierarchy(path: object) -> Hierarchy:
    """Read a hierarchy file."""
    if not isinstance(path, str | os.PathLike):
        raise InputError("a hierarchy must be the path of a file (--hierarchy)")
    file = Path(expand_home(path))
    note_read(file)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f'the hierarchy "{file}" cannot be opened: {error.strerror} (--hierarchy)') from error
    if len(content) > _MOST_BYTES:
        raise InputError(f'the hierarchy "{file}" is larger than 500 MB (--hierarchy)')
    lines = _lines(_text(content), file.name)
    _check_nested(lines, file.name)
    return Hierarchy(HierarchyFile(file.name, hashlib.sha256(content).hexdigest()), lines, str(path))


def _text(content: bytes) -> str:
    for encoding in ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _lines(text: str, name: str) -> dict[str, tuple[str, ...]]:
    delimiter = _delimiter(text)
    lines: dict[str, tuple[str, ...]] = {}
    n_fields = None
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for fields in reader:
            if not fields:
                continue
            n_fields = len(fields) if n_fields is None else n_fields
            if len(fields) != n_fields:
                raise InputError(
                    f"line {reader.line_num} of {name} has {counted(len(fields), 'field')}, but the first line has "
                    f"{n_fields}; every line needs the same number (--hierarchy)"
                )
            raw, *coarser = fields
            if lines.setdefault(raw, tuple(coarser)) != tuple(coarser):
                raise InputError(
                    f"line {reader.line_num} of {name} gives a value other coarser values than an earlier line "
                    "(--hierarchy)"
                )
    except csv.Error as error:
        raise InputError(f"{name} cannot be read: it has a misplaced quote (--hierarchy)") from error
    if not lines:
        raise InputError(f"{name} has no lines (--hierarchy)")
    return lines


def _delimiter(text: str) -> str:
    """Return the sign that separates all lines into equally many fields, or else the first line into most."""
    lines = [line for line in text.splitlines()[:1000] if line]
    for delimiter in _DELIMITERS:
        counts = {len(fields) for fields in csv.reader(lines, delimiter=delimiter)}
        if len(counts) == 1 and counts != {1}:
            return delimiter
    return max(_DELIMITERS, key=lines[0].count) if lines else _DELIMITERS[0]


def _check_nested(lines: dict[str, tuple[str, ...]], name: str) -> None:
    """Raise an error if values that one level joins are separated by the next."""
    for level in range(1, len(next(iter(lines.values())))):
        above: dict[str, set[str]] = {}
        for line in lines.values():
            above.setdefault(line[level - 1], set()).add(line[level])
        split = sum(len(values) > 1 for values in above.values())
        if split:
            raise InputError(
                f"level {level + 1} of {name} splits what level {level} had joined, for {counted(split, 'value')}; "
                "each level must only join values of the level before (--hierarchy)"
            )
