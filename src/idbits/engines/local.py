"""Capabilities over coded rows, for every engine that can hand those out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.engines.sources.files import stamps

if TYPE_CHECKING:
    from idbits.engines.backends import EventRequest, FileStamp, Points
    from idbits.engines.base import Table
    from idbits.reading import OpenOptions

__all__ = ["LocalCapabilities"]


class LocalCapabilities:
    """What a table on this machine can be asked beside one count at a time."""

    # Points of people.

    def event_points(self: Table, request: EventRequest, options: OpenOptions) -> Points:
        """Return the points of people as codes."""
        from idbits.engines import coded_points

        return coded_points.load_points(self, request, options)

    def file_stamps(self: Table) -> list[FileStamp]:
        """Return the files that hold the rows, as they are now."""
        return [(str(path), size, str(changed)) for path, size, changed in stamps(self.files)]
