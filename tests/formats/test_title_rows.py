"""Files that begin with a title are measured like the table below it, in every encoding and format."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from old_workbooks import text as xls_text
from old_workbooks import write_xls
from writers import COLUMNS, ROWS, text

import idbits

TITLE = "Zqx register 2019"
QID = ["zip", "age"]
SPECTRUM = sorted(Counter(Counter((zip_code, age) for zip_code, age, _ in ROWS).values()).items())


def spectrum(source: object, **reading: object) -> list[tuple[int, int]]:
    measured = idbits.measure(source, QID, **reading)
    assert not any("Zqx" in note for note in measured.notes)
    return measured.figures.spectrum.pairs()


def notes(source: object, **reading: object) -> tuple[str, ...]:
    return idbits.inspect(source, **reading).notes


def columns(source: object, **reading: object) -> list[str]:
    return [column.column for column in idbits.inspect(source, **reading).columns]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def test_the_table_itself(file: Path) -> None:
    file.write_bytes(text())
    assert spectrum(file) == SPECTRUM
    assert notes(file) == ()


ABOVE = {
    "a line": f"{TITLE}\n",
    "a line and an empty one": f"{TITLE}\n\n",
    "empty lines first": f"\n\n{TITLE}\n\n",
    "all cells": f"{TITLE},,\n",
    "an empty row": f"{TITLE},,\n,,\n",
    "two cells": f"{TITLE},2019,\n",
    "three cells": f"{TITLE},2019,Zqx\n",
    "four cells": f"{TITLE},2019,Zqx,7\n",
    "descriptions": f"Zqx:,open\nState:,2019\nOffice:,Zqx\n{TITLE},\n\n",
    "a line break in quotes": f'"{TITLE},\nfor the\n\nZqx"\n',
    "quotes": f'"{TITLE}" of "Zqx"\n',
    "another delimiter": f"{TITLE}; 7; Zqx\n",
    "many lines": f"{TITLE}\n" * 500,
    "comments": f"# {TITLE}\n#\n",
}


@pytest.mark.parametrize("name", ABOVE)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_titles_of_text_files(name: str, delimiter: str, file: Path) -> None:
    file.write_bytes(ABOVE[name].encode() + text(delimiter=delimiter))
    assert spectrum(file) == SPECTRUM
    records = len(list(csv.reader(io.StringIO(ABOVE[name], newline=""))))
    (note,) = idbits.measure(file, ["sex"]).notes
    assert f"the column names are in row {records + 1};" in note
    assert "(change with --header-row)" in note
    assert spectrum(file, header_row=records + 1) == SPECTRUM


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_titles_in_other_encodings(encoding: str, end: str, file: Path) -> None:
    above = f"{TITLE} é{end}{end}"
    bare = "utf-8" if encoding == "utf-8-sig" else encoding.replace("utf-16", "utf-16-le").replace("-le-le", "-le")
    file.write_bytes(above.encode(encoding) + text(bare, end=end))
    assert spectrum(file) == SPECTRUM


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_titles_in_compressed_files(quoting: int, tmp_path: Path) -> None:
    file = tmp_path / "people.csv.gz"
    file.write_bytes(gzip.compress(f"{TITLE}\n\n".encode() + text(quoting=quoting)))
    assert spectrum(file) == SPECTRUM


def test_single_quotes_below_a_title(file: Path) -> None:
    quoted = text(quoting=csv.QUOTE_ALL).replace(b'"', b"'")
    file.write_bytes(f"{TITLE}\n".encode() + quoted)
    assert columns(file) == COLUMNS
    assert spectrum(file) == SPECTRUM


def test_rows_of_any_length_are_accounted_for_below_a_title(file: Path) -> None:
    file.write_text(f"{TITLE}\nname,zip,age\nAnn,1011,34\nBob,1012,35\nCid,1013\n\nSource: Zqx\n")
    inspected = idbits.inspect(file)
    assert inspected.n_rows == 4
    assert "2 rows are shorter than the header: the last columns are null" in inspected.notes
    file.write_text(f"{TITLE}\nname,zip,age\nAnn,1011,34\nBob,1012,35\nCid,1013,36,7\n")
    with pytest.raises(idbits.DataError, match=r"1 row with more fields than the header \(the first near line 5\)"):
        idbits.inspect(file)


def test_each_file_may_have_its_own_title(tmp_path: Path) -> None:
    head, *lines = text().decode().splitlines(keepends=True)
    (tmp_path / "1.csv").write_text("".join([f"{TITLE}\n", head, *lines[:4]]))
    (tmp_path / "2.csv").write_text("".join([head, *lines[4:7]]))
    (tmp_path / "3.csv").write_text("".join([f"{TITLE},,\n\n\n", head, *lines[7:]]))
    assert spectrum(tmp_path) == SPECTRUM
    assert [note[:30] for note in notes(tmp_path)] == [
        "the column names are in row 2;",
        "the column names are in row 4;",
    ]


def test_a_title_alone_is_a_file_of_one_column(file: Path) -> None:
    for content in (TITLE, f"{TITLE}\n"):
        file.write_text(content)
        assert (columns(file), idbits.inspect(file).n_rows) == ([TITLE], 0)


def test_a_title_and_names_without_rows(file: Path) -> None:
    file.write_text(f"{TITLE},,\nname,zip,age\n")
    assert (columns(file), idbits.inspect(file).n_rows) == (["name", "zip", "age"], 0)


# How statistical offices, banks, laboratories and survey tools write their files, with other numbers.
AS_PUBLISHED = {
    "a development bank": (
        '"Data Source","Indicators",\n\n"Last Updated Date","2023-07-25",\n\n'
        '"Country Name","Country Code","1960 [YR1960]","1961 [YR1961]",\n"Aruba","ABW","54608","55811",\n'
        '"Africa Eastern","AFE","130692","134169",\n"Afghanistan","AFG","8622","8790",\n',
        ["Country Name", "Country Code", "1960 [YR1960]", "1961 [YR1961]", "column5"],
        3,
    ),
    "a statistical office": (
        "GENESIS-Tabelle: 12411\nBevölkerung: Deutschland, Stichtag;;;\nDeutschland;;;\n"
        "Stichtag;Anzahl;männlich;weiblich\n31.12.2018;83;40;42\n31.12.2019;84;41;43\n31.12.2020;85;41;44\n"
        "__________\nQuelle: Amt\n",
        ["Stichtag", "Anzahl", "männlich", "weiblich"],
        5,
    ),
    "the same in two rows": (
        "Bevölkerung;;;;\n;2018;;2019;\nLand;männlich;weiblich;männlich;weiblich\nBayern;64;65;66;67\nBerlin;17;18;19;20\n",
        ["Land", "2018 männlich", "2018 weiblich", "2019 männlich", "2019 weiblich"],
        2,
    ),
    "a hospital": (
        "Generated:,2024-01-15 10:33\nUser:,jdoe\nFilter:,All patients\n\nPatient ID,Sex,Date of birth,ZIP\n"
        "1001,F,1980-02-03,1011\n1002,M,1975-12-11,1012\n1003,F,1990-07-30,1011\n\nTotal:,3\n",
        ["Patient ID", "Sex", "Date of birth", "ZIP"],
        4,
    ),
    "a bank": (
        '"Konto:";"DE12 / Giro"\n\n"Von:";"01.01.2020"\n"Bis:";"31.01.2020"\n\n"Tag";"Text";"Partner";"Betrag (EUR)"\n'
        '"31.01.2020";"Lastschrift";"ACME";"-12,34"\n"30.01.2020";"Gutschrift";"Firma";"1.000,00"\n',
        ["Tag", "Text", "Partner", "Betrag (EUR)"],
        2,
    ),
    "web statistics": (
        "# ------\n# All Web Site Data\n# 20200101-20200131\n# ------\n\nDay,Users\n" + '1/1/20,"1,234"\n' * 5,
        ["Day", "Users"],
        5,
    ),
    "a delimiter for Excel": ("sep=;\nname;age;zip\nAnn;34;1011\nBob;35;1012\n", ["name", "age", "zip"], 2),
    "a survey tool": (
        "StartDate,Progress,Q1,Q2\nStart Date,Progress,How old are you?,Where do you live?\n"
        + ",".join(f'"{{""ImportId"":""{name}""}}"' for name in ("start", "progress", "QID1", "QID2"))
        + "\n2021-01-01,100,34,Rome\n2021-01-02,100,35,Oslo\n2021-01-02,90,36,Oslo\n",
        ["StartDate", "Progress", "Q1", "Q2"],
        3,
    ),
    "a laboratory": (
        "Table 3. Laboratory values;;;;;\n;;;;;\nPatient;;Laboratory;;;\n"
        "ID;Sex;Na;K;Crea;Date\n;;mmol/l;mmol/l;mg/dl;\n"
        "P001;F;140;4.1;0.9;01.02.2020\nP002;M;138;4.4;1.1;02.02.2020\n",
        ["ID", "Sex", "Na", "K", "Crea", "Date"],
        2,
    ),
}


@pytest.mark.parametrize("name", AS_PUBLISHED)
def test_files_as_they_are_published(name: str, file: Path) -> None:
    content, names, rows = AS_PUBLISHED[name]
    file.write_text(content, encoding="utf-8")
    inspected = idbits.inspect(file)
    assert ([column.column for column in inspected.columns], inspected.n_rows) == (names, rows)


ONE_COLUMN = [
    "name\nDoe, Jo\nRoe, Al\nPoe, Ed\nLoe, Di\n",
    "tags\na;b;c\nd;e;f\n",
    "n\n1,5\n2,5\n3,5\n4,5\n",
    "comment\n" + "all is well\n" * 9 + "some;things\nOthers;Not\n",
    "comment\n" + "it is,or it is not\n" * 9 + "well;so;what\nOne;Two;Three\nFour;Five;Six\n",
]


@pytest.mark.parametrize("content", ONE_COLUMN)
def test_delimiters_in_a_single_column_are_no_table_below_a_title(content: str, file: Path) -> None:
    file.write_text(content)
    assert (columns(file), notes(file)) == ([content.partition("\n")[0]], ())


def test_short_rows_below_a_long_header_are_no_table_below_a_title(file: Path) -> None:
    file.write_text("name,zip,age,sex,job\n" + "Ann,1011,34\nBob,1012,35\nCid,1013,36\n" * 5)
    assert columns(file) == ["name", "zip", "age", "sex", "job"]


def test_a_table_above_a_table_is_not_taken_for_a_title(file: Path) -> None:
    file.write_text("name,age\nAnn,34\nBob,35\nCid,36\n\nid,zip,sex\n1,1011,F\n2,1012,M\n")
    with pytest.raises(idbits.DataError, match="more fields than the header"):
        idbits.inspect(file)


def test_numbers_below_a_title_may_be_data(file: Path) -> None:
    file.write_text(f"{TITLE}\n\nAnn,1011,34\nBob,1012,35\nCid,1013,36\n")
    inspected = idbits.inspect(file)
    assert inspected.names_withheld
    assert any("row 3 may contain data" in note for note in inspected.notes)
    unnamed = idbits.inspect(file, header=False)
    assert (unnamed.n_rows, [column.column for column in unnamed.columns]) == (3, ["column1", "column2", "column3"])
    assert "2 rows above the data were skipped" in unnamed.notes


def test_a_first_line_that_is_empty_does_not_make_the_name_a_value(file: Path) -> None:
    file.write_text("\nname\nAnn\nBob\n")
    assert (columns(file), idbits.inspect(file).n_rows) == (["name"], 2)


def test_two_rows_of_names_in_a_text_file(file: Path) -> None:
    file.write_text(f"{TITLE}\n,Before,,After\nid,kg,cm,kg,cm\n1,60,170,61,171\n2,70,180,71,181\n")
    assert columns(file) == ["id", "Before kg", "Before cm", "After kg", "After cm"]
    assert columns(file, header_row=3) == ["id", "Before kg", "Before cm", "After kg", "After cm"]
    assert idbits.measure(file, ["Before kg", "After cm"]).n_rows == 2


def workbook(folder: Path, above: list[list[object]], *, start: int = 1, merge: tuple[str, ...] = ()) -> Path:
    """Write the table below some rows, of which the first is at a row of the sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    table: list[list[object]] = [*above, list(COLUMNS), *map(list, ROWS)]
    for row, cells in enumerate(table, start=start):
        for column, cell in enumerate(cells, start=1):
            if cell is not None:
                sheet.cell(row=row, column=column, value=cell)  # type: ignore[arg-type]
    for area in merge:
        sheet.merge_cells(area)
    book.save(folder / "people.xlsx")
    return folder / "people.xlsx"


