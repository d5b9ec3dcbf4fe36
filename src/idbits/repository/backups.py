"""Backup, restore and export, as JSON lines.

A backup contains everything, including digests of API keys, and can be restored into an empty SQLite or PostgreSQL
database. An export contains only what everyone may see: the vocabulary and the entries with their signatures.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import sqlalchemy as sa

from idbits.canonical import LATER, canonical, is_later_schema, parse_canonical
from idbits.errors import InputError, RepositoryError
from idbits.file_guard import note_read, will_write
from idbits.repository import audit_log, schema
from idbits.repository.entries import STATUSES, find_entries
from idbits.repository.service import Repository
from idbits.repository.statements import read_statement
from idbits.repository.verification import check_database, find_problems

__all__ = ["EXPORT_FORMAT", "backup", "export", "restore"]

EXPORT_FORMAT = "idbits-export/1"
_BACKUP = "idbits-backup/1"
_TABLES = schema.logged
_PAGE = 500
# Integers below this fit the integer columns of every supported database.
_MOST_NUMBER = 2**31


def backup(repository: Repository, path: Path) -> int:
    """Write everything to a new file that only its owner can read; return the number of rows.

    The file is a consistent snapshot, even if others publish at the same time.

    Args:
        repository: the repository on this machine.
        path: the new file.
    """

    def lines() -> Iterator[str]:
        with repository.database.reading() as connection:
            # Rows are read through indexes: a row missing from an index would be missing from the file.
            check_database(connection)
            sequence, hash_ = audit_log.head(connection)
            head = {"sequence": sequence, "hash": hash_}
            yield canonical({"format": _BACKUP, "version": schema.VERSION, "head": head})
            for table in _TABLES:
                query = sa.select(table).order_by(*table.primary_key.columns)
                for row in connection.execute(query).mappings():
                    yield canonical({"table": table.name, "row": dict(row)})

    return _write(path, lines, sealed=True) - 1


def export(repository: Repository, path: Path) -> int:
    """Write the vocabulary and all entries to a new file; return the number of entries.

    The entries are a consistent snapshot, even if others publish at the same time.

    Args:
        repository: the repository on this machine.
        path: the new file.
    """

    def lines() -> Iterator[str]:
        with repository.database.reading() as connection:
            # Rows are read through indexes: a row missing from an index would be missing from the file.
            check_database(connection)
            sequence, hash_ = audit_log.head(connection)
            # A separate, later read is safe: the vocabulary only grows.
            concepts = [concept.to_dict() for concept in repository.vocabulary().concepts]
            number = connection.execute(sa.select(sa.func.count()).select_from(schema.entries)).scalar()
            first = {"format": EXPORT_FORMAT, "entries": number, "vocabulary": concepts}
            yield canonical(first | {"head": {"sequence": sequence, "hash": hash_}})
            for offset in itertools.count(step=_PAGE):
                page = find_entries(connection, status=STATUSES, limit=_PAGE, offset=offset)
                yield from (canonical(entry.to_dict()) for entry in page.entries)
                if page.unverified:
                    raise RepositoryError(
                        "an entry differs from what its publisher signed; run idbits repository verify to find it"
                    )
                if len(page.entries) < _PAGE:
                    return

    return _write(path, lines, sealed=False) - 1


def _write(path: Path, lines: Callable[[], Iterator[str]], *, sealed: bool) -> int:
    """Write lines to a new file, completely or not at all; return their number."""
    will_write(path, "FILE")
    draft, number, seal = path.with_name(f".{path.name}.{os.getpid()}"), 0, hashlib.sha256()
    if path.exists():
        raise InputError(f'"{path}" already exists; choose a new file name')
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            for line in lines():
                number += 1
                seal.update(line.encode() + b"\n")
                file.write(line + "\n")
            if sealed:
                file.write(canonical({"end": seal.hexdigest(), "lines": number}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise InputError(f'"{path}" cannot be written: {error.strerror}') from error
    finally:
        draft.unlink(missing_ok=True)
    return number


def restore(repository: Repository, path: Path) -> int:
    """Restore a backup into an empty repository and return the number of rows, if log and signatures verify.

    Args:
        repository: the empty repository.
        path: the file that ``backup`` wrote.
    """
    version, head = _check_seal(path)
    number = 0
    with repository.database.writing() as connection:
        if audit_log.head(connection)[0]:
            raise InputError("a backup needs an empty repository; this one has entries or accounts")
        for number, data in enumerate(_read(path)):
            if number == 0:
                continue
            if "end" in data:
                break
            table = next((table for table in _TABLES if table.name == data.get("table")), None)
            if table is None:
                raise InputError("the backup contains a row of an unknown table")
            connection.execute(table.insert().values(**_row(table, data.get("row"), version)))
        misfits = list(find_problems(connection, head if head[0] else None))
        if misfits:
            raise RepositoryError(f"the backup does not verify: {misfits[0].where}: {misfits[0].what}")
    return number - 1


def _row(table: sa.Table, row: object, version: int) -> dict[str, str | int | None]:
    """Return a row of a backup in this version's form; refuse a row that no version could have written."""
    names = {column.name for column in table.columns} - ({"holder"} if version == 1 else set())
    if not isinstance(row, dict) or set(row) != names or not all(map(_is_column_value, row.values())):
        raise InputError(f"the backup contains a row that is not valid for the table {table.name}")
    if version == 1 and table is schema.entries:
        return {**row, "holder": read_statement(parse_canonical(str(row["statement"]))).holder}
    return row


def _is_column_value(value: object) -> bool:
    return value is None or isinstance(value, str) or (isinstance(value, int) and abs(value) < _MOST_NUMBER)


def _read(path: Path) -> Iterator[dict[str, object]]:
    note_read(path)
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                # Git and editors may have changed the line ends; the seal is about the rows.
                data = parse_canonical(line.removesuffix("\n").removesuffix("\r"))
                if not isinstance(data, dict):
                    raise InputError("every line of a backup must be a JSON object")
                yield data
    except OSError as error:
        raise InputError(f'"{path}" cannot be read: {error.strerror}') from error
    except ValueError:
        raise InputError(f'"{path}" is not a backup of a repository') from None


def _check_seal(path: Path) -> tuple[int, tuple[int, str]]:
    """Refuse a file that is not a complete backup; return the version of its rows and the head of its log."""
    seal, number, first, end = hashlib.sha256(), 0, dict[str, object](), None
    for data in _read(path):
        if end is not None:
            raise InputError("the backup has extra lines after its end")
        first = first or data
        if "end" in data:
            end = data
            continue
        number += 1
        seal.update(canonical(data).encode() + b"\n")
    version, head = first.get("version"), first.get("head")
    if is_later_schema(first.get("format"), _BACKUP) or (isinstance(version, int) and version > schema.VERSION):
        raise InputError(f'the backup "{path}" {LATER}')
    if first.get("format") != _BACKUP or not isinstance(version, int) or not 1 <= version <= schema.VERSION:
        raise InputError(f'"{path}" is not a backup that this version of idbits can restore')
    if not isinstance(head, dict) or set(head) != {"sequence", "hash"}:
        raise InputError(f'"{path}" is not a backup that this version of idbits can restore')
    if end is None or end != {"end": seal.hexdigest(), "lines": number}:
        raise InputError("the backup is incomplete or has been changed; use another copy")
    return version, (head["sequence"], head["hash"])
