"""Saved answers of other commands, read and checked before they are put into a report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.studies.report.result import Included
from idbits.studies.report.saved_section import saved_section
from idbits.studies.shared.json_text import strict_json
from idbits.studies.shared.serialisation import SCHEMA

__all__ = ["read_all_saved", "read_saved"]

_LARGEST = 200 * 1000**2
_MOST = 8
_LONGEST_COMMAND = 40


def read_all_saved(names: Sequence[str | os.PathLike[str]], *, internal: bool) -> tuple[Included, ...]:
    """Read the saved answers of a page; there is room for a few."""
    if len(names) > _MOST:
        raise InputError(f"a page has room for {_MOST} saved answers (--include)")
    return tuple(read_saved(name, internal=internal) for name in names)


def read_saved(name: str | os.PathLike[str], *, internal: bool) -> Included:
    """Read the JSON that another command wrote; one that shows values of few people goes into internal pages only."""
    path = Path(name)
    note_read(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f'"{path}" is too large for a saved answer (--include)')
        answer = strict_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f'"{path}" cannot be opened: {error.strerror} (--include)') from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f'"{path}" is no JSON; save an answer with --json --out FILE (--include)') from error
    if not isinstance(answer, dict) or answer.get("schema") != SCHEMA or not isinstance(answer.get("command"), str):
        raise InputError(
            f'"{path}" is no answer of idbits (schema {SCHEMA}); save one with --json --out FILE (--include)'
        )
    if answer["command"] == "report":
        raise InputError(f'"{path}" is a report itself; include the answers it rests on (--include)')
    if answer.get("internal") and not internal:
        raise InputError(f'"{path}" shows values of few people; it goes into an internal report only (--internal)')
    included = Included(path.name, answer)
    try:
        _check_shown(included)
    except InputError as error:
        command = answer["command"][:_LONGEST_COMMAND]
        raise InputError(f'"{path}" is no answer of idbits {command}: {error} (--include)') from error
    return included


def _check_shown(included: Included) -> None:
    """Refuse an answer that cannot be shown: whatever the file holds, it is known here, and not when a page is made."""
    notes = included.answer.get("notes") or []
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise InputError("its notes are no texts")
    try:
        _ = included.result
        saved_section(included, 1)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("its figures contradict each other") from error
