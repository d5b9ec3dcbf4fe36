"""Retractions in other repositories of entries that are not here: if such an entry comes later, an admin must decide.

Otherwise it would depend on the order of reading whether anybody hears of the retraction.
"""

from __future__ import annotations

import sqlalchemy as sa

from idbits.canonical import canonical
from idbits.repository.audit_log import latest_record, write_record
from idbits.repository.conflicts import ConflictKind, record_conflict
from idbits.repository.entries import find_entry
from idbits.repository.schema import records

__all__ = ["ask_about_retraction", "remember_retraction"]

_KIND = "retraction elsewhere"
# Retractions are not signed, so a server could invent any number of them, but must not use up what is left for others.
_MOST_REMEMBERED = 10_000


def remember_retraction(connection: sa.Connection, ref: str, reason: str, *, source: str, by: str) -> None:
    """Note that another repository has retracted an entry that is not here."""
    if latest_record(connection, _KIND, ref) is None:
        # The source is the last key of the canonical body.
        same_source = records.c.body.endswith(canonical({"source": source})[1:], autoescape=True)
        number = connection.execute(sa.select(sa.func.count()).where(records.c.kind == _KIND, same_source)).scalar()
        if (number or 0) < _MOST_REMEMBERED:
            write_record(connection, _KIND, ref, {"ref": ref, "reason": reason, "source": source}, by=by)


def ask_about_retraction(connection: sa.Connection, ref: str, *, by: str) -> bool:
    """Record a conflict about a new entry if another repository has retracted it; return whether there is one."""
    known = latest_record(connection, _KIND, ref)
    if known is None:
        return False
    ours, why = find_entry(connection, ref), f"it was retracted there: {known['reason']}"
    if ours.is_retracted:
        return False
    source = str(known["source"])
    return record_conflict(connection, ours, ConflictKind.RETRACTED, why, source=source, by=by, ours=ref)
