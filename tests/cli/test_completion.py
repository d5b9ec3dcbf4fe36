"""Completion in the shells themselves: typed into bash and zsh on a terminal, asked of fish."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

SHELLS = ("bash", "zsh", "fish")
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\x07\x08\r]")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder with a table in it, in which ``idbits`` is on the path."""
    (tmp_path / "people.csv").write_text("zip,sex,birthdate\n1011,F,1980-01-01\n1012,M,1981-02-03\n")
    commands = tmp_path / "bin"
    commands.mkdir()
    command = commands / "idbits"
    command.write_text(f"#!{sys.executable}\nfrom idbits.cli.main import main\nmain()\n")
    command.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def needs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed (Debian: apt-get install {shell})")


def install(shell: str) -> str:
    """Install completion as the documentation says, from within the shell."""
    words = [shell, "-c", "idbits --install-completion; true"]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


class Terminal:
    """An interactive shell on a terminal."""

    def __init__(self, *words: str) -> None:
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.execvp(words[0], words)
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def shows(self, text: str, seconds: float = 30) -> bool:
        """Whether a text appears on the terminal in time."""
        end = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < end:
            if select.select([self.descriptor], [], [], 0.2)[0]:
                try:
                    self.seen += _CONTROLS.sub("", os.read(self.descriptor, 65536).decode(errors="replace"))
                except OSError:
                    break
        return text in self.seen

    def close(self) -> None:
        self.type("\x15exit\n")
        os.close(self.descriptor)
        os.waitpid(self.process, 0)


@pytest.fixture(params=["bash", "zsh"])
def terminal(request: pytest.FixtureRequest, home: Path) -> Iterator[Terminal]:
    needs(request.param)
    assert str(home) in install(request.param)
    started = Terminal(request.param, "-i")
    started.type("echo rea''dy\n")
    assert started.shows("ready")
    if request.param == "zsh":
        # zsh loads the script at the first Tab and completes from the second one on.
        started.type("_idbits 2>/dev/null; echo loa''ded\n")
        assert started.shows("loaded")
    yield started
    started.close()


def test_commands_options_and_columns_are_completed_while_typing(terminal: Terminal) -> None:
    terminal.type("idbits mea\t")
    assert terminal.shows("measure "), repr(terminal.seen)
    terminal.type("peo\t")
    assert terminal.shows("people.csv")
    terminal.type(" --possible-\t")
    assert terminal.shows("--possible-values")
    terminal.type("9 --qid birth\t")
    assert terminal.shows("--qid birthdate")


def completed_by_fish(line: str) -> list[str]:
    words = ["fish", "-c", f"complete -C {line!r}"]
    answer = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    return [row.split("\t")[0] for row in answer.splitlines()]


@pytest.mark.usefixtures("home")
def test_fish_completes_commands_options_files_and_columns() -> None:
    needs("fish")
    assert "fish completion installed" in install("fish")
    assert completed_by_fish("idbits mea") == ["measure"]
    assert completed_by_fish("idbits measure people.csv --possible-") == ["--possible-values"]
    assert completed_by_fish("idbits measure people.csv --qid zip,") == ["zip,birthdate", "zip,sex"]
    assert "people.csv" in completed_by_fish("idbits measure peo")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_can_be_shown_instead(shell: str) -> None:
    needs(shell)
    shown = subprocess.run(
        [shell, "-c", "idbits --show-completion; true"], check=True, capture_output=True, text=True, timeout=60
    )
    assert "_IDBITS_COMPLETE" in shown.stdout


SHARE = Path(__file__).parents[2] / "release" / "share"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_file_of_the_wheel_completes_from_the_first_tab(shell: str) -> None:
    """As if the shell had found it in the folder ``share`` of an installation."""
    needs(shell)
    files = {
        "bash": f"source {SHARE}/bash-completion/completions/idbits",
        "zsh": f"fpath=({SHARE}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D",
    }
    terminal = Terminal(shell, "--norc" if shell == "bash" else "-f", "-i")
    terminal.type(f"{files[shell]}; echo rea''dy\n")
    assert terminal.shows("ready")
    terminal.type("idbits mea\t")
    assert terminal.shows("idbits measure "), repr(terminal.seen)
    terminal.close()


@pytest.mark.usefixtures("home")
def test_the_file_of_the_wheel_completes_in_fish() -> None:
    needs("fish")
    words = ["fish", "-c", f"source {SHARE}/fish/vendor_completions.d/idbits.fish; complete -C 'idbits mea'"]
    answer = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    assert answer.split("\t")[0] == "measure"
