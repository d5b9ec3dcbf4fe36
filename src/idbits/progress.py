"""Progress: how long work tells whoever waits for it, without knowing who that is."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

__all__ = ["SILENT", "Progress", "TimeIsUpError"]


class TimeIsUpError(Exception):
    """The time that was given is over: raised by whoever is told how far the work is, to end it."""


class Progress(Protocol):
    """Something that shows what is being done."""

    def step(self, label: str, fraction: Fraction | None = None) -> AbstractContextManager[None]:
        """Show ``label`` while the context lasts; ``fraction`` is asked now and then how much is done."""
        ...


class Fraction(Protocol):
    """Tells how much of a step is done, from 0 to 1, or None when that is not known."""

    def __call__(self) -> float | None:
        """Return the part done so far."""
        ...


class _Silent:
    def step(self, label: str, fraction: Fraction | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        return nullcontext()


SILENT: Progress = _Silent()
"""Shows nothing."""
