"""Which value of a coarser view each value becomes, from coded rows: for every engine that provides them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Integers
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table

__all__ = ["FetchedViewCodes"]


class FetchedViewCodes:
    """Reads the rows of an attribute together with its views."""

    def count_ahead(self, views: Sequence[Attribute]) -> None:
        """Do nothing: each is counted when it is needed, which costs little."""

    def view_codes(self: Table, attribute: Attribute, views: Sequence[Attribute]) -> list[Integers]:
        """Return, for each view, the code that each code of the attribute becomes."""
        rows = self.coded_rows([attribute, *views])
        made = []
        for codes in rows.codes[1:]:
            of_code = np.zeros(rows.sizes[0], np.int64)
            of_code[rows.codes[0]] = codes
            made.append(of_code)
        return made
