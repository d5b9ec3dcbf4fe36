"""Two ways to run the command: in this process (quick) and as a process of its own (real)."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Protocol

import pytest

__all__ = ["COMMAND", "Ended", "Run", "Spawn", "Start", "clean_environment", "run", "spawn", "start"]

COMMAND = [sys.executable, "-m", "idbits.cli.main"]
# What changes how an answer looks, or where a password comes from.
LEFT_OUT = re.compile("IDBITS_DEBUG|COLUMNS|FORCE_COLOR|NO_COLOR|TTY_COMPATIBLE|IDBITS_DB_PASSWORD|PG.*|MYSQL_PWD")


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    def failed(self, code: int) -> str:
        """Return the one line of a clear failure."""
        assert re.fullmatch(r"idbits: [^\n]+\n", self.err), self
        assert (self.code, self.out) == (code, "")
        assert "internal error" not in self.err
        assert "Traceback" not in self.err
        return self.err


class Run(Protocol):
    """Runs the command in this process."""

    def __call__(self, *arguments: object) -> Ended: ...


class Start(Protocol):
    """Starts the command as a process of its own, and lets it run."""

    def __call__(
        self, *arguments: object, environment: dict[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[bytes]: ...


class Spawn(Protocol):
    """Runs the command as a process of its own."""

    def __call__(self, *arguments: object, environment: dict[str, str] | None = None, **options: Any) -> Ended: ...


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``idbits`` with arguments in this process."""
    from idbits.cli.main import main

    # A busy machine takes more than a second for what is nothing: progress would be on stderr.
    monkeypatch.setattr("idbits.cli.progress._PATIENCE_SECONDS", 60.0)
    for name in [name for name in os.environ if _left_out(name)]:
        monkeypatch.delenv(name)

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["idbits", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int), code
        return Ended(code or 0, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def start() -> Start:
    """Start ``idbits`` as a process of its own and let it run."""

    def call(*arguments: object, environment: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen(
            [*COMMAND, *map(str, arguments)], env=clean_environment() | (environment or {}), **streams
        )

    return call


@pytest.fixture(scope="session")
def spawn(start: Start) -> Spawn:
    """Run ``idbits`` as a process of its own."""

    def call(*arguments: object, environment: dict[str, str] | None = None, **options: Any) -> Ended:
        given = options.pop("input", None)
        if given is not None:
            options["stdin"] = subprocess.PIPE
        process = start(*arguments, environment=environment, **options)
        try:
            out, err = process.communicate(given, timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return Ended(process.returncode, out.decode(), err.decode())

    return call


def clean_environment() -> dict[str, str]:
    """Return this environment without what changes an answer."""
    return {name: value for name, value in os.environ.items() if not _left_out(name)}


def _left_out(name: str) -> bool:
    return LEFT_OUT.fullmatch(name) is not None
