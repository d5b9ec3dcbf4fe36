"""Limits for each caller: requests per minute, and requests at once.

However many requests one key sends, threads are left for the owner of the machine and for other keys.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

__all__ = ["RateLimit", "TooManyAtOnceError", "Turns"]

_MOST_CALLERS = 10_000
# The server answers in 40 threads.
_AT_ONCE = 24
_AT_ONCE_EACH = 16
_MOST_WAITING = 600
_MOST_WAITING_EACH = 200


class RateLimit:
    """A bucket of tokens for each caller.

    >>> now = [0.0]
    >>> limit = RateLimit(2, clock=lambda: now[0])
    >>> limit.take("a"), limit.take("a"), limit.take("a"), limit.take("b")
    (None, None, 30.0, None)
    """

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(a_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, caller: str) -> float | None:
        """Take one request; return None, or the seconds until the next one is allowed."""
        wait = self.wait(caller, taking=True)
        return wait or None

    def wait(self, caller: str, *, taking: bool = False) -> float:
        """Return the seconds until a caller may send the next request; 0 for now."""
        if not self._most:
            return 0.0
        with self._lock:
            now = self._clock()
            left, since = self._buckets.pop(caller, (self._most, now))
            left = min(self._most, left + (now - since) * self._most / 60)
            allowed = left >= 1
            self._buckets[caller] = (left - 1 if allowed and taking else left, now)
            while len(self._buckets) > _MOST_CALLERS:
                self._buckets.popitem(last=False)
            return 0.0 if allowed else (1 - left) * 60 / self._most


class TooManyAtOnceError(Exception):
    """A caller has too many requests waiting."""


@dataclass
class _Line:
    """The requests of one caller."""

    waiting: int = 0
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE_EACH))


class Turns:
    """Makes requests of key holders wait: at most some of each key, and some of all keys, are answered at once."""

    def __init__(self) -> None:
        self._all = _Line(turns=asyncio.Semaphore(_AT_ONCE))
        self._lines: dict[str, _Line] = {}

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[None]:
        """Wait until a caller may be answered."""
        line = self._lines.setdefault(caller, _Line())
        if line.waiting >= _MOST_WAITING_EACH or self._all.waiting >= _MOST_WAITING:
            raise TooManyAtOnceError
        line.waiting += 1
        self._all.waiting += 1
        try:
            async with line.turns, self._all.turns:
                yield
        finally:
            self._all.waiting -= 1
            line.waiting -= 1
            if not line.waiting:
                self._lines.pop(caller, None)
