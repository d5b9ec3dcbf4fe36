"""A missing file, a file that is not a table, a wrong delimiter, a missing column: the error says what to do next."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from commands import Run

# No message may contain this text, which stands in cells.
CELL = "zqx"
PEOPLE = "id;zip;sex\n" + "".join(f"{CELL}{i};{CELL}-{i % 3};{'FM'[i % 2]}\n" for i in range(20))


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, f"zip,sex\n{CELL},F\n")
    return buffer.getvalue()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("a.csv", "b.csv"):
            info = tarfile.TarInfo(name)
            info.size = len(CELL)
            archive.addfile(info, io.BytesIO(CELL.encode()))
    return buffer.getvalue()


def open_document(kind: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", CELL)
    return buffer.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
NOT_TABLES = {
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "PDF"),
    "PDF after a line break": (b"\r\n%PDF-1.4\n", "PDF"),
    "PNG": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(50), "image"),
    "JPEG": (b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(50), "image"),
    "GIF": (b"GIF89a" + bytes(50), "image"),
    "BMP": (b"BM\x36\x00\x0c\x00" + bytes(50), "image"),
    "TIFF": (b"II*\x00" + bytes(50), "image"),
    "video": (b"\x00\x00\x00\x18ftypmp42" + bytes(50), "video"),
    "Word": (zipped("[Content_Types].xml", "word/document.xml"), "Word"),
    "old Word": (OLE + "WordDocument".encode("utf-16-le") + bytes(100), "Word"),
    "OpenDocument text": (open_document("text"), "document"),
    "slides": (zipped("[Content_Types].xml", "ppt/presentation.xml"), "presentation"),
    "RTF": (rb"{\rtf1\ansi zqx}", "RTF"),
    "zip of documents": (zipped("a.pdf", "b.docx"), "zip archive without a table"),
    "compressed zip": (gzip.compress(zipped("a.csv")), "compressed zip archive"),
    "damaged zip": (b"PK\x03\x04" + CELL.encode() * 9, "damaged zip"),
    "workbook": (zipped("[Content_Types].xml", "xl/workbook.xml"), ".xlsx"),
    "tar": (tarred(), "tar archive"),
    "compressed tar": (gzip.compress(tarred()), "tar archive"),
    "7z": (b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(50), "7z archive"),
    "RAR": (b"Rar!\x1a\x07\x01\x00" + bytes(50), "RAR archive"),
    "bzip2": (b"BZh91AY&SY" + bytes(50), "gzip"),
    "xz": (b"\xfd7zXZ\x00" + bytes(50), "gzip"),
    "Windows program": (b"MZ\x90\x00\x03\x00" + bytes(60), "program"),
    "Linux program": (b"\x7fELF\x02\x01\x01" + bytes(60), "program"),
    "script": (b"#!/bin/sh\necho zqx\n", "script"),
    "web page": (b"<!DOCTYPE html>\n<html><body>zqx</body></html>", "HTML"),
    "web page without a doctype": (b"\xef\xbb\xbf  <HTML lang=en>zqx", "HTML"),
    "table of a web page": (b"<table><tr><td>zqx</td></tr></table>", "HTML"),
    "XML": (b"<?xml version='1.0'?>\n<people>zqx</people>", "XML"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(50), "HDF5"),
    "Avro": (b"Obj\x01\x04\x14avro.codec" + bytes(50), "Avro"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def error_of(run: Run, *words: object, code: int) -> str:
    """Return the one line that a command prints when it fails."""
    ended = run(*words)
    assert (ended.code, ended.out) == (code, "")
    assert re.fullmatch(r"idbits: [^\n]+\n", ended.err), ended.err
    assert CELL not in ended.err
    assert len(ended.err) < 400
    return ended.err


@pytest.mark.parametrize("name", NOT_TABLES)
@pytest.mark.parametrize("ending", ["csv", "dat"])
def test_what_is_not_a_table_is_named(run: Run, name: str, ending: str) -> None:
    content, words = NOT_TABLES[name]
    path = Path(f"people.{ending}")
    path.write_bytes(content)
    line = error_of(run, "inspect", path, code=3)
    assert line.startswith(f"idbits: {path} is ")
    assert words in line


@pytest.mark.parametrize("name", ["PDF", "web page", "Word", "PNG"])
@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".json", ".sav"])
def test_the_first_bytes_count_more_than_the_ending(run: Run, name: str, ending: str) -> None:
    content, words = NOT_TABLES[name]
    Path(f"people{ending}").write_bytes(content)
    assert words in error_of(run, "measure", f"people{ending}", "--qid", "zip", code=3)


@pytest.mark.parametrize(
    "header",
    ["BMI,sex", "MZ,sex", "ORCID,sex", "RIFF,sex", "PK,sex", "GIF89,sex", "Obj,sex", "ID3,sex", "%PDF,sex", "<age,sex"],
)
def test_headers_that_begin_like_other_files_are_headers(run: Run, header: str) -> None:
    Path("people.csv").write_text(f"{header}\n1,F\n2,M\n")
    assert run("measure", "people.csv", "--qid", "sex").code == 0


def test_compressed_tables_are_still_read(run: Run) -> None:
    Path("people.csv").write_bytes(gzip.compress(PEOPLE.encode()))
    assert run("measure", "people.csv", "--qid", "zip").code == 0
    pyarrow.parquet.write_table(pyarrow.table({"zip": ["1", "2"]}), "people.csv")
    assert run("measure", "people.csv", "--qid", "zip").code == 0


def test_a_missing_file_names_the_nearest(run: Run) -> None:
    Path("peoples.csv").write_text(PEOPLE)
    Path("visits.csv").write_text(PEOPLE)
    line = error_of(run, "measure", "people.csv", "--qid", "zip", code=2)
    assert line == "idbits: people.csv does not exist; did you mean peoples.csv?\n"
    assert "did you mean peoples.csv?" in error_of(run, "measure", "PEOPLES.CSV", "--qid", "zip", code=2)


def test_the_nearest_name_comes_with_its_folder(run: Run) -> None:
    Path("data").mkdir()
    Path("data/people.parquet").write_bytes(b"")
    assert "did you mean data/people.parquet?" in error_of(run, "inspect", "data/people.parqet", code=2)


def test_no_name_is_near(run: Run) -> None:
    Path("visits.csv").write_text(PEOPLE)
    line = error_of(run, "measure", "register.xlsx", "--qid", "zip", code=2)
    assert "register.xlsx does not exist" in line
    assert "did you mean" not in line


def test_a_missing_folder_is_named(run: Run) -> None:
    Path("data").mkdir()
    line = error_of(run, "measure", "dat/2024/people.csv", "--qid", "zip", code=2)
    assert "there is no folder dat;" in line
    assert "did you mean data?" in line


def test_a_link_to_a_missing_file(run: Run) -> None:
    Path("people.csv").symlink_to("gone.csv")
    assert "is a link to a file that does not exist" in error_of(run, "inspect", "people.csv", code=2)


@pytest.mark.parametrize(("seen", "given"), [(";", ","), ("\t", ";"), ("|", ";"), (",", ";")])
def test_a_wrong_delimiter_is_part_of_a_missing_column(run: Run, seen: str, given: str) -> None:
    Path("people.csv").write_text(PEOPLE.replace(";", seen))
    line = error_of(run, "measure", "people.csv", "--qid", "zip", "--delimiter", given, code=2)
    assert 'people.csv: no column named "zip"' in line
    assert f"1 column, but 20 rows contain {seen!r}" in line
    assert f"--delimiter {seen!r}" in line
    assert f"delimiter={seen!r}" in line
    line = error_of(run, "measure", "people.csv", "--qid", "zip", "--where", "zip='x'", "--delimiter", given, code=2)
    assert f"--delimiter {seen!r}" in line


def test_a_wrong_delimiter_is_a_note_otherwise(run: Run) -> None:
    Path("people.csv").write_text(PEOPLE)
    ended = run("inspect", "people.csv", "--delimiter", ",")
    assert ended.code == 0
    assert "20 rows contain ';'" in ended.err
    assert "--delimiter ';'" in ended.err


def test_several_tables_in_an_archive_are_listed(run: Run) -> None:
    Path("people.zip").write_bytes(zipped("a.csv", "b.csv"))
    line = error_of(run, "measure", "people.zip", "--qid", "zip", code=2)
    assert line == 'idbits: people.zip contains 2 tables; name one with --table; there are "a.csv", "b.csv"\n'
    assert run("measure", "people.zip", "--qid", "zip", "--table", "b.csv").code == 0


def test_lines_above_the_column_names_are_noticed(run: Run) -> None:
    Path("people.csv").write_text("Export\nzqx;1\nzqx;2\n")
    line = error_of(run, "measure", "people.csv", "--qid", "zip", code=2)
    assert "2 rows contain ';' and the first line does not" in line
    assert "(try --header-row 2, in Python header_row=2)" in line
    assert "--delimiter" not in line


@pytest.mark.parametrize(
    "content", ["name\nDoe, Jo\nRoe, Al\n", "n\n1,5\n2,5\n", "a\n1\n2\n", "tags\na;b\nc\nd\n", '"a;b"\n"1;2"\n"3;4"\n']
)
def test_a_file_of_one_column_is_read_without_a_remark(run: Run, content: str) -> None:
    Path("people.csv").write_text(content)
    ended = run("inspect", "people.csv")
    assert (ended.code, "contain" in ended.err) == (0, False)
    assert "contain" not in error_of(run, "measure", "people.csv", "--qid", "income", code=2)


def test_a_missing_column_lists_the_others(run: Run) -> None:
    Path("people.csv").write_text(PEOPLE)
    line = error_of(run, "measure", "people.csv", "--qid", "income", code=2)
    assert line == 'idbits: people.csv: no column named "income"; the columns are id, zip, sex\n'
    line = error_of(run, "measure", "people.csv", "--qid", "zipp", code=2)
    assert line == 'idbits: people.csv: no column named "zipp"; did you mean "zip"?\n'


def test_a_long_list_of_columns_is_cut(run: Run) -> None:
    names = [f"q{number}" for number in range(98)]
    Path("people.csv").write_text(";".join(names) + "\n" + ";".join("1" for _ in names) + "\n")
    line = error_of(run, "measure", "people.csv", "--qid", "income", code=2)
    assert "q0, q1" in line
    assert line.endswith("q11 and 86 more\n")


@pytest.mark.parametrize("first", ["zqx;1985-01-01;F", "zqx;zqx-1;F", "zqx@example.org;F;x", "zqx;1011;M"])
def test_names_that_may_be_cells_are_not_listed(run: Run, first: str) -> None:
    rows = "zqx1;zqx-1;F\nzqx2;zqx-2;M\n" if first.count(";") == 2 else ""
    Path("people.csv").write_text(f"{first}\n{rows}")
    assert "3 columns" in error_of(run, "measure", "people.csv", "--qid", "income", code=2)
