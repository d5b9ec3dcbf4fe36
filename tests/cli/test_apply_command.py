"""``idbits apply``: nothing is lost, no half file is left, one line says what was wrong."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import idbits
from commands import Run, Spawn, Start, clean_environment
from idbits.engines.duckdb.treating import DuckDBTreatedRows

QID = ("--qid", "age:band20,zip:prefix1", "--withhold-below", "5")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = "".join(f"{20 + i % 45},{1000 + 7 * i % 300},{'FM'[i % 2]}\n" for i in range(300))
    (tmp_path / "people.csv").write_text(f"age,zip,sex\n{rows}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_answer_and_the_files(run: Run, folder: Path) -> None:
    ended = run("apply", "people.csv", *QID, "--out", "treated.csv")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("The treated file meets its goal\ntreated.csv has ")
    assert "idbits measure treated.csv --qid age,zip" in ended.out
    assert set(contents(folder)) == {"people.csv", "treated.csv", "treated.csv.receipt.json"}
    again = run("apply", "people.csv", *QID, "--out", "again.csv", "--receipt", "r.json", "--json")
    data = json.loads(again.out)
    assert data == json.loads(Path("r.json").read_text())
    assert data["command"] == "apply"
    assert Path("again.csv").read_bytes() == Path("treated.csv").read_bytes()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(Path("treated.csv").stat().st_mode) == 0o666 & ~mask


def test_a_plan(run: Run, folder: Path) -> None:
    plan = {
        "schema": "idbits-plan/1", "goal": ["k_min >= 5"], "withhold_limit": 0.5, "loss": "cells",
        "columns": [
            {"column": "age", "view": "band20", "level": 2, "hierarchy": None},
            {"column": "zip", "view": "prefix1", "level": 3, "hierarchy": None},
        ],
    }  # fmt: skip
    Path("plan.json").write_text(json.dumps(plan))
    assert run("apply", "people.csv", "--plan", "plan.json", "--out", "a.csv").code == 0
    assert run("apply", "people.csv", *QID, "--out", "b.csv").code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    receipt = json.loads(Path("a.csv.receipt.json").read_text())
    wanted, made = dict(plan), receipt["plan"]
    for column, written in zip(wanted.pop("columns"), made["columns"], strict=True):
        assert column.items() <= written.items()
    assert wanted.items() <= made.items()
    # Another table of the same columns: everything is checked anew.
    Path("few.csv").write_text("age,zip,sex\n30,1000,F\n30,1000,F\n30,1000,F\n70,2000,M\n")
    before = contents(folder)
    failure = run("apply", "few.csv", "--plan", "plan.json", "--out", "few-treated.csv").failed(1)
    assert "would have to be withheld" in failure
    assert contents(folder) == before
    Path("other.csv").write_text("years,zip\n30,1000\n")
    assert 'no column named "age"' in run("apply", "other.csv", "--plan", "plan.json", "--out", "c.csv").failed(2)
    for method in ("sets", "local"):
        Path("plan.json").write_text(json.dumps({**plan, "method": method}))
        assert method in run("apply", "people.csv", "--plan", "plan.json", "--out", "c.csv").failed(2)


def refuses(run: Run, folder: Path, sentence: str, *arguments: object, code: int = 2) -> None:
    before = contents(folder)
    assert sentence in run("apply", "people.csv", *QID, *arguments).failed(code)
    assert contents(folder) == before


def test_never_over_the_source(run: Run, folder: Path) -> None:
    Path("soft.csv").symlink_to("people.csv")
    os.link("people.csv", "hard.csv")
    Path("sub").mkdir()
    for other in ("people.csv", "soft.csv", "hard.csv", "sub/../people.csv", str(folder / "people.csv")):
        for force in ((), ("--force",)):
            refuses(run, folder, "is read by this command", "--out", other, *force)
    refuses(run, folder, "is read by this command", "--out", "a.csv", "--receipt", "hard.csv", "--force")
    refuses(run, folder, "is read by this command", "--out", "a.csv", "--mapping", "soft.csv", "--force")
    assert Path("soft.csv").is_symlink()


def test_the_source_through_a_link_or_from_a_folder(run: Run, folder: Path) -> None:
    Path("link.csv").symlink_to("people.csv")
    before = contents(folder)
    assert "is read by" in run("apply", "link.csv", *QID, "--out", "people.csv", "--force").failed(2)
    Path("parts").mkdir()
    shutil.copy("people.csv", "parts/one.csv")
    assert "is read by" in run("apply", "parts", *QID, "--out", "parts/one.csv", "--force").failed(2)
    assert "is read by" in run("apply", "parts/*.csv", *QID, "--out", "parts/one.csv", "--force").failed(2)
    assert contents(folder) == before | {"parts/one.csv": before["people.csv"]}


def test_places_that_cannot_be_written(run: Run, folder: Path) -> None:
    Path("sub").mkdir()
    Path("sub.csv").mkdir()
    Path("old.csv").write_text("mine")
    Path("broken.csv").symlink_to("nowhere/else.csv")
    refuses(run, folder, "is a folder", "--out", "sub.csv", "--force")
    refuses(run, folder, "must end in .parquet or .csv", "--out", "sub")
    refuses(run, folder, "folder does not exist", "--out", "missing/a.csv")
    refuses(run, folder, "exists already", "--out", "old.csv")
    refuses(run, folder, "exists already", "--out", "broken.csv")
    refuses(run, folder, "exists already", "--out", "a.csv", "--receipt", "old.csv")
    refuses(run, folder, "exists already", "--out", "a.csv", "--mapping", "old.csv")
    refuses(run, folder, "name the same file", "--out", "a.csv", "--receipt", "a.csv")
    refuses(run, folder, "name the same file", "--out", "a.csv", "--mapping", "a.csv.receipt.json")
    assert run("apply", "people.csv", *QID, "--out", "old.csv", "--force").code == 0
    assert Path("old.csv").read_text().startswith("age,zip,sex\n")


def test_no_permission_to_write(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may run as root, whom no permission stops."""

    def forbidden(path: Path, mode: int = 0o666, exist_ok: bool = True) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "touch", forbidden)
    refuses(run, folder, "a.csv cannot be written: Permission denied", "--out", "a.csv")


