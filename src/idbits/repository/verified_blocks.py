"""Which stored entries this machine has verified before, so that a restart need not verify their signatures again.

Entries are never changed, so a block of entries (those of 1,024 lines of the audit log) that was verified once stays
verified as long as it is the same. We remember the digest of each verified block, in a private file of the user who
runs the repository, outside the database. Somebody who edits the database changes the digest of a block, and then its
signatures are verified again. Somebody who can also edit the files of this user could change the program itself.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from idbits.canonical import canonical, digest
from idbits.errors import IdbitsError
from idbits.repository.database import Database, data_folder
from idbits.repository.schema import audit, entries
from idbits.storage import is_private, whole_file

__all__ = [
    "BLOCK_LINES", "BlockDigest", "SignedRow", "VerifiedBlocks", "block_of", "complete_blocks", "dense_blocks",
    "read_block",
]  # fmt: skip

BLOCK_LINES = 1024
_FORMAT = "idbits-verified/1"

SignedRow = tuple[int, str, str, str, str, str]
"""The line number of an entry, its reference, text, signature, public key and publisher."""


def block_of(sequence: int) -> int:
    """Return the block that a line of the log belongs to."""
    return sequence // BLOCK_LINES


def complete_blocks(connection: sa.Connection) -> range:
    """Return the blocks to which no more lines can be added."""
    last = connection.execute(sa.select(sa.func.max(audit.c.sequence))).scalar() or 0
    return range(block_of(last + 1))


def read_block(connection: sa.Connection, block: int) -> list[SignedRow]:
    """Return the entries of a block, oldest first."""
    columns = [entries.c[name] for name in ("sequence", "ref", "statement", "signature", "public_key", "publisher")]
    first = block * BLOCK_LINES
    query = sa.select(*columns).where(entries.c.sequence.between(first, first + BLOCK_LINES - 1))
    return [tuple(row) for row in connection.execute(query.order_by(entries.c.sequence))]


class BlockDigest:
    """The digest of what the verification of a block depends on."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, row: SignedRow) -> None:
        """Add the next entry."""
        sequence, ref, text, signature, public_key, publisher = row
        hashed = hashlib.sha256(str(text).encode()).hexdigest()
        # With its length before it, no column can pass for a part of another.
        for part in map(str, (sequence, ref, hashed, signature, public_key, publisher)):
            self._digest.update(f"{len(part)}:{part}".encode())

    def hex(self) -> str:
        """Return the digest."""
        return self._digest.hexdigest()

    @classmethod
    def of(cls, rows: Iterable[SignedRow]) -> str:
        """Return the digest of all entries of a block."""
        made = cls()
        for row in rows:
            made.add(row)
        return made.hex()


class VerifiedBlocks:
    """The digests of the blocks that were verified on this machine. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._path = _file_of(database)
        self._lock = threading.Lock()
        self._digests = self._read()
        self._is_written = True

    def __contains__(self, block: object) -> bool:
        return block in self._digests

    def __bool__(self) -> bool:
        return bool(self._digests)

    def matches(self, block: int, found: str) -> bool:
        """Return whether a block is the same as when it was verified."""
        return self._digests.get(block) == found

    def remember(self, block: int, found: str) -> None:
        """Note that all signatures of a block were verified."""
        with self._lock:
            self._digests = {**self._digests, block: found}
            self._is_written = False

    def write(self) -> None:
        """Write the file, if something was verified; without it, the next start only takes longer."""
        with self._lock:
            if self._is_written or self._path is None:
                return
            self._is_written = True
            text = canonical({"format": _FORMAT, "blocks": {str(block): each for block, each in self._digests.items()}})
            with suppress(OSError, IdbitsError):
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with whole_file(self._path, private=True) as draft:
                    draft.write_text(text, encoding="ascii", newline="\n")

    def _read(self) -> dict[int, str]:
        try:
            if self._path is None or not is_private(self._path):
                return {}
            data = json.loads(self._path.read_text(encoding="ascii"))
            blocks = data["blocks"] if data["format"] == _FORMAT else {}
            return {int(block): str(found) for block, found in blocks.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}


def _file_of(database: Database) -> Path | None:
    """Return the file for a database; None if this user has no home folder."""
    address = str(database.path.resolve()) if database.path is not None else str(database.engine.url)
    try:
        return data_folder() / "verified" / f"{digest(address)[:32]}.json"
    except IdbitsError:
        return None


def dense_blocks(sequences: Iterable[int], blocks: range) -> Iterator[int]:
    """Yield the complete blocks of which many entries are wanted: verifying all of one is then worth remembering."""
    wanted: dict[int, int] = {}
    for sequence in sequences:
        wanted[block_of(sequence)] = wanted.get(block_of(sequence), 0) + 1
    yield from (block for block, number in wanted.items() if block in blocks and number >= BLOCK_LINES // 4)
