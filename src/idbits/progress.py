"""Progress: long work reports how far it is, without knowing who shows it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

__all__ = ["INTERRUPTED", "SILENT", "Count", "Fraction", "Progress", "TimeIsUpError", "WatchedProgress"]

INTERRUPTED = threading.Event()
"""Set by a command on Ctrl-C: a library may swallow the interrupt, so the next step raises it again."""


class TimeIsUpError(Exception):
    """The time limit is reached: raised when work reports its progress, to end it."""


class Progress(Protocol):
    """Something that shows what is being done."""

    def step(self, label: str, fraction: Fraction | None = None) -> AbstractContextManager[None]:
        """Show ``label`` while the context lasts; ``fraction`` is called now and then for the part done."""


class Fraction(Protocol):
    """Returns how much of a step is done, from 0 to 1, or None if unknown."""

    def __call__(self) -> float | None:
        """Return the part done so far."""


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


def _stop_if_interrupted() -> None:
    # Other threads end with the main one, which raises the interrupt.
    if INTERRUPTED.is_set() and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


class _Silent:
    def step(self, label: str, fraction: Fraction | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        _stop_if_interrupted()
        return nullcontext()


SILENT: Progress = _Silent()
"""Shows nothing."""


class WatchedProgress:
    """Progress that a separate thread, ``watch``, shows during the work."""

    def __init__(self, label: str = "") -> None:
        self.finished = threading.Event()
        self._lock = threading.Lock()
        self._label = label
        self._fraction: Fraction | None = None
        self._began = time.monotonic()

    @contextmanager
    def step(self, label: str, fraction: Fraction | None = None) -> Iterator[None]:
        """Show ``label`` while the context lasts."""
        _stop_if_interrupted()
        with self._lock:
            self._label, self._fraction, self._began = label, fraction, time.monotonic()
        try:
            yield
        finally:
            # Under the lock, so that the watcher never asks a finished query.
            with self._lock:
                self._fraction = None

    def now(self) -> tuple[str, float | None, float]:
        """Return the current step, the part of it that is done, and its duration in seconds."""
        with self._lock:
            part = self._fraction() if self._fraction is not None else None
            return self._label, part, time.monotonic() - self._began

    def watch(self) -> None:
        """Show the progress until the work is finished."""
        raise NotImplementedError

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch while the context lasts."""
        thread = threading.Thread(target=self.watch, name="idbits-progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.finished.set()
            thread.join()
