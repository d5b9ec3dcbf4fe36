"""The counts of all entries, read quickly for the rules when a repository was restarted."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from idbits.repository.counted_groups import GroupCount
from idbits.repository.entries import changed_error, reference
from idbits.repository.schema import entries
from idbits.repository.statements import counts_in

__all__ = ["collector_paused", "counts_after"]


def counts_after(connection: sa.Connection, sequence: int) -> Iterator[tuple[int, tuple[GroupCount, ...]]]:
    """Yield the counts of entries published after a line of the log, with their line numbers, oldest first.

    Each text must match its reference; the signatures are verified when the rules compare the counts.
    """
    query = sa.select(entries.c.sequence, entries.c.ref, entries.c.statement).where(entries.c.sequence > sequence)
    for line, ref, text in connection.execute(query.order_by(entries.c.sequence)):
        counts = counts_in(text) if reference(text) == ref else None
        if counts is None:
            raise changed_error(ref)
        yield line, counts


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
