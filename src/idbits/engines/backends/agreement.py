"""Counting the pairs of records of two tables by how far their values agree: what linking tables needs of an engine.

Only counts of patterns leave the engine, and for each record its best counterpart. A pattern is the list of levels of
all columns, written as one whole number (``pattern_levels``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers
from idbits.values.agreement import AgreementLevel

__all__ = [
    "AgreementColumn", "AgreementCounter", "AgreementTables", "BestPairs", "Block", "BlockPatterns", "MaskCounts",
    "PairOdds", "pattern_levels",
]  # fmt: skip

Block = tuple[int, ...]
"""The indices of the columns that are equal in all pairs of a block."""


@dataclass(frozen=True, slots=True, eq=False)
class AgreementColumn:
    """A column of both tables.

    Attributes:
        levels: the levels that are tested, in order.
        texts: the distinct texts of both tables.
        days: for dates, the day of each text as a number; None where it cannot be read.
        numbers: for numbers, the number of each text; None where it cannot be read.
        codes_a, codes_b: for each row, the index of its text; -1 for null.
    """

    levels: tuple[AgreementLevel, ...]
    texts: Sequence[str]
    codes_a: NDArray[np.int32]
    codes_b: NDArray[np.int32]
    days: Sequence[int | None] | None = None
    numbers: Sequence[float | None] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AgreementTables:
    """Two tables in the columns that are compared.

    Attributes:
        truth_a, truth_b: codes of a column that identifies people in both tables, if it is known; -1 for null.
    """

    columns: tuple[AgreementColumn, ...]
    truth_a: NDArray[np.int32] | None = None
    truth_b: NDArray[np.int32] | None = None

    @property
    def n_a(self) -> int:
        """The number of rows of the first table."""
        return len(self.columns[0].codes_a)

    @property
    def n_b(self) -> int:
        """The number of rows of the second table."""
        return len(self.columns[0].codes_b)


@dataclass(frozen=True, slots=True, eq=False)
class BlockPatterns:
    """The pairs of one block by pattern.

    Attributes:
        patterns: the patterns that occur, ascending.
        pairs: the pairs of the block with each pattern.
        new_pairs: those of them that are in no earlier block.
        new_true: those of ``new_pairs`` that are the same person, if that is known; 0 otherwise.
    """

    patterns: Integers
    pairs: Integers
    new_pairs: Integers
    new_true: Integers


@dataclass(frozen=True, slots=True)
class MaskCounts:
    """Pairs of some rows of the first table with all rows of the second, by the columns that are equal.

    Attributes:
        n_rows: how many rows of the first table were drawn.
        pairs: for each set of equal columns, written in bits, the number of pairs.
    """

    n_rows: int
    pairs: Mapping[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class PairOdds:
    """The odds of each pattern: whole numbers of a fixed unit, so that their sums do not depend on the order.

    Attributes:
        patterns: the patterns.
        units: the odds of each in units.
        ranks: 0 for the lowest odds; equal odds have equal ranks.
        least_likely: pairs with this rank or a higher one are likely.
    """

    patterns: Sequence[int]
    units: Sequence[int]
    ranks: Sequence[int]
    least_likely: int


@dataclass(frozen=True, slots=True, eq=False)
class BestPairs:
    """For each record that is in some pair: its likely candidates, the sum of all odds, and the best, if it is mutual.

    Attributes:
        rows_a: the rows of the first table, from 0, ascending.
        likely: the pairs of each with odds that make them candidates.
        rivals: the same of the person with the highest odds, if only one has them; 0 otherwise.
        has_true: whether one of the likely pairs is the same person.
        totals: the sum of the odds of its pairs, in units.
        rows_b: the row of the second table with the highest odds; -1 if several have them or the choice is not mutual.
        ranks: the rank of the highest odds.
    """

    rows_a: Integers
    likely: Integers
    rivals: Integers
    has_true: NDArray[np.bool_]
    totals: NDArray[np.float64]
    rows_b: Integers
    ranks: Integers


class AgreementCounter(Protocol):
    """Counts the pairs of two tables.

    Attributes:
        uncertain_texts: for each column, texts whose distances are those of bytes, since they have rare characters.
    """

    uncertain_texts: list[int]

    def equal_pairs(self, block: Block) -> int:
        """Count the pairs that are equal in some columns, without joining them."""

    def different_weights(self, column: int, most: int) -> list[int]:
        """Return the weight of each level among pairs of different values of a column.

        At most ``most`` values of each table take part, those with the smallest SHA-256; a pair weighs the product of
        their numbers of rows.
        """

    def mask_counts(self, blocks: Sequence[Block], most: int) -> MaskCounts:
        """Count the pairs of any block by the columns that are equal, for at most ``most`` rows of the first table."""

    def block_patterns(self, blocks: Sequence[Block], *, keep: bool) -> list[BlockPatterns]:
        """Count the pairs of each block by pattern; ``keep`` remembers the pairs for ``best_pairs``."""

    def best_pairs(self, odds: PairOdds) -> BestPairs:
        """Return the best counterpart of each record in the blocks last counted."""

    def count_patterns(self, rows_a: Integers, rows_b: Integers) -> tuple[Integers, Integers]:
        """Return the patterns of given pairs of rows, ascending, and the number of pairs with each."""

    def close(self) -> None:
        """Release memory and temporary files."""


def pattern_levels(patterns: Integers, n_levels: Sequence[int]) -> Integers:
    """Return the level of each column in each pattern, from 0; -1 for no evidence.

    A pattern is written in digits with bases ``n_levels + 1``, the first column lowest; the digit 0 is no evidence.

    >>> pattern_levels(np.array([0, 1 + 3 * 2]), [2, 4]).tolist()
    [[-1, -1], [0, 1]]
    """
    levels = np.empty((len(patterns), len(n_levels)), np.int64)
    rest = patterns.copy()
    for index, number in enumerate(n_levels):
        rest, digit = np.divmod(rest, number + 1)
        levels[:, index] = digit - 1
    return levels
