"""Saved answers of other commands, read and checked before they become sections of a report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from idbits.errors import InputError
from idbits.storage import expand_home
from idbits.studies.columns.result import ColumnSubsets as Columns
from idbits.studies.events.result import Events
from idbits.studies.leak.result import Leak
from idbits.studies.link.result import Linkage, SyntheticAttack
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.report.result import Included, SavedAnswer
from idbits.studies.report.saved_text import saved_section
from idbits.studies.shared.documents import read_saved_file
from idbits.studies.shared.saved_answers import made_from
from idbits.studies.shared.serialisation import UncheckedData

__all__ = ["answer_from", "read_all_saved", "read_saved"]

_MOST = 8
_LONGEST_COMMAND = 40


def read_all_saved(names: Sequence[str | os.PathLike[str]], *, internal: bool) -> tuple[Included, ...]:
    """Read the saved answers of a report, at most a few."""
    if len(names) > _MOST:
        raise InputError(f"a report can include at most {_MOST} saved answers (--include)")
    return tuple(read_saved(name, internal=internal) for name in names)


def read_saved(name: str | os.PathLike[str], *, internal: bool) -> Included:
    """Read the JSON of another command; one that shows values few people have is for internal reports only."""
    path = Path(expand_home(name))
    answer = read_saved_file(path, " (--include)").data
    if answer["command"] == "report":
        raise InputError(f'"{path}" is a report; include answers of other commands instead (--include)')
    if answer.get("internal") and not internal:
        raise InputError(
            f'"{path}" shows values that few people have; only internal reports may include it (--internal)'
        )
    included = Included(path.name, answer)
    try:
        _check_shown(included)
    except InputError as error:
        command = answer["command"][:_LONGEST_COMMAND]
        raise InputError(f'"{path}" is not an answer of idbits {command}: {error} (--include)') from error
    return included


def _check_shown(included: Included) -> None:
    """Refuse an answer that cannot be shown now, rather than fail when the page is made."""
    notes = included.answer.get("notes") or []
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise InputError("its notes are not texts")
    try:
        _ = included.result
        saved_section(included, 1)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("its figures contradict each other") from error


def answer_from(data: UncheckedData) -> SavedAnswer | None:
    """Return the saved answer; None for commands whose answers are shown key by key."""
    kind = _kind(data)
    try:
        return made_from(kind, data) if kind is not None else None
    except (AttributeError, KeyError, IndexError, TypeError) as error:
        raise InputError(f"a key is missing or is not what idbits writes ({error})") from error


def _kind(data: UncheckedData) -> type[SavedAnswer] | None:
    command = str(data["command"])
    if command == "link":
        return SyntheticAttack if data.get("mode") == SyntheticAttack.mode else Linkage
    if command == "overlap":
        return ZoneOverlap if "zones" in data else ReleaseOverlap
    kinds: dict[str, type[SavedAnswer]] = {"columns": Columns, "events": Events, "leak": Leak}
    return kinds.get(command)
