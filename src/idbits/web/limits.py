"""How many requests a caller may make: a bucket for each that fills again over a minute."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["RateLimit"]

_MOST_CALLERS = 10_000


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
        """Take one request; return None, or in how many seconds there is one again."""
        wait = self.wait(caller, taking=True)
        return wait or None

    def wait(self, caller: str, *, taking: bool = False) -> float:
        """Return in how many seconds a caller may ask again; 0 for now."""
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
