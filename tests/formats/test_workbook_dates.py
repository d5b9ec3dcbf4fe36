"""Dates of workbooks: cells formatted as dates are dates, numbers stay numbers, and numbers among dates are dates."""

from __future__ import annotations

import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

import idbits

# Workbooks count days: 43831 is 2020-01-01.
NEW_YEAR = date(2020, 1, 1)
SERIAL = 43831
NOTE = "1 number among dates was read as a date"


def write(path: Path, values: list[object], *, format: str | None = None, from_1904: bool = False) -> Path:  # noqa: A002
    book = openpyxl.Workbook()
    if from_1904:
        book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    assert sheet is not None
    sheet.append(["day", "zip"])
    for row, value in enumerate(values, start=2):
        cell = sheet.cell(row=row, column=1, value=value)  # type: ignore[arg-type]
        sheet.cell(row=row, column=2, value="1011")
        if format is not None:
            cell.number_format = format
    book.save(path)
    return path


def day_column(path: Path) -> tuple[str, int, tuple[str, ...]]:
    inspected = idbits.inspect(path)
    return inspected.columns[0].kind, inspected.columns[0].distinct, inspected.notes


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "people.xlsx"


def test_dates_are_dates(book: Path) -> None:
    write(book, [NEW_YEAR, NEW_YEAR, datetime(2020, 1, 2, 10, 30)])
    assert day_column(book) == ("timestamp", 2, ())
    assert idbits.measure(book, ["day:year"]).figures.n_sets == 1


@pytest.mark.parametrize(
    "format", ["yyyy-mm-dd", "d.m.yyyy", "[$-407]d. mmmm yyyy;@", "dd/mm/yy;@", "mmm-yy", "m/d/yyyy h:mm", "yyyy"]
)
def test_numbers_formatted_as_dates_are_dates(format: str, book: Path) -> None:  # noqa: A002
    write(book, [SERIAL, SERIAL + 1], format=format)
    assert day_column(book) == ("timestamp", 2, ())


@pytest.mark.parametrize("format", ["General", "0", "#,##0"])
def test_numbers_without_such_a_format_are_numbers(format: str, book: Path) -> None:  # noqa: A002
    write(book, [SERIAL, SERIAL + 1], format=format)
    assert day_column(book) == ("number", 2, ())


def test_a_number_among_dates_is_the_same_day(book: Path) -> None:
    write(book, [NEW_YEAR, SERIAL, date(2020, 1, 2), None])
    assert day_column(book) == ("timestamp", 2, (NOTE,))
    assert idbits.measure(book, ["day"]).figures.spectrum.pairs() == [(1, 2), (2, 1)]


def test_a_number_among_dates_and_texts_is_the_same_day(book: Path) -> None:
    write(book, [NEW_YEAR, SERIAL, "unknown", "43831"])
    assert day_column(book) == ("text", 3, (NOTE,))
    assert idbits.measure(book, ["day"]).figures.spectrum.pairs() == [(1, 2), (2, 1)]


@pytest.mark.parametrize("number", [5, 99_999, -3])
def test_numbers_that_are_no_likely_days_stay_numbers(number: int, book: Path) -> None:
    write(book, [NEW_YEAR, SERIAL, number])
    assert day_column(book) == ("text", 3, ())


def test_days_since_1904_are_not_guessed(book: Path) -> None:
    write(book, [NEW_YEAR, SERIAL, date(2020, 1, 2)], from_1904=True)
    assert day_column(book) == ("text", 3, ())


def test_times_and_durations_in_one_column(book: Path) -> None:
    write(book, [time(10, 30), timedelta(hours=30), time(10, 30)])
    assert day_column(book) == ("text", 2, ())


def test_dates_below_a_title(book: Path) -> None:
    opened = openpyxl.load_workbook(write(book, [NEW_YEAR, date(2020, 1, 2)]))
    sheet = opened.active
    assert sheet is not None
    sheet.insert_rows(1, 2)
    sheet["A1"] = "Register"
    opened.save(book)
    kind, distinct, notes = day_column(book)
    assert (kind, distinct, len(notes)) == ("timestamp", 2, 1)


def test_dates_of_open_document(tmp_path: Path) -> None:
    cells = [
        '<table:table-cell office:value-type="string"><text:p>day</text:p></table:table-cell>',
        *(
            f'<table:table-cell office:value-type="date" office:date-value="2020-01-0{day}"/>'
            for day in (1, 1, 2)
        ),
    ]  # fmt: skip
    rows = "".join(f"<table:table-row>{cell}</table:table-row>" for cell in cells)
    with zipfile.ZipFile(tmp_path / "people.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr(
            "content.xml",
            '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
            'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
            'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
            f'<table:table table:name="s">{rows}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
    assert day_column(tmp_path / "people.ods") == ("date", 2, ())


def renumber_formats(book: Path, target: Path, number: int, defined: str = "") -> Path:
    """Give all cells with a format another one by its number, as other versions of Excel write it."""
    import re

    with zipfile.ZipFile(book) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/styles.xml":
                text = re.sub(r"<numFmts.*?</numFmts>", defined, data.decode(), flags=re.DOTALL)
                cells = re.search(r"<cellXfs.*</cellXfs>", text, re.DOTALL)
                assert cells is not None
                text = text.replace(cells[0], re.sub(r'numFmtId="[1-9]\d*"', f'numFmtId="{number}"', cells[0]))
                data = text.encode()
            new.writestr(name, data)
    return target


@pytest.mark.parametrize("number", [14, 27, 31, 36, 50, 57, 58])
def test_formats_of_east_asian_workbooks_are_dates(number: int, book: Path, tmp_path: Path) -> None:
    write(book, [SERIAL, SERIAL + 1, SERIAL + 366], format='yyyy"x"')
    renumbered = renumber_formats(book, tmp_path / "renumbered.xlsx", number)
    assert day_column(renumbered) == ("timestamp", 3, ())
    assert idbits.measure(renumbered, ["day:year"]).n_sets == 2


def test_a_format_that_a_workbook_defines_itself_is_no_date(book: Path, tmp_path: Path) -> None:
    write(book, [SERIAL, SERIAL + 1, SERIAL + 366], format='yyyy"x"')
    defined = '<numFmts count="1"><numFmt numFmtId="31" formatCode="0.00"/></numFmts>'
    assert day_column(renumber_formats(book, tmp_path / "renumbered.xlsx", 31, defined))[0] in ("integer", "number")
