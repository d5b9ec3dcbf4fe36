"""Estimates the memory needed to read an old workbook (.xls), from its records and without reading the cells.

The reader of workbooks creates the whole rectangle from the first to the last cell, and allocates as many cells as the
sheet declares. So a file of a few kilobytes with a cell in the last corner takes gigabytes. So does a long text that
many cells share, or a sheet that is listed many times: all sheets are created when the file is opened.

Records: [MS-XLS] 2.4; the container: [MS-CFB] 2.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MAGIC", "XlsSize", "xls_size"]

MAGIC = bytes.fromhex("D0CF11E0A1B11AE1")

_STREAMS = ("workbook", "book")
_LEAST_SPECIAL = 0xFFFFFFF0
_ENTRY_BYTES, _HEADER_SECTORS = 128, 109
_SHEET, _END, _DIMENSIONS, _NAME, _SHARED, _CONTINUE = 0x0085, 0x000A, 0x0200, 0x0018, 0x00FC, 0x003C
_MANY_CELLS, _SHARED_CELL, _FORMULA, _MERGED = 0x00BD, 0x00FD, 0x0006, 0x00E5
_CELLS = frozenset({_FORMULA, 0x00D6, _SHARED_CELL, 0x0203, 0x0204, 0x0205, 0x027E, _MANY_CELLS})
# Records that contain a text, and the position of its length.
_TEXTS = {0x0204: 6, 0x00D6: 6, 0x0207: 0}
# In formulas, two bytes can mean up to 255 spaces, and a function name is longer than its number.
_SPACES, _FORMULA_FACTOR = (b"\x19\x40", b"\x19\x41"), 20
_HIGH, _MOST_BYTES = bytes(range(0x80, 0x100)), 3
# A value and a formula for each cell of the rectangle.
_HELD_CELL = 56
# Sheets follow one another; the maximum number of times that the same bytes are scanned.
_MOST_OVERLAP = 16


@dataclass(frozen=True, slots=True)
class XlsSize:
    """The size of an old workbook: cells and texts of its largest sheet, and the bytes of all sheets."""

    cells: int = 0
    text_bytes: int = 0
    held_bytes: int = 0


def xls_size(path: Path) -> XlsSize:
    """Return the size of a workbook; a broken container raises an error of any kind."""
    container = _Container(path.read_bytes())
    sizes = [_workbook_size(stream) for stream in container.workbooks()]
    return XlsSize(
        max((size.cells for size in sizes), default=0),
        max((size.text_bytes for size in sizes), default=0),
        max((size.held_bytes for size in sizes), default=0),
    )


class _Container:
    """Streams stored in sectors, which a table links to each other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        (shift, small_shift) = struct.unpack_from("<HH", data, 30)
        self._sector_bytes, self._small_bytes = 1 << shift, 1 << small_shift
        self._entries_start, self._least_large, self._small_table = struct.unpack_from("<I4xII", data, 48)
        self._table = self._numbers(b"".join(self._sector(sector) for sector in self._table_sectors()))

    def workbooks(self) -> list[bytes]:
        """Return the streams of records."""
        entries = self._chained(self._entries_start)
        streams, small = [], b""
        for offset in range(0, len(entries), _ENTRY_BYTES):
            (name_bytes,) = struct.unpack_from("<H", entries, offset + 64)
            name = entries[offset : offset + max(0, name_bytes - 2)].decode("utf-16le", errors="replace")
            start, size = struct.unpack_from("<II", entries, offset + 116)
            if offset == 0:
                small = self._chained(start)
            elif name.lower() in _STREAMS:
                streams.append(
                    (self._chained(start) if size >= self._least_large else self._small(small, start))[:size]
                )
        return streams

    def _table_sectors(self) -> Iterator[int]:
        yield from filter(_is_sector, struct.unpack_from(f"<{_HEADER_SECTORS}I", self._data, 76))
        (further,) = struct.unpack_from("<I", self._data, 68)
        for _ in range(len(self._data) // self._sector_bytes):
            if not _is_sector(further):
                return
            *sectors, further = self._numbers(self._sector(further))
            yield from filter(_is_sector, sectors)

    def _sector(self, sector: int) -> bytes:
        start = (sector + 1) * self._sector_bytes
        return self._data[start : start + self._sector_bytes]

    def _chained(self, sector: int) -> bytes:
        return b"".join(map(self._sector, _chain(self._table, sector)))

    def _small(self, small: bytes, sector: int) -> bytes:
        table, size = self._numbers(self._chained(self._small_table)), self._small_bytes
        return b"".join(small[start * size : (start + 1) * size] for start in _chain(table, sector))

    @staticmethod
    def _numbers(data: bytes) -> list[int]:
        return [number for (number,) in struct.iter_unpack("<I", data[: len(data) // 4 * 4])]


def _is_sector(sector: int) -> bool:
    return sector < _LEAST_SPECIAL


def _chain(table: list[int], sector: int) -> Iterator[int]:
    for _ in range(len(table) + 1):
        if not _is_sector(sector):
            return
        yield sector
        sector = table[sector]
    raise ValueError("a chain of sectors has no end")


def _records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    while start + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, start)
        yield kind, stream[start + 4 : start + 4 + size]
        if kind == _END:
            return
        start += 4 + size


def _workbook_size(stream: bytes) -> XlsSize:
    """Return the size of a stream of records; the reader creates all sheets, however often they are listed."""
    starts, shared, longest = [], list[int](), 0
    for kind, data, further in _with_further(stream):
        if kind == _SHEET and len(data) >= 7:
            # The start of a sheet, which can be inside another one.
            starts.append(struct.unpack_from("<I", data)[0])
            longest = max(longest, data[6])
        elif kind == _NAME and len(data) >= 4:
            longest = max(longest, data[3])
        elif kind == _SHARED:
            shared = _SharedTexts(data, further).lengths()
    sheets: dict[int, XlsSize] = {}
    left = _MOST_OVERLAP * len(stream)
    for start in starts:
        if start not in sheets:
            sheets[start], walked = _sheet_size(stream, start, shared, _MOST_BYTES * longest)
            left -= walked
        if left < 0:
            raise ValueError("sheets lie within each other")
    held = sum(sheets[start].held_bytes for start in starts) + sum(shared)
    most_cells = max((size.cells for size in sheets.values()), default=0)
    return XlsSize(most_cells, max((size.text_bytes for size in sheets.values()), default=0), held)


def _with_further(stream: bytes) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Yield the records of the workbook, each with its continuation records."""
    record: tuple[int, bytes, list[bytes]] | None = None
    for kind, data in _records(stream, 0):
        if kind == _CONTINUE and record is not None:
            record[2].append(data)
            continue
        if record is not None:
            yield record
        record = (kind, data, [])
    if record is not None:
        yield record


class _SharedTexts:
    """The texts that cells share ([MS-XLS] 2.4.265 and 2.5.293), over a record and its continuation records."""

    def __init__(self, data: bytes, further: list[bytes]) -> None:
        self._pieces = iter([data, *further])
        self._data, self._place = next(self._pieces), 8
        (self._number,) = struct.unpack_from("<I", data, 4)
        if 3 * self._number > sum(map(len, (data, *further))):
            raise ValueError("there are fewer texts than the workbook says")

    def lengths(self) -> list[int]:
        """Return the maximum number of bytes of each text."""
        return [self._length() for _ in range(self._number)]

    def _length(self) -> int:
        if self._place >= len(self._data):
            self._next_piece()
        characters, flags = struct.unpack_from("<HB", self._data, self._place)
        self._place += 3
        runs = extra = 0
        if flags & 8:
            (runs,) = struct.unpack_from("<H", self._data, self._place)
            self._place += 2
        if flags & 4:
            (extra,) = struct.unpack_from("<I", self._data, self._place)
            self._place += 4
        length = self._characters(characters, wide=bool(flags & 1))
        self._skip(4 * runs + extra)
        return length

    def _characters(self, number: int, *, wide: bool) -> int:
        length = 0
        while True:
            width = 2 if wide else 1
            taken = min(number, (len(self._data) - self._place) // width)
            length += _decoded_bytes(self._data[self._place : self._place + taken * width], wide=wide)
            self._place += taken * width
            number -= taken
            if not number:
                return length
            # A text that continues in the next record declares its character width again.
            self._next_piece()
            wide = bool(self._data[0] & 1)
            self._place = 1

    def _skip(self, number: int) -> None:
        while number:
            if self._place >= len(self._data):
                self._next_piece()
            taken = min(number, len(self._data) - self._place)
            self._place += taken
            number -= taken

    def _next_piece(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            raise ValueError("a text has no end")
        self._data, self._place = piece, 0


def _decoded_bytes(data: bytes, *, wide: bool) -> int:
    """Return the maximum number of UTF-8 bytes of a text in any code page."""
    length = len(data) + (_MOST_BYTES - 1) * (len(data) - len(data.translate(None, _HIGH)))
    return max(length, _MOST_BYTES * len(data) // 2) if wide else length


def _sheet_size(stream: bytes, start: int, shared: list[int], longest: int) -> tuple[XlsSize, int]:
    """Return the size of a sheet and the bytes of its records; ``longest`` is the longest name in a formula."""
    rows = columns = stated = number = texts = others = walked = 0
    for kind, data in _records(stream, start):
        walked += len(data) + 4
        if kind in _CELLS and len(data) >= 4:
            row, column = struct.unpack_from("<HH", data)
            # The last two bytes are the last column of a row of several cells.
            last = struct.unpack_from("<H", data, len(data) - 2)[0] if kind == _MANY_CELLS else column
            rows, columns = max(rows, row + 1), max(columns, column + 1, last + 1)
            number += len(data) // 6 if kind == _MANY_CELLS else 1
        elif kind == _DIMENSIONS:
            stated = max(stated, _stated_cells(data))
        if kind == _SHARED_CELL and len(data) >= 10:
            (index,) = struct.unpack_from("<I", data, 6)
            texts += shared[index] if index < len(shared) else 0
        elif kind in _TEXTS and len(data) >= _TEXTS[kind] + 2:
            # The reader allocates as many characters as are declared, even if they do not exist.
            (characters,) = struct.unpack_from("<H", data, _TEXTS[kind])
            texts += max(characters, _decoded_bytes(data, wide=True))
        elif kind == _FORMULA:
            spaces = data.count(_SPACES[0]) + data.count(_SPACES[1])
            others += _FORMULA_FACTOR * len(data) + 255 * spaces + len(data) // 5 * longest
        elif kind == _MERGED:
            others += 2 * len(data)
    cells = max(rows * columns, stated, number)
    return XlsSize(cells, texts, _HELD_CELL * cells + texts + others), walked


def _stated_cells(data: bytes) -> int:
    first_row, end_row, first_column, end_column = struct.unpack_from("<IIHH" if len(data) >= 12 else "<HHHH", data)
    if not end_row or not end_column:
        return 1
    # The reader's numbers are unsigned: an end before the beginning is a very large sheet.
    return int((end_row - first_row) % (1 << 32) * ((end_column - first_column) % (1 << 32)))
