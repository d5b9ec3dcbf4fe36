"""Small files that become large: refused before they are opened, where they take more memory than they may."""

import io
import resource
import sqlite3
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pyarrow.feather
import pyreadstat
import pytest
from binary_workbooks import write_xlsb
from old_workbooks import dimensions, number, record, shared_text, shared_texts, text, write_xls

import idbits
from idbits.engines.sources import sheet_size
from idbits.engines.sources.sheet_size import TooLarge
from idbits.engines.sources.workbook_size import workbook_size as size_of

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook(path: Path, rows: str, shared: str = "hello", sheet: str = "worksheets/sheet1.xml") -> Path:
    """Write a workbook of one sheet with these rows."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="'
        f'application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="'
        'application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/worksheet" Target="{sheet}"/><Relationship Id="rId2" Type="{RELATIONS}/sharedStrings" '
        'Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}"><si><t>a</t></si><si><t>{shared}</t></si></sst>',
        f"xl/{sheet}": f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row>'
        f"{rows}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0"?>' + text)
    return path


def numbers(n: int) -> str:
    return "".join(f'<row r="{r}"><c r="A{r}"><v>1</v></c></row>' for r in range(2, n + 2))


def texts(n: int) -> str:
    return "".join(f'<row r="{r}"><c r="A{r}" t="s"><v>1</v></c></row>' for r in range(2, n + 2))


FAR = '<row r="1000000"><c r="XFA1000000"><v>1</v></c></row>'
BOMBS = {
    "many equal cells": lambda: (numbers(1_000_000), "x", "worksheets/sheet1.xml"),
    "a long text in many cells": lambda: (texts(40_000), "x" * 30_000, "worksheets/sheet1.xml"),
    "a cell in the far corner": lambda: (FAR, "x", "worksheets/sheet1.xml"),
    "in single quotes": lambda: (FAR.replace('"', "'"), "x", "worksheets/sheet1.xml"),
    "with a prefix": lambda: (f'<p:row xmlns:p="{MAIN}" r="1"><p:c r="XFA1000000"/></p:row>', "x", "worksheets/s.xml"),
    "another order of attributes": lambda: (
        FAR.replace('c r="XFA1000000"', 'c s="0" r="XFA1000000"'),
        "x",
        "other.xml",
    ),
    "a reference in pieces": lambda: (FAR.replace("XFA1000000", "&#88;FA1000000"), "x", "worksheets/sheet1.xml"),
    "under another name": lambda: (FAR, "x", "elsewhere.xml"),
    "under a name without xml": lambda: (FAR, "x", "worksheets/sheet1.dat"),
    "under the name of a binary part": lambda: (FAR, "x", "printerSettings.bin"),
}
# The reader of workbooks forgives these, and reads on.
FORGIVEN = {
    "an attribute twice": '<row r="2" a="1" a="2"/>',
    "an entity that is not there": '<row r="2" a="&nobody;"/>',
    "a bare ampersand": '<row r="2"><c a="1" r="A2" t="str"><v>a & b</v></c></row>',
}


def measure(path: Path, memory: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Measure a file in a process that is ended should it take far more memory."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    command = [sys.executable, "-m", "idbits", "measure", str(path), "--qid", "a", "--memory", memory, "--quiet", *more]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        preexec_fn=limited,
    )


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_workbook_that_becomes_large_is_refused(tmp_path: Path, kind: str) -> None:
    path = workbook(tmp_path / "bomb.xlsx", *BOMBS[kind]())
    assert path.stat().st_size < 6_000_000
    ended = measure(path, "100MB")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == (
        f"idbits: reading {path} needs more than the 100 MB of memory allowed; allow more with --memory, or save it "
        "as CSV or Parquet first\n"
    )


@pytest.mark.parametrize("kind", FORGIVEN)
def test_markup_that_python_cannot_read_is_not_opened(tmp_path: Path, kind: str) -> None:
    path = workbook(tmp_path / "bomb.xlsx", FORGIVEN[kind] + FAR.replace('c r="XFA', 'c s="0" r="XFA'))
    ended = measure(path, "100MB")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == f"idbits: {path} cannot be read as Excel: it is damaged or incomplete\n"


def test_damaged_parts_beside_the_sheets_do_no_harm(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", numbers(20))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("docProps/core.xml", "<a><b></a>")
        archive.writestr("xl/media/image1.png", b"\x89PNG\r\n")
    assert idbits.measure(path, ["a"]).figures.n_rows == 20


def test_of_two_parts_of_one_name_the_larger_counts(tmp_path: Path) -> None:
    path = workbook(tmp_path / "bomb.xlsx", FAR)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("xl/worksheets/sheet1.xml", "<worksheet><sheetData></sheetData></worksheet>")
    with pytest.raises(TooLarge):
        size_of(path, 1 << 30)


def test_a_workbook_that_fits_is_read(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", numbers(2_000))
    ended = measure(path, "100MB", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert '"n_rows": 2000' in ended.stdout


def test_sizes_that_the_archive_states_are_not_believed(tmp_path: Path) -> None:
    path = workbook(tmp_path / "liar.xlsx", numbers(300_000))
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        info = archive.getinfo("xl/worksheets/sheet1.xml")
    stated = info.file_size.to_bytes(4, "little")
    assert data.count(stated) == 2
    with pytest.raises(TooLarge):
        size_of(path, 20_000_000)
    path.write_bytes(data.replace(stated, (1000).to_bytes(4, "little")))
    with pytest.raises(TooLarge):
        size_of(path, 20_000_000)


@pytest.mark.parametrize("rows", [numbers(500), texts(500), FAR, ""])
def test_both_ways_to_find_a_size_agree(tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "people.xlsx", rows, shared="x" * 300)
    quick = size_of(path, 1 << 50)
    monkeypatch.setattr(sheet_size, "usual_sheet", lambda *_: None)
    slow = size_of(path, 1 << 50)
    assert quick is not None
    assert slow is not None
    assert quick.cells == slow.cells
    # The digits of numbers are texts to the one and markup to the other.
    assert 0 <= slow.text_bytes - quick.text_bytes <= 10 * rows.count("<v>") + 10


def test_repeated_rows_of_opendocument_tables(tmp_path: Path) -> None:
    def table(rows: str) -> Path:
        path = tmp_path / "people.ods"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
            names = "".join(
                f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" '
                for name in ("office", "table", "text")
            )
            archive.writestr(
                "content.xml",
                f'<office:document-content {names}><office:body><office:spreadsheet><table:table table:name="S">'
                f"{rows}</table:table></office:spreadsheet></office:body></office:document-content>",
            )
        return path

    cell = '<table:table-cell office:value-type="string" {}><text:p>abc</text:p></table:table-cell>'
    row = "<table:table-row {}>{}</table:table-row>"
    # What LibreOffice writes at the end of each sheet: empty cells, which are nothing.
    empty = row.format(
        'table:number-rows-repeated="1048000"', '<table:table-cell table:number-columns-repeated="16384"/>'
    )
    small = size_of(table(row.format("", cell.format("")) * 3 + empty), 1 << 50)
    assert small is not None
    assert (small.cells, small.text_bytes) == (3, 9)
    columns, rows = 'table:number-columns-repeated="1000"', 'table:number-rows-repeated="10000"'
    large = size_of(table(row.format(rows, cell.format(columns))), 1 << 50)
    assert large is not None
    assert (large.cells, large.text_bytes) == (10_000_000, 30_000_000)
    # Cells and rows that are empty count where others follow.
    gap = row.format(rows, "<table:table-cell/>") + row.format("", f"<table:table-cell {columns}/>" + cell.format(""))
    apart = size_of(table(gap), 1 << 50)
    assert apart is not None
    assert apart.cells == 10_001 * 1_001
    # A text in an attribute is repeated as well, and all tables of a file are made.
    told = f'<table:table-cell office:value-type="string" office:string-value="abcde" {columns}/>'
    attribute = size_of(table(row.format(rows, told)), 1 << 50)
    assert attribute is not None
    assert (attribute.cells, attribute.text_bytes) == (10_000_000, 50_000_000)
    several = row.format(rows, cell.format("")) + '</table:table><table:table table:name="T">'
    both = size_of(table(several + row.format(rows, cell.format(""))), 1 << 50)
    assert both is not None
    assert both.cells == 20_000


OLD = {
    "a cell in the far corner": number(65_535, 255),
    "several cells that end in the far corner": number(65_535, 0)
    + record(0xBD, struct.pack("<HHHIH", 1, 255, 0, 0, 255)),
    "a sheet that says how large it is": dimensions(2**31, 2**15),
}


@pytest.mark.parametrize("kind", OLD)
def test_an_old_workbook_that_becomes_large_is_refused(tmp_path: Path, kind: str) -> None:
    path = write_xls(tmp_path / "bomb.xls", text(0, 0, "a") + number(1, 0) + OLD[kind])
    ended = measure(path, "100MB")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "needs more than the 100 MB of memory" in ended.stderr
    # An archive at its end does not make it another file.
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("a.xml", "<a/>")
    with pytest.raises(TooLarge):
        size_of(path, 100_000_000)


LONG = "x" * 20_000
OLD_TEXTS = {
    "a long text in many cells": (shared_texts("a", LONG), [(row, 0, 1) for row in range(1, 2000)], 1),
    "one that begins in a later record": (shared_texts(*"a" * 50, LONG, piece=500), [(1, 0, 50)] * 2000, 1),
    "one of wide characters": (shared_texts("a", "\u4e00" * 8_000, wide=True), [(1, 0, 1)] * 2000, 1),
    "many times in one cell": (shared_texts("a", LONG), [(1, 0, 1)] * 2000, 1),
    "a sheet that is listed many times": (shared_texts("a", LONG), [(row, 0, 1) for row in range(1, 40)], 200),
}


@pytest.mark.parametrize("kind", OLD_TEXTS)
def test_an_old_workbook_of_long_texts_is_refused(tmp_path: Path, kind: str) -> None:
    shared, cells, sheets = OLD_TEXTS[kind]
    records = text(0, 0, "a") + b"".join(shared_text(*cell) for cell in cells)
    path = write_xls(tmp_path / "bomb.xls", records, shared=shared, sheets=sheets)
    assert path.stat().st_size < 70_000
    ended = measure(path, "100MB")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "needs more than the 100 MB of memory" in ended.stderr


OLD_LIES = {
    # Room is made for as many characters as a text says that it has.
    "texts that are not there": b"".join(
        record(0x204, struct.pack("<HHHHB", row, 0, 0, 60_000, 0) + b"xyz") for row in range(1, 2000)
    ),
    "a sheet that ends before it begins": record(0x200, struct.pack("<IIHHH", 9, 3, 0, 1, 0)),
}


@pytest.mark.parametrize("kind", OLD_LIES)
def test_an_old_workbook_that_states_too_much_is_refused(tmp_path: Path, kind: str) -> None:
    path = write_xls(tmp_path / "bomb.xls", text(0, 0, "a") + number(1, 0) + OLD_LIES[kind])
    with pytest.raises(TooLarge):
        size_of(path, 100_000_000)


def test_an_old_workbook_that_has_fewer_texts_than_it_states_is_not_opened(tmp_path: Path) -> None:
    shared = record(0xFC, struct.pack("<II", 1, 2**31 - 1) + b"\x01\x00\x00a")
    path = write_xls(tmp_path / "bomb.xls", text(0, 0, "a") + number(1, 0), shared=shared)
    with pytest.raises(idbits.DataError, match="damaged or incomplete"):
        idbits.measure(path, ["a"], memory="100MB")


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("piece", [2, 10, 8000])
def test_shared_texts_of_an_old_workbook_are_counted_as_they_are_read(tmp_path: Path, piece: int, wide: bool) -> None:
    texts = ["a", "", "bb" * 9, "c" * 100, "d\u00e9"]
    cells = [shared_text(row, 0, index) for row, index in enumerate([0, 2, 3, 3, 4])]
    shared = shared_texts(*texts, piece=piece, wide=wide)
    path = write_xls(tmp_path / "people.xls", b"".join(cells), shared=shared)
    size = size_of(path, 1 << 30)
    assert size is not None
    read = sum(len(texts[index].encode()) for index in [0, 2, 3, 3, 4])
    assert read <= size.text_bytes <= 3 * read
    answer = idbits.measure(path, ["a"], memory="100MB", reveal=True)
    assert sorted(row.people for row in answer.exposed.rows) == [1, 1, 2]


BINARY_NAMES = ("sheet1.bin", "sheet1.xml", "sheet1.png", "a&b.xml")
XML_BEGINNING = b"<?" + b'xml version="1.0"?>'.ljust(63)
"""A record of a kind that readers of binary sheets pass over, and the beginning of an XML file."""


@pytest.mark.parametrize("name", BINARY_NAMES)
@pytest.mark.parametrize("before", [b"", XML_BEGINNING], ids=["", "begins like XML"])
def test_a_binary_sheet_is_counted_whatever_its_name_is(tmp_path: Path, name: str, before: bytes) -> None:
    people = write_xlsb(tmp_path / "people.xlsb", [(row, 0, 1) for row in range(1, 30)], name=name, before=before)
    assert idbits.measure(people, ["a"], memory="100MB").figures.n_rows == 29
    far = write_xlsb(tmp_path / "far.xlsb", [(1_000_000, 16_000, 1)], name=name, before=before)
    long = write_xlsb(
        tmp_path / "long.xlsb", [(row, 0, 1) for row in range(1, 40_000)], ("a", LONG), name=name, before=before
    )
    for path in (far, long):
        assert path.stat().st_size < 1_000_000
        with pytest.raises(idbits.EngineError, match="needs more than the 100 MB"):
            idbits.measure(path, ["a"], memory="100MB")


@pytest.mark.parametrize("decoy", ["before", "later version"])
def test_shared_texts_of_a_binary_workbook_are_those_that_the_reader_counts(tmp_path: Path, decoy: str) -> None:
    cells = [(row, 0, 1) for row in range(1, 10_000)]
    path = write_xlsb(tmp_path / "bomb.xlsb", cells, ("a", LONG), decoy=decoy)
    with pytest.raises(TooLarge):
        size_of(path, 100_000_000)


def test_a_binary_record_that_states_too_much_is_refused(tmp_path: Path) -> None:
    path = write_xlsb(tmp_path / "bomb.xlsb", [(1, 0, 1)], before=b"\x3c\xff\xff\xff\x7f")
    with pytest.raises(TooLarge):
        size_of(path, 100_000_000)


def moved(path: Path, names: dict[str, str], texts: dict[str, str]) -> Path:
    """Give parts of a workbook other names, and replace texts in it."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            for old, new in texts.items():
                content = content.replace(old, new)
            archive.writestr(names.get(name, name), content)
    return path


