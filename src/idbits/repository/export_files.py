"""Imports of files that ``export`` wrote, here or in another repository.

An export lists the newest entries first, but an entry must be added after the one that it supersedes. So the file is
read twice: once to find the lines, and once in the order of publication.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from idbits.canonical import LATER, is_later_schema
from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.progress import SILENT, Count, Progress
from idbits.repository.accounts import OWNER
from idbits.repository.backups import EXPORT_FORMAT
from idbits.repository.foreign_entries import ForeignEntry, read_foreign_entry
from idbits.repository.importing import Importer, ImportSummary
from idbits.repository.service import Repository
from idbits.repository.vocabulary import Concept, read_concept

__all__ = ["import_file"]

_LONGEST_LINE = 8 * 1024 * 1024
_AT_ONCE = 100


def import_file(
    repository: Repository,
    path: Path,
    *,
    source: str | None = None,
    by: str = OWNER,
    dry_run: bool = False,
    progress: Progress = SILENT,
) -> ImportSummary:
    """Add the entries of an export that are signed by publishers of this repository.

    Entries keep their signatures. They are added in small batches; after an interruption, import the file again.

    Args:
        repository: the repository to add them to.
        path: the file.
        source: the name of the source in the audit log; by default the name of the file.
        by: the account that imports, in the audit log.
        dry_run: whether to change nothing. Meanwhile nobody can publish.
        progress: shows how far the import is.
    """
    note_read(path)
    try:
        with path.open("rb") as file:
            if not file.seekable():
                raise InputError(f'"{path}" is not a file, and an import reads it twice; save it as a file first')
            summary = ImportSummary(source=source or path.name, dry_run=dry_run)
            index = _read_index(path, file, summary)
            importer = Importer(summary.source, by=by, concepts=index.concepts)
            done = Count(max(1, len(index.places)))
            # A dry run must see its own entries, so it is one transaction, which is undone.
            in_one = repository.intake(dry_run=True) if dry_run else nullcontext()
            with progress.step("importing entries", done), in_one as whole:
                for batch in _batches(file, index):
                    while batch:
                        with nullcontext(whole) if whole is not None else repository.intake() as intake:
                            taken = importer.take(batch, intake)
                        summary.include(taken)
                        done.done += taken.taken
                        batch = batch[taken.taken :]
    except OSError as error:
        raise InputError(f'"{path}" cannot be read: {error.strerror}') from error
    return summary


@dataclass(frozen=True, slots=True)
class _Index:
    """The vocabulary of an export, and the places of its entries in the order of publication."""

    concepts: list[Concept]
    places: list[int]


def _read_index(path: Path, file: BinaryIO, summary: ImportSummary) -> _Index:
    """Find the entries; the summary notes lines that are none."""
    head = _head(path, _line(file))
    numbered: list[tuple[int, int]] = []
    for number in itertools.count(2):
        place = file.tell()
        line = _line(file)
        if not line:
            break
        try:
            numbered.append((_parse(line).sequence, place))
        except InputError as error:
            summary.refuse(f"line {number}", str(error))
    expected = head.get("entries")
    if expected is not None and expected != len(numbered) + summary.refused_number:
        raise InputError(f'"{path}" is incomplete: some of its entries are missing; use another copy')
    concepts = head.get("vocabulary")
    try:
        words = [read_concept(concept) for concept in concepts] if isinstance(concepts, list) else []
    except (InputError, AttributeError):
        raise InputError(f'the vocabulary in "{path}" is not valid') from None
    return _Index(words, [place for _, place in sorted(numbered)])


def _head(path: Path, line: bytes) -> dict[str, object]:
    try:
        head: object = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if isinstance(head, dict) and is_later_schema(head.get("format"), EXPORT_FORMAT):
        raise InputError(f'the export "{path}" {LATER}')
    if not isinstance(head, dict) or head.get("format") != EXPORT_FORMAT:
        raise InputError(f'"{path}" is not an export of a repository; make one with idbits repository export')
    return head


def _line(file: BinaryIO) -> bytes:
    line = file.readline(_LONGEST_LINE + 1)
    if len(line) > _LONGEST_LINE:
        raise InputError("the file has a line that is too long for an entry")
    return line


def _parse(line: bytes) -> ForeignEntry:
    try:
        data: object = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("the line is not valid JSON") from None
    return read_foreign_entry(data)


def _batches(file: BinaryIO, index: _Index) -> Iterator[list[ForeignEntry]]:
    for start in range(0, len(index.places), _AT_ONCE):
        batch = []
        for place in index.places[start : start + _AT_ONCE]:
            file.seek(place)
            batch.append(_parse(file.readline(_LONGEST_LINE)))
        yield batch
