"""Common codes of two tables of one DuckDB connection, which compares the distinct values of each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from idbits.engines.base import numbers_of
from idbits.engines.duckdb.matching import translation_of
from idbits.engines.local_linking import CommonCodes, joined_rows, local_linked_rows
from idbits.kernels.linking import LinkedRows
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table
    from idbits.engines.duckdb.person_keys import DuckDBRows

__all__ = ["DuckDBLinking"]


class DuckDBLinking:
    """Links the rows of two tables that share a connection; others by the texts of their values."""

    def linked_rows(
        self: DuckDBRows,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        more: Sequence[Attribute] = (),
    ) -> LinkedRows:
        """Return the rows of both tables; values are compared by DuckDB where it can."""
        from idbits.engines.duckdb.table import DuckDBTable

        if not isinstance(other, DuckDBTable) or other.connection is not self.connection:
            return local_linked_rows(self, attributes, other, other_attributes, more)
        rows, others = self.coded_rows([*attributes, *more]), other.coded_rows(other_attributes)
        common = [_common_codes(self, ours, other, b) for ours, b in zip(attributes, other_attributes, strict=True)]
        return joined_rows(rows, others, common)


def _common_codes(first: DuckDBRows, ours: Attribute, second: DuckDBRows, theirs: Attribute) -> CommonCodes:
    """Keep the codes of the first table, and add one for each value that only the second has."""
    own, other = first.dictionary(ours), second.dictionary(theirs)
    pairs = first.connection.arrow(f"SELECT theirs, ours FROM {translation_of(first, ours, second, theirs)}")
    codes = np.full(other.size, -1, np.int64)
    codes[numbers_of(pairs.column("theirs"))] = numbers_of(pairs.column("ours"))
    new = np.flatnonzero(codes < 0)
    codes[new] = own.size + np.arange(len(new))
    null = _null_code(first, own.values)
    if null is None:
        of_second = _null_code(second, other.values)
        null = None if of_second is None else int(codes[of_second])
    return np.arange(own.size), codes, own.size + len(new), null


def _null_code(table: DuckDBRows, values: str) -> int | None:
    rows = table.connection.rows(f"SELECT code FROM {values} WHERE value IS NULL AND NOT other")
    return int(rows[0][0]) if rows else None
