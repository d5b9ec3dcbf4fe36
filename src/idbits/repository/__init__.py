"""The repository of KL distances: signed entries that say how uneven quasi-identifiers are in populations.

>>> import tempfile
>>> from idbits import repository
>>> with tempfile.TemporaryDirectory() as folder:
...     store = repository.connect(f"{folder}/repository.db", create=True)
...     print(store.vocabulary().resolve("BirthYear").name)
...     store.close()
birthdate:year
"""

from __future__ import annotations

from typing import Any

from idbits.deprecation import warn_renamed
from idbits.repository.backups import backup, export, restore
from idbits.repository.bounds import Bound
from idbits.repository.client import RemoteRepository
from idbits.repository.conflicts import Conflict
from idbits.repository.connecting import connect, signing_key
from idbits.repository.entries import Entry, Receipt
from idbits.repository.export_files import import_file
from idbits.repository.following import Followed
from idbits.repository.importing import ImportSummary
from idbits.repository.inventory import HolderTable, Match, Questions
from idbits.repository.publishing import Publication, PublicationDetails, publish
from idbits.repository.queries import QueryAnswer, Spread
from idbits.repository.service import Repository
from idbits.repository.statements import Cell, Cells, Statement
from idbits.repository.syncing import SyncOutcome, sync
from idbits.signing import SigningKey
from idbits.studies.shared.python_errors import public_functions

__all__ = [
    "Bound", "Cell", "Cells", "Conflict", "Entry", "Followed", "HolderTable", "ImportSummary", "Match", "Publication",
    "PublicationDetails", "QueryAnswer", "Questions", "Receipt", "RemoteRepository", "Repository", "SigningKey",
    "Spread", "Statement", "SyncOutcome", "backup", "connect", "export", "import_file", "publish", "restore",
    "signing_key", "sync",
]  # fmt: skip

globals().update(public_functions(__name__, backup, connect, export, import_file, publish, restore, signing_key, sync))

_RENAMED = {"Said": PublicationDetails}
"""Names of version 0.1.0."""


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module 'idbits.repository' has no attribute {name!r}")
    warn_renamed(f"idbits.repository.{name}", f"idbits.repository.{_RENAMED[name].__name__}", since="1.0.0")
    return _RENAMED[name]
