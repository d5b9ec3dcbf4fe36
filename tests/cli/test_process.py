"""The real command in a process of its own: start, help, colours, closed pipes, Ctrl-C, rights."""

import ctypes
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import idbits
from commands import Spawn, Start


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


def test_the_command_is_also_a_module(spawn: Spawn) -> None:
    for words in (["--version"], ["measur"]):
        module = subprocess.run([sys.executable, "-m", "idbits", *words], capture_output=True, text=True, check=False)
        command = spawn(*words)
        assert (module.returncode, module.stdout, module.stderr) == (command.code, command.out, command.err)


# SPEC sections 11 and 12.
PROMISED = [
    "--qid", "--by", "--population", "--person", "--json", "--out", "--memory", "--threads", "--seed", "--quiet",
    "--where", "--columns", "--count", "--values", "--reveal", "--plain", "--encoding", "--delimiter", "--null",
    "--no-header", "--header-row", "--dates",
]  # fmt: skip


def test_measure_help_names_every_promised_option(spawn: Spawn) -> None:
    told = spawn("measure", "--help")
    assert told.code == 0
    assert [option for option in PROMISED if not re.search(rf"{option}\b", told.out)] == []


def test_happy_path(spawn: Spawn, people: Path) -> None:
    text = spawn("measure", people, "--qid", "zip,sex", "--quiet")
    assert (text.code, text.err) == (0, "")
    assert "1 of 51 rows" in text.out
    data = json.loads(spawn("measure", people, "--qid", "zip,sex", "--json").out)
    assert (data["schema"], data["n_rows"], data["singletons"]) == ("idbits/1", 51, 1)


def test_failures_have_exit_codes(spawn: Spawn, people: Path) -> None:
    assert spawn("measure", people, "--qid", "zpi").code == 2
    assert spawn("measure", people, "--qid", "sex:year").code == 3
    assert spawn().code == 0


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
    if arguments == ["--version"]:
        heavy |= {"typer", "pydantic", "idbits.reading", "idbits.storage", "idbits.render.text"}
    imported = set(ended.stdout.splitlines()[-1].split())
    assert heavy & imported == set()
    commands = {name for name in imported if re.fullmatch(r"idbits\.cli\.(advise|gain|inspect|measure|serve)", name)}
    assert len(commands) == {"--version": 0, "--help": 5, "measure": 1}[arguments[0]]


def test_a_small_table_needs_few_imports(people: Path) -> None:
    program = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\n' + ' '.join(sys.modules)))\n"
        f"sys.argv = ['idbits', 'measure', {str(people)!r}, '--qid', 'zip,sex', '--json']\n"
        "from idbits.cli.main import main\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = set(ended.stdout.splitlines()[-1].split())
    needless = {
        "idbits.cli.advise", "idbits.engines.sql", "idbits.engines.spark", "idbits.repository", "idbits.web", "jinja2",
        "numpy.ma", "pandas", "polars", "pyarrow.compute", "pyspark", "rich", "scipy", "sqlalchemy", "sqlglot",
    }  # fmt: skip
    assert "duckdb" in imported
    assert needless & imported == set()