SHEET, SHARED = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
MOVED = {
    "a sheet where OpenDocument has its tables": ({SHEET: "content.xml"}, {"worksheets/sheet1.xml": "/content.xml"}),
    "a sheet named as shared texts": ({SHEET: "xl/sharedStrings2.xml"}, {"worksheets/sheet1": "sharedStrings2"}),
    "a sheet with backslashes": ({SHEET: SHEET.replace("/", "\\")}, {}),
    "shared texts with backslashes": ({SHARED: SHARED.replace("/", "\\")}, {}),
    "shared texts in capitals": ({SHARED: SHARED.upper()}, {}),
}


@pytest.mark.parametrize("suffix", ["xlsx", "xlsm"])
@pytest.mark.parametrize("kind", MOVED)
def test_parts_count_wherever_the_reader_finds_them(tmp_path: Path, kind: str, suffix: str) -> None:
    people = moved(workbook(tmp_path / f"people.{suffix}", texts(20)), *MOVED[kind])
    assert idbits.measure(people, ["a"], memory="100MB").figures.n_rows == 20
    for rows, shared in ((FAR, "x"), (texts(10_000), LONG)):
        bomb = moved(workbook(tmp_path / f"bomb.{suffix}", rows, shared), *MOVED[kind])
        with pytest.raises(idbits.EngineError, match="needs more than the 100 MB"):
            idbits.measure(bomb, ["a"], memory="100MB")


