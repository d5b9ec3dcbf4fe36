"""The repository: what the JSON interface, the pages and the commands all call."""

from __future__ import annotations

from idbits.repository.accounts import Account

__all__ = ["Repository"]


class Repository:
    """An open repository.

    Being built; what pages will call (all synchronous, all thread-safe):

    - ``vocabulary() -> tuple[Concept, ...]``; Concept has name, description, aliases, transforms
    - ``entries(qid=None, population=None, holder=None, text=None, status=("current",), limit=100, offset=0)``
    - ``entry(ref) -> Entry``
    - ``query(qid, population, size=None) -> QueryAnswer`` (exact, spread, bounds; a ``Shown`` result)
    - ``decide(ref, decision=..., by=..., why=...)`` and ``decisions(ref=None)``
    - ``tables()``, ``questionnaires()``, ``matches()``; ``audit(limit, offset)``, ``verify()``
    """

    def __init__(self, floor: int) -> None:
        self.floor = floor

    @classmethod
    def open(cls, database: str | None = None, *, floor: int = 100) -> Repository:
        """Open a repository; None for the one in the user's data folder."""
        return cls(floor)

    def authenticate(self, key: str) -> Account | None:
        """Return whose key this is."""
        return None
