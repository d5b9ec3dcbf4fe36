"""Counts the candidates of records whose values are only nearly equal, by joins in DuckDB.

Implements: SPEC page link.md, section 2. Distinct rows are joined on the columns that must be equal and on one band of
numbers; then all tolerances are tested. The number of pairs to compare is counted before each join.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.engines.base import numbers_of
from idbits.engines.duckdb.connection import DuckDBConnection
from idbits.errors import DataError
from idbits.progress import Progress

__all__ = ["CandidateJoin", "JoinColumn", "JoinedCandidates"]

_UNBANDED_PAIRS = 10**8


@dataclass(frozen=True, slots=True, eq=False)
class JoinColumn:
    """A compared column of the distinct rows of two tables.

    Attributes:
        first, second: the values of each row, one array or, for places, two; null where a value is missing.
        condition: the SQL test of a pair, with ``{a}`` and ``{b}`` for the values, ``{a2}`` and ``{b2}`` for the second
            ones; empty if values must be equal.
        bands: the bands of both, of which near values have the same or neighbouring ones; None if there are none.
    """

    first: tuple[pyarrow.Array, ...]
    second: tuple[pyarrow.Array, ...]
    condition: str = ""
    bands: tuple[Integers, Integers] | None = None

    @property
    def nulls(self) -> NDArray[np.bool_]:
        """Which rows of the first table lack a value."""
        found = np.zeros(len(self.first[0]), np.bool_)
        for array in self.first:
            found |= numbers_of(array.is_null().cast("uint8")).astype(np.bool_)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class JoinedCandidates:
    """The candidates of distinct rows.

    Attributes:
        candidates: the people who fit each row of the first table.
        only: the row of the second table that fits, if one person does; otherwise any or -1.
        rivals: the records that fit each row of the second table.
    """

    candidates: Integers
    only: Integers
    rivals: Integers


class CandidateJoin:
    """Two tables of distinct rows in a connection of their own."""

    def __init__(
        self,
        columns: Sequence[JoinColumn],
        people: tuple[Integers, Integers],
        max_pairs: int,
        memory: int | None,
        threads: int | None,
        progress: Progress,
        *,
        ignore_nulls: bool,
    ) -> None:
        self._columns = columns
        self._people = people
        self._max_pairs = max_pairs
        self._connection = DuckDBConnection(memory, threads, progress)
        nulls = np.zeros(len(people[0]), np.int64)
        for index, column in enumerate(columns):
            nulls |= column.nulls.astype(np.int64) << index
        self._missing = nulls
        self._patterns = np.unique(nulls).tolist() if ignore_nulls else [0]
        for name, side in (("a", 0), ("b", 1)):
            self._create(name, side)

    def _create(self, name: str, side: int) -> None:
        arrays: dict[str, pyarrow.Array] = {
            "i": pyarrow.array(np.arange(len(self._people[side]))),
            "n": pyarrow.array(self._people[side]),
        }
        if side == 0:
            arrays["missing"] = pyarrow.array(self._missing)
        for index, column in enumerate(self._columns):
            for part, array in enumerate((column.first, column.second)[side]):
                arrays[f"v{index}_{part}"] = array
            if column.bands is not None:
                arrays[f"band{index}"] = pyarrow.array(column.bands[side])
        self._connection.raw.register("frame", pyarrow.table(arrays))
        self._connection.run(f"CREATE TEMP TABLE {name} AS SELECT * FROM frame")
        self._connection.raw.unregister("frame")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def count(self) -> JoinedCandidates:
        """Count the candidates of each row; rows with nulls have none, or are compared by their other columns."""
        candidates, rivals = (np.zeros(len(people), np.int64) for people in self._people)
        only = np.full(len(candidates), -1, np.int64)
        for pattern in self._patterns:
            self._count_pattern(pattern, candidates, only, rivals)
        return JoinedCandidates(candidates, only, rivals)

    def _count_pattern(self, pattern: int, candidates: Integers, only: Integers, rivals: Integers) -> None:
        used = [index for index in range(len(self._columns)) if not pattern >> index & 1]
        if not used:
            rows = np.flatnonzero(self._missing == pattern)
            candidates[rows] = int(self._people[1].sum())
            only[rows] = 0
            rivals += int(self._people[0][rows].sum())
            return
        join = self._join(pattern, used)
        found = self._connection.arrow(
            "SELECT CAST(grouping(a.i) AS UTINYINT) AS side, coalesce(a.i, b.i) AS number, max(b.i) AS other, "
            "CAST(CASE WHEN grouping(a.i) = 0 THEN sum(b.n) ELSE sum(a.n) END AS BIGINT) AS people "
            f"FROM {join} GROUP BY GROUPING SETS ((a.i), (b.i))",
            "comparing values",
        )
        side, number, people, other = (numbers_of(found.column(name)) for name in ("side", "number", "people", "other"))
        of_first = side == 0
        candidates[number[of_first]] = people[of_first]
        only[number[of_first]] = other[of_first]
        np.add.at(rivals, number[~of_first], people[~of_first])

    def fits(self, first: Integers, second: Integers) -> NDArray[np.bool_]:
        """Return whether each row of the first table fits a given row of the second."""
        pairs = pyarrow.table({"k": np.arange(len(first)), "i": first, "j": second})
        self._connection.raw.register("given", pairs)
        found = np.zeros(len(first), np.bool_)
        for pattern in self._patterns:
            used = [index for index in range(len(self._columns)) if not pattern >> index & 1]
            tests = " AND ".join([f"a.missing = {pattern}", *(self._test(index) for index in used)])
            rows = self._connection.column(
                f"SELECT k FROM given JOIN a ON a.i = given.i JOIN b ON b.i = given.j WHERE {tests}", "k"
            )
            found[rows.astype(np.int64)] = True
        self._connection.raw.unregister("given")
        return found

    def _test(self, index: int) -> str:
        column = self._columns[index]
        a, b = f"a.v{index}_0", f"b.v{index}_0"
        if not column.condition:
            return f"{a} = {b}"
        return f"({column.condition.format(a=a, b=b, a2=f'a.v{index}_1', b2=f'b.v{index}_1')})"

    def _join(self, pattern: int, used: Sequence[int]) -> str:
        """Return the join of a pattern of nulls, with the band that leaves fewest pairs; refuse too many pairs."""
        equal = [index for index in used if not self._columns[index].condition]
        banded = [index for index in used if self._columns[index].bands is not None]
        choices: list[int | None] = list(banded) or [None]
        pairs, band = min((self._pairs(pattern, equal, choice), -1 if choice is None else choice) for choice in choices)
        if pairs > self._max_pairs:
            raise DataError(
                f"{pairs:,} pairs would have to be compared, more than {self._max_pairs:,}; add a column that must be "
                "equal (--on) or allow more with --max-pairs"
            )
        if not equal and band < 0 and pairs > _UNBANDED_PAIRS:
            raise DataError(
                f"{pairs:,} pairs would have to be compared one by one; add a column that must be equal, a date or a "
                "number (--on)"
            )
        tests = [f"a.missing = {pattern}", *(self._test(index) for index in used)]
        if band < 0:
            return f"a JOIN b ON {' AND '.join(tests)}"
        steps = "(SELECT * FROM b, (VALUES (-1), (0), (1)) steps(step))"
        return f"a JOIN {steps} b ON a.band{band} = b.band{band} + b.step AND {' AND '.join(tests)}"

    def _pairs(self, pattern: int, equal: Sequence[int], band: int | None) -> int:
        """Count the pairs that a join compares."""
        columns = [f"v{index}_0" for index in equal]
        names = ", ".join(columns)
        if band is not None:
            keys = ", ".join([*columns, f"band{band} AS band"])
            other = ", ".join([*columns, f"band{band} + step AS band"])
            source = "b, (VALUES (-1), (0), (1)) steps(step)"
        else:
            keys = other = names
            source = "b"
        using = ", ".join([*columns, *(["band"] if band is not None else [])])
        if not using:
            first = f"(SELECT count(*) FROM a WHERE missing = {pattern})"
            (pairs,) = self._connection.counts(f"SELECT CAST({first} AS HUGEINT) * (SELECT count(*) FROM b)")
            return pairs
        (pairs,) = self._connection.counts(
            f"SELECT coalesce(sum(CAST(x.n AS HUGEINT) * y.n), 0) FROM "
            f"(SELECT {keys}, count(*) AS n FROM a WHERE missing = {pattern} GROUP BY ALL) x JOIN "
            f"(SELECT {other}, count(*) AS n FROM {source} GROUP BY ALL) y USING ({using})",
            "counting pairs",
        )
        return pairs
