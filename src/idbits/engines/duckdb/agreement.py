"""Counts the pairs of two tables by how far they agree, with DuckDB's joins and text distances.

Each table has one row per record: a number (id), for each column the code of its value (k0, k1, ...) and, if the levels
need them, its text, day or number (t0, d0, n0, ...). Pairs are joined block by block; a pair of several blocks is new
in the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.engines.backends.agreement import (
    AgreementColumn,
    AgreementTables,
    BestPairs,
    Block,
    BlockPatterns,
    MaskCounts,
    PairOdds,
)
from idbits.engines.base import numbers_of
from idbits.engines.duckdb.agreement_levels import level_sql, similarity_sql, used_values
from idbits.engines.duckdb.arrow_arrays import array_of, text_array
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.values.agreement import Agreement, AgreementLevel
from idbits.values.alphabets import one_byte_texts

__all__ = ["DuckDBAgreement"]

_COMPARING = "comparing records"
_LOW = 0xFFFFFFFF


class DuckDBAgreement:
    """Two tables in an own DuckDB database."""

    def __init__(self, connection: DuckDBConnection, tables: AgreementTables) -> None:
        self.connection = connection
        self._tables = tables
        self._values: list[str] = []
        self._equal: dict[Block, int] = {}
        self._pairs: str | None = None
        self.uncertain_texts = [0] * len(tables.columns)
        try:
            for index, column in enumerate(tables.columns):
                self._values.append(self._load_values(index, column))
            truths = (tables.truth_a, tables.truth_b)
            codes = ([column.codes_a for column in tables.columns], [column.codes_b for column in tables.columns])
            self._sides = tuple(self._load_side(*side) for side in zip(codes, truths, strict=True))
        except BaseException:
            self.close()
            raise

    def _load_values(self, index: int, column: AgreementColumn) -> str:
        """Create the table (code, original, text, day, number) of a column's values."""
        forms, self.uncertain_texts[index] = (
            one_byte_texts(column.texts) if "t" in used_values(column.levels) else (list(column.texts), 0)
        )
        frame = pyarrow.table(
            {
                "code": array_of(np.arange(len(forms), dtype=np.int32)),
                "original": text_array(column.texts),
                "t": text_array(forms),
                "d": _with_nulls(column.days, len(forms), np.int32),
                "n": _with_nulls(column.numbers, len(forms), np.float64),
            }
        )
        return self._stored("values", frame)

    def _load_side(self, codes: Sequence[NDArray[np.int32]], truth: NDArray[np.int32] | None) -> str:
        n_rows = len(codes[0])
        columns: dict[str, NDArray[Any]] = {"id": np.arange(n_rows, dtype=np.uint32)}
        columns |= {f"k{index}": array for index, array in enumerate(codes)}
        columns["truth"] = np.full(n_rows, -1, np.int32) if truth is None else truth
        raw = self._stored("rows", pyarrow.table({name: array_of(array) for name, array in columns.items()}))
        kept = [f"CASE WHEN k{index} >= 0 THEN k{index} END AS k{index}" for index in range(len(codes))]
        added = [
            f"v{index}.{name} AS {name}{index}"
            for index, column in enumerate(self._tables.columns)
            for name in sorted(used_values(column.levels))
        ]
        joins = " ".join(
            f"LEFT JOIN {self._values[index]} v{index} ON v{index}.code = r.k{index}"
            for index, column in enumerate(self._tables.columns)
            if used_values(column.levels)
        )
        table = self.connection.new_name("side")
        self.connection.run(
            f"CREATE TEMP TABLE {table} AS SELECT {', '.join(['id', 'truth', *kept, *added])} FROM {raw} r {joins}"
        )
        self.connection.run(f"DROP TABLE {raw}")
        return table

    def _stored(self, what: str, frame: pyarrow.Table) -> str:
        name, table = self.connection.new_name("frame"), self.connection.new_name(what)
        self.connection.raw.register(name, frame)
        self.connection.run(f"CREATE TEMP TABLE {table} AS SELECT * FROM {name}")
        self.connection.raw.unregister(name)
        return table

    def equal_pairs(self, block: Block) -> int:
        """Count the pairs of a block from the counts of its values."""
        if block not in self._equal:
            keys = ", ".join(f"k{index}" for index in block)
            given = " AND ".join(f"k{index} IS NOT NULL" for index in block)
            counted = [
                f"(SELECT {keys}, count(*) AS rows FROM {side} WHERE {given} GROUP BY {keys})" for side in self._sides
            ]
            (self._equal[block],) = self.connection.counts(
                f"SELECT coalesce(sum(CAST(a.rows AS HUGEINT) * b.rows), 0) FROM {counted[0]} a JOIN {counted[1]} b "
                f"USING ({keys})"
            )
        return self._equal[block]

    def different_weights(self, column: int, most: int) -> list[int]:
        """Return the weight of each level among pairs of different drawn values."""
        levels = self._tables.columns[column].levels
        if [level.agreement for level in levels] == [Agreement.EQUAL, Agreement.ELSE]:
            # Different values have one level, whatever they are.
            return [0, 1]
        drawn = [
            f"(SELECT v.code AS k{column}, any_value(v.t) AS t{column}, any_value(v.d) AS d{column}, "
            f"any_value(v.n) AS n{column}, count(*) AS rows FROM {side} r JOIN {self._values[column]} v "
            f"ON v.code = r.k{column} GROUP BY v.code ORDER BY sha256(any_value(v.original)) LIMIT {most})"
            for side in self._sides
        ]
        similar = similarity_sql(column, levels)
        compared = (
            f"SELECT CAST(a.rows AS HUGEINT) * b.rows AS weight, {similar}, {_both(column, levels)} "
            f"FROM {drawn[0]} a, {drawn[1]} b WHERE a.k{column} <> b.k{column}"
        )
        rows = self.connection.rows(
            f"SELECT {level_sql(column, levels)} AS level, sum(weight) FROM ({compared}) GROUP BY level", _COMPARING
        )
        weights = [0] * len(levels)
        for level, weight in rows:
            weights[level - 1] = int(weight)
        return weights

    def mask_counts(self, blocks: Sequence[Block], most: int) -> MaskCounts:
        """Count the pairs of any block by the columns that are equal, for some rows of the first table."""
        first, second = self._sides
        n_rows = min(most, self._tables.n_a)
        if n_rows < self._tables.n_a:
            first = self._drawn(most)
        bits = [f"(CASE WHEN a.k{i} = b.k{i} THEN {1 << i} ELSE 0 END)" for i in range(len(self._tables.columns))]
        counts: dict[int, int] = {}
        for number, block in enumerate(blocks):
            earlier = " OR ".join(f"coalesce({_joined(other)}, false)" for other in blocks[:number]) or "false"
            rows = self.connection.rows(
                f"SELECT CAST({' + '.join(bits)} AS BIGINT) AS mask, count(*) FROM {first} a JOIN {second} b "
                f"ON {_joined(block)} WHERE NOT ({earlier}) GROUP BY mask",
                "choosing blocks",
            )
            for mask, pairs in rows:
                counts[mask] = counts.get(mask, 0) + pairs
        return MaskCounts(n_rows, dict(sorted(counts.items())))

    def _drawn(self, most: int) -> str:
        """Return a table of some rows of the first table, drawn by the hash of their texts."""
        joins = " ".join(
            f"LEFT JOIN {values} w{index} ON w{index}.code = r.k{index}" for index, values in enumerate(self._values)
        )
        texts = ", ".join(f"coalesce(w{index}.original, '')" for index in range(len(self._values)))
        table = self.connection.new_name("drawn")
        self.connection.run(
            f"CREATE TEMP TABLE {table} AS SELECT r.* FROM {self._sides[0]} r {joins} "
            f"ORDER BY sha256(concat_ws(chr(31), {texts})), r.id LIMIT {most}"
        )
        return table

    def block_patterns(self, blocks: Sequence[Block], *, keep: bool) -> list[BlockPatterns]:
        """Count the pairs of each block by pattern."""
        self._pairs = self.connection.new_name("pairs")
        union = " UNION ALL ".join(self._block_pairs(number, blocks) for number in range(len(blocks)))
        self.connection.run(f"CREATE TEMP {'TABLE' if keep else 'VIEW'} {self._pairs} AS {union}", _COMPARING)
        rows = self.connection.rows(
            "SELECT block, pattern, count(*), count(*) FILTER (is_new), count(*) FILTER (is_new AND is_true) "
            f"FROM {self._pairs} GROUP BY block, pattern ORDER BY block, pattern",
            _COMPARING,
        )
        table = np.array(rows, np.int64).reshape(-1, 5)
        return [BlockPatterns(*table[table[:, 0] == number, 1:].T) for number in range(len(blocks))]

    def _block_pairs(self, number: int, blocks: Sequence[Block]) -> str:
        """Return the query (block, a, b, pattern, is_new, is_true) of the pairs of a block."""
        first, second = self._sides
        earlier = " OR ".join(f"coalesce({_joined(other)}, false)" for other in blocks[:number]) or "false"
        inner = (
            f"SELECT a.id AS a, b.id AS b, NOT ({earlier}) AS is_new, a.truth = b.truth AND a.truth >= 0 AS is_true, "
            f"{self._compared_cells()} FROM {first} a JOIN {second} b ON {_joined(blocks[number])}"
        )
        return (
            f"SELECT CAST({number} AS TINYINT) AS block, a, b, {self._pattern()} AS pattern, is_new, is_true "
            f"FROM ({inner})"
        )

    def _compared_cells(self) -> str:
        """Return the cells and text distances of rows a and b from which ``_pattern`` follows."""
        return ", ".join(
            f"{_both(index, column.levels)}, {similarity_sql(index, column.levels)}"
            for index, column in enumerate(self._tables.columns)
        )

    def _pattern(self) -> str:
        digits, base = [], 1
        for index, column in enumerate(self._tables.columns):
            digits.append(f"CAST({level_sql(index, column.levels)} AS BIGINT) * {base}")
            base *= len(column.levels) + 1
        return " + ".join(digits)

    def count_patterns(self, rows_a: Integers, rows_b: Integers) -> tuple[Integers, Integers]:
        """Compare given pairs once more and count their patterns."""
        given = self._stored("given", pyarrow.table({"row_a": array_of(rows_a), "row_b": array_of(rows_b)}))
        first, second = self._sides
        compared = (
            f"SELECT {self._compared_cells()} FROM {given} g JOIN {first} a ON a.id = g.row_a "
            f"JOIN {second} b ON b.id = g.row_b"
        )
        rows = self.connection.rows(
            f"SELECT {self._pattern()} AS pattern, count(*) FROM ({compared}) GROUP BY pattern ORDER BY pattern",
            _COMPARING,
        )
        patterns, pairs = np.array(rows, np.int64).reshape(-1, 2).T
        return patterns, pairs

    def best_pairs(self, odds: PairOdds) -> BestPairs:
        """Return the best counterpart of each record."""
        assert self._pairs is not None
        frame = pyarrow.table(
            {
                "pattern": array_of(np.array(odds.patterns, np.int64)),
                "units": text_array([str(unit) for unit in odds.units]),
                "rank": array_of(np.array(odds.ranks, np.int64)),
            }
        )
        table = self._stored("odds", frame)
        # The highest and the lowest counterpart of the highest rank are the same if only one has that rank.
        best = ", ".join(
            f"max((CAST(o.rank AS UBIGINT) << 32) | {code}) AS {name}"
            for code, name in (("p.b", "b_high"), (f"({_LOW} - p.b)", "b_low"), ("p.a", "a_high"),
                               (f"({_LOW} - p.a)", "a_low"))
        )  # fmt: skip
        likely = f"o.rank >= {odds.least_likely}"
        rows = self.connection.arrow(
            f"SELECT coalesce(CAST(p.a AS BIGINT), -1) AS a, coalesce(CAST(p.b AS BIGINT), -1) AS b, "
            f"count(*) FILTER ({likely}) AS likely, count(*) FILTER ({likely} AND p.is_true) AS likely_true, "
            f"CAST(sum(CAST(o.units AS HUGEINT)) AS DOUBLE) AS total, {best} "
            f"FROM {self._pairs} p JOIN {table} o USING (pattern) WHERE p.is_new "
            "GROUP BY GROUPING SETS ((p.a), (p.b))",
            _COMPARING,
        )
        arrays = {name: numbers_of(rows.column(name)) for name in rows.column_names}
        return _mutual(arrays, self._tables.n_b)

    def close(self) -> None:
        """Close the connection and remove its temporary files."""
        self.connection.close()


