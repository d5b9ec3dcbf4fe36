"""Broken, hostile and vanishing sources: one clear error, nothing left behind, nothing revealed."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from writers import WRITERS, arrow, text

import idbits
from idbits.engines.duckdb import DuckDBTable

SECRET = "Kovacs-Zq7x"


def refused(source: object, error: type[idbits.IdbitsError] = idbits.DataError, **reading: object) -> str:
    with pytest.raises(error) as caught:
        idbits.measure(source, ["zip"], **reading)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    return message


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.csv", b""),
        ("blank.csv", b"\n\n\n"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 20),
        ("archive.zip", b"PK\x03\x04" + b"\x00" * 60),
        ("twice.csv", f"zip,zip\n{SECRET},2\n".encode()),
        ("long.csv", f"zip,age\n1,2\n{SECRET},2,3\n".encode()),
        ("open-quote.csv", f'zip,age\n1,2\n"{SECRET},3\n'.encode()),
        ("stray-quote.csv", f'zip,age\n1,2\n"{SECRET}"x,3\n'.encode()),
        ("cut.csv.gz", gzip.compress(text() * 500)[:-20]),
        ("cut.csv.zst", pyarrow.compress(text() * 500, "zstd", asbytes=True)[:-5]),
        ("not.parquet", b"PAR1" + SECRET.encode() * 20),
        ("not.jsonl", b'{"zip": "' + SECRET.encode() + b'"\n'),
        ("list.jsonl", b"[1, 2]\n"),
        ("not.xlsx", b"PK\x03\x04" + SECRET.encode() * 20),
        ("not.sav", b"$FL2" + SECRET.encode() * 20),
        ("not.dta", SECRET.encode() * 20),
        ("not.sas7bdat", SECRET.encode() * 20),
        ("not.feather", b"ARROW1\x00\x00" + SECRET.encode() * 20),
        ("not.db", b"SQLite format 3\x00" + SECRET.encode() * 20),
    ],
)
def test_what_is_no_table_is_refused(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert name in refused(tmp_path / name) or name == "not.parquet"


def test_a_header_without_rows_has_nobody_to_measure(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("zip,age\n")
    assert "nobody" in refused(tmp_path / "people.csv", idbits.NotEstimableError)


def test_a_cut_parquet_file_is_refused(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(arrow(), tmp_path / "people.parquet")
    data = (tmp_path / "people.parquet").read_bytes()
    for end in (len(data) - 1, len(data) // 2, 5):
        (tmp_path / "people.parquet").write_bytes(data[:end])
        refused(tmp_path / "people.parquet")


@pytest.mark.parametrize("source", ["nowhere.csv", "no*.csv", "https://example.org/people.csv", "", "\x00"])
def test_what_is_not_there_is_wrong_usage(source: str, tmp_path: Path) -> None:
    refused(str(tmp_path / source) if source and "://" not in source else source, idbits.InputError)


def test_an_empty_folder_is_wrong_usage(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path, idbits.InputError)


def test_files_of_different_formats_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(text())
    pyarrow.parquet.write_table(arrow(), tmp_path / "b.parquet")
    assert "different formats" in refused(tmp_path)


def test_files_with_different_columns_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(text())
    (tmp_path / "b.csv").write_text("zip,height\n1,2\n")
    assert "same columns" in refused(tmp_path)


def test_an_unknown_sheet_table_and_encoding_are_named(tmp_path: Path) -> None:
    book, _ = WRITERS["Excel"](tmp_path)
    assert '"people"' in refused(book, idbits.InputError, sheet="poeple")
    database, _ = WRITERS["SQLite"](tmp_path)
    assert '"people"' in refused(database, idbits.InputError, table="poeple")
    assert "table=" in refused(database, idbits.InputError)
    path, _ = WRITERS["CSV"](tmp_path)
    assert "utf-99" in refused(path, idbits.InputError, encoding="utf-99")
    (tmp_path / "latin.csv").write_bytes(text("cp1252"))
    refused(tmp_path / "latin.csv", encoding="utf-8")


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = WRITERS["Parquet"](tmp_path)
    table_type = DuckDBTable
    count = table_type.spectrum

    def touching(self: object, attributes: object) -> object:
        os.utime(path, ns=(1, 1))
        return count(self, attributes)

    monkeypatch.setattr(table_type, "spectrum", touching)
    assert "changed" in refused(path)


@pytest.mark.parametrize("name", ["CSV", "CSV in UTF-16", "Parquet", "JSON lines", "Excel", "SQLite"])
def test_nothing_is_left_in_the_temporary_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, reading = WRITERS[name](tmp_path)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    idbits.measure(source, ["zip"], **reading)
    with pytest.raises(idbits.ColumnNotFoundError):
        idbits.measure(source, ["nothing"], **reading)
    assert list(temporary.iterdir()) == []


@pytest.mark.big
def test_standard_input_and_pipes_are_read_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "idbits.cli.main", "measure"]
    told = subprocess.run(
        [*command, "-", "--qid", "zip,age", "--json"], input=text(), capture_output=True, check=True
    ).stdout
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(text())))
    writer.start()
    piped = subprocess.run([*command, str(pipe), "--qid", "zip,age", "--json"], capture_output=True, check=True).stdout
    writer.join()
    path, _ = WRITERS["CSV"](tmp_path)
    assert told == piped == (idbits.measure(path, ["zip", "age"]).to_json() + "\n").encode()


@pytest.mark.big
def test_a_full_temporary_disk_is_a_clear_error(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None or shutil.which("unshare") is None:
        pytest.skip("only root can mount a small disk")
    rows = io.StringIO()
    rows.write("zip;age\n")
    for number in range(200_000):
        rows.write(f"{SECRET}{number};{number % 90}\n")
    (tmp_path / "people.csv").write_bytes(rows.getvalue().encode("utf-16"))
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        f"mount -t tmpfs -o size=1m none {disk} && TMPDIR={disk} "
        f"{sys.executable} -m idbits.cli.main measure {tmp_path}/people.csv --qid zip --quiet; "
        f"code=$?; ls -A {disk}; exit $code"
    )
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
    if "permission denied" in done.stderr.lower() or "unshare" in done.stderr:
        pytest.skip("this machine lets nobody mount a disk")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "temporary folder" in done.stderr
    assert SECRET not in done.stderr
    assert done.stdout == ""


@pytest.mark.big
def test_many_columns_and_huge_cells_are_measured_in_time(tmp_path: Path) -> None:
    names = [f'c"{number}' for number in range(10_000)]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    body = "\n".join(",".join(str((row * column) % 7) for column in range(10_000)) for row in range(20))
    (tmp_path / "wide.csv").write_text(f"{header}\n{body}\n")
    start = time.monotonic()
    assert idbits.measure(tmp_path / "wide.csv", [names[3], names[9_999]]).n_rows == 20
    assert time.monotonic() - start < 60
    (tmp_path / "tall.csv").write_text("zip,note\n1," + "x" * 1_000_000 + "\n1," + "y" * 1_000_000 + "\n")
    assert idbits.measure(tmp_path / "tall.csv", ["note"]).singletons == 2
