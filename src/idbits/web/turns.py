"""Taking turns: however many requests a key sends at once, there are threads left for the owner and for other keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

__all__ = ["TooManyAtOnceError", "Turns"]

# The server answers in 40 threads.
_AT_ONCE = 24
_AT_ONCE_EACH = 16
_MOST_WAITING = 600
_MOST_WAITING_EACH = 200


class TooManyAtOnceError(Exception):
    """A caller has too many requests waiting."""


@dataclass
class _Line:
    """The requests of one caller."""

    waiting: int = 0
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE_EACH))


class Turns:
    """Lets requests of key holders wait for each other, those of one key more than those of all."""

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
