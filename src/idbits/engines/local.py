"""Capabilities over coded rows, for every engine that can hand those out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.engines.local_gains import LocalGainRows, local_gain_rows
from idbits.reading import OpenOptions
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["LocalCapabilities"]


class LocalCapabilities:
    """What a table on this machine can be asked beside one count at a time."""

    # Information gain.

    def gain_rows(
        self: Table, attributes: Sequence[Attribute], options: OpenOptions, *, with_cells: bool = False
    ) -> LocalGainRows:
        """Return the distinct rows of attributes."""
        return local_gain_rows(self, attributes, options, with_cells=with_cells)
