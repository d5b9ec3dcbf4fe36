"""Timing for the benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["best_of"]

Answer = TypeVar("Answer")


def best_of(
    times: int, work: Callable[[], Answer], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Answer]:
    """Repeat some work; return the shortest time in seconds and the last result."""
    best = float("inf")
    for _ in range(times):
        start = clock()
        answer = work()
        best = min(best, clock() - start)
    return best, answer
