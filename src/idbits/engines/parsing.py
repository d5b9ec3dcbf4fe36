"""sqlglot, kept from repeating what it parses: a filter or a query may hold values."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["silent_parser"]


@contextmanager
def silent_parser() -> Iterator[None]:
    """Keep the warnings of sqlglot out of all logs."""
    logger = logging.getLogger("sqlglot")
    silent, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = silent
