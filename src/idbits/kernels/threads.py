"""Work on long arrays in several threads: NumPy releases the interpreter lock while it computes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

from idbits.progress import TimeIsUpError

__all__ = ["in_shares", "run_in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_FEW = 1 << 20


def in_shares(work: Callable[[int, int], object], n: int, threads: int) -> None:
    """Work on the positions from 0 to ``n``, each thread on a share of them; short arrays are one share.

    >>> in_shares(lambda begin, end: print(begin, end), 10, threads=2)
    0 10
    """
    shares = threads if n >= _FEW else 1
    if shares <= 1:
        work(0, n)
        return
    borders = [n * share // shares for share in range(shares + 1)]
    with ThreadPoolExecutor(shares, thread_name_prefix="idbits-share") as pool:
        for done in [pool.submit(work, begin, end) for begin, end in itertools.pairwise(borders)]:
            done.result()


def run_in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], store: Callable[[Item, Result], None], threads: int
) -> None:
    """Do the work for each item and store each result as it arrives, always in the calling thread.

    If it ends early for any reason, no finished result is lost and no thread is left running.

    >>> run_in_threads(lambda number: number**2, [3], lambda number, square: print(number, square), threads=1)
    3 9
    """
    waiting = iter(items)
    running: dict[Future[Result], Item] = {}
    pool = ThreadPoolExecutor(threads, thread_name_prefix="idbits")
    try:
        while True:
            for item in waiting:
                running[pool.submit(work, item)] = item
                if len(running) >= 2 * threads:
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                store(running.pop(future), future.result())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for future, item in running.items():
            if not future.cancelled() and future.exception() is None:
                # The code that stores results raises the time-out again.
                with suppress(TimeIsUpError):
                    store(item, future.result())
