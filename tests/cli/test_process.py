"""The real command in a process of its own: start, help, colours, closed pipes, Ctrl-C, rights."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import idbits

Spawn = Callable[..., object]
NOBODY = 65534


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("zip,sex\n" + "".join(f"{i % 7},{'FM'[i % 2]}\n" for i in range(50)) + "9,F\n")
    return path


def test_version_and_help(spawn: Spawn) -> None:
    assert spawn("--version").out == f"idbits {idbits.__version__}\n"
    told = spawn("--help")
    assert (told.code, told.err) == (0, "")
    assert re.search(r"^ +measure ", told.out, flags=re.MULTILINE)
    assert re.search(r"^ +demo ", told.out, flags=re.MULTILINE)


# SPEC sections 11 and 12.
PROMISED = (
    "--qid --by --population --person --json --out --memory --threads --seed --quiet --where --columns --count "
    "--values --reveal --plain --encoding --delimiter --null --no-header --dates"
).split()


def test_measure_help_names_every_promised_option(spawn: Spawn) -> None:
    told = spawn("measure", "--help")
    assert told.code == 0
    assert [option for option in PROMISED if not re.search(rf"{option}\b", told.out)] == []


def test_happy_path(spawn: Spawn, people: Path) -> None:
    text = spawn("measure", people, "--qid", "zip,sex")
    assert (text.code, text.err) == (0, "")
    assert "1 of 51 people" in text.out
    data = json.loads(spawn("measure", people, "--qid", "zip,sex", "--json").out)
    assert (data["schema"], data["n_rows"], data["singletons"]) == ("idbits/1", 51, 1)


def test_failures_have_exit_codes(spawn: Spawn, people: Path) -> None:
    assert spawn("measure", people, "--qid", "zpi").code == 2
    assert spawn("measure", people, "--qid", "sex:year").code == 3
    assert spawn().code == 2


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["measure", "--help"]])
def test_imports_are_lazy(arguments: list[str]) -> None:
    program = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\n' + ' '.join(sys.modules)))\n"
        f"sys.argv = ['idbits', *{arguments!r}]\n"
        "from idbits.cli.main import main\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy = {"numpy", "duckdb", "pyarrow", "rich", "sqlglot", "jinja2", "pandas", "polars", "scipy"}
    assert heavy & set(ended.stdout.splitlines()[-1].split()) == set()


def on_a_terminal(start: Callable[..., subprocess.Popen[bytes]], *arguments: object, **environment: str) -> str:
    """Return what the command prints on a terminal."""
    master, slave = pty.openpty()
    process = start(*arguments, stdin=slave, stdout=slave, stderr=slave, environment={"TERM": "xterm", **environment})
    os.close(slave)
    printed = b""
    try:
        while piece := os.read(master, 65536):
            printed += piece
    except OSError:  # Linux says so when the other side is closed.
        pass
    finally:
        os.close(master)
    assert process.wait(timeout=30) == 0
    return printed.decode()


COLOUR = r"\x1b\[[0-9;]*3[0-7]m"


def test_colours_on_a_terminal_only(start: Callable, spawn: Spawn, people: Path) -> None:
    question = ("measure", people, "--qid", "zip,sex")
    assert re.search(COLOUR, on_a_terminal(start, *question))
    assert not re.search(COLOUR, on_a_terminal(start, *question, NO_COLOR="1"))
    assert "\x1b" not in on_a_terminal(start, *question, "--plain")
    assert "\x1b" not in on_a_terminal(start, *question, "--json")
    assert "\x1b" not in spawn(*question).out


@pytest.mark.parametrize("options", [[], ["--json"], ["--plain"]], ids=["text", "json", "plain"])
def test_a_closed_pipe_is_no_drama(start: Callable, people: Path, options: list[str]) -> None:
    process = start("measure", people, "--qid", "zip,sex", *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    # 1 would say that a policy failed.
    assert process.wait(timeout=30) == 128 + signal.SIGPIPE


@pytest.mark.parametrize("options", [["--quiet"], []], ids=["quiet", "progress"])
def test_ctrl_c_stops_at_once_and_leaves_nothing(start: Callable, tmp_path: Path, options: list[str]) -> None:
    numbers = np.random.default_rng(0).random((2, 3_000_000))
    pyarrow.csv.write_csv(pa.table({"a": numbers[0], "b": numbers[1]}), tmp_path / "large.csv")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = start(
        "measure", tmp_path / "large.csv", "--qid", "a,b", *options,
        environment={"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Shells start background work with SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not any(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.4)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 10
    assert (process.returncode, out) == (130, b"")
    assert list(temporary.iterdir()) == []
    assert err == b"idbits: stopped\n" if options else err.splitlines()[-1:] == [b"idbits: stopped"]
    assert b"Traceback" not in err


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="idbits-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_nobody() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def test_a_file_that_may_not_be_read(spawn: Spawn, open_folder: Path) -> None:
    secret = open_folder / "secret.csv"
    secret.write_text("zip\nzqx\n")
    secret.chmod(0)
    ended = spawn("measure", secret, "--qid", "zip", preexec_fn=as_nobody, environment={"HOME": str(open_folder)})
    assert (ended.code, ended.out) == (3, "")
    assert re.fullmatch(r'idbits: ".*secret.csv" cannot be read: [^\n]+\n', ended.err)


def test_a_folder_that_may_not_be_written(spawn: Spawn, open_folder: Path) -> None:
    table = open_folder / "people.csv"
    table.write_text("zip\nzqx\n")
    table.chmod(0o644)
    open_folder.chmod(0o555)
    answer = open_folder / "answer.json"
    ended = spawn("measure", table, "--qid", "zip", "--out", answer, preexec_fn=as_nobody)
    open_folder.chmod(0o755)
    assert (ended.code, ended.out) == (2, "")
    assert re.fullmatch(r'idbits: ".*answer.json" cannot be written: [^\n]+\n', ended.err)


def test_names_that_the_terminal_cannot_write(spawn: Spawn, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("város,sex\nBécs,F\n", encoding="utf-8")
    ended = spawn(
        "measure", tmp_path / "people.csv", "--qid", "város", "--plain", environment={"PYTHONIOENCODING": "ascii"}
    )
    assert (ended.code, ended.err) == (0, "")


def test_demo(spawn: Spawn, tmp_path: Path) -> None:
    ended = spawn("demo", "--people", "300", "--folder", tmp_path / "demo", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["n_rows"] == 300
    assert (tmp_path / "demo" / "answer.json").read_text() == ended.out
    page = (tmp_path / "demo" / "answer.html").read_text()
    assert page.startswith("<!doctype html>")
    assert not re.search(r"https?:|<script", page)
    again = spawn("measure", tmp_path / "demo" / "people.parquet", "--qid", "birthdate,zip,gender", "--json")
    assert json.loads(again.out)["spectrum"] == json.loads(ended.out)["spectrum"]
