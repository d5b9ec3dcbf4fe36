"""Capabilities over coded rows, for every engine that can hand those out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from idbits.counts import CodedRows, Value
from idbits.engines.local_subsets import LocalSubsetCounts
from idbits.values.attributes import Attribute

__all__ = ["CodedTable", "LocalCapabilities"]


class CodedTable(Protocol):
    """A table that can hand out its rows as codes."""

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the rows as small integers."""
        ...

    def labels(self, attribute: Attribute) -> list[Value]:
        """Return the shown value of each code of an attribute."""
        ...


class LocalCapabilities:
    """What a table on this machine can be asked beside one count at a time."""

    # Sets of columns, and the records that they single out.

    def subset_counts(
        self: CodedTable, attributes: Sequence[Attribute], *, threads: int | None = None, memory: int | None = None
    ) -> LocalSubsetCounts:
        """Make the rows of some attributes ready to count sets of them, with so many threads and so much memory."""
        return LocalSubsetCounts(self.coded_rows(attributes), attributes, self, threads=threads, memory=memory)
