"""The capability to look at some rows of a table: enough to tell what its columns hold, cheap even for large tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NoSampling", "Sampling"]

Hashes = NDArray[np.uint64]


class Sampling(Protocol):
    """A table on this machine that draws rows by hash: always the same ones. Values leave it only as hashes."""

    def hashed_rows(self, by: str, columns: Sequence[str], most: int) -> Hashes | None:
        """Return the hashes of some rows: of ``by``, then of each column.

        All rows of a value of ``by`` are among them, or none; about ``most`` rows are returned. None if the rows are
        elsewhere, or if their columns were not loaded.
        """

    def rising_pairs(self, column: str) -> tuple[int, int] | None:
        """Return how many neighbouring rows have whole numbers that do not fall, out of how many.

        None if the rows have no order or are elsewhere.
        """


class NoSampling:
    """A table whose rows are elsewhere: in a database or on a cluster."""

    def hashed_rows(self, by: str, columns: Sequence[str], most: int) -> Hashes | None:  # noqa: ARG002
        """Return nothing: the rows stay where they are."""
        return None

    def rising_pairs(self, column: str) -> tuple[int, int] | None:  # noqa: ARG002
        """Return nothing: the rows have no order."""
        return None
