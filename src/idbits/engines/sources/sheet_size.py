"""Estimates the size in memory of parts of a workbook: sheets in XML or in binary records, and shared texts.

Parts are streamed, and only until they are known to be too large.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO
from xml.parsers import expat

import numpy as np

__all__ = [
    "SheetSize", "TooLarge", "binary_shared", "binary_sheet", "office_sheet", "open_document", "usual_sheet",
    "xml_shared",
]  # fmt: skip

_CHUNK = 1 << 16
_LARGE_CHUNK = 1 << 20
_CELL = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"')
_SHARED_CELL = re.compile(rb't="s"><v>([0-9]{1,9})</v>')
_BINARY_ROW, _BINARY_SHARED_CELL, _BINARY_SHARED, _BINARY_FUTURE, _BINARY_SHARED_BEGIN = 0, 7, 19, 0x23, 0x9F
# What the reader searches for before it reads cells, in order: the declared size, and the start of the cells.
_BINARY_BEFORE_CELLS = (0x94, 0x91)
_BINARY_CELLS = range(1, 12)


class TooLarge(Exception):  # noqa: N818 (no error, an answer)
    """Raised as soon as a workbook is known to need more memory than allowed."""


@dataclass(slots=True)
class SheetSize:
    """The size of a sheet: cells in the rectangle from the first to the last one, bytes of text, bytes of markup."""

    cells: int = 0
    text_bytes: int = 0
    packed_bytes: int = 0

    @property
    def memory(self) -> int:
        """The memory needed to read it, as measured: up to 144 bytes per cell, three times the texts, the markup."""
        return 150 * self.cells + 3 * self.text_bytes + self.packed_bytes


def usual_sheet(stream: IO[bytes], shared: list[int], most: int) -> SheetSize | None:
    """Return the size of a sheet in which every cell begins ``<c r="B12"``; None if one may begin differently.

    Twenty times as fast as a parser, which is needed for all other forms.
    """
    size, rows, columns, rest = SheetSize(), 0, set[bytes](), b""
    lengths = np.array([*shared, 0], np.int64)
    while chunk := stream.read(_LARGE_CHUNK):
        size.packed_bytes += len(chunk)
        whole, mark, last = (rest + chunk).rpartition(b"<c")
        rest = mark + last
        if not _is_usual(whole) or len(rest) > _LARGE_CHUNK:
            return None
        cells = _CELL.findall(whole)
        columns.update(letters for letters, _ in cells)
        rows = max(rows, max((int(row) for _, row in cells), default=0))
        size.cells = rows * max(map(_column_number, columns), default=0)
        indices = np.array([int(index) for index in _SHARED_CELL.findall(whole)], np.int64)
        size.text_bytes += int(lengths[np.minimum(indices, len(shared))].sum())
        if b"inlineStr" in whole or b'="str"' in whole:
            size.text_bytes += len(whole)
        if size.memory > most:
            raise TooLarge
    # The last cell is in the remainder.
    if not _is_usual(rest):
        return None
    for letters, row in _CELL.findall(rest):
        size.cells = max(rows, int(row)) * max(map(_column_number, {*columns, letters}))
    return size


def _is_usual(markup: bytes) -> bool:
    cells, shared = markup.count(b"<c") - markup.count(b"<cols") - markup.count(b"<col "), markup.count(b'="s"')
    odd = b":c" in markup or b"='" in markup or b"<!" in markup
    return not odd and cells == len(_CELL.findall(markup)) and shared == len(_SHARED_CELL.findall(markup))


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _xml(
    stream: IO[bytes],
    size: SheetSize,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
    most: int,
) -> Iterator[None]:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    while chunk := stream.read(_CHUNK):
        size.packed_bytes += len(chunk)
        if size.packed_bytes > most:
            raise TooLarge
        parser.Parse(chunk, False)
        yield
    yield


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def xml_shared(stream: IO[bytes], most: int) -> list[int]:
    """Return the lengths of the texts in an XML part."""
    lengths: list[int] = []
    is_inside = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal is_inside
        # The reader takes a nested text as one text that ends at the first end tag.
        if _local(tag) == "si" and not is_inside:
            lengths.append(0)
            is_inside = True

    def end(tag: str) -> None:
        nonlocal is_inside
        is_inside = is_inside and _local(tag) != "si"

    def text(data: str) -> None:
        if lengths:
            lengths[-1] += len(data)

    for _ in _xml(stream, SheetSize(), start, end, text, most):
        pass
    return lengths


def binary_shared(stream: IO[bytes], most: int) -> list[int]:
    """Return the lengths of the texts in a binary part."""
    lengths: list[int] = []
    total = 0
    has_begun = has_passed = False
    for kind, data in _records(stream, most):
        total += len(data)
        if total > most:
            raise TooLarge
        if kind == _BINARY_SHARED:
            lengths.append(len(data))
        elif kind == _BINARY_SHARED_BEGIN and not has_begun:
            # The reader counts texts from here.
            lengths, has_begun = [], True
        has_passed |= kind == _BINARY_FUTURE
    # The reader skips parts of later versions with their texts, so text numbers are then unknown.
    return [max(lengths)] * len(lengths) if has_passed and lengths else lengths


def office_sheet(stream: IO[bytes], size: SheetSize, shared: list[int], most: int) -> Iterator[None]:
    """Scan an Office Open XML sheet in any form of XML."""
    reader = _OfficeSheet(size, shared)
    return _xml(stream, size, reader.start, reader.end, reader.text, most)


def open_document(stream: IO[bytes], size: SheetSize, most: int) -> Iterator[None]:
    """Scan the tables of an OpenDocument file."""
    reader = _OpenDocument(size)
    return _xml(stream, size, reader.start, reader.end, reader.text, most)


class _OfficeSheet:
    """The rectangle of an Office Open XML sheet, and its texts."""

    def __init__(self, size: SheetSize, shared: list[int]) -> None:
        self._size, self._shared = size, shared
        self._columns: dict[str, int] = {}
        self._row = self._column = self._rows = self._width = 0
        self._kind: str | None = None
        self._value = ""
        self._in_value = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        if name == "c":
            self._kind = attributes.get("t")
            self._place(attributes.get("r"))
        elif name == "row":
            number = attributes.get("r", "")
            self._row = int(number) if number.isdecimal() else self._row + 1
            self._column = 0
        elif name in ("v", "t"):
            self._in_value, self._value = True, ""

    def _place(self, reference: str | None) -> None:
        letters = (reference or "").rstrip("0123456789")
        if letters not in self._columns:
            self._columns[letters] = _column_number(letters.upper().encode())
        self._column = self._columns[letters] if letters else self._column + 1
        row = (reference or "")[len(letters) :]
        self._rows = max(self._rows, int(row) if row.isdecimal() else self._row)
        self._width = max(self._width, self._column)
        self._size.cells = self._rows * self._width

    def text(self, data: str) -> None:
        if self._in_value:
            self._value += data

    def end(self, tag: str) -> None:
        if self._in_value and _local(tag) in ("v", "t"):
            self._in_value = False
            if self._kind == "s" and self._value.strip().isdecimal():
                index = int(self._value)
                self._size.text_bytes += self._shared[index] if index < len(self._shared) else 0
            else:
                self._size.text_bytes += len(self._value)


class _OpenDocument:
    """The rectangle of an OpenDocument table; empty cells count if others follow."""

    def __init__(self, size: SheetSize) -> None:
        self._size = size
        self._earlier = 0
        self._begin_table()

    def _begin_table(self) -> None:
        # All tables are created when the file is opened.
        self._earlier = self._size.cells
        self._rows = self._empty_rows = self._width = 0
        self._begin_row({})

    def _begin_row(self, attributes: dict[str, str]) -> None:
        self._repeated_row = _repeated(attributes, "rows")
        self._columns = self._empty = self._length = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        if name == "table":
            self._begin_table()
        elif name == "table-row":
            self._begin_row(attributes)
        elif name in ("table-cell", "covered-table-cell"):
            self._cell = _repeated(attributes, "columns")
            self._filled = any(_local(key).endswith(("value", "value-type", "formula")) for key in attributes)
            # An attribute can also contain text.
            texts = (value for key, value in attributes.items() if _local(key).endswith(("value", "formula")))
            self._text = sum(map(len, texts))

    def text(self, data: str) -> None:
        self._text = getattr(self, "_text", 0) + len(data)

    def end(self, tag: str) -> None:
        name = _local(tag)
        if name in ("table-cell", "covered-table-cell"):
            if self._filled or self._text:
                self._columns += self._empty + self._cell
                self._empty = 0
                self._length += self._text * self._cell
            else:
                self._empty += self._cell
        elif name == "table-row":
            if not self._columns:
                self._empty_rows += self._repeated_row
                return
            self._rows += self._empty_rows + self._repeated_row
            self._empty_rows = 0
            self._width = max(self._width, self._columns)
            self._size.text_bytes += self._length * self._repeated_row
            self._size.cells = self._earlier + self._rows * self._width


def _repeated(attributes: dict[str, str], what: str) -> int:
    times = next((value for key, value in attributes.items() if _local(key) == f"number-{what}-repeated"), "1")
    return int(times) if times.isdecimal() else 1


def binary_sheet(stream: IO[bytes], size: SheetSize, shared: list[int], most: int) -> Iterator[None]:
    """Scan the records of a binary sheet ([MS-XLSB] 2.1.4)."""
    row = rows = width = 0
    awaited = list(_BINARY_BEFORE_CELLS)
    for number, (kind, data) in enumerate(_records(stream, most)):
        size.packed_bytes += len(data) + 2
        if awaited:
            awaited = awaited[1:] if kind == awaited[0] else awaited
        elif kind == _BINARY_ROW and len(data) >= 4:
            (row,) = struct.unpack_from("<I", data)
        elif kind in _BINARY_CELLS and len(data) >= 4:
            rows, width = max(rows, row + 1), max(width, struct.unpack_from("<I", data)[0] + 1)
            size.cells = rows * width
            size.text_bytes += len(data)
            if kind == _BINARY_SHARED_CELL and len(data) >= 12:
                (index,) = struct.unpack_from("<I", data, 8)
                size.text_bytes += shared[index] if index < len(shared) else 0
        if number % 1000 == 0 or len(data) > _CHUNK:
            yield
    yield


def _records(stream: IO[bytes], most: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a binary part: type and length are numbers with seven bits per byte."""

    def number(most_bytes: int) -> int | None:
        value = 0
        for index in range(most_bytes):
            byte = stream.read(1)
            if not byte:
                return None
            value |= (byte[0] & 0x7F) << (7 * index)
            if not byte[0] & 0x80:
                break
        return value

    while (kind := number(2)) is not None and (length := number(4)) is not None:
        # The reader allocates as many bytes as are declared.
        if length > most:
            raise TooLarge
        yield kind, stream.read(length)
