"""The choice of a table: files in the offered folders, and configured sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request

from idbits.studies.check.policy import Dataset
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.files import Folder, FolderListing
from idbits.web.state import state_of

__all__ = ["TableLinks", "TableOffer", "offer_of"]


@dataclass(frozen=True, slots=True)
class TableOffer:
    """The choice of tables: folders, one of them listed, and configured sources."""

    root: str
    folders: Sequence[Folder]
    folder: Folder | None
    listing: FolderListing | None
    datasets: Sequence[Dataset]

    def to_dict(self) -> JsonObject:
        """Return the choice as plain data."""
        listing = self.listing
        return {
            "folders": [folder.name for folder in self.folders],
            "sources": [dataset.name for dataset in self.datasets],
            "path": listing.path if listing is not None else None,
            "entries": [
                {"name": entry.name, "path": entry.path, "folder": entry.is_folder, "bytes": entry.bytes}
                for entry in (listing.entries if listing is not None else ())
            ],
            "others": listing.others if listing is not None else 0,
            "more": listing.more if listing is not None else 0,
        }


def offer_of(request: Request, root: str, folder: str) -> TableOffer:
    """Return the choice of tables with the contents of one folder."""
    state = state_of(request)
    offered = state.offered_folders
    if not offered.folders:
        return TableOffer(root, (), None, None, state.datasets)
    return TableOffer(root, offered.folders, offered.folder(root), offered.listing(root, folder), state.datasets)


@dataclass(frozen=True, slots=True)
class TableLinks:
    """The addresses behind a list of tables.

    Attributes:
        browse: the page of the list.
        choose: the page after a table is chosen.
        given: parameters of both pages.
        suffix: what the names of the parameters of the table end with.

    >>> TableLinks("/measure", "/measure/columns").file("0", "a b.csv")
    '/measure/columns?in=0&file=a+b.csv'
    """

    browse: str
    choose: str
    given: tuple[tuple[str, str], ...] = ()
    suffix: str = ""

    def folder(self, root: str | int, path: str = "") -> str:
        """Return the address of a folder."""
        return self._address(self.browse, [("in", str(root)), *([("dir", path)] if path else [])])

    def file(self, root: str | int, path: str) -> str:
        """Return the address after a file is chosen."""
        return self._address(self.choose, [("in", str(root)), ("file", path)])

    def source(self, name: str) -> str:
        """Return the address after a configured source is chosen."""
        return self._address(self.choose, [("set", name)])

    def _address(self, page: str, pairs: Sequence[tuple[str, str]]) -> str:
        return f"{page}?{urlencode([*self.given, *((name + self.suffix, value) for name, value in pairs)])}"
