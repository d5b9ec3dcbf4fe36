"""The environment of pycanon, which pins an old pandas: made once, below ``build/bench``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

__all__ = ["FOLDER", "run_pycanon"]

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"


def run_pycanon(program: str, *words: str) -> object:
    """Run a program in the environment of pycanon; return the JSON that it prints."""
    home = FOLDER / "pycanon"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "pycanon", "pyarrow"], check=True)
    done = subprocess.run([str(python), "-c", program, *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
