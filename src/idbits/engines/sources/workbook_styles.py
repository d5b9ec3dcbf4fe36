"""Dates in workbooks of East Asian versions of Excel, whose formats have numbers that the reader does not know."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

__all__ = ["with_known_date_formats"]

_STYLES = "xl/styles.xml"
_MOST_BYTES = 1 << 24
# ECMA-376, part 1, 18.8.30: numbers of formats that mean dates or times in Chinese, Japanese and Korean workbooks.
_DATES = {*range(27, 37), *range(50, 59)}
_DEFINED = re.compile(rb"<(?:\w+:)?numFmt\s[^>]*?numFmtId\s*=\s*[\"']([0-9]+)[\"']")
_CELL_FORMATS = re.compile(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_NUMBER = re.compile(rb"(numFmtId\s*=\s*[\"'])([0-9]+)(?=[\"'])")
_DATE_AND_TIME = b"22"


def with_known_date_formats(path: Path) -> Path | bytes:
    """Return a workbook, as a copy in memory if some of its cells have such a format: the copy has a usual one."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(_STYLES).file_size > _MOST_BYTES:
                return path
            styles = archive.read(_STYLES)
            known = _with_known_formats(styles)
            return path if known == styles else _copy(archive, known)
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, NotImplementedError):
        # Not a workbook of this kind, or a broken one: the reader says what is wrong with it.
        return path


def _with_known_formats(styles: bytes) -> bytes:
    defined = {int(number) for number in _DEFINED.findall(styles)}

    def known(match: re.Match[bytes]) -> bytes:
        number = int(match[2])
        return match[1] + (_DATE_AND_TIME if number in _DATES and number not in defined else match[2])

    return _CELL_FORMATS.sub(lambda formats: _NUMBER.sub(known, formats[0]), styles)


def _copy(archive: zipfile.ZipFile, styles: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
        for entry in archive.infolist():
            copy.writestr(entry.filename, styles if entry.filename == _STYLES else archive.read(entry))
    return target.getvalue()
