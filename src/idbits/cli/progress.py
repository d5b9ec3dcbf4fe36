"""Progress on stderr for anything over a second: one line that is rewritten on a terminal, percentages elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from idbits.progress import SILENT, Fraction, Progress
from idbits.render.numbers import nearest, to_places, whole_percent
from idbits.render.text import safe

__all__ = ["progress_on_stderr"]

_PATIENCE_SECONDS = 1.0
_TERMINAL_SECONDS = 0.2
_PLAIN_SECONDS = 5.0
_LEAST_SECONDS = 3.0
_LEAST_PART = 0.01


@contextmanager
def progress_on_stderr(*, quiet: bool) -> Iterator[Progress]:
    """Give a progress that shows itself while the context lasts."""
    if quiet or sys.stderr is None:
        yield SILENT
        return
    shown = _Shown()
    thread = threading.Thread(target=shown.watch, name="idbits-progress", daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        shown.finished.set()
        thread.join()


class _Shown:
    def __init__(self) -> None:
        self.finished = threading.Event()
        self._lock = threading.Lock()
        self._label = ""
        self._fraction: Fraction | None = None
        self._began = time.monotonic()
        self._terminal = sys.stderr.isatty()

    @contextmanager
    def step(self, label: str, fraction: Fraction | None = None) -> Iterator[None]:
        with self._lock:
            self._label, self._fraction, self._began = label, fraction, time.monotonic()
        try:
            yield
        finally:
            # Under the lock: the watcher never asks a query that is over.
            with self._lock:
                self._fraction = None

    def watch(self) -> None:
        if self.finished.wait(_PATIENCE_SECONDS):
            return
        wrote = False
        last = float("-inf")
        while not self.finished.is_set():
            now = time.monotonic()
            if self._terminal:
                sys.stderr.write(f"\r\x1b[K{self._line()}")
                wrote = True
            elif now - last >= _PLAIN_SECONDS:
                sys.stderr.write(f"{self._line()}\n")
                last = now
            sys.stderr.flush()
            self.finished.wait(_TERMINAL_SECONDS)
        if wrote:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _line(self) -> str:
        with self._lock:
            part = self._fraction() if self._fraction is not None else None
            label = safe(self._label)[:60] or "working"
            seconds = time.monotonic() - self._began
        return f"{label} {whole_percent(part)}{remaining(seconds, part)}" if part is not None else f"{label} ..."


def remaining(seconds: float, part: float) -> str:
    """Return how long a step will take, once it has gone on long enough to tell.

    >>> remaining(30, 0.25), remaining(600, 0.1), remaining(0.5, 0.9)
    (', about 90 s left', ', about 90 min left', '')
    """
    if seconds < _LEAST_SECONDS or not _LEAST_PART <= part < 1:
        return ""
    left = seconds * (1 - part) / part
    if left < 120:
        return f", about {max(1, nearest(left))} s left"
    return f", about {nearest(left / 60)} min left" if left < 7200 else f", about {to_places(left / 3600, 1)} h left"