def _mutual(arrays: dict[str, NDArray[Any]], n_b: int) -> BestPairs:
    """Return the best counterparts of the records of the first table, -1 where the choice is not mutual or tied."""
    of_a = arrays["a"] >= 0
    order = np.argsort(arrays["a"][of_a])
    rows_a = arrays["a"][of_a][order]
    high, low = (arrays[name][of_a][order].astype(np.uint64) for name in ("b_high", "b_low"))
    ours = _single(high, low)
    theirs = np.full(n_b, -1, np.int64)
    of_b = ~of_a
    theirs[arrays["b"][of_b]] = _single(*(arrays[name][of_b].astype(np.uint64) for name in ("a_high", "a_low")))
    likely_b = np.zeros(n_b, np.int64)
    likely_b[arrays["b"][of_b]] = arrays["likely"][of_b]
    is_mutual = (ours >= 0) & (theirs[ours] == rows_a)
    return BestPairs(
        rows_a=rows_a,
        likely=arrays["likely"][of_a][order].astype(np.int64),
        rivals=np.where(ours >= 0, likely_b[ours], 0),
        has_true=arrays["likely_true"][of_a][order] > 0,
        totals=arrays["total"][of_a][order].astype(np.float64),
        rows_b=np.where(is_mutual, ours, -1),
        ranks=(high >> np.uint64(32)).astype(np.int64),
    )


def _single(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> Integers:
    """Return the counterpart that both keys name; -1 if they name different ones."""
    one = (high & np.uint64(_LOW)).astype(np.int64)
    other = _LOW - (low & np.uint64(_LOW)).astype(np.int64)
    return np.where(one == other, one, -1)


def _with_nulls(
    values: Sequence[int | None] | Sequence[float | None] | None, n: int, kind: type[np.generic]
) -> pyarrow.Array:
    """Return numbers of which some, or all, are missing."""
    if values is None:
        return array_of(np.zeros(n, kind), np.ones(n, np.bool_))
    missing = np.array([value is None for value in values], np.bool_)
    return array_of(np.array([value or 0 for value in values], kind), missing)


def _joined(block: Block) -> str:
    return " AND ".join(f"a.k{index} = b.k{index}" for index in block)


def _both(index: int, levels: Sequence[AgreementLevel]) -> str:
    """Return the cells of both rows of a pair that the tests of a column need."""
    names = ["k", *sorted(used_values(levels) - {"t"})]
    return ", ".join(f"{side}.{name}{index} AS {side}_{name}{index}" for name in names for side in "ab")
