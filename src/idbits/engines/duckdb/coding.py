"""Rows as codes: in batches as DuckDB joins them, and what is counted of rows that are too wide for a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows, Histogram, Spectrum, Value
from idbits.engines.base import numbers_of
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.kernels.coded import ready
from idbits.kernels.distinct import distinct_rows
from idbits.kernels.run_lengths import size_counts
from idbits.kernels.subsets import spectrum_of_columns
from idbits.values.attributes import Attribute

__all__ = [
    "MOST_JOINS", "are_of_one_column", "coded_batches", "coded_values", "codes_of_view", "is_too_wide",
    "wide_group_spectra", "wide_histogram", "wide_spectrum",
]  # fmt: skip

# A query with more joins takes very long to plan.
MOST_JOINS = 64
# DuckDB needs this much for a join, however few values are joined.
_JOIN_BYTES = 8 * 10**6
_CODE_BYTES = 8


def is_too_wide(n_columns: int, n_rows: Callable[[], int], memory: int | None) -> bool:
    """Whether to count the codes of these columns here: a query cannot join the dictionaries of many columns.

    With little memory, the rows must fit a quarter of it; only queries can count on disk.
    """
    if n_columns > MOST_JOINS:
        return True
    if memory is None or n_columns * _JOIN_BYTES <= memory:
        return False
    return n_columns * _CODE_BYTES * n_rows() <= memory // 4


def coded_batches(
    connection: DuckDBConnection, joined: str, sizes: tuple[int, ...], *, counted: bool
) -> Iterator[CodedRows]:
    """Yield the rows in batches; ``joined`` follows FROM and has the codes k0.code, k1.code, ..."""
    codes = [f"CAST(k{index}.code AS UINTEGER) AS g{index}" for index in range(len(sizes))]
    sql = f"SELECT {', '.join([*codes, *(['CAST(weight AS BIGINT)'] if counted else [])])} FROM {joined}"
    no_codes = np.zeros(0, np.uint32)
    # Other queries on the connection would end this one, so they run now.
    yield CodedRows(tuple(no_codes for _ in sizes), sizes, no_codes.astype(np.int64) if counted else None)
    for batch in connection.batches(sql):
        columns = [numbers_of(column) for column in batch.columns]
        people = columns.pop().astype(np.int64, copy=False) if counted else None
        yield CodedRows(tuple(column.astype(np.uint32, copy=False) for column in columns), sizes, people)


def wide_spectrum(rows: CodedRows) -> Spectrum:
    """Count the people per distinct row, then how often each count occurs.

    >>> wide_spectrum(CodedRows((np.array([0, 1, 1], np.uint32),), (2,), np.array([0, 1, 2]))).n_values
    2
    """
    everything = tuple(range(len(rows.codes)))
    # A few of many columns separate most people: groups of one person are not split further.
    spectrum = spectrum_of_columns(ready(rows), everything)
    if not _has_zeros(rows):
        return spectrum
    possible = spectrum_of_columns(ready(CodedRows(rows.codes, rows.sizes)), everything)
    return Spectrum.of(spectrum.pairs(), n_values=possible.n_sets)


def _has_zeros(rows: CodedRows) -> bool:
    """Whether rows stand for nobody: their values are possible, but counting leaves them out."""
    return rows.people is not None and not rows.people.all()


def wide_group_spectra(rows: CodedRows) -> list[tuple[int, Spectrum]]:
    """Return the spectrum within each category, which is a code of the first column.

    >>> rows = CodedRows((np.array([0, 1, 1], np.uint32), np.array([0, 0, 0], np.uint32)), (2, 1))
    >>> [(group, spectrum.pairs()) for group, spectrum in wide_group_spectra(rows)]
    [(0, [(1, 1)]), (1, [(2, 1)])]
    """
    distinct = distinct_rows(rows)
    sizes: dict[int, Counter[int]] = {}
    for group, people in zip(distinct.codes[0].tolist(), distinct.cohorts().tolist(), strict=True):
        sizes.setdefault(group, Counter())[people] += 1
    if not _has_zeros(rows):
        return [(group, Spectrum.of(counts)) for group, counts in sizes.items()]
    possible = np.bincount(distinct_rows(CodedRows(rows.codes, rows.sizes)).codes[0])
    return [(group, Spectrum.of(counts, n_values=int(possible[group]))) for group, counts in sizes.items()]


def wide_histogram(rows: CodedRows, labels: Sequence[Sequence[Value]], at_least: int, most: int | None) -> Histogram:
    """Return the rows with at least ``at_least`` people, or the rarest of them."""
    distinct = distinct_rows(rows)
    cohorts = distinct.cohorts()
    kept = np.flatnonzero(cohorts >= max(1, at_least))
    if most is not None and most < len(kept):
        kept = kept[cohorts[kept] <= np.partition(cohorts[kept], most)[most]]
    columns = [
        [texts[code] for code in codes[kept].tolist()] for texts, codes in zip(labels, distinct.codes, strict=True)
    ]
    counted = list(zip(zip(*columns, strict=True), cohorts[kept].tolist(), strict=True))
    if most is not None:
        counted = sorted(counted, key=lambda item: (item[1], [(text is not None, text or "") for text in item[0]]))[
            :most
        ]
    spectrum = wide_spectrum(rows) if _has_zeros(rows) else Spectrum.of(size_counts(cohorts))
    return Histogram.of(counted, spectrum, ranked=most is not None)


def are_of_one_column(attributes: Sequence[Attribute]) -> bool:
    """Whether all attributes are views of the same column."""
    return len({attribute.column for attribute in attributes}) == 1


def coded_values(column: Dictionary, views: Sequence[Dictionary]) -> str:
    """Return the SQL after FROM for the values t of a column with the codes k0.code, k1.code, ... of its views."""
    joins = (
        f"JOIN {view.codes} k{index} ON t.raw IS NOT DISTINCT FROM k{index}.raw" for index, view in enumerate(views)
    )
    return " ".join([f"{column.values} t", *joins])


def codes_of_view(connection: DuckDBConnection, raw: Dictionary, view: Dictionary) -> NDArray[np.int64]:
    """Return the code of a view for each code of its column."""
    pairs = connection.arrow(
        f"SELECT DISTINCT CAST(a.code AS BIGINT) AS code, CAST(b.code AS BIGINT) AS becomes "
        f"FROM {raw.codes} a JOIN {view.codes} b ON a.raw IS NOT DISTINCT FROM b.raw"
    )
    codes = np.zeros(raw.size, np.int64)
    codes[numbers_of(pairs.column("code"))] = numbers_of(pairs.column("becomes"))
    return codes
