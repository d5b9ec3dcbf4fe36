"""How large a sheet of a workbook becomes when it is read, found out by going through its packed parts.

A workbook is a zip archive, and a small one can contain very much: equal cells compress well, millions of cells can
share one text, a cell in the last corner creates all cells before it, and a repeated row of an OpenDocument table is
one line. The sizes that an archive declares can be wrong, so we do not trust them. Nor do we trust the names of its
parts: the reader of workbooks finds sheets through a list in the archive, and tolerates some errors in it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import zip_longest
from pathlib import Path
from typing import IO
from xml.parsers import expat

from idbits.engines.sources import sheet_size
from idbits.engines.sources.sheet_size import SheetSize, TooLarge
from idbits.engines.sources.xls_size import MAGIC, xls_size

__all__ = ["workbook_size"]

_CHUNK = 1 << 20
_SHARED = "xl/sharedstrings"
_BINARY_WORKBOOK, _OPEN_DOCUMENT = "xl/workbook.bin", "content.xml"
# What the reader searches for before it reads cells.
_BEFORE_CELLS = b"sheetData"


def workbook_size(path: Path, most: int) -> SheetSize | None:
    """Return the size of the largest sheet; None if the file is neither a zip archive nor an old workbook.

    Raises:
        TooLarge: as soon as it is known to need more than ``most`` bytes.
    """
    with path.open("rb") as file:
        is_old = file.read(len(MAGIC)) == MAGIC
    # A file can be both: its name decides how it is read.
    largest = _old_size(path) if is_old else SheetSize()
    if largest.memory > most:
        raise TooLarge
    if not zipfile.is_zipfile(path):
        return largest if is_old else None
    with zipfile.ZipFile(path) as archive:
        shared = _shared_lengths(archive, most)
        for part in _possible_sheets(archive):
            size = SheetSize()
            for _ in _parsed(archive, part, size, shared, most):
                if size.memory + sum(shared) > most:
                    raise TooLarge
            largest = max(largest, size, key=lambda sheet: sheet.memory)
    return largest


def _old_size(path: Path) -> SheetSize:
    size = xls_size(path)
    # The reader copies the texts of this kind of sheet once more, as measured.
    return SheetSize(size.cells, size.text_bytes, path.stat().st_size + size.held_bytes + size.text_bytes)


class _Kind(Enum):
    OFFICE = auto()
    BINARY = auto()
    OPEN_DOCUMENT = auto()


@dataclass(frozen=True, slots=True)
class _WorkbookPart:
    """A part of an archive that may be a sheet, and how the reader may read it."""

    info: zipfile.ZipInfo
    kind: _Kind


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name of a part as the reader compares it."""
    return info.filename.replace("\\", "/").lower()


def _possible_sheets(archive: zipfile.ZipFile) -> Iterator[_WorkbookPart]:
    """Yield the parts that may be sheets, with every way to read them.

    A list in the archive names the sheets, so they can have any name. Their first bytes do not identify them either:
    the reader of binary sheets skips everything before the cells, even the beginning of an XML file.
    """
    parts = [info for info in archive.infolist() if not info.is_dir()]
    is_binary = any(_name(info) == _BINARY_WORKBOOK for info in parts)
    for info in parts:
        name = _name(info)
        is_other = name == _OPEN_DOCUMENT or name.startswith(_SHARED) or not name.endswith(".xml")
        if not is_other or _has_cells(archive, info):
            yield _WorkbookPart(info, _Kind.OFFICE)
        if name == _OPEN_DOCUMENT:
            yield _WorkbookPart(info, _Kind.OPEN_DOCUMENT)
        if is_binary:
            yield _WorkbookPart(info, _Kind.BINARY)


def _has_cells(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bool:
    """Return whether an XML reader would search a part for cells."""
    tail = b""
    with _opened(archive, info) as stream:
        while chunk := stream.read(_CHUNK):
            if _BEFORE_CELLS in tail + chunk:
                return True
            tail = chunk[-len(_BEFORE_CELLS) :]
    return False


def _parsed(
    archive: zipfile.ZipFile, part: _WorkbookPart, size: SheetSize, shared: list[int], most: int
) -> Iterator[None]:
    """Scan a sheet and add to its size: in the form that most programs write, or else in any form of XML."""
    if part.kind is _Kind.OFFICE:
        with _opened(archive, part.info) as stream:
            usual = sheet_size.usual_sheet(stream, shared, most)
        if usual is not None:
            size.cells, size.text_bytes, size.packed_bytes = usual.cells, usual.text_bytes, usual.packed_bytes
            yield
            return
    with _opened(archive, part.info) as stream:
        if part.kind is _Kind.BINARY:
            yield from sheet_size.binary_sheet(stream, size, shared, most)
            return
        try:
            if part.kind is _Kind.OPEN_DOCUMENT:
                yield from sheet_size.open_document(stream, size, most)
            else:
                yield from sheet_size.office_sheet(stream, size, shared, most)
        except expat.ExpatError:
            # The reader tolerates some errors and continues, and the rest would not be counted.
            if part.kind is _Kind.OPEN_DOCUMENT or _has_cells(archive, part.info):
                raise


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    # Python stops at the declared size, while other readers continue; so we declare the maximum.
    info.file_size = 1 << 62
    stream = archive.open(info)
    # The checksum would then be wrong.
    stream._expected_crc = None  # type: ignore[attr-defined]  # noqa: SLF001
    return stream


def _shared_lengths(archive: zipfile.ZipFile, most: int) -> list[int]:
    """Return the lengths of shared texts; if several parts have them, the longest at each position."""
    lengths_by_part: list[list[int]] = []
    for info in archive.infolist():
        if _name(info) == f"{_SHARED}.xml":
            with _opened(archive, info) as stream:
                lengths_by_part.append(sheet_size.xml_shared(stream, most))
        elif _name(info) == f"{_SHARED}.bin":
            with _opened(archive, info) as stream:
                lengths_by_part.append(sheet_size.binary_shared(stream, most))
    return [max(lengths) for lengths in zip_longest(*lengths_by_part, fillvalue=0)]