def test_everyone_withheld(run: Run, folder: Path) -> None:
    arguments = ("apply", "people.csv", "--qid", "age,zip,sex", "--withhold-below", "50", "--out", "a.csv")
    assert "all 300 rows would have to be withheld" in run(*arguments).failed(1)
    assert set(contents(folder)) == {"people.csv"}


def test_an_empty_table_and_a_filter_that_keeps_nobody(run: Run, folder: Path) -> None:
    Path("empty.csv").write_text("age,zip\n")
    assert "no rows to treat" in run("apply", "empty.csv", *QID, "--out", "a.csv").failed(3)
    nobody = ("apply", "people.csv", *QID, "--out", "a.csv", "--where", "age > 1000")
    assert "no rows to treat" in run(*nobody).failed(3)
    assert set(contents(folder)) == {"people.csv", "empty.csv"}


def test_a_first_row_that_may_be_a_person(run: Run, folder: Path) -> None:
    rows = "".join(f"{1950 + i}-01-01,{1000 + i},M\n" for i in range(40))
    Path("headless.csv").write_text(rows)
    failure = run("apply", "headless.csv", "--qid", "1000:prefix1", "--out", "a.csv").failed(2)
    assert "--no-header" in failure
    named = ("apply", "headless.csv", "--no-header", "--qid", "column1:year:band10,column2:prefix1", "--out", "a.csv")
    assert run(*named).code == 0


def interrupted_write(change: Callable[[Path], None]) -> Callable[..., None]:
    write = DuckDBTreatedRows.write

    def writes(self: DuckDBTreatedRows, file: Path, release: object) -> None:
        write(self, file, release)  # type: ignore[arg-type]
        change(file)

    return writes