def test_a_shared_text_within_another_does_not_move_those_behind_it(tmp_path: Path) -> None:
    shared = "b</t></si><si><si><t>c</t></si></si><si><t>" + LONG
    rows = texts(10_000).replace("<v>1</v>", "<v>3</v>")
    with pytest.raises(TooLarge):
        size_of(workbook(tmp_path / "bomb.xlsx", rows, shared), 100_000_000)


def test_of_two_parts_of_shared_texts_the_longer_ones_count(tmp_path: Path) -> None:
    path = workbook(tmp_path / "bomb.xlsx", texts(10_000), "short")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("XL/sharedStrings.xml", f'<sst xmlns="{MAIN}"><si><t>a</t></si><si><t>{LONG}</t></si></sst>')
    with pytest.raises(TooLarge):
        size_of(path, 100_000_000)


@pytest.mark.parametrize("small", [True, False])
def test_an_old_workbook_that_fits_is_read(tmp_path: Path, small: bool) -> None:
    records = dimensions(4, 2) + text(0, 0, "a") + text(0, 1, "b")
    records += b"".join(number(row, column) for row in (1, 2, 3) for column in (0, 1))
    path = write_xls(tmp_path / "people.xls", records, small=small)
    size = size_of(path, 1 << 30)
    assert size is not None
    assert size.cells == 8
    assert idbits.measure(path, ["a"], memory="100MB").figures.n_rows == 3


