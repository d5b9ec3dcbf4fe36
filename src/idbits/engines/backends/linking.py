"""The capability to compare two tables: by the values of some columns, or person by person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from idbits.counts import CodedRows, PairCounts
from idbits.kernels.linking import LinkedRows
from idbits.kernels.subsets import Chain
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["PairCounter", "PersonLinking", "ValueLinking"]

PairCounter: TypeAlias = Callable[[Sequence[Attribute], Sequence[Attribute]], PairCounts]
"""Counts the values of some attributes of one table and their counterparts in another by how often each has them."""


class PersonLinking(Protocol):
    """A table on this machine, whose rows can be linked to those of another."""

    def linkable_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the rows as small integers, one of the attributes identifying people.

        An engine from which rows do not leave raises an ``EngineError``.
        """


class ValueLinking(Protocol):
    """A table whose values can be looked up in another one, in which the attributes may have other names.

    Values are equal if their texts are, as with ``match``.
    """

    def pair_counts(
        self,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        chains: Sequence[Chain],
        *,
        null_is_value: bool = False,
    ) -> dict[int, PairCounts]:
        """Count the values of subsets of the attributes by how often they occur in this table and in the other.

        The subsets are those of the chains; the result has their masks, of which bit i is attribute i. A null equals
        nothing, so rows with one are left out, unless ``null_is_value``.
        """

    def pair_counter(
        self,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        *,
        null_is_value: bool,
    ) -> PairCounter | None:
        """Return how the engine counts values of both tables itself; None if their rows must be fetched."""

    def linked_rows(
        self,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        more: Sequence[Attribute] = (),
    ) -> LinkedRows:
        """Return the rows of both tables with common codes, and ``more`` columns of this table, on this machine.

        An engine without rows on this machine returns distinct rows with their numbers of people.
        """
