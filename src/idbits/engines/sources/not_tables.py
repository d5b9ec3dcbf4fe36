"""Files that are not tables, whatever their names end in: documents, images, archives, programs, web pages.

Without this check a PDF would be read as text with one column, and measured.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from idbits.engines.sources.encoding import reason, shown_path
from idbits.errors import DataError
from idbits.wording import counted

__all__ = ["describe_other_file", "is_plain_archive"]

_SAVE = "save its table as CSV, Excel or Parquet"
_EXPORT = "export it as CSV or Parquet"
_UNPACK = "unpack it and name the file with the table"
_CHOOSE = "name the file with the table"

# What a file is, and what to do next, by its first bytes. Short marks that could begin a header ("BM" as in BMI, "MZ",
# "ORC" as in ORCID) only count with a byte that text does not have.
_BINARY = rb"[^\x00]{0,60}\x00"
_BY_FIRST_BYTES: tuple[tuple[bytes, str, str], ...] = (
    (rb"%PDF-", "a PDF document", _SAVE),
    (rb"%!PS", "a PostScript document", _SAVE),
    (rb"\{\\rtf", "a text document (RTF)", _SAVE),
    (rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\x00|MM\x00\*|8BPS\x00|BM.{4}\x00\x00\x00\x00|RIFF.{4}WEBP"
     rb"|.{4}ftyp(?:heic|heix|mif1|avif)", "an image", _CHOOSE),
    (rb"RIFF.{4}(?:WAVE|AVI )|.{4}ftyp|ID3[\x02-\x04]\x00|OggS\x00|fLaC\x00|\x1aE\xdf\xa3",
     "a sound or video file", _CHOOSE),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (rb"BZh[1-9]1AY&SY|\xfd7zXZ\x00|\x1f\x9d|\x04\x22\x4d\x18", "compressed in a way idbits does not read",
     "decompress it, or compress it with gzip or zstd"),
    (rb"MZ" + _BINARY + rb"|\x7fELF|\xcf\xfa\xed\xfe|\xce\xfa\xed\xfe|\xca\xfe\xba\xbe", "a program", _CHOOSE),
    (rb"#![ ]?/", "a script", _CHOOSE),
    (rb"\x89HDF\r\n", "an HDF5 file", _EXPORT),
    (rb"Obj\x01", "an Avro file", _EXPORT),
    (rb"ORC[\x00-\x08\x0e-\x1f]", "an ORC file", _EXPORT),
    (rb"\x93NUMPY", "a NumPy file", _EXPORT),
    (rb"RD[AX][234]\n|X\n\x00\x00\x00", "an R data file", _EXPORT),
    (rb".{8}DUCK[\x00-\xff]\x00", "a DuckDB database", _EXPORT),
    (rb"\x00\x01\x00\x00Standard (?:Jet|ACE) DB", "an Access database", _EXPORT),
)  # fmt: skip
_PATTERNS = tuple((re.compile(pattern, re.DOTALL), kind, advice) for pattern, kind, advice in _BY_FIRST_BYTES)
_WEB_PAGE = re.compile(
    rb"(?:<!--.*?-->|<\?xml[^>]*>|\s)*<(?:!doctype\s+html|html|head|body|title|meta|table)[\s>]", re.I | re.S
)
_OLD_DOCUMENTS = {"WordDocument": "a Word document", "PowerPoint Document": "a PowerPoint presentation"}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE_LIST = "[Content_Types].xml"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_BYTES = 1 << 26
_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".ods")


def describe_other_file(path: Path, first: bytes, *, is_packed: bool) -> str | None:
    """Return what a file is and what to do about it, if its first bytes show that it is not a table.

    Args:
        path: the file; it is read further only if it is an archive or an old Office document.
        first: its first bytes, at least 512 if it has them; decompressed if it is compressed.
        is_packed: whether it is compressed with gzip or zstd.

    >>> describe_other_file(Path("people.csv"), b"%PDF-1.7", is_packed=False)
    'is a PDF document, not a table; save its table as CSV, Excel or Parquet'
    """
    text = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, kind, advice in _PATTERNS:
        # Some writers put a line break before the mark of a PDF.
        if pattern.match(first) or (pattern.pattern.startswith(b"%PDF") and pattern.match(text)):
            return _sentence(kind, advice)
    if first[257:262] == b"ustar":
        return _sentence("a tar archive", _UNPACK)
    if _WEB_PAGE.match(text):
        return _sentence("a web page (HTML)", _SAVE)
    if text[:5].lower() == b"<?xml" and b"Excel.Sheet" in first:
        return _sentence("an Excel 2003 XML file", "save it as .xlsx or CSV")
    if text[:5].lower() == b"<?xml":
        return _sentence("an XML document", _SAVE)
    if first.startswith(_OLE) and not is_packed:
        return _describe_old_office(path)
    if first.startswith(_ZIP):
        return _describe_zip(path, is_packed=is_packed)
    return None


def _sentence(kind: str, advice: str) -> str:
    return f"is {kind}, not a table; {advice}"


def _describe_old_office(path: Path) -> str | None:
    """Tell documents from workbooks in the container format that Office used before 2007."""
    with path.open("rb") as file:
        data = file.read(_OLE_BYTES)
    if any(name.encode("utf-16-le") in data for name in ("Workbook", "Book")):
        return None
    kinds = (kind for name, kind in _OLD_DOCUMENTS.items() if name.encode("utf-16-le") in data)
    return next((_sentence(kind, _SAVE) for kind in kinds), None)


def is_plain_archive(path: Path) -> bool:
    """Whether a file is a zip archive, and neither a workbook nor a document, which are zip files, too."""
    try:
        with path.open("rb") as file:
            if not file.read(4).startswith(_ZIP):
                return False
    except OSError as error:
        raise DataError(f"{shown_path(path)} cannot be read: {reason(error)}") from error
    content = _zip_content(path)
    return content is not None and not content.office_kind and path.suffix.lower() not in _WORKBOOKS


@dataclass(frozen=True, slots=True)
class _ZipContent:
    """The number of files in a zip archive, and what it is for Office: a workbook, a text, a presentation, or none."""

    files: int
    office_kind: str


def _zip_content(path: Path) -> _ZipContent | None:
    """Return what a zip archive contains; None if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            mimetype = archive.open("mimetype").read(100) if "mimetype" in names else b""
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, LookupError, RuntimeError, ValueError):
        return None

    def has(folder: str, kind: bytes) -> bool:
        is_office = _OFFICE_LIST in names and any(name.startswith(folder) for name in names)
        return is_office or b"opendocument." + kind in mimetype

    kinds = (("xl/", b"spreadsheet"), ("word/", b"text"), ("ppt/", b"presentation"))
    kind = next((kind.decode() for folder, kind in kinds if has(folder, kind)), "")
    return _ZipContent(sum(not name.startswith("__MACOSX/") for name in names), kind)


def _describe_zip(path: Path, *, is_packed: bool) -> str | None:
    """Tell documents and archives from workbooks, which are zip files, too."""
    if is_packed:
        return _sentence("a compressed zip archive", _UNPACK)
    is_named_workbook = path.suffix.lower() in _WORKBOOKS
    content = _zip_content(path)
    if content is None:
        # The reader of workbooks has its own sentence.
        return None if is_named_workbook else "is a damaged zip archive, not a table; copy or download it again"
    if content.office_kind == "spreadsheet":
        return None if is_named_workbook else "is a workbook; save it under a name that ends in .xlsx or .ods"
    if content.office_kind:
        kinds = {"text": "a text document (Word or OpenDocument)", "presentation": "a presentation"}
        return _sentence(kinds[content.office_kind], _SAVE)
    return None if is_named_workbook else _sentence(f"a zip archive of {counted(content.files, 'file')}", _UNPACK)
