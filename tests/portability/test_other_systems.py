"""Every question, the repository and the app on a system without what only POSIX has (see ``without_posix``).

Mypy checks that the package uses no name that Windows lacks. What cannot be had here is Windows itself: its locks are
tried with a stand-in, in ``tests/test_file_locks.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from every_question import COMMANDS, NAMES

HERE = Path(__file__).parent
TESTS = HERE.parent


def run_without_posix(script: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    paths = [HERE / "without_posix", TESTS.parent / "src", HERE, TESTS, TESTS / "frozen", TESTS.parent / "release"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "TMPDIR": str(folder)}
    command = [sys.executable, str(HERE / script), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_the_modules_are_hidden(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\n"
        "try:\n    import fcntl\nexcept ImportError:\n    print(hasattr(os, 'getuid'), hasattr(signal, 'SIGPIPE'))\n"
        "print([name for name in dir(signal) if name.startswith('SIG') and name.isupper()])\n",
        encoding="utf-8",
    )
    signals = ["SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"]
    assert run_without_posix(str(script), folder=tmp_path).stdout == f"False False\n{signals}\n"


def test_every_question_has_the_frozen_answer_and_every_command_runs(tmp_path: Path) -> None:
    ended = run_without_posix("every_question.py", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    lines = [f"{name} ok" for name in (*NAMES, "repository", "init", *(f"command {name}" for name in COMMANDS))]
    assert ended.stdout.splitlines() == [*lines, "command serve ok", "left out []"]
    assert list(tmp_path.iterdir()) == []


def test_the_app_measures_and_records_a_decision(tmp_path: Path) -> None:
    temporary, work = tmp_path / "temporary", tmp_path / "work"
    temporary.mkdir()
    work.mkdir()
    ended = run_without_posix("one_decision.py", str(work), folder=temporary)
    assert (ended.stdout, ended.returncode) == ("500 2 []\n", 0), ended.stderr


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["measure", "nothing.csv", "--qid", "zip"], 2)])
def test_the_command_starts(tmp_path: Path, words: list[str], code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text("from idbits.cli.main import main\nmain()\n", encoding="utf-8")
    ended = run_without_posix(str(script), *words, folder=tmp_path)
    assert ended.returncode == code
    # On a slow machine, lines about progress come first.
    lines = [line for line in ended.stderr.splitlines() if not line.startswith("working")]
    assert len(lines) == (1 if code else 0), ended.stderr


def test_types_are_those_of_windows() -> None:
    """Mypy knows which names of Python's own modules Windows has."""
    program = shutil.which("mypy", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("mypy is not installed (idbits[dev])")
    root = TESTS.parent
    words = [program, "--platform", "win32", "--cache-dir", ".mypy_cache/windows", "--no-warn-unreachable", "src"]
    ended = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """The reader is gone before the answer is written; the exit code is that of other systems."""
    paths = [HERE / "without_posix", TESTS.parent / "src"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", "from idbits.cli.main import main; main()"]
    ended = subprocess.run(
        command, env=environment, stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path, timeout=60, check=False
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")
