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

__all__ = [
    "Bound", "Cell", "Cells", "Conflict", "Entry", "Followed", "HolderTable", "ImportSummary", "Match", "Publication",
    "PublicationDetails", "QueryAnswer", "Questions", "Receipt", "RemoteRepository", "Repository", "SigningKey",
    "Spread", "Statement", "SyncOutcome", "backup", "connect", "export", "import_file", "publish", "restore",
    "signing_key", "sync",
]  # fmt: skip
