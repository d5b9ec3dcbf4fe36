"""Counting more columns together than one query can join: their rows are read and put together here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from idbits.counts import CodedRows, Histogram, Spectrum, Value
from idbits.kernels.coded import ready
from idbits.kernels.distinct import distinct_rows
from idbits.kernels.partition import size_counts
from idbits.kernels.subsets import spectrum_of_columns

__all__ = ["MOST_JOINS", "wide_group_spectra", "wide_histogram", "wide_spectrum"]

# A query with more joins takes long to plan, or never ends.
MOST_JOINS = 64


def wide_spectrum(rows: CodedRows) -> Spectrum:
    """Count the people of each row, then count those counts."""
    # Of so many columns a few tell most people apart: sets that are one person are not looked at again.
    return spectrum_of_columns(ready(rows), tuple(range(len(rows.codes))))


def wide_group_spectra(rows: CodedRows) -> list[tuple[int, Spectrum]]:
    """Return the spectrum within each group, a group being the code of the first column.

    >>> rows = CodedRows((np.array([0, 1, 1], np.uint32), np.array([0, 0, 0], np.uint32)), (2, 1))
    >>> [(group, spectrum.pairs()) for group, spectrum in wide_group_spectra(rows)]
    [(0, [(1, 1)]), (1, [(2, 1)])]
    """
    distinct = distinct_rows(rows)
    sizes: dict[int, Counter[int]] = {}
    for group, people in zip(distinct.codes[0].tolist(), distinct.cohorts().tolist(), strict=True):
        sizes.setdefault(group, Counter())[people] += 1
    return [(group, Spectrum.of(own)) for group, own in sizes.items()]


def wide_histogram(rows: CodedRows, labels: Sequence[Sequence[Value]], at_least: int, most: int | None) -> Histogram:
    """Return the rows that at least so many people have, or the rarest of them."""
    distinct = distinct_rows(rows)
    cohorts = distinct.cohorts()
    kept = np.flatnonzero(cohorts >= max(1, at_least))
    if most is not None and most < len(kept):
        kept = kept[cohorts[kept] <= np.partition(cohorts[kept], most)[most]]
    columns = [[own[code] for code in codes[kept].tolist()] for own, codes in zip(labels, distinct.codes, strict=True)]
    found = list(zip(zip(*columns, strict=True), cohorts[kept].tolist(), strict=True))
    if most is not None:
        found = sorted(found, key=lambda item: (item[1], [(text is not None, text or "") for text in item[0]]))[:most]
    return Histogram.of(found, Spectrum.of(size_counts(cohorts)), ranked=most is not None)
