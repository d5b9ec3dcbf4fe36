"""Reads a sheet of a workbook as an Arrow table: the rows with the column names, numbers with all digits, and dates."""

from __future__ import annotations

import logging
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow

from idbits.engines.sources.encoding import shown_path
from idbits.engines.sources.footer import LAST_ROWS, count_footer_rows, footer_note
from idbits.engines.sources.header import find_header, header_at
from idbits.engines.sources.header_rows import HeaderRows
from idbits.engines.sources.workbook_styles import with_known_date_formats
from idbits.errors import InputError
from idbits.wording import counted, listed_names

__all__ = ["read_workbook"]

_ROUNDING = 1e-8
_LOOKED_AT_ROWS = 1000
_LOOKED_AT_CELLS = 1_000_000
_UNNAMED = re.compile("__UNNAMED__[0-9]+")
_DATE_TEXT = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}.*")
# 1901 to 2099 as numbers of days, the way workbooks store dates.
_DAYS = (367, 73_050)
_FROM_1904 = re.compile(rb"""date1904\s*=\s*["'](?:1|true)["']""", re.IGNORECASE)


@dataclass(slots=True)
class _Sheet:
    """A sheet, and how to read its rows."""

    path: Path
    book: Any
    name: str
    no_common_type: type[Exception]
    options: dict[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def load(self, **options: object) -> pyarrow.Table:
        # All rows decide the type of a column: a single text in the last row makes it a text column.
        sheet = self.book.load_sheet(self.name, schema_sample_rows=None, **self.options, **options)
        return pyarrow.Table.from_batches([sheet.to_arrow()])

    def load_typed(self) -> pyarrow.Table:
        """Return the rows; as texts if a column has cells without a common type, such as dates and durations."""
        try:
            return self.load()
        except self.no_common_type:
            return self.load(dtypes="string")

    def first_rows(self, number: int) -> list[list[str]]:
        """Return the first rows as texts; empty rows have no cells."""
        sheet = self.book.load_sheet(self.name, header_row=None, skip_rows=0, n_rows=number, dtypes="string")
        return _texts(pyarrow.Table.from_batches([sheet.to_arrow()]))

    def skip_to(self, header: HeaderRows) -> None:
        """Read the names in these rows and the data below them from now on."""
        if header.groups:
            names = [name or f"__UNNAMED__{index}" for index, name in enumerate(header.names)]
            self.options = {"header_row": None, "skip_rows": header.data, "column_names": names}
        else:
            self.options = {"header_row": header.row, "skip_rows": header.data - header.row - 1 or None}


def read_workbook(
    fastexcel: ModuleType, path: Path, sheet: str | None, header_row: int | None
) -> tuple[pyarrow.Table, list[str]]:
    """Return a sheet and notes on how it was read."""
    # It logs a line for each column without values.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    book = fastexcel.read_excel(with_known_date_formats(path))
    names = list(book.sheet_names)
    if sheet is not None and sheet not in names:
        raise InputError(f'no sheet named "{sheet}"{listed_names(names)}')
    no_common_type: type[Exception] = fastexcel.UnsupportedColumnTypeCombinationError
    chosen = _Sheet(path, book, sheet if sheet is not None else names[0], no_common_type)
    if sheet is None and len(names) > 1:
        chosen.notes.append(f'the workbook has {len(names)} sheets; we read "{chosen.name}" (choose with --sheet)')
    if header_row is not None:
        chosen.skip_to(_header_at(chosen, header_row))
        table = chosen.load_typed()
    else:
        table = _below_titles(chosen, chosen.load_typed())
    footer = count_footer_rows(_texts(table.slice(max(0, table.num_rows - LAST_ROWS))), table.num_columns)
    chosen.notes += [footer_note(footer)] if footer else []
    return _with_numbers_and_dates(chosen, table), chosen.notes


def _header_at(sheet: _Sheet, number: int) -> HeaderRows:
    rows = sheet.first_rows(number + 1)
    if len(rows) < number:
        raise InputError(
            f"the sheet has only {counted(len(rows), 'row')}; name the row with the column names (--header-row)"
        )
    if not rows[number - 1]:
        raise InputError(
            f"row {number:,} of {shown_path(sheet.path)} is empty; name the row with the column names (--header-row)"
        )
    header = header_at(rows, number - 1)
    if header.groups:
        sheet.notes += header.notes(0)
    return header


def _below_titles(sheet: _Sheet, table: pyarrow.Table) -> pyarrow.Table:
    """Return the table, read again if its first row is not the one with the column names."""
    names = ["" if _UNNAMED.fullmatch(name) else name for name in table.column_names]
    if not any(names):
        return table
    most = max(10, min(_LOOKED_AT_ROWS, _LOOKED_AT_CELLS // len(names)))
    first = find_header([names, *_texts(table.slice(0, most))])
    if (first.row, first.data, first.suspect) == (0, 1, None):
        return table
    # The names are altered if some are equal, and empty rows above them are not counted.
    rows = sheet.first_rows(most)
    if not any(rows):
        return table
    header = find_header(rows)
    top = next(index for index, row in enumerate(rows) if row)
    sheet.notes += header.notes(top)
    if (header.row, header.data) == (top, top + 1):
        return table
    sheet.skip_to(header)
    return sheet.load_typed()


def _texts(table: pyarrow.Table) -> list[list[str]]:
    columns = [[_text(cell) for cell in column.to_pylist()] for column in table.columns]
    return [list(row) if any(row) else [] for row in zip(*columns, strict=True)]


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return str(cell.total_seconds()) if isinstance(cell, timedelta) else str(cell)


def _with_numbers_and_dates(sheet: _Sheet, table: pyarrow.Table) -> pyarrow.Table:
    """Return a table with all digits of numbers in text columns, and with dates in columns of dates."""
    texts = [index for index, column in enumerate(table.schema) if pyarrow.types.is_string(column.type)]
    if not texts:
        return table
    # The reader rounds numbers in text columns, so we read them again as numbers.
    numbers = sheet.load(dtypes=dict.fromkeys(texts, "float"))
    columns = {index: table.column(index).to_pylist() for index in texts}
    dated = [index for index in texts if _has_numbers_and_dates(columns[index])]
    dates = sheet.load(dtypes=dict.fromkeys(dated, "datetime")) if dated and not _counts_from_1904(sheet.path) else None
    converted = 0
    for index in texts:
        found = numbers.column(index).to_pylist()
        array = pyarrow.array(
            [_longer(text, number) for text, number in zip(columns[index], found, strict=True)], pyarrow.string()
        )
        if dates is not None and index in dated:
            replaced = _numbers_as_dates(array.to_pylist(), found, dates.column(index).to_pylist())
            if replaced is not None:
                array, count = replaced
                converted += count
        table = table.set_column(index, table.field(index).name, array)
    if converted:
        verb = "was read as a date" if converted == 1 else "were read as dates"
        sheet.notes.append(f"{counted(converted, 'number')} among dates {verb}")
    return table


def _longer(text: str | None, number: float | None) -> str | None:
    """Return a text with all digits if it is a rounded number."""
    rounded = text is not None and number is not None and "." in text and text != repr(number)
    try:
        return repr(number) if rounded and abs(float(text or "") - (number or 0.0)) < _ROUNDING else text
    except ValueError:
        return text


def _has_numbers_and_dates(texts: Sequence[str | None]) -> bool:
    has_dates = any(text is not None and _DATE_TEXT.fullmatch(text) for text in texts)
    return has_dates and any(text is not None and text[:1].isdigit() and "-" not in text for text in texts)


def _numbers_as_dates(
    texts: Sequence[str | None], numbers: Sequence[float | None], dates: Sequence[datetime | None]
) -> tuple[pyarrow.Array, int] | None:
    """Return a column whose dates are partly stored as plain numbers, and how many are; None if they are not dates.

    A cell with a date has no number; a cell with a number has both, and a cell with a text has no date.
    """
    stored = [index for index, date in enumerate(dates) if date is not None and numbers[index] is not None]
    has_dates = any(date is not None and numbers[index] is None for index, date in enumerate(dates))
    if not has_dates or not stored or not all(_DAYS[0] <= (numbers[index] or 0) <= _DAYS[1] for index in stored):
        return None
    if all(date is not None for text, date in zip(texts, dates, strict=True) if text is not None):
        return pyarrow.array(dates, pyarrow.timestamp("ms")), len(stored)
    replaced: Mapping[int, str] = {index: str(dates[index]) for index in stored}
    return pyarrow.array([replaced.get(index, text) for index, text in enumerate(texts)], pyarrow.string()), len(stored)


def _counts_from_1904(path: Path) -> bool:
    """Whether the numbers of dates begin in 1904, or may do so: the reader only knows 1900."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("xl/workbook.xml") as stream:
            return _FROM_1904.search(stream.read(1 << 20)) is not None
    except (zipfile.BadZipFile, KeyError, OSError):
        return True
