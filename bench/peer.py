"""Other programs to compare with, each in an environment of its own below ``build/peers``.

``bench/peers/NAME.txt`` pins everything that an environment has; the first line is the peer. It is made on first use,
and again when the file changes. A line ``# build: setuptools==80.9.0`` names what a peer needs to be built.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["PEERS", "PeerUnavailable", "last_words", "peer_python", "pinned_version", "run_peer"]

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "bench" / "peers"
PEERS = tuple(sorted(path.stem for path in FILES.glob("*.txt")))
INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


class PeerUnavailable(Exception):  # noqa: N818 (nothing is wrong with us)
    """A peer cannot be installed or run here; the message is what it printed last."""


def pinned_version(name: str) -> str:
    """Return the version of a peer, as the first line of its file pins it.

    >>> pinned_version("piflib")
    '0.1.1'
    """
    first, *_ = (FILES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    package, _, version = first.partition("==")
    assert version, f"{name}.txt does not begin with {package}==VERSION"
    return version


def peer_python(name: str) -> str:
    """Return the Python of a peer's environment, which is made if it is not there or no longer what the file says."""
    pinned, home = FILES / f"{name}.txt", ROOT / "build" / "peers" / name
    python, stamp = home / "bin" / "python", home / "installed.txt"
    wanted = pinned.read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(home, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(home)])
        builders = re.findall(r"^# build: (.+)$", wanted, re.MULTILINE)
        if builders:
            _run([str(python), *INSTALL, *builders[0].split()])
        isolation = ["--no-build-isolation"] if builders else []
        _run([str(python), *INSTALL, "--no-deps", *isolation, "--requirement", str(pinned)])
        stamp.write_text(wanted, encoding="utf-8")
    return str(python)


def run_peer(name: str, program: str, *words: str) -> object:
    """Run a program in a peer's environment; return the JSON of the last line that it prints."""
    done = _run([peer_python(name), "-W", "ignore", "-c", program, *words])
    return json.loads(done.strip().splitlines()[-1])


def _run(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerUnavailable(last_words(done.stderr or done.stdout))
    return done.stdout


def last_words(printed: str) -> str:
    """Return the error at the end of some output, without the places of files on this machine.

    >>> last_words("Looking in /a/b\\nERROR: no matching distribution for x==1\\n\\n[notice] a new pip")
    'ERROR: no matching distribution for x==1'
    """
    lines = [
        line.strip() for line in printed.splitlines() if line.strip() and not line.startswith(("[notice]", "WARN"))
    ]
    errors = [line for line in lines if re.match(r"(\w*Error|ERROR|error)\b", line)]
    last = (errors or lines or ["no message"])[-1]
    return re.sub(r"(?:file://)?(?<![\w.])/(?:[^\s/:'\"]+/)+", "", last)[:400]
