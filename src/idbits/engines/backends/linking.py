"""The capability to hand out the rows of people, so that two tables can be compared person by person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from idbits.counts import CodedRows
from idbits.values.attributes import Attribute

__all__ = ["PersonLinking"]


class PersonLinking(Protocol):
    """A table on this machine, whose rows can be linked to those of another."""

    def linkable_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the rows as small integers, one of the attributes identifying people.

        An engine from which rows do not leave raises an ``EngineError``.
        """
