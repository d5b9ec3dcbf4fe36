"""The tables that the owner of the machine looked at last, so that work can be left and found again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

__all__ = ["RecentPage", "RecentPages"]

_MOST_KEPT = 20


@dataclass(frozen=True, slots=True)
class RecentPage:
    """A page about a table.

    Attributes:
        table: the name of the table.
        address: the page.
        key: the key of the work that it shows.
        waits_for: what the page asks for; empty if it shows an answer.
    """

    table: str
    address: str
    key: str
    waits_for: str = ""


class RecentPages:
    """The last page about each table, the latest first; kept in memory only.

    >>> pages = RecentPages()
    >>> pages.note("a", RecentPage("a.csv", "/1", "k"))
    >>> pages.note("b", RecentPage("b.csv", "/2", "k"))
    >>> pages.note("a", RecentPage("a.csv", "/3", "k"))
    >>> [page.address for page in pages.latest()]
    ['/3', '/2']
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[str, RecentPage] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, source: str, page: RecentPage) -> None:
        """Remember the last page about a table."""
        with self._lock:
            self._pages[source] = page
            self._pages.move_to_end(source)
            while len(self._pages) > _MOST_KEPT:
                self._pages.popitem(last=False)

    def latest(self) -> list[RecentPage]:
        """Return the last page about each table."""
        with self._lock:
            return list(reversed(self._pages.values()))
