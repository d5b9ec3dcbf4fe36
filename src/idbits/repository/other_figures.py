"""Entries of one data holder about the same people on the same day, with different figures: not all of them are right.

Two repositories may each have one. If both were added, a policy maker would choose between them by chance.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from idbits.errors import InputError
from idbits.repository.entries import EntryKeys, find_entries
from idbits.repository.statements import Statement

__all__ = ["OtherFiguresError", "check_other_figures"]

_MOST_COMPARED = 100
_TOLERANCE_BITS = 1e-9


class OtherFiguresError(InputError):
    """The holder has published other figures for the same question and day here; ``ref`` is that entry's reference."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"entry {ref} here has other figures of the same holder for the same day")
        self.ref = ref


def check_other_figures(
    connection: sa.Connection, statement: Statement, keys: EntryKeys, source: str, known_there: Collection[str]
) -> None:
    """Refuse an entry of another repository if a current one here has other figures, and the other does not have it.

    Args:
        connection: a connection to this repository.
        statement, keys: the other repository's entry.
        source: the other repository.
        known_there: references of entries that the other repository has, too: there they stand side by side.
    """
    same = find_entries(
        connection, qids=[keys.qid], populations=[keys.population], holder=keys.holder, day=statement.date,
        limit=_MOST_COMPARED,
    )  # fmt: skip
    for entry in same.entries:
        is_replaced = keys.supersedes == entry.ref or entry.statement.supersedes == keys.ref
        is_there = entry.imported_from == source or entry.ref in known_there
        if not is_replaced and not is_there and _differ(entry.statement, statement):
            raise OtherFiguresError(entry.ref)


def _differ(ours: Statement, theirs: Statement) -> bool:
    if (ours.n_people, ours.n_values) != (theirs.n_people, theirs.n_values):
        return True
    error = max(ours.entropy_error_bits, theirs.entropy_error_bits) + _TOLERANCE_BITS
    if abs(ours.entropy_bits - theirs.entropy_bits) > error:
        return True
    if ours.distribution is None or theirs.distribution is None:
        return False
    people = {cell.value: cell.people for cell in ours.distribution.cells}
    return any(people.get(cell.value, cell.people) != cell.people for cell in theirs.distribution.cells)