def test_packed_surveys(tmp_path: Path) -> None:
    frame = pandas.DataFrame({f"c{i}": np.zeros(100_000) for i in range(20)}).rename(columns={"c0": "a"})
    pyreadstat.write_sav(frame, tmp_path / "zeros.zsav", compress=True)
    assert (tmp_path / "zeros.zsav").stat().st_size < 100_000
    with pytest.raises(idbits.EngineError, match="needs more than the 100 MB"):
        idbits.measure(tmp_path / "zeros.zsav", ["a"], memory="100MB")
    assert idbits.measure(tmp_path / "zeros.zsav", ["a"], memory="1GB").figures.n_rows == 100_000


def test_packed_arrow_files(tmp_path: Path) -> None:
    table = pyarrow.table({"a": np.zeros(20_000_000, np.int64)})
    for name, write in {
        "zeros.feather": lambda path: pyarrow.feather.write_feather(table, path, compression="zstd"),
        "zeros.arrows": lambda path: _write_stream(path, table),
    }.items():
        write(tmp_path / name)
        assert (tmp_path / name).stat().st_size < 2_000_000
        with pytest.raises(idbits.EngineError, match="needs more than the 100 MB"):
            idbits.measure(tmp_path / name, ["a"], memory="100MB")
        assert idbits.measure(tmp_path / name, ["a"], memory="1GB").figures.n_rows == 20_000_000


