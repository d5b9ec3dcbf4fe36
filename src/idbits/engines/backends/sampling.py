"""The capability to look at some rows of a table: enough to tell what its columns hold, cheap even for large tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.values.profile import Profile

__all__ = ["MOST_DRAWN", "NoSampling", "Sampling", "TableSample"]

MOST_DRAWN = 10_000
"""At most this many rows are drawn."""

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class TableSample:
    """Rows of a table drawn by hash: always the same ones.

    Attributes:
        n_rows: the number of rows of the table.
        n_drawn: the number of rows drawn.
        profiles: the columns that were drawn, described by the rows drawn. How often values occur is counted in all of
            them, what values look like in some.
        codes: a number for each cell, equal for equal values of a column: one row per row, one column per column.
    """

    n_rows: int
    n_drawn: int
    profiles: Mapping[str, Profile]
    codes: Hashes


class Sampling(Protocol):
    """A table on this machine of which some rows can be looked at. Values leave it only as counts and codes."""

    def draw_sample(self) -> TableSample | None:
        """Describe the columns that were declared as ``sampled``; None if the rows are elsewhere."""

    def count_values(self, columns: Sequence[str]) -> Mapping[str, int]:
        """Count the distinct values of loaded columns in all rows, without null."""

    def unique_people(self, columns: Sequence[str]) -> Mapping[str, int]:
        """Count the people whose value of a column nobody else has, also in columns that are not loaded."""

    def hashed_rows(self, by: str, columns: Sequence[str]) -> Hashes | None:
        """Return the hashes of some rows of loaded columns: of ``by``, then of each column.

        All rows of a value of ``by`` are among them, or none. None if the rows are elsewhere.
        """

    def rising_pairs(self, column: str) -> tuple[int, int] | None:
        """Return how many neighbouring rows of a column of whole numbers do not fall, out of how many.

        None if the rows have no order or are elsewhere.
        """


class NoSampling:
    """A table whose rows are elsewhere: in a database or on a cluster."""

    def draw_sample(self) -> TableSample | None:
        """Return nothing: the rows stay where they are."""
        return None

    def count_values(self, columns: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002
        """Return nothing: counting would be a query on somebody's server."""
        return {}

    def unique_people(self, columns: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002
        """Return nothing: counting would be a query on somebody's server."""
        return {}

    def hashed_rows(self, by: str, columns: Sequence[str]) -> Hashes | None:  # noqa: ARG002
        """Return nothing: the rows stay where they are."""
        return None

    def rising_pairs(self, column: str) -> tuple[int, int] | None:  # noqa: ARG002
        """Return nothing: the rows have no order."""
        return None
