"""A table of few rows that are read once, however many studies ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from idbits.counts import CodedRows
from idbits.engines.base import Table
from idbits.engines.local import LocalCapabilities
from idbits.values.attributes import Attribute

__all__ = ["keeping_rows"]

# Codes of 4 bytes that may be kept.
_MOST_CODES = 10_000_000


def keeping_rows(table: Table, n_rows: int, n_columns: int) -> Table:
    """Return the table, keeping the coded columns it has read where they are small; databases count anew each time."""
    # A database gives distinct rows, other ones for other columns: they cannot be put together.
    if not table.trials_are_cheap or n_rows * n_columns > _MOST_CODES:
        return table
    return cast("Table", _Keeping(table))


class _Keeping(LocalCapabilities):
    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: dict[Attribute, tuple[Any, int]] = {}
        self._read: CodedRows | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the rows as small integers; columns that were read before are not read again."""
        new = [attribute for attribute in dict.fromkeys(attributes) if attribute not in self._columns]
        if new or self._read is None:
            read = self._table.coded_rows(new)
            for codes in read.codes:
                codes.setflags(write=False)
            self._columns |= dict(zip(new, zip(read.codes, read.sizes, strict=True), strict=True))
            self._read = read
        columns = [self._columns[attribute] for attribute in attributes]
        return CodedRows(
            tuple(codes for codes, _ in columns),
            tuple(size for _, size in columns),
            self._read.people,
            self._read.numbers,
        )
