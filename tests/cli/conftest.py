"""Two ways to run the command: in this process (quick) and as a process of its own (real)."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "idbits.cli.main"]


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run ``idbits`` with arguments in this process."""
    from idbits.cli.main import main

    # A busy machine takes more than a second for what is nothing: progress would be on stderr.
    monkeypatch.setattr("idbits.cli.progress._PATIENCE_SECONDS", 60.0)

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["idbits", *map(str, arguments)])
        for name in ("IDBITS_DEBUG", "COLUMNS", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Ended(ended.value.code or 0, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def spawn() -> Callable[..., Ended]:
    """Run ``idbits`` as a process of its own."""

    def call(*arguments: object, environment: dict[str, str] | None = None, **options: Any) -> Ended:
        ended = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            capture_output=True,
            env={**clean_environment(), **(environment or {})},
            check=False,
            timeout=60,
            **options,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return call


@pytest.fixture(scope="session")
def start() -> Callable[..., subprocess.Popen[bytes]]:
    """Start ``idbits`` and let it run."""

    def call(*arguments: object, environment: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
        everything = {**clean_environment(), **(environment or {})}
        return subprocess.Popen([*COMMAND, *map(str, arguments)], env=everything, **options)

    return call


def clean_environment() -> dict[str, str]:
    """Return this environment without what changes the looks of an answer."""
    names = ("IDBITS_DEBUG", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE")
    return {name: value for name, value in os.environ.items() if name not in names}
