"""How many cells the largest sheet of an old workbook (.xls) takes, found out from its records without reading them.

The reader of workbooks makes the whole rectangle from the first to the last cell, and room for as many cells as the
sheet says that it has. A file of some kilobytes with a cell in the last corner therefore takes gigabytes.

Records: [MS-XLS] 2.4; the container: [MS-CFB] 2.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

__all__ = ["MAGIC", "xls_cells"]

MAGIC = bytes.fromhex("D0CF11E0A1B11AE1")

_STREAMS = ("workbook", "book")
_LEAST_SPECIAL = 0xFFFFFFF0
_ENTRY_BYTES, _HEADER_PLACES = 128, 109
_SHEET, _END, _DIMENSIONS = 0x0085, 0x000A, 0x0200
_MANY_CELLS = 0x00BD
_CELLS = frozenset({0x0006, 0x00D6, 0x00FD, 0x0203, 0x0204, 0x0205, 0x027E, _MANY_CELLS})


def xls_cells(path: Path) -> int:
    """Return the cells of the largest sheet; a container that cannot be followed raises an error of any kind."""
    container = _Container(path.read_bytes())
    return max((_cells_at(stream, start) for stream in container.workbooks() for start in _starts(stream)), default=0)


class _Container:
    """Files in sectors, which a table chains to each other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        (shift, small_shift) = struct.unpack_from("<HH", data, 30)
        self._sector_bytes, self._small_bytes = 1 << shift, 1 << small_shift
        self._entries_start, self._least_large, self._small_table = struct.unpack_from("<I4xII", data, 48)
        self._table = self._numbers(b"".join(self._sector(place) for place in self._table_places()))

    def workbooks(self) -> list[bytes]:
        """Return the streams of records."""
        entries = self._chained(self._entries_start)
        found, small = [], b""
        for place in range(0, len(entries), _ENTRY_BYTES):
            (name_bytes,) = struct.unpack_from("<H", entries, place + 64)
            name = entries[place : place + max(0, name_bytes - 2)].decode("utf-16le", errors="replace")
            start, size = struct.unpack_from("<II", entries, place + 116)
            if place == 0:
                small = self._chained(start)
            elif name.lower() in _STREAMS:
                found.append((self._chained(start) if size >= self._least_large else self._small(small, start))[:size])
        return found

    def _table_places(self) -> Iterator[int]:
        yield from (place for place in struct.unpack_from(f"<{_HEADER_PLACES}I", self._data, 76) if _is_sector(place))
        (further,) = struct.unpack_from("<I", self._data, 68)
        for _ in range(len(self._data) // self._sector_bytes):
            if not _is_sector(further):
                return
            *places, further = self._numbers(self._sector(further))
            yield from filter(_is_sector, places)

    def _sector(self, place: int) -> bytes:
        start = (place + 1) * self._sector_bytes
        return self._data[start : start + self._sector_bytes]

    def _chained(self, place: int) -> bytes:
        return b"".join(map(self._sector, _chain(self._table, place)))

    def _small(self, small: bytes, place: int) -> bytes:
        table, size = self._numbers(self._chained(self._small_table)), self._small_bytes
        return b"".join(small[start * size : (start + 1) * size] for start in _chain(table, place))

    @staticmethod
    def _numbers(data: bytes) -> list[int]:
        return [number for (number,) in struct.iter_unpack("<I", data[: len(data) // 4 * 4])]


def _is_sector(place: int) -> bool:
    return place < _LEAST_SPECIAL


def _chain(table: list[int], place: int) -> Iterator[int]:
    for _ in range(len(table) + 1):
        if not _is_sector(place):
            return
        yield place
        place = table[place]
    raise ValueError("a chain of sectors has no end")


def _records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    while start + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, start)
        yield kind, stream[start + 4 : start + 4 + size]
        if kind == _END:
            return
        start += 4 + size


def _starts(stream: bytes) -> Iterator[int]:
    """Yield where sheets begin, which the workbook says: also in the middle of something else."""
    for kind, data in _records(stream, 0):
        if kind == _SHEET and len(data) >= 4:
            yield struct.unpack_from("<I", data)[0]


def _cells_at(stream: bytes, start: int) -> int:
    rows = columns = stated = 0
    for kind, data in _records(stream, start):
        if kind in _CELLS and len(data) >= 4:
            row, column = struct.unpack_from("<HH", data)
            # The last two bytes say in which column a row of several cells ends.
            last = struct.unpack_from("<H", data, len(data) - 2)[0] if kind == _MANY_CELLS else column
            rows, columns = max(rows, row + 1), max(columns, column + 1, last + 1)
        elif kind == _DIMENSIONS:
            form = "<IIHH" if len(data) >= 12 else "<HHHH"
            first_row, end_row, first_column, end_column = struct.unpack_from(form, data)
            stated = max(stated, (end_row - first_row) * (end_column - first_column))
    return max(rows * columns, stated)
