"""Pairs of value and person that do not fit in the memory: DuckDB counts and sorts them in its temporary files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Integers
from idbits.engines.base import numbers_of
from idbits.engines.person_codes import CategoryPairs
from idbits.kernels.persons import Keys, Pairs, ValueBlock
from idbits.kernels.run_lengths import run_borders

if TYPE_CHECKING:
    from idbits.engines.duckdb.person_keys import PersonKeys

__all__ = ["StoredPairs"]

_COUNTING = "counting people"


class StoredPairs:
    """Pairs that DuckDB has counted and sorted in a table of its own."""

    rows: Integers | None = None

    def __init__(self, query: PersonKeys) -> None:
        self._query, self._connection = query, query.connection
        self.nulls = query.nulls
        self._table = self._connection.new_name("pairs")
        category = "0" if query.category is None else query.category.code
        # Rows are read in the order in which they are written.
        self._connection.run("SET preserve_insertion_order = true")
        is_named = f"person <> {query.null}" if query.null is not None and not query.null_is_own else "true"
        rows = f"SELECT {category} AS category, {query.key} AS key, {query.person} AS person FROM {query.joined}"
        self._connection.run(
            f"CREATE TEMP TABLE {self._table} AS SELECT category, key, count(*) AS n FROM ({rows}) WHERE {is_named} "
            "GROUP BY category, key ORDER BY category, key",
            _COUNTING,
        )
        low = f"key & CAST({(1 << query.bits) - 1} AS UBIGINT)"
        nobody = f"sum(n) FILTER (({low}) = {query.null if query.null is not None else -1})"
        self._nobody = [
            (int(code), int(number))
            for code, number in self._connection.rows(
                f"SELECT category, coalesce({nobody}, 0) FROM {self._table} GROUP BY category ORDER BY category"
            )
        ]
        self.n_codes = query.size + sum(number for _, number in self._nobody)

    def pairs(self) -> Pairs:
        """Return all pairs."""
        return _PairReader(self._query, f"SELECT key, n FROM {self._table}", self._query.size, self.n_codes)

    def pairs_by_category(self) -> Iterator[CategoryPairs]:
        """Yield the pairs of each category."""
        everyone = np.arange(self.n_codes)
        first_own = self._query.size
        for code, nobody in self._nobody:
            sql = f"SELECT key, n FROM {self._table} WHERE category = {code}"
            yield CategoryPairs(code, _PairReader(self._query, sql, first_own, self.n_codes), everyone)
            first_own += nobody


class _PairReader:
    """Pairs read from a table in blocks, again and again."""

    def __init__(self, query: PersonKeys, sql: str, first_own: int, n_codes: int) -> None:
        self._query, self._sql, self._first_own = query, sql, first_own
        self.n_codes = n_codes

    def blocks(self) -> Iterator[ValueBlock]:
        """Yield the pairs by value; the last value of a batch may go on in the next one."""
        keys, rows = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        own = self._first_own
        bits = np.uint64(self._query.bits)
        for batch in self._query.connection.batches(self._sql):
            keys = np.concatenate([keys, numbers_of(batch.column(0))])
            rows = np.concatenate([rows, numbers_of(batch.column(1)).astype(np.int64)])
            end = int(np.searchsorted(keys, (keys[-1] >> bits) << bits)) if len(keys) else 0
            block, own = self._block(keys[:end], rows[:end], own)
            if end:
                yield block
            keys, rows = keys[end:], rows[end:]
        if len(keys):
            yield self._block(keys, rows, own)[0]

    def _block(self, keys: Keys, rows: Integers, own: int) -> tuple[ValueBlock, int]:
        """Return the pairs of some keys; rows without a person become people, numbered from ``own``."""
        low = np.uint64((1 << self._query.bits) - 1)
        persons, values = (keys & low).astype(np.int64), keys >> np.uint64(self._query.bits)
        nobody = persons == self._query.null if self._query.null is not None else np.zeros(len(keys), np.bool_)
        if nobody.any():
            times = np.where(nobody, rows, 1)
            persons, values, nobody = (np.repeat(column, times) for column in (persons, values, nobody))
            rows = np.where(nobody, 1, np.repeat(rows, times))
            n_nobody = int(nobody.sum())
            persons[nobody] = np.arange(own, own + n_nobody)
            own += n_nobody
        borders = run_borders(values)
        repeated = np.flatnonzero(rows > 1)
        return ValueBlock(values[borders[:-1]], borders, persons, repeated, rows[repeated]), own
