"""Work on long arrays by several threads: NumPy lets others go on while it computes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["in_shares"]

_FEW = 1 << 20


def in_shares(work: Callable[[int, int], object], n: int, threads: int) -> None:
    """Do some work on the places from 0 to ``n``, each thread on a share of them; short arrays are one share.

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
