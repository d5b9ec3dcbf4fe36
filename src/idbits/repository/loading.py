"""The counts of all entries, read quickly for the rules when a repository was restarted."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from idbits.repository.counted_groups import GroupCount
from idbits.repository.entries import changed_error, reference
from idbits.repository.schema import entries
from idbits.repository.statements import counts_in
from idbits.repository.verified_blocks import BLOCK_LINES, BlockDigest, VerifiedBlocks, block_of

__all__ = ["collector_paused", "counts_after"]


EntryCounts = tuple[int, tuple[GroupCount, ...]]
"""The line number of an entry, and its counts."""


def counts_after(
    connection: sa.Connection, sequence: int, remembered: VerifiedBlocks
) -> Iterator[tuple[list[EntryCounts], bool]]:
    """Yield the counts of entries published after a line of the log, oldest first, and whether they are verified.

    Each text must match its reference. Entries are verified if their block is the same as when it was verified before;
    the signatures of the others are verified when the rules compare their counts.
    """
    names = ("sequence", "ref", "statement", *(("signature", "public_key", "publisher") if remembered else ()))
    query = sa.select(*(entries.c[name] for name in names)).where(entries.c.sequence > sequence)
    rows = connection.execute(query.order_by(entries.c.sequence))
    for block, group in itertools.groupby(rows, key=lambda row: block_of(row[0])):
        some, found = list[EntryCounts](), BlockDigest()
        # The first line of the log has the number 1.
        is_remembered = block in remembered and sequence < max(1, block * BLOCK_LINES)
        for row in group:
            counts = counts_in(row[2]) if reference(row[2]) == row[1] else None
            if counts is None:
                raise changed_error(row[1])
            if is_remembered:
                found.add(tuple(row))
            some.append((row[0], counts))
        yield some, is_remembered and remembered.matches(block, found.hex())


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would search millions of objects again and again while they are read."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
