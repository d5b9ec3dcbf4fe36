"""A zip archive opens like the table in it; what is wrong with it is one clear sentence, and nothing is left behind."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from writers import COLUMNS, ROWS, WRITERS, text

import idbits
from idbits.progress import WatchedProgress

Files = dict[str, bytes | str]
TABLE = text()
OTHER = b"a,b\nZqx,2\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use another temporary folder, which must be empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.zip"


def zipped(path: Path, files: Files, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def columns(path: object, **reading: object) -> list[str]:
    return [column.column for column in idbits.inspect(path, **reading).columns]


def failure(path: Path, kind: type[idbits.IdbitsError], **reading: object) -> str:
    with pytest.raises(kind) as caught:
        idbits.inspect(path, **reading)
    message = str(caught.value)
    assert type(caught.value) is kind
    assert "\n" not in message
    assert "Zqx" not in message
    assert "temporary/idbits-" not in message
    return message


FILES = [name for name in WRITERS if not any(word in name for word in ("frame", "glob", "folder", "pyarrow", "zip"))]


@pytest.mark.parametrize("name", FILES)
def test_every_format_in_an_archive(name: str, path: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    file, reading = WRITERS[name](tmp_path / "files")
    zipped(path, {file.name: file.read_bytes()})
    plain, packed = (idbits.measure(source, ["zip", "age"], **reading) for source in (file, path))
    assert packed.figures.spectrum == plain.figures.spectrum
    assert packed.nulls == plain.nulls
    assert packed.n_rows == len(ROWS)


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_every_compression(compression: int, path: Path) -> None:
    assert columns(zipped(path, {"people.csv": TABLE}, compression)) == COLUMNS


BESIDE: dict[str, Files] = {
    "in a folder": {"data/": b"", "data/2019/people.csv": TABLE},
    "files of macOS": {"people.csv": TABLE, "__MACOSX/._people.csv": b"\0\1", ".DS_Store": b"\0", "a/.x.csv": OTHER},
    "descriptions": {"README.txt": "Zqx", "LICENSE": "Zqx", "a/people.csv": TABLE, "readme.md": "Zqx"},
    "metadata": {"datapackage.json": "{}", "people.csv": TABLE, "codebook.txt": "Zqx"},
    "other files": {"people.csv": TABLE, "report.pdf": b"%PDF-1.7", "map.png": b"\x89PNG"},
    "notes": {"people.csv": TABLE, "notes.txt": "Zqx"},
    "a text file": {"people.txt": TABLE, "README.txt": "Zqx"},
    "an unknown ending": {"people.data": TABLE},
    "no ending": {"people": TABLE},
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_beside_the_table_does_not_matter(name: str, path: Path) -> None:
    assert columns(zipped(path, BESIDE[name])) == COLUMNS


def test_what_was_read_is_said(path: Path) -> None:
    zipped(path, {"a/people.csv": TABLE, "notes.txt": "Zqx"})
    assert idbits.inspect(path).notes == (f'{path} contains 2 files; we read "a/people.csv" (choose with --table)',)
    assert idbits.inspect(zipped(path, {"people.csv": TABLE})).notes == ()


def test_several_tables_are_listed_and_one_is_chosen(path: Path) -> None:
    zipped(path, {"a.csv": OTHER, "b/people.csv": TABLE})
    message = failure(path, idbits.InputError)
    assert message == f'{path} contains 2 tables; name one with table=; there are "a.csv", "b/people.csv"'
    for name in ("b/people.csv", "people.csv"):
        assert columns(path, table=name) == COLUMNS
    assert failure(path, idbits.InputError, table="c.csv").startswith('no table named "c.csv"')


def test_a_long_list_of_tables_is_cut(path: Path) -> None:
    message = failure(zipped(path, {f"t{number}.csv": OTHER for number in range(15)}), idbits.InputError)
    assert message.endswith('"t11.csv" and 3 more')
    assert "t12" not in message


def test_the_same_name_in_two_folders(path: Path) -> None:
    zipped(path, {"1/people.csv": OTHER, "2/people.csv": TABLE})
    assert "there are" in failure(path, idbits.InputError, table="people.csv")
    assert columns(path, table="2/people.csv") == COLUMNS


def test_a_name_that_is_not_in_the_archive(path: Path) -> None:
    zipped(path, {"people.csv": TABLE})
    assert columns(path, table="people.csv") == COLUMNS
    assert failure(path, idbits.InputError, table="x") == 'no table named "x"; there are "people.csv"'


def test_a_name_may_be_that_of_a_table_in_a_database_in_the_archive(path: Path, tmp_path: Path) -> None:
    file, reading = WRITERS["SQLite"](tmp_path)
    zipped(path, {file.name: file.read_bytes()})
    assert columns(path, **reading) == COLUMNS
    assert "name a table with table=" in failure(path, idbits.InputError)


def test_workbooks_stay_workbooks(path: Path, tmp_path: Path) -> None:
    file, reading = WRITERS["Excel"](tmp_path)
    assert columns(file, **reading) == COLUMNS
    shutil.copy(file, path)
    assert "is a workbook; save it under a name that ends in .xlsx" in failure(path, idbits.DataError)


def test_titles_in_an_archive(path: Path) -> None:
    zipped(path, {"people.csv": b"Zqx register\n\n" + TABLE})
    assert columns(path) == columns(path, header_row=3) == COLUMNS


def test_several_archives(tmp_path: Path) -> None:
    head, *lines = TABLE.splitlines(keepends=True)
    zipped(tmp_path / "1.zip", {"people.csv": b"".join([head, *lines[:5]])})
    zipped(tmp_path / "2.zip", {"people.csv": b"".join([head, *lines[5:]])})
    (tmp_path / "1.csv").write_bytes(TABLE)
    whole = idbits.measure(tmp_path / "1.csv", ["zip", "age"])
    assert idbits.measure(tmp_path / "*.zip", ["zip", "age"]).figures.spectrum == whole.figures.spectrum


@pytest.mark.parametrize(
    "name", ["../../people.csv", "/people.csv", "..\\..\\people.csv", "C:\\people.csv", "x/../people.csv"]
)
def test_paths_in_an_archive_are_not_followed(name: str, path: Path, temporary: Path) -> None:
    before = set(temporary.parent.rglob("*"))
    assert columns(zipped(path, {name: TABLE})) == COLUMNS
    assert set(temporary.parent.rglob("*")) - before == {path}


def test_a_link_in_an_archive_is_no_table(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("people.csv")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert "without a table" in failure(path, idbits.DataError)


NO_TABLE: dict[str, Files] = {
    "nothing": {},
    "a description": {"README.md": "Zqx"},
    "two others": {"a.dat": "Zqx", "b": "Zqx"},
}


@pytest.mark.parametrize("name", NO_TABLE)
def test_an_archive_without_a_table(name: str, path: Path) -> None:
    assert "is a zip archive without a table" in failure(zipped(path, NO_TABLE[name]), idbits.DataError)


def test_files_of_an_archive_can_be_chosen_whatever_their_names(path: Path) -> None:
    assert columns(zipped(path, {"a.dat": OTHER, "b.dat": TABLE}), table="b.dat") == COLUMNS


def test_an_archive_in_an_archive(path: Path, tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"people.csv": TABLE})
    assert "people.zip/inner.zip is a zip archive of 1 file" in failure(
        zipped(path, {"inner.zip": inner.read_bytes()}), idbits.DataError
    )


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_table_is_named_with_its_archive(content: bytes, path: Path) -> None:
    assert failure(zipped(path, {"people.csv": content}), idbits.DataError).startswith("people.zip/people.csv is ")


def test_encrypted_archives(path: Path) -> None:
    data = bytearray(zipped(path, {"people.csv": TABLE}).read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + flags] |= 1
    path.write_bytes(data)
    assert failure(path, idbits.DataError) == f"{path} is encrypted; unpack it and name the file with the table"


def test_unknown_compressions(path: Path) -> None:
    data = bytearray(zipped(path, {"people.csv": TABLE}).read_bytes())
    for mark, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(mark) + method] = 97
    path.write_bytes(data)
    assert "compressed in a way idbits does not read" in failure(path, idbits.DataError)


@pytest.mark.parametrize("place", [45, 60, 100])
def test_damaged_archives(place: int, path: Path) -> None:
    data = bytearray(zipped(path, {"people.csv": TABLE * 50}).read_bytes())
    data[place] ^= 255
    path.write_bytes(data)
    assert "damaged zip archive" in failure(path, idbits.DataError)


@pytest.mark.parametrize("size", [4, 30, 100, -1, -30])
def test_archives_that_are_cut(size: int, path: Path) -> None:
    data = zipped(path, {"people.csv": TABLE * 50}).read_bytes()
    path.write_bytes(data[:size])
    assert "damaged zip archive" in failure(path, idbits.DataError)


def test_a_size_that_is_not_true(path: Path) -> None:
    data = bytearray(zipped(path, {"people.csv": TABLE}).read_bytes())
    data[data.index(b"PK\x01\x02") + 24] -= 20
    path.write_bytes(data)
    assert "damaged zip archive" in failure(path, idbits.DataError)


def test_bombs_are_not_unpacked(path: Path, temporary: Path) -> None:
    zipped(path, {"people.csv": b"0,0\n" * 5_000_000})
    assert "more than 600 times as large" in failure(path, idbits.DataError)
    # Small files may shrink as much as they like.
    assert idbits.inspect(zipped(path, {"people.csv": b"a,b\n" + b"0,0\n" * 100_000})).n_rows == 100_000
    assert list(temporary.iterdir()) == []


def test_archives_that_are_larger_than_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zipped(path, {"people.csv": TABLE})
    usage = shutil.disk_usage(path.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
    assert "more than is free in the temporary folder" in failure(path, idbits.EngineError)


def test_large_archives_show_their_progress(path: Path) -> None:
    steps = []

    class Steps(WatchedProgress):
        def step(self, label: str, fraction: object = None) -> object:  # type: ignore[override]
            steps.append((label, fraction))
            return super().step(label, fraction)  # type: ignore[arg-type]

    idbits.inspect(zipped(path, {"people.csv": TABLE}), progress=Steps())
    label, fraction = steps[0]
    assert label == "unpacking"
    assert callable(fraction)
    assert fraction() == 1


def test_what_changes_is_noticed_in_the_archive(path: Path) -> None:
    from idbits.engines.open import open_table

    opened = open_table(zipped(path, {"people.csv": TABLE}))
    assert opened.files == [path]
    zipped(path, {"people.csv": TABLE * 2})
    with pytest.raises(idbits.DataError, match="changed while it was read"):
        opened.check_unchanged()
    opened.close()


def test_an_archive_on_standard_input(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO(zipped(path, {"people.csv": TABLE}).read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))
    assert columns("-") == COLUMNS
