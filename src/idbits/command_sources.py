"""The sources of the command that this process runs. It ends when it has read them; a program may go on to others.

What speeds up short work and slows down long work is decided by them, and is never done for programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["add_sources", "one_command", "sources_of_command"]

_SOURCES: ContextVar[list[str] | None] = ContextVar("idbits_command_sources", default=None)


@contextmanager
def one_command() -> Iterator[None]:
    """Run one command, after which this process ends."""
    token = _SOURCES.set([])
    try:
        yield
    finally:
        _SOURCES.reset(token)


def add_sources(*sources: str | None) -> None:
    """Register sources of the command, if there is one."""
    known = _SOURCES.get()
    if known is not None:
        known.extend(source for source in sources if source is not None)


def sources_of_command() -> tuple[str, ...]:
    """Return the sources of the command that this process runs; none if it is a program, or they are not known.

    >>> add_sources("people.parquet")
    >>> sources_of_command()
    ()
    >>> with one_command():
    ...     add_sources("people.parquet", None)
    ...     sources_of_command()
    ('people.parquet',)
    """
    return tuple(_SOURCES.get() or ())
