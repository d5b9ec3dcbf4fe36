"""How the benchmarks take time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["best_of"]

Answer = TypeVar("Answer")


def best_of(
    times: int, work: Callable[[], Answer], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Answer]:
    """Do some work a few times; return its least seconds and its last answer."""
    best = float("inf")
    for _ in range(times):
        start = clock()
        answer = work()
        best = min(best, clock() - start)
    return best, answer
