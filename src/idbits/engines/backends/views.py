"""The capability to relate attributes to coarser views: to count many, and to say what each value becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from idbits.counts import Integers
from idbits.values.attributes import Attribute

__all__ = ["ViewCodes"]


class ViewCodes(Protocol):
    """A table that relates attributes to coarser views of the same columns."""

    def count_ahead(self, views: Sequence[Attribute]) -> None:
        """Count attributes whose spectra will be needed one by one, if it is faster to count them all at once.

        Those that cannot be counted are left out; the error is raised when the spectrum is needed.
        """

    def view_codes(self, attribute: Attribute, views: Sequence[Attribute]) -> list[Integers]:
        """Return, for each view, the code that each code of the attribute becomes; codes as in ``coded_rows``."""
