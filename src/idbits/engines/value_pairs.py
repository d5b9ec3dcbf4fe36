"""Counts the values of two tables: where they are if one engine has both, otherwise from their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.counts import PairCounts
    from idbits.engines.backends.linking import PairCounter
    from idbits.engines.base import Table
    from idbits.kernels.subsets import Chain

__all__ = ["ValuePairCounting"]


class ValuePairCounting:
    """Compares the values of a table with those of another; an engine may count them itself (``pair_counter``)."""

    def pair_counts(
        self: Table,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        chains: Sequence[Chain],
        *,
        null_is_value: bool = False,
    ) -> dict[int, PairCounts]:
        """Count the values of both tables for the subsets of some chains."""
        from idbits.engines.local_linking import pair_counts_of_rows
        from idbits.kernels.subsets import columns_of

        count = self.pair_counter(attributes, other, other_attributes, null_is_value=null_is_value)
        if count is None:
            rows = self.linked_rows(attributes, other, other_attributes)
            return pair_counts_of_rows(rows, chains, null_is_value=null_is_value)
        masks = {mask: columns_of(mask) for chain in chains for mask in chain.masks()}
        return {
            mask: count([attributes[index] for index in columns], [other_attributes[index] for index in columns])
            for mask, columns in masks.items()
        }

    def pair_counter(
        self,
        attributes: Sequence[Attribute],  # noqa: ARG002 (engines that count themselves need these)
        other: Table,  # noqa: ARG002
        other_attributes: Sequence[Attribute],  # noqa: ARG002
        *,
        null_is_value: bool,  # noqa: ARG002
    ) -> PairCounter | None:
        """Return None: values are counted from rows on this machine."""
        return None
