"""Rows as codes: in the order of the source, or in batches as DuckDB joins them.

A join with the dictionary returns codes in any order. If the order matters, a column is read as it is, encoded in its
own order, and only its distinct values are joined with the dictionary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.counts import CodedRows, Histogram, Spectrum, Value
from idbits.engines.base import numbers_of
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.engines.duckdb.dictionary import Dictionary
from idbits.kernels.coded import ready
from idbits.kernels.distinct import distinct_rows
from idbits.kernels.run_lengths import size_counts
from idbits.kernels.subsets import spectrum_of_columns

__all__ = [
    "MOST_JOINS", "coded_batches", "coded_rows", "codes_of_view", "wide_group_spectra", "wide_histogram",
    "wide_spectrum",
]  # fmt: skip

_WIDE = ("HUGEINT", "UHUGEINT")
# A query with more joins takes very long to plan.
MOST_JOINS = 64


def coded_rows(
    connection: DuckDBConnection,
    relation: str,
    columns: Sequence[tuple[str, str]],
    dictionaries: Sequence[Dictionary],
    *,
    counted: bool,
    numbered: bool,
    filtered: bool,
) -> CodedRows:
    """Return the rows in order; their numbers have gaps where the filter dropped rows.

    ``columns`` has the name of each column and its query.
    """
    # Columns are read one after the other, each time with the rows in the same order.
    connection.run("SET preserve_insertion_order = true")
    codes = tuple(
        _coded_column(connection, f"({query})", cell, dictionary)
        for (cell, query), dictionary in zip(columns, dictionaries, strict=True)
    )
    people = _integers(connection, relation, "weight") if counted else None
    numbers = None
    if numbered:
        everyone = np.arange(1, len(codes[0]) + 1, dtype=np.int64)
        numbers = _integers(connection, relation, "number") if filtered else everyone
    return CodedRows(codes, tuple(dictionary.size for dictionary in dictionaries), people, numbers)


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


def _integers(connection: DuckDBConnection, relation: str, column: str) -> NDArray[np.int64]:
    return connection.column(f"SELECT {column} FROM {relation}", column).astype(np.int64, copy=False)


def _coded_column(connection: DuckDBConnection, relation: str, cell: str, dictionary: Dictionary) -> NDArray[np.uint32]:
    label = "reading rows"
    ((duckdb_type,),) = connection.rows(f"SELECT DISTINCT typeof(raw) FROM {dictionary.codes} LIMIT 1") or [("",)]
    # Arrow does not have 128-bit integers.
    seen = "CAST({} AS VARCHAR)" if duckdb_type in _WIDE else "{}"
    column = connection.arrow(f"SELECT {seen.format(cell)} AS raw FROM {relation}", label).column("raw")
    encoded = column.combine_chunks()
    if isinstance(encoded, pyarrow.ChunkedArray):  # more text than fits in one array
        encoded = pyarrow.chunked_array([chunk.dictionary_encode("encode") for chunk in encoded.chunks])
        encoded = encoded.unify_dictionaries()
        indices = pyarrow.chunked_array([chunk.indices for chunk in encoded.chunks])
        distinct = encoded.chunk(0).dictionary
    else:
        encoded = encoded.dictionary_encode("encode")
        indices, distinct = encoded.indices, encoded.dictionary
    codes = np.zeros(len(distinct), np.uint32)
    name = connection.new_name("distinct")
    connection.raw.register(
        name, pyarrow.Table.from_arrays([_counted(len(distinct)), distinct], names=["index", "raw"])
    )
    matches = connection.arrow(
        f"SELECT index, code FROM {name} d JOIN {dictionary.codes} k "
        f"ON d.raw IS NOT DISTINCT FROM {seen.format('k.raw')}",
        label,
    )
    connection.raw.unregister(name)
    assert matches.num_rows == len(distinct)
    codes[numbers_of(matches.column("index"))] = numbers_of(matches.column("code"))
    coded: NDArray[np.uint32] = codes[numbers_of(indices)]
    return coded


def _counted(n: int) -> pyarrow.Array:
    """Return 0 to n - 1, without pandas (see ``numbers_of``)."""
    return pyarrow.Array.from_buffers(pyarrow.int64(), n, [None, pyarrow.py_buffer(np.arange(n, dtype=np.int64))])


def wide_spectrum(rows: CodedRows) -> Spectrum:
    """Count the people per distinct row, then how often each count occurs."""
    # A few of many columns separate most people: groups of one person are not split further.
    return spectrum_of_columns(ready(rows), tuple(range(len(rows.codes))))


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
    return [(group, Spectrum.of(counts)) for group, counts in sizes.items()]


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
    return Histogram.of(counted, Spectrum.of(size_counts(cohorts)), ranked=most is not None)


def codes_of_view(connection: DuckDBConnection, raw: Dictionary, view: Dictionary) -> NDArray[np.int64]:
    """Return the code of a view for each code of its column."""
    pairs = connection.arrow(
        f"SELECT DISTINCT CAST(a.code AS BIGINT) AS code, CAST(b.code AS BIGINT) AS becomes "
        f"FROM {raw.codes} a JOIN {view.codes} b ON a.raw IS NOT DISTINCT FROM b.raw"
    )
    codes = np.zeros(raw.size, np.int64)
    codes[numbers_of(pairs.column("code"))] = numbers_of(pairs.column("becomes"))
    return codes
