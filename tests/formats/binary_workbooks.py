"""Binary workbooks (.xlsb) of one sheet, written record by record: no library here writes them."""

import html
import struct
import zipfile
from pathlib import Path

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def write_xlsb(
    path: Path,
    cells: list[tuple[int, int, int]],
    shared: tuple[str, ...] = ("a", "b"),
    *,
    name: str = "sheet1.bin",
    before: bytes = b"",
    decoy: str | None = None,
) -> Path:
    """Write a workbook with the first shared text in its first cell, and others in others: row, column and text.

    Args:
        name: the name of the sheet's part.
        before: bytes that its part begins with.
        decoy: texts among the shared ones that readers pass over: "before" the others, or of a "later version".
    """
    sheet = before + _record(0x81) + _record(0x94, struct.pack("<4I", 0, 1, 0, 0)) + _record(0x91)
    sheet += b"".join(_cell(*cell) for cell in [(0, 0, 0), *cells]) + _record(0x92) + _record(0x82)
    workbook = _record(0x83) + _record(0x8F) + _record(0x9C, struct.pack("<II", 0, 1) + _text("rId1") + _text("S"))
    workbook += _record(0x90) + _record(0x9D) + _record(0x84)
    target = html.escape(f"worksheets/{name}")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.bin", workbook)
        archive.writestr(
            "xl/_rels/workbook.bin.rels",
            f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" Target="{target}"/></Relationships>',
        )
        archive.writestr("xl/sharedStrings.bin", _shared(shared, decoy))
        archive.writestr(f"xl/worksheets/{name}", sheet)
    return path


def _shared(texts: tuple[str, ...], decoy: str | None) -> bytes:
    passed = b"".join(_record(0x13, b"\0" + _text("x")) for _ in range(10))
    begin = _record(0x9F, struct.pack("<II", len(texts), len(texts)))
    if decoy == "before":
        begin = passed + begin
    elif decoy == "later version":
        begin += _record(0x23) + passed + _record(0x24)
    return begin + b"".join(_record(0x13, b"\0" + _text(text)) for text in texts) + _record(0xA0)


def _cell(row: int, column: int, text: int) -> bytes:
    return _record(0, struct.pack("<I", row) + bytes(13)) + _record(7, struct.pack("<III", column, 0, text))


def _text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode("utf-16le")


def _record(kind: int, data: bytes = b"") -> bytes:
    written = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    left = len(data)
    while left >= 0x80:
        written += bytes([left & 0x7F | 0x80])
        left >>= 7
    return written + bytes([left]) + data
