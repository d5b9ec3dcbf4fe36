"""Old workbooks (.xls) of one sheet, written record by record: no library here writes them."""

import struct
from pathlib import Path

_END, _FREE, _TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SECTOR, _SMALL, _LEAST_LARGE = 512, 64, 4096


def write_xls(path: Path, records: bytes, *, shared: bytes = b"", sheets: int = 1, small: bool = False) -> Path:
    """Write a workbook whose sheet has these records, in small sectors or in large ones, and is listed some times."""
    sheet = record(0x0809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0)) + records + record(0x0A)
    start = len(_globals(0, shared, sheets))
    stream = _globals(start, shared, sheets) + sheet
    path.write_bytes(_container(stream, small=small))
    return path


def record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def text(row: int, column: int, value: str) -> bytes:
    return record(0x0204, struct.pack("<HHHHB", row, column, 0, len(value), 0) + value.encode())


def shared_texts(*texts: str, piece: int = 8000, wide: bool = False) -> bytes:
    """Return the texts that cells share; those that are longer than a piece go on in the next record."""
    coding = "utf-16le" if wide else "latin-1"
    pieces, current = [], struct.pack("<II", len(texts), len(texts))
    for value in texts:
        current += struct.pack("<HB", len(value), int(wide))
        data = value.encode(coding)
        while data:
            current, data = current + data[:piece], data[piece:]
            if data:
                pieces.append(current)
                current = bytes([int(wide)])
    return record(0xFC, [*pieces, current][0]) + b"".join(record(0x3C, piece) for piece in [*pieces, current][1:])


def shared_text(row: int, column: int, index: int) -> bytes:
    return record(0xFD, struct.pack("<HHHI", row, column, 0, index))


def number(row: int, column: int) -> bytes:
    return record(0x0203, struct.pack("<HHHd", row, column, 0, 1.0))


def dimensions(rows: int, columns: int) -> bytes:
    return record(0x0200, struct.pack("<IIHHH", 0, rows, 0, columns, 0))


def _globals(start: int, shared: bytes, sheets: int) -> bytes:
    begin = record(0x0809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)) + record(0x42, struct.pack("<H", 1200))
    named = (record(0x85, struct.pack("<IBB", start, 0, 0) + b"\x03\x00" + b"%03d" % sheet) for sheet in range(sheets))
    return begin + b"".join(named) + shared + record(0x0A)


def _container(stream: bytes, *, small: bool) -> bytes:
    size = len(stream) if small else max(len(stream), _LEAST_LARGE)
    data = stream.ljust(-(-size // _SECTOR) * _SECTOR, b"\0")
    sectors = len(data) // _SECTOR
    # Sector 0 has the table, 1 the entries, 2 the table of small sectors; then come the data.
    table = [_TABLE, _END, _END, *range(4, 3 + sectors), _END]
    smalls = [*range(1, -(-size // _SMALL)), _END] if small else []
    root = (3, len(data)) if small else (_END, 0)
    entries = _entry("Root Entry", 5, 1, *root) + _entry("Workbook", 2, _FREE, 0 if small else 3, size)
    header = bytes.fromhex("D0CF11E0A1B11AE1") + b"\0" * 16 + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9I", 0, 1, 1, 0, _LEAST_LARGE, 2 if small else _END, int(small), _END, 0)
    header += struct.pack("<109I", 0, *[_FREE] * 108)
    return header + _numbers(table) + entries.ljust(_SECTOR, b"\0") + _numbers(smalls) + data


def _numbers(numbers: list[int]) -> bytes:
    return struct.pack("<128I", *numbers, *[_FREE] * (128 - len(numbers)))


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    written = name.encode("utf-16le") + b"\0\0"
    links = struct.pack("<HBBIII", len(written), kind, 1, _FREE, _FREE, child)
    return written.ljust(64, b"\0") + links + b"\0" * 36 + struct.pack("<IQ", start, size)