SHEETS: dict[str, list[list[object]]] = {
    "nothing": [],
    "one cell": [[TITLE]],
    "one cell and an empty row": [[TITLE], []],
    "two cells": [[TITLE, 2019]],
    "three cells": [[TITLE, 2019, "Zqx"]],
    "a number": [[2019]],
    "many rows": [[TITLE]] * 500,
    "groups": [["Zqx", None, "Person"]],
}


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("start", [1, 4])
def test_titles_of_workbooks(name: str, start: int, tmp_path: Path) -> None:
    above = SHEETS[name]
    path = workbook(tmp_path, above, start=start)
    inspected = idbits.inspect(path)
    assert [column.column for column in inspected.columns] == COLUMNS
    assert inspected.columns[1].kind == "number"
    row = start + len(above)
    assert [note.partition(";")[0] for note in inspected.notes] == [f"the column names are in row {row}"] * bool(above)
    assert spectrum(path) == spectrum(path, header_row=row) == SPECTRUM


def test_merged_cells_name_groups(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ["id", "before", None, "after", None],
        [None, "kg", "cm", "kg", "cm"],
        [1, 2, 3, 4, 5],
        [2, 3, 4, 5, 6],
    ):
        sheet.append(row)
    for area in ("A1:A2", "B1:C1", "D1:E1"):
        sheet.merge_cells(area)
    book.save(tmp_path / "people.xlsx")
    inspected = idbits.inspect(tmp_path / "people.xlsx")
    assert [column.column for column in inspected.columns] == ["id", "before kg", "before cm", "after kg", "after cm"]
    assert {column.kind for column in inspected.columns} == {"number"}
    assert inspected.n_rows == 2


