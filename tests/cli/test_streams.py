"""Closed streams, arguments that are no text, files that are something else: one clear line, no internal error."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

COMMAND = f"{sys.executable} -m idbits"
CLOSED = "idbits: standard output is closed; write the answer to a file with --out\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("zip,sex,n\n" + "".join(f"{i % 7},{'FM'[i % 2]},{i}\n" for i in range(50)))
    return tmp_path


def shell(folder: Path, words: str) -> tuple[int, str, str]:
    ended = subprocess.run(
        ["/bin/sh", "-c", f"{COMMAND} {words}"], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        "measure people.csv --qid zip --quiet",
        "measure people.csv --qid zip --quiet --json",
        "report people.csv --qid zip --quiet",
        "randomise people.csv --columns n --mechanism laplace --epsilon 1 --quiet",
        "questionnaire --schema",
        "--version",
        "measure --help",
        "init people.csv --quiet",
    ],
)
def test_a_closed_standard_output_is_said(folder: Path, words: str) -> None:
    assert shell(folder, f"{words} >&-") == (2, "", CLOSED)


def test_a_closed_standard_output_is_not_needed_for_a_file(folder: Path) -> None:
    assert shell(folder, "measure people.csv --qid zip --json --quiet --out answer.json >&- <&- 2>&-") == (0, "", "")
    assert json.loads((folder / "answer.json").read_text())["n_rows"] == 50


def test_a_closed_standard_input_is_said(folder: Path) -> None:
    line = "idbits: standard input is closed; name a file instead of -\n"
    assert shell(folder, "measure - --qid zip --quiet <&-") == (2, "", line)
    assert shell(folder, "measure people.csv --qid zip --quiet <&-")[0] == 0


def test_closed_streams_are_not_taken_by_files(folder: Path) -> None:
    """The next file that is opened gets the number of a closed stream: notes for stderr would end up in it."""
    (folder / "odd.csv").write_bytes(b"zip\n" + "\u00e9\n".encode("cp1252") * 3)
    before = (folder / "odd.csv").read_bytes()
    assert shell(folder, "measure odd.csv --qid zip --out answer.txt >&- 2>&- <&-")[0] == 0
    assert (folder / "odd.csv").read_bytes() == before
    assert "note" not in (folder / "answer.txt").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
class TestNamesThatAreNotUTF8:
    def spawn(self, folder: Path, *words: bytes) -> tuple[int, bytes]:
        ended = subprocess.run(
            [os.fsencode(sys.executable), b"-m", b"idbits", *words], cwd=folder, capture_output=True, check=False
        )
        assert ended.stdout == b""
        return ended.returncode, ended.stderr

    @pytest.mark.parametrize(
        "words",
        [
            [b"measure", b"a\xff.csv", b"--qid", b"zip"],
            [b"measure", b"people.csv", b"--qid", b"zip", b"--out", b"a\xff"],
            [b"measure", b"people.csv", b"--qid", b"z\xff"],
            [b"check", b"--policy", b"a\xff.csv"],
            [b"questionnaire", b"a\xff.csv"],
            [b"demo", b"--folder", b"a\xff"],
            [b"\xff"],
        ],
    )
    def test_arguments(self, folder: Path, words: list[bytes]) -> None:
        (folder / os.fsdecode(b"a\xff.csv")).write_text("zip\n1\n")
        before = set(folder.iterdir())
        code, line = self.spawn(folder, *words)
        assert (code, line.count(b"\n")) == (2, 1)
        assert b"not valid UTF-8" in line
        assert set(folder.iterdir()) == before

    @pytest.mark.parametrize("source", [b"inside", b"inside/*"])
    def test_files_in_a_folder(self, folder: Path, source: bytes) -> None:
        (folder / "inside").mkdir()
        (folder / "inside" / os.fsdecode(b"a\xff.csv")).write_text("zip\n1\n")
        line = b"idbits: the file name a\\udcff.csv is not UTF-8; rename the file\n"
        assert self.spawn(folder, b"measure", source, b"--qid", b"zip", b"--quiet") == (2, line)


BINARY = {
    "bytes": bytes(range(256)) * 20,
    "zeros": bytes(1000),
    "lists without end": b"a = " + b"[" * 100_000,
    "many digits": b"population = 1" + b"0" * 5_000,
    "no date": b"a = 2020-02-31",
    "half a character": b'a = "\\ud800"',
}


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize(
    "words", [["questionnaire"], ["check", "--policy"], ["repository", "inventory"], ["check", "--baseline"]]
)
def test_files_that_are_something_else(run: Run, folder: Path, words: list[str], kind: str) -> None:
    path = folder / "something.toml"
    path.write_bytes(BINARY[kind] if words[-1] != "--baseline" else BINARY[kind].removeprefix(b"a = "))
    if words[-1] == "--baseline":
        (folder / "idbits.toml").write_text(
            'rules = ["k_min >= 1"]\n[[dataset]]\nname = "a"\nsource = "x"\nqid = ["x"]\n'
        )
        words = ["check", "--policy", str(folder / "idbits.toml"), "--baseline"]
    more = ["--repository", folder / "new.db"] if words[0] == "repository" else []
    if words[0] == "repository":
        assert run("repository", "add", "me", *more).code == 0
    ended = run(*words, path, *more)
    # A baseline is data that idbits has written; the others are what a user asks.
    assert ended.code == (3 if words[-1] == "--baseline" else 2)
    assert re.fullmatch(r"idbits: [^\n]+\n", ended.err), ended.err
    assert "internal error" not in ended.err


ODD_NUMBERS = ["1e999", "nan", "inf", "-inf", "9" * 30, "true", '"a"', "[]", "2020-01-01"]


@pytest.mark.parametrize("value", ODD_NUMBERS)
@pytest.mark.parametrize(
    "text",
    [
        'population = {}\n[[questions]]\nname = "q"\nshare = 0.5\n',
        'population = 9\n[[questions]]\nname = "q"\nshare = {}\n',
        'population = 9\n[[questions]]\nname = "q"\nfactor = {}\n',
        'population = 9\n[[questions]]\nname = "q"\nshares = [0.5, {}]\n',
        'population = 9\n[[questions]]\nname = "q"\nshares = [0.5, {}]\nseveral = true\n',
        'population = 9\n[[questions]]\nname = "q"\nshare = 0.5\nrefused = {}\n',
        'population = 9\n[[questions]]\nname = "q"\nshare = 0.5\nskipped = {}\n',
        'population = 9\n[[questions]]\nname = "q"\nshare = 0.5\n[[joint]]\nquestions = ["q", {}]\nshares = [[1]]\n',
        'population = 9\n[[questions]]\nname = "q"\nshare = 0.5\n[[questions]]\nname = "r"\nshare = 0.5\n'
        '[[joint]]\nquestions = ["q", "r"]\nshares = [[0.5, {}]]\n',
    ],
)
def test_odd_numbers_in_a_questionnaire(run: Run, folder: Path, text: str, value: str) -> None:
    path = folder / "survey.toml"
    path.write_text(text.replace("{}", value))
    ended = run("questionnaire", path)
    assert ended.code == 2, ended.out
    assert re.fullmatch(r"idbits: [^\n]+\n", ended.err), ended.err
    assert "internal error" not in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ["randomise", "--columns", "n", "--mechanism", "laplace", "--epsilon", "1"],
        ["measure", "--qid", "n"],
        ["inspect"],
    ],
)
def test_notes_cannot_steer_a_terminal(run: Run, folder: Path, words: list[str]) -> None:
    path = folder / "red\x1b[31m\u202e.csv"
    path.write_bytes(b"n,town\n" + "1,\u00e9\n2,\u00e8\n".encode("cp1252") * 20)
    ended = run(words[0], path, *words[1:])
    assert ended.code == 0
    assert "note:" in ended.err
    assert "red\\x1b[31m" in ended.err
    assert "\x1b" not in ended.err
    assert "\u202e" not in ended.err