def test_population_reads_rows_before_it_imports_what_estimates() -> None:
    """SciPy's memory would come on top of that of the rows, and scipy.stats is never needed for columns."""
    program = (
        "import sys, numpy, pyarrow\n"
        "from unittest.mock import patch\n"
        "from idbits.studies.population import study\n"
        "def read(*arguments, **options):\n"
        "    print(*sys.modules)\n"
        "    return read_sample(*arguments, **options)\n"
        "read_sample = study.read_sample\n"
        "drawn = numpy.random.default_rng(3).geometric(0.1, (2, 2000))\n"
        "table = pyarrow.table({'a': drawn[0].tolist(), 'b': drawn[1].tolist()})\n"
        "with patch.object(study, 'read_sample', read):\n"
        "    answer = study.population(table, 'a,b', people=20000)\n"
        "assert answer.method == 'match_regression' and answer.validation is not None\n"
        "print(*sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    while_reading, at_the_end = (set(line.split()) for line in ended.stdout.splitlines())
    assert "numpy" in while_reading
    assert "scipy" not in while_reading
    assert "scipy.optimize" in at_the_end
    assert "scipy.stats" not in at_the_end


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


def test_colours_on_a_terminal_only(start: Start, spawn: Spawn, people: Path) -> None:
    question = ("measure", people, "--qid", "zip,sex")
    assert re.search(COLOUR, on_a_terminal(start, *question))
    assert not re.search(COLOUR, on_a_terminal(start, *question, NO_COLOR="1"))
    assert "\x1b" not in on_a_terminal(start, *question, "--plain", "--quiet")
    assert "\x1b" not in spawn(*question).out


@pytest.mark.parametrize("options", [[], ["--json"], ["--plain"]], ids=["text", "json", "plain"])
def test_a_closed_pipe_is_no_drama(start: Start, people: Path, options: list[str]) -> None:
    process = start(
        "measure", people, "--qid", "zip,sex", "--quiet", *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    # 1 would say that a policy failed.
    assert process.wait(timeout=30) == 128 + signal.SIGPIPE


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table that takes seconds."""
    numbers = np.random.default_rng(0).random((2, 3_000_000))
    path = tmp_path_factory.mktemp("large") / "large.csv"
    pyarrow.csv.write_csv(pa.table({"a": numbers[0], "b": numbers[1]}), path)
    return path


def interrupted(
    start: Start, source: Path, temporary: Path, options: list[str], number: signal.Signals
) -> tuple[int, bytes, list[str]]:
    """Send a signal to a measurement at work; return its exit code, its output and its complaints."""
    temporary.mkdir()
    process = start(
        "measure", source, "--qid", "a,b", *options,
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
    process.send_signal(number)
    sent = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - sent < 10
    assert b"Traceback" not in err
    assert list(temporary.iterdir()) == []
    return process.returncode, out, err.decode().splitlines()


@pytest.mark.parametrize("options", [["--quiet"], []], ids=["quiet", "progress"])
def test_ctrl_c_stops_at_once_and_leaves_nothing(start: Start, large: Path, tmp_path: Path, options: list[str]) -> None:
    code, out, lines = interrupted(start, large, tmp_path / "temporary", options, signal.SIGINT)
    assert (code, out) == (130, b"")
    assert (lines if options else lines[-1:]) == ["idbits: stopped"]


def test_ctrl_c_leaves_nothing_of_an_archive(start: Start, large: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.write(large, "large.csv")
    code, out, _ = interrupted(start, tmp_path / "large.zip", tmp_path / "temporary", ["--quiet"], signal.SIGINT)
    assert (code, out) == (130, b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_from_outside_it_leaves_nothing(
    start: Start, large: Path, tmp_path: Path, number: signal.Signals
) -> None:
    irregular = tmp_path / "irregular.csv"
    irregular.write_bytes(large.read_bytes() + b'0.5, "0.5"\n')
    for source in (large, irregular):
        code, out, lines = interrupted(start, source, tmp_path / source.stem, ["--quiet"], number)
        assert (code in (128 + number, 130), out) == (True, b"")
        assert lines in ([], ["idbits: stopped"])


def without_root_rights() -> None:
    """Make root as powerless as the owner of the files: it loses CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    if os.getuid() == 0:
        drop_from_bounding_set = 24
        for capability in (1, 2):
            if ctypes.CDLL(None, use_errno=True).prctl(drop_from_bounding_set, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "this root cannot give up its rights")


@pytest.fixture
def spawn_powerless(spawn: Spawn) -> Spawn:
    """Run ``idbits`` without the right to read and write everything."""

    def call(*arguments: object) -> object:
        try:
            return spawn(*arguments, preexec_fn=without_root_rights)
        except subprocess.SubprocessError:
            pytest.skip("this root cannot give up its rights, so every file can be read")

    return call


def test_a_file_that_may_not_be_read(spawn_powerless: Spawn, people: Path) -> None:
    people.chmod(0)
    ended = spawn_powerless("measure", people, "--qid", "zip", "--quiet")
    assert (ended.code, ended.out) == (3, "")
    assert re.fullmatch(r"idbits: .*people.csv cannot be read: Permission denied\n", ended.err)


def test_a_folder_that_may_not_be_written(spawn_powerless: Spawn, people: Path) -> None:
    answer = people.parent / "answer.json"
    people.parent.chmod(0o500)
    ended = spawn_powerless("measure", people, "--qid", "zip", "--quiet", "--out", answer)
    people.parent.chmod(0o700)
    assert (ended.code, ended.out) == (2, "")
    assert re.fullmatch(r"idbits: .*answer.json cannot be written: Permission denied\n", ended.err)


def test_names_that_the_terminal_cannot_write(spawn: Spawn, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("város,sex\nBécs,F\n", encoding="utf-8")
    ended = spawn(
        "measure",
        tmp_path / "people.csv",
        "--qid",
        "város",
        "--plain",
        "--quiet",
        environment={"PYTHONIOENCODING": "ascii"},
    )
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to stand for a full disk")
@pytest.mark.parametrize("options", [["--json"], ["--plain"], []], ids=["json", "plain", "text"])
def test_a_full_disk_is_said(start: Start, people: Path, options: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        process = start("measure", people, "--qid", "zip", "--quiet", *options, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert re.fullmatch(rb"idbits: [^\n]+\n", err)
    assert b"internal error" not in err


def test_demo(spawn: Spawn, tmp_path: Path) -> None:
    ended = spawn("demo", "--people", "300", "--folder", tmp_path / "demo", "--json", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["n_rows"] == 300
    assert (tmp_path / "demo" / "answer.json").read_text() == ended.out
    page = (tmp_path / "demo" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert not re.search(r"<script|<link|src=|@import", page)
    again = spawn("measure", tmp_path / "demo" / "people.parquet", "--qid", "birthdate,zip,gender", "--json")
    assert json.loads(again.out)["spectrum"] == json.loads(ended.out)["spectrum"]