def test_wrong_rows_of_a_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path, [[TITLE], []])
    with pytest.raises(idbits.InputError, match=r"row 2 of .*people.xlsx is empty"):
        idbits.inspect(path, header_row=2)
    with pytest.raises(idbits.InputError, match=r"only 14 rows"):
        idbits.inspect(path, header_row=99)


def test_titles_of_old_workbooks(tmp_path: Path) -> None:
    cells = [[TITLE], ["zip", "sex"], ["1011", "F"], ["1011", "F"], ["1012", "M"]]
    records = b"".join(
        xls_text(row, column, cell) for row, line in enumerate(cells) for column, cell in enumerate(line)
    )
    path = write_xls(tmp_path / "people.xls", records)
    assert columns(path) == ["zip", "sex"]
    assert idbits.measure(path, ["zip"]).figures.spectrum.pairs() == [(1, 1), (2, 1)]


@pytest.mark.parametrize("number", [0, -1, True, "2", 1.5])
def test_a_header_row_is_a_positive_whole_number(number: object, file: Path) -> None:
    file.write_bytes(text())
    with pytest.raises(idbits.InputError, match=r"whole number of at least 1 \(header_row=\)"):
        idbits.inspect(file, header_row=number)


def test_a_header_row_far_below(file: Path) -> None:
    file.write_bytes((b"x" * 2000 + b"\n") * 200 + text())
    assert spectrum(file, header_row=201) == SPECTRUM
    with pytest.raises(idbits.InputError, match="only 212 rows"):
        idbits.inspect(file, header_row=500_000)


def test_a_header_row_that_looks_like_data_has_names(file: Path) -> None:
    file.write_text("country,2001,2002\nAT,5,6\nDE,7,8\n")
    assert idbits.inspect(file).names_withheld
    assert columns(file, header_row=1) == ["country", "2001", "2002"]


def test_other_formats_have_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "people.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(idbits.InputError, match="header_row= is for text files and workbooks"):
        idbits.inspect(tmp_path / "people.jsonl", header_row=1)
