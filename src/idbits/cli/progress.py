"""Progress on stderr after one second: a line that is rewritten on a terminal, percentages elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from idbits.progress import SILENT, Progress, WatchedProgress
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
    """Show progress while the context lasts."""
    if quiet or sys.stderr is None:
        yield SILENT
        return
    progress = _StderrProgress()
    with progress.watched():
        yield progress


class _StderrProgress(WatchedProgress):
    def watch(self) -> None:
        if self.finished.wait(_PATIENCE_SECONDS):
            return
        terminal, wrote = sys.stderr.isatty(), False
        last = float("-inf")
        while not self.finished.is_set():
            now = time.monotonic()
            if terminal:
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
        label, part, seconds = self.now()
        label = safe(label)[:60] or "working"
        return f"{label} {whole_percent(part)}{remaining(seconds, part)}" if part is not None else f"{label} ..."


def remaining(seconds: float, part: float) -> str:
    """Return the estimated time left in a step, once it has run long enough for an estimate.

    >>> remaining(30, 0.25), remaining(600, 0.1), remaining(0.5, 0.9)
    (', about 90 s left', ', about 90 min left', '')
    """
    if seconds < _LEAST_SECONDS or not _LEAST_PART <= part < 1:
        return ""
    left = seconds * (1 - part) / part
    if left < 120:
        return f", about {max(1, nearest(left))} s left"
    return f", about {nearest(left / 60)} min left" if left < 7200 else f", about {to_places(left / 3600, 1)} h left"
