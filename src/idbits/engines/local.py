"""Capabilities over coded rows, for every engine that can hand those out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.engines.sources.files import stamps
from idbits.values.attributes import Attribute

if TYPE_CHECKING:
    from idbits.engines.backends.points import EventRequest, FileStamp, Points
    from idbits.engines.base import Table
    from idbits.engines.local_gains import LocalGainRows
    from idbits.engines.local_subsets import LocalSubsetCounts
    from idbits.reading import OpenOptions

__all__ = ["LocalCapabilities"]


class LocalCapabilities:
    """What a table on this machine can be asked beside one count at a time; what answers it is imported when asked."""

    # Sets of columns, and the records that they single out.

    def subset_counts(self: Table, attributes: Sequence[Attribute], options: OpenOptions) -> LocalSubsetCounts:
        """Make the rows of some attributes ready to count sets of them, in the threads and the memory allowed."""
        from idbits.engines.local_subsets import LocalSubsetCounts

        return LocalSubsetCounts(self, attributes, options)

    # Points of people.

    def event_points(self: Table, request: EventRequest, options: OpenOptions) -> Points:
        """Return the points of people as codes."""
        from idbits.engines import coded_points

        return coded_points.load_points(self, request, options)

    def file_stamps(self: Table) -> list[FileStamp]:
        return [(str(path), size, str(changed)) for path, size, changed in stamps(self.files)]

    # Information gain.

    def gain_rows(
        self: Table, attributes: Sequence[Attribute], options: OpenOptions, *, with_cells: bool = False
    ) -> LocalGainRows:
        """Return the distinct rows of attributes."""
        from idbits.engines.local_gains import local_gain_rows

        return local_gain_rows(self, attributes, options, with_cells=with_cells)
