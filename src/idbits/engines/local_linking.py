"""Compares two tables by their coded rows, for every engine that provides them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.counts import Integers, PairCounts, Value
from idbits.engines.base import labels_to_compare
from idbits.kernels.linking import LinkedRows, chain_pair_counts
from idbits.kernels.subsets import Chain
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.counts import CodedRows
    from idbits.engines.base import Table

__all__ = ["FETCHED", "CommonCodes", "joined_rows", "local_linked_rows", "pair_counts_of_rows", "text_codes"]

FETCHED = "the distinct values were fetched from the database to compare them on this machine"
"""The note that values left a database."""

CommonCodes = tuple[Integers, Integers, int, int | None]
"""The common code of each code of the first and of the second table, their number, and that of null."""


def local_linked_rows(
    first: Table,
    attributes: Sequence[Attribute],
    second: Table,
    second_attributes: Sequence[Attribute],
    more: Sequence[Attribute] = (),
) -> LinkedRows:
    """Return the rows of two tables on any engines with codes that are common to both, by the texts of values."""
    rows, others = first.coded_rows([*attributes, *more]), second.coded_rows(second_attributes)
    return joined_rows(
        rows,
        others,
        [
            text_codes(first.labels(ours), second.labels(theirs))
            for ours, theirs in zip(attributes, second_attributes, strict=True)
        ],
    )


def text_codes(ours: Sequence[Value], theirs: Sequence[Value]) -> CommonCodes:
    """Give equal texts equal codes.

    >>> first, second, size, null = text_codes(["a", None], ["b", "a"])
    >>> first.tolist(), second.tolist(), size, null
    ([0, 1], [2, 0], 3, 1)
    """
    numbers: dict[Value, int] = {}

    def numbered(texts: Sequence[Value]) -> Integers:
        return np.array([numbers.setdefault(text, len(numbers)) for text in labels_to_compare(tuple(texts))], np.int64)

    first, second = numbered(ours), numbered(theirs)
    return first, second, len(numbers), numbers.get(None)


def joined_rows(first: CodedRows, second: CodedRows, common: Sequence[CommonCodes]) -> LinkedRows:
    """Put the rows of two tables one below the other, with common codes."""
    codes: list[NDArray[np.uint32]] = []
    for index, (ours, theirs, _, _) in enumerate(common):
        parts = (ours.astype(np.uint32)[first.codes[index]], theirs.astype(np.uint32)[second.codes[index]])
        codes.append(np.concatenate(parts))
    weights = None
    if first.people is not None or second.people is not None:
        weights = np.concatenate(
            [np.ones(rows.n_rows, np.int64) if rows.people is None else rows.people for rows in (first, second)]
        )
    numbers, more = (first.numbers, second.numbers), first.codes[len(common) :]
    sizes, nulls = tuple(size for _, _, size, _ in common), tuple(null for *_, null in common)
    return LinkedRows(tuple(codes), sizes, nulls, first.n_rows, weights, numbers, more)


def pair_counts_of_rows(rows: LinkedRows, chains: Sequence[Chain], *, null_is_value: bool) -> dict[int, PairCounts]:
    """Count the values of the subsets of some chains of columns."""
    return {
        mask: pairs for chain in chains for mask, pairs in chain_pair_counts(rows, chain, null_is_value=null_is_value)
    }
