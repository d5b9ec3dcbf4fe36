"""The capability to say which value of a coarser view each value of an attribute becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from idbits.counts import Integers
from idbits.values.attributes import Attribute

__all__ = ["ViewCodes"]


class ViewCodes(Protocol):
    """A table that relates the codes of an attribute to those of coarser views of the same column."""

    def view_codes(self, attribute: Attribute, views: Sequence[Attribute]) -> list[Integers]:
        """Return, for each view, the code that each code of the attribute becomes; codes as in ``coded_rows``."""