def test_a_source_that_changes(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if size and time stay the same: the hash does not."""
    source = Path("people.csv")
    content, status = source.read_bytes(), source.stat()

    def change(file: Path) -> None:
        source.write_bytes(content.replace(b",F", b",M", 1))
        os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))

    monkeypatch.setattr(DuckDBTreatedRows, "write", interrupted_write(change))
    assert "changed while it was read" in run("apply", "people.csv", *QID, "--out", "a.csv").failed(3)
    source.write_bytes(content)

    def grow(file: Path) -> None:
        with source.open("a") as more:
            more.write("30,1000,F\n")

    monkeypatch.setattr(DuckDBTreatedRows, "write", interrupted_write(grow))
    assert "changed while it was read" in run("apply", "people.csv", *QID, "--out", "a.csv").failed(3)
    assert set(contents(folder)) == {"people.csv"}


@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_a_file_that_is_damaged_before_it_is_read_back(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    def damage(file: Path) -> None:
        content = file.read_bytes()
        file.write_bytes(content.replace(b"20-39", b"40-59", 7) if end == ".csv" else content[: len(content) // 2])

    Path(f"a{end}").write_text("mine")
    monkeypatch.setattr(DuckDBTreatedRows, "write", interrupted_write(damage))
    before = contents(folder)
    run("apply", "people.csv", *QID, "--out", f"a{end}", "--force").failed(3)
    assert contents(folder) == before


@pytest.mark.parametrize("moment", range(4))
def test_stopped_at_any_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """Ctrl-C just before any of the files gets its name: the treated file is the last one."""
    replace, left = Path.replace, [moment]
    arguments = ["apply", "people.csv", *QID, "--out", "a.csv", "--mapping", "m.json", "--pseudonym", "sex"]
    arguments += ["--key", "key", "--rows-are-people"]

    def stopped(path: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] == -1:
            raise KeyboardInterrupt
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", stopped)
    assert run(*arguments).failed(130) == "idbits: stopped\n"
    assert set(contents(folder)) == {"people.csv", *["key", "m.json", "a.csv.receipt.json"][:moment]}
    monkeypatch.setattr(Path, "replace", replace)
    assert run(*arguments, "--force").code == 0


def test_a_full_disk(spawn: Spawn, folder: Path) -> None:
    """A limit on the size of files stands for it: every write beyond it fails."""
    import resource

    for end in (".csv", ".parquet"):
        Path(f"a{end}").write_text("mine")
        before = contents(folder)
        ended = spawn(
            "apply", "people.csv", *QID, "--out", f"a{end}", "--force", "--quiet",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700)),
        )  # fmt: skip
        assert f"a{end} cannot be written: File too large" in ended.failed(2)
        assert contents(folder) == before


@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_a_disk_that_is_really_full(folder: Path, end: str) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None or shutil.which("unshare") is None:
        pytest.skip("only root can mount a small disk")
    rows = "".join(f"{20 + i % 45},{1000 + 7 * i % 300},{i * 7919 % 100003}\n" for i in range(60_000))
    (folder / "many.csv").write_text(f"age,zip,n\n{rows}")
    disk = folder / "disk"
    disk.mkdir()
    options = f"--qid age:band20,zip:prefix1 --withhold-below 5 --keep-identifier n --quiet --force --out {disk}/a{end}"
    script = (
        f"mount -t tmpfs -o size=64k none {disk} && echo mine > {disk}/a{end} && "
        f"{sys.executable} -m idbits.cli.main apply {folder}/many.csv {options}; "
        f"code=$?; ls -A {disk}; cat {disk}/a{end}; exit $code"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False, env=clean_environment()
    )
    if "permission denied" in done.stderr.lower() or "unshare" in done.stderr:
        pytest.skip("this machine lets nobody mount a disk")
    assert done.returncode == 2
    assert done.stderr == f"idbits: {disk}/a{end} cannot be written: No space left on device\n"
    assert done.stdout == f"a{end}\nmine\n"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no second file system")
def test_another_file_system(spawn: Spawn, folder: Path) -> None:
    other = Path("/dev/shm") / f"idbits-apply-{os.getpid()}"
    other.mkdir()
    try:
        assert spawn("apply", "people.csv", *QID, "--out", other / "a.csv").code == 0
        assert {path.name for path in other.iterdir()} == {"a.csv", "a.csv.receipt.json"}
        link = folder / "there.csv"
        link.symlink_to(other / "b.csv")
        assert "exists already" in spawn("apply", "people.csv", *QID, "--out", link, "--quiet").failed(2)
        assert spawn("apply", "people.csv", *QID, "--out", link, "--force").code == 0
        assert link.is_file()
        assert not link.is_symlink()
    finally:
        shutil.rmtree(other)


def test_ctrl_c_while_it_writes(start: Start, folder: Path) -> None:
    """A real interrupt, at whatever it is doing then."""
    rows = "".join(f"{20 + i % 45},{1000 + 7 * i % 300},{i * 7919 % 100003}\n" for i in range(400_000))
    (folder / "many.csv").write_text(f"age,zip,n\n{rows}")
    before = set(contents(folder))
    for seconds in (0.6, 1.0, 1.4):
        process = start("apply", "many.csv", *QID, "--out", "a.csv", "--quiet")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        left = set(contents(folder)) - before
        if process.returncode == 0:
            for name in left:
                (folder / name).unlink()
            continue
        # Python itself may not yet have installed the handler.
        assert process.returncode in (130, -signal.SIGINT), err
        assert left <= {"a.csv", "a.csv.receipt.json"}
        if "a.csv" in left:  # the interrupt came after everything was written: then both files are whole
            digest = json.loads((folder / "a.csv.receipt.json").read_bytes())["output"]["sha256"]
            assert digest == hashlib.sha256((folder / "a.csv").read_bytes()).hexdigest()
        for name in left:
            (folder / name).unlink()


def test_standard_input(spawn: Spawn, folder: Path) -> None:
    with Path("people.csv").open("rb") as stream:
        ended = spawn("apply", "-", *QID, "--out", "a.csv", stdin=stream)
    assert ended.code == 0
    assert idbits.measure("a.csv", "age,zip").k_min >= 5
    with Path("people.csv").open("rb") as stream:
        refused = spawn("apply", "-", *QID, "--out", "people.csv", "--force", "--quiet", stdin=stream)
    assert "is read by this command" in refused.failed(2)
