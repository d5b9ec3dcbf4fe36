"""pycanon, which pins an old pandas, in its own environment."""

from __future__ import annotations

from pathlib import Path

from peer import run_peer

__all__ = ["FOLDER", "run_pycanon"]

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"


def run_pycanon(program: str, *words: str) -> object:
    """Run a program in the environment of pycanon; return the JSON that it prints."""
    return run_peer("pycanon", program, *words)
