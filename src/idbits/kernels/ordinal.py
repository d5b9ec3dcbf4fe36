"""Ordinal patterns: windows of a series that rise and fall in the same way. NumPy only, no I/O.

A window of n values has the pattern of the order of its values; equal values are ordered by position. Its code is built
digit by digit: the value at position j of the window contributes how many of the values before it are not above it.
So the code of a longer window continues that of a shorter one, and all lengths cost little more than the last.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Spectrum

__all__ = ["MOST_CODED", "n_windows", "pattern_code", "pattern_codes", "pattern_spectra", "pattern_spectrum"]

Series = NDArray[np.float64] | NDArray[np.int64]
Integers = NDArray[np.int64]

MOST_CODED = 20
"""The longest pattern whose code fits 64 bits: 20! < 2^63."""

_TABLED = 8
# 32,768 values of 8 bytes and their intermediate results fit in the second-level cache.
_BLOCK = 1 << 15


def n_windows(length: int, order: int, delay: int = 1) -> int:
    """Count the windows of ``order`` values, ``delay`` apart, in a series.

    >>> n_windows(10, 3), n_windows(10, 3, delay=2), n_windows(2, 3)
    (8, 6, 0)
    """
    return max(0, length - (order - 1) * delay)


def pattern_code(pattern: tuple[int, ...]) -> int:
    """Return the code of a pattern given by the ranks of its values in order of time.

    >>> pattern_code((0, 1, 2)), pattern_code((2, 1, 0))
    (5, 0)
    """
    code = 0
    for index, rank in enumerate(pattern):
        code = code * (index + 1) + sum(before <= rank for before in pattern[:index])
    return code


def pattern_codes(series: Series, order: int, delay: int = 1) -> Integers:
    """Return the code of every window, for orders up to ``MOST_CODED``."""
    codes = np.empty(n_windows(len(series), order, delay), np.int64)
    for start, block in _blocks(series, order, delay):
        codes[start : start + len(block)] = block
    return codes


def pattern_spectrum(series: Series, order: int, delay: int = 1) -> Spectrum:
    """Count the windows of each pattern, then count those counts."""
    if order > _TABLED:
        return next(_refined(series, _TABLED, order, order, delay))
    most = _factorial(order)
    counts = np.zeros(most, np.int64)
    for _, block in _blocks(series, order, delay):
        counts += np.bincount(block, minlength=most)
    return _spectrum(counts[counts > 0])


def pattern_spectra(series: Series, orders: range, delay: int = 1) -> Iterator[Spectrum]:
    """Yield the spectrum of each order of an ascending range of step 1; windows are refined, not counted again."""
    first, last = orders[0], orders[-1]
    for order in range(first, min(last, _TABLED) + 1):
        yield pattern_spectrum(series, order, delay)
    if last > _TABLED:
        yield from _refined(series, _TABLED, max(first, _TABLED + 1), last, delay)


def _blocks(series: Series, order: int, delay: int) -> Iterator[tuple[int, NDArray[np.integer]]]:
    """Yield the codes of windows, some at a time, in the narrowest integers that fit."""
    most = _factorial(order) - 1
    width: type[np.uint8 | np.uint16 | np.int64] = next(
        dtype for dtype in (np.uint8, np.uint16, np.int64) if most <= np.iinfo(dtype).max
    )
    total = n_windows(len(series), order, delay)
    for start in range(0, total, _BLOCK):
        size = min(_BLOCK, total - start)
        columns = [series[start + index * delay : start + index * delay + size] for index in range(order)]
        code: NDArray[np.integer] = np.zeros(size, width)
        for index in range(1, order):
            digit = np.zeros(size, np.uint8)
            for before in columns[:index]:
                digit += before <= columns[index]
            code *= width(index + 1)
            code += digit
        yield start, code


def _refined(series: Series, begin: int, first: int, last: int, delay: int) -> Iterator[Spectrum]:
    """Yield the spectra of orders ``first`` to ``last``, from windows grouped by their patterns of order ``begin``.

    Only windows that share their pattern with another are refined: a unique window stays unique as it grows.
    """
    length = len(series)
    labels = pattern_codes(series, begin, delay)
    active = np.arange(len(labels), dtype=np.int64)
    for order in range(begin + 1, last + 1):
        total = n_windows(length, order, delay)
        inside = active < total
        active, labels = active[inside], labels[inside]
        keys = labels * order + _digit(series, active, order, delay)
        position, starts = _sorted_groups(keys, len(active))
        sizes = np.diff(np.append(starts, len(active)))
        shared = sizes > 1
        if order >= first:
            alone = total - int(sizes[shared].sum())
            yield _spectrum(sizes[shared], alone)
        kept = np.repeat(shared, sizes)
        active = active[position[kept]]
        labels = np.repeat(np.arange(int(shared.sum()), dtype=np.int64), sizes[shared])


def _digit(series: Series, active: Integers, order: int, delay: int) -> Integers:
    """Return how many values of each window are not above its last one."""
    last = series[active + (order - 1) * delay]
    digit = np.zeros(len(active), np.int64)
    for index in range(order - 1):
        digit += series[active + index * delay] <= last
    return digit


def _sorted_groups(keys: Integers, n: int) -> tuple[Integers, Integers]:
    """Return the positions in order of the keys, and where each group of equal keys starts."""
    if n == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    bits = max(1, (n - 1).bit_length())
    if int(keys.max()).bit_length() + bits <= 63:
        # Key and position in one integer: a plain sort is several times as fast as one that returns positions.
        packed = np.sort((keys << bits) | np.arange(n, dtype=np.int64))
        position, ordered = packed & ((1 << bits) - 1), packed >> bits
    else:
        position = np.argsort(keys, kind="stable")
        ordered = keys[position]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return position, starts


def _spectrum(counts: Integers, alone: int = 0) -> Spectrum:
    sizes, sets = np.unique(counts, return_counts=True)
    pairs = dict(zip(sizes.tolist(), sets.tolist(), strict=True))
    if alone:
        pairs[1] = pairs.get(1, 0) + alone
    return Spectrum.of(pairs)


def _factorial(n: int) -> int:
    return int(np.prod(np.arange(1, n + 1, dtype=object)))