def _write_stream(path: Path, table: pyarrow.Table) -> None:
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with path.open("wb") as file, pyarrow.ipc.new_stream(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=1_000_000)


def test_a_view_that_never_ends(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "endless.db")
    connection.execute(
        "CREATE VIEW people AS WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT a FROM r"
    )
    connection.close()
    with pytest.raises(idbits.EngineError, match="needs more than the 100 MB"):
        idbits.measure(tmp_path / "endless.db", ["a"], memory="100MB")


def test_an_archive_that_python_cannot_read_is_not_opened(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", numbers(10))
    data = bytearray(path.read_bytes())
    # The name of a part in its own header, which is another than in the directory.
    place = data.index(b"xl/worksheets/sheet1.xml")
    data[place] = ord("y")
    path.write_bytes(data)
    with pytest.raises(idbits.DataError, match="damaged or incomplete"):
        idbits.measure(path, ["a"])


def test_several_files_take_their_memory_together(tmp_path: Path) -> None:
    for name in "012":
        workbook(tmp_path / f"{name}.xlsx", numbers(250_000))
    one = size_of(tmp_path / "0.xlsx", 1 << 50)
    assert one is not None
    most = one.memory * 5 // 2
    assert idbits.measure(tmp_path / "0.xlsx", ["a"], memory=most).figures.n_rows == 250_000
    with pytest.raises(idbits.EngineError, match=r"2\.xlsx.* needs more than"):
        idbits.measure(str(tmp_path / "*.xlsx"), ["a"], memory=most)


def test_arrow_files_that_are_not_packed_stay_in_their_file(tmp_path: Path) -> None:
    table = pyarrow.table({"a": np.zeros(20_000_000, np.int64)})
    pyarrow.feather.write_feather(table, tmp_path / "zeros.feather", compression="uncompressed")
    assert (tmp_path / "zeros.feather").stat().st_size > 150_000_000
    assert idbits.measure(tmp_path / "zeros.feather", ["a"], memory="100MB").figures.n_rows == 20_000_000
