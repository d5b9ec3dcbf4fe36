"""When a report was made: the only part of its page that differs between runs, unless it is given."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from idbits.errors import InputError

__all__ = ["moment_of_report"]


def moment_of_report() -> datetime:
    """Return the time to print: SOURCE_DATE_EPOCH if it is set, so that a page can be made again, or the clock."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError("SOURCE_DATE_EPOCH must be a whole number of seconds since 1970") from None
