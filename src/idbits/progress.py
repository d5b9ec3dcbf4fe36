"""Progress: how long work tells whoever waits for it, without knowing who that is."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

__all__ = ["SILENT", "Count", "Progress", "TimeIsUpError"]


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


@dataclass(slots=True)
class Count:
    """Work done so far, of a known amount: the fraction of a step.

    >>> count = Count(4)
    >>> count.done += 1
    >>> count()
    0.25
    """

    amount: float
    done: float = 0.0

    def __call__(self) -> float:
        """Return the part done."""
        return min(1.0, self.done / self.amount)


class _Silent:
    def step(self, label: str, fraction: Fraction | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        return nullcontext()


SILENT: Progress = _Silent()
"""Shows nothing."""
