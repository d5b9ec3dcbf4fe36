"""Ways to run the command."""

from commands import run, spawn, start

__all__ = ["run", "spawn", "start"]
