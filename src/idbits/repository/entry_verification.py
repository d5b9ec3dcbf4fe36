"""Signatures of many stored entries, verified on all processors, and remembered.

The rules need the counts in the signed texts, so this checks that each text was signed with the key of its account, for
that account's holder. What a reader sees is compared with all columns, one by one, when it is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa

from idbits.repository.schema import accounts, entries
from idbits.repository.verified_blocks import (
    BlockDigest,
    SignedRow,
    VerifiedBlocks,
    block_of,
    complete_blocks,
    dense_blocks,
    read_block,
)
from idbits.signing import is_signed_by

__all__ = ["find_changed", "verify_block"]

_AT_ONCE = 500

Authors = Mapping[str, tuple[str | None, str | None]]
"""The public key and the holder of each account."""


def find_changed(connection: sa.Connection, sequences: Iterable[int], remembered: VerifiedBlocks) -> str | None:
    """Return the reference of an entry, by its line in the log, that its publisher did not sign; None if there is none.

    Blocks of which many entries are wanted are verified completely and remembered.
    """
    wanted = set(sequences)
    authors = _authors(connection)
    for block in dense_blocks(wanted, complete_blocks(connection)):
        rows = read_block(connection, block)
        changed = _first_changed(rows, authors)
        if changed is None:
            remembered.remember(block, BlockDigest.of(rows))
            wanted = {sequence for sequence in wanted if block_of(sequence) != block}
        # Otherwise the block has a changed entry, but perhaps none that is wanted.
    for rows in _rows(connection, sorted(wanted)):
        changed = _first_changed(rows, authors)
        if changed is not None:
            return changed
    return None


def verify_block(connection: sa.Connection, block: int, remembered: VerifiedBlocks) -> None:
    """Verify a complete block, unless it was verified before, and remember it if all of its entries are unchanged."""
    if block not in remembered:
        rows = read_block(connection, block)
        if _changed_in(rows, _authors(connection)) is None:
            remembered.remember(block, BlockDigest.of(rows))


def _authors(connection: sa.Connection) -> Authors:
    query = sa.select(accounts.c.name, accounts.c.public_key, accounts.c.stands_for)
    return {name: (public_key, holder) for name, public_key, holder in connection.execute(query)}


def _rows(connection: sa.Connection, sequences: Sequence[int]) -> Iterator[list[SignedRow]]:
    columns = [entries.c[name] for name in ("sequence", "ref", "statement", "signature", "public_key", "publisher")]
    for start in range(0, len(sequences), _AT_ONCE):
        query = sa.select(*columns).where(entries.c.sequence.in_(sequences[start : start + _AT_ONCE]))
        yield [tuple(row) for row in connection.execute(query)]


def _first_changed(rows: Sequence[SignedRow], authors: Authors) -> str | None:
    """Return the reference of an entry that its publisher did not sign; None if all are as they were signed."""
    threads = min(os.cpu_count() or 1, 1 + len(rows) // 100)
    parts = [rows[start::threads] for start in range(threads)]
    if threads == 1:
        found = [_changed_in(rows, authors)]
    else:
        # Verifying releases the interpreter's lock.
        with ThreadPoolExecutor(threads, "idbits-verify") as pool:
            found = list(pool.map(_changed_in, parts, [authors] * threads))
    return next((ref for ref in found if ref is not None), None)


def _changed_in(rows: Sequence[SignedRow], authors: Authors) -> str | None:
    for _, ref, *texts in rows:
        # SQLite also stores numbers and bytes in text columns; nobody signed those.
        if not all(isinstance(text, str) for text in texts):
            return str(ref)
        text, signature, public_key, publisher = texts
        if authors.get(publisher) != (public_key, _holder(text)) or not is_signed_by(public_key, text, signature):
            return ref
    return None


def _holder(text: str) -> str | None:
    try:
        holder = json.loads(text)["holder"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return holder if isinstance(holder, str) else None
