"""What to write: the files of ``idbits apply``, the columns that are left out, and the words for what is gone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from idbits.errors import ColumnNotFoundError, InputError
from idbits.file_guard import will_write
from idbits.storage import expand_home
from idbits.studies.shared.row_files import check_row_file
from idbits.values.released_labels import LabelWords

__all__ = ["FilePath", "ReleaseOptions", "TreatedPaths"]

FilePath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class TreatedPaths:
    """The files that are written.

    Attributes:
        out: the treated table.
        receipt: what was done and what the file gives away, without values.
        mapping: the values of the source with those that replace them; None if nobody asked for it.
        key: the secret key of pseudonyms, which is created if it does not exist.
    """

    out: Path
    receipt: Path
    mapping: Path | None = None
    key: Path | None = None

    @classmethod
    def checked(
        cls, out: FilePath, receipt: FilePath | None, mapping: FilePath | None, key: FilePath | None, *, force: bool
    ) -> TreatedPaths:
        """Refuse folders, unknown formats and, unless ``force``, files that exist."""
        path = check_row_file(out, "--out")
        files = cls(
            path,
            _checked(receipt if receipt is not None else f"{path}.receipt.json", "--receipt"),
            _checked(mapping, "--mapping") if mapping is not None else None,
            Path(expand_home(key)) if key is not None else None,
        )
        if files.key is not None and not files.key.exists():
            will_write(_with_folder(files.key, "--key"), "--key")
        if not force:
            for file in filter(None, (files.out, files.receipt, files.mapping)):
                if os.path.lexists(file):
                    raise InputError(f'"{file}" exists already; name another file, or replace it with --force')
        return files

    @property
    def is_text(self) -> bool:
        """Whether the treated table is a CSV file."""
        return self.out.suffix.lower() == ".csv"


def _checked(file: FilePath, option: str) -> Path:
    path = _with_folder(Path(expand_home(file)), option)
    will_write(path, option)
    return path


def _with_folder(path: Path, option: str) -> Path:
    if path.is_dir():
        raise InputError(f'"{path}" is a folder; name a file ({option})')
    if not path.parent.is_dir():
        raise InputError(f'"{path}" cannot be written: its folder does not exist ({option})')
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOptions:
    """What is written besides the columns of the plan, and how.

    Attributes:
        drop: columns that are left out.
        keep_identifiers: columns that are written although they seem to identify people.
        pseudonym: the column whose values are replaced by keyed pseudonyms.
        is_sorted: whether rows are sorted, so that their order gives nothing away.
        drops_empty: whether columns that are given up are left out.
        protects_cells: whether untouched cells that begin like a formula are protected in a CSV file.
    """

    drop: tuple[str, ...] = ()
    keep_identifiers: tuple[str, ...] = ()
    pseudonym: str | None = None
    is_sorted: bool = True
    drops_empty: bool = False
    protects_cells: bool = False
    words: LabelWords = field(default_factory=LabelWords)

    def check(self, *, has_key: bool) -> None:
        """Refuse options that contradict each other."""
        if not self.words.blank or not self.words.rest:
            raise InputError("the texts of --blank and --rest must not be empty: an empty cell is a missing value")
        if (self.pseudonym is not None) != has_key:
            raise InputError("--pseudonym COL and --key FILE belong together: the key makes the pseudonyms")
        both = set(self.drop) & {*self.keep_identifiers, *([self.pseudonym] if self.pseudonym else [])}
        if both:
            raise InputError(f'column "{min(both)}" cannot be both left out (--drop) and kept')

    def check_columns(self, known: Mapping[str, object], planned: Iterable[str]) -> None:
        """Refuse columns that the table does not have, and pseudonyms of columns that someone may know."""
        for name in (*self.drop, *self.keep_identifiers, *([self.pseudonym] if self.pseudonym else [])):
            if name not in known:
                raise ColumnNotFoundError(name, known)
        for name in planned:
            if name in self.drop:
                raise InputError(
                    f'column "{name}" is part of the plan; to leave it out, give it the view "{name}:all" and add '
                    "--drop-empty"
                )
            if name == self.pseudonym:
                raise InputError(f'column "{name}" is part of the plan, so it cannot be a pseudonym; name another')

    def released(self, columns: Iterable[str], given_up: Iterable[str]) -> list[str]:
        """Return the columns that are written, in the order of the source."""
        absent = {*self.drop, *(given_up if self.drops_empty else ())}
        names = [name for name in columns if name not in absent]
        if not names:
            raise InputError("no column is left to write; drop fewer columns")
        folded: dict[str, str] = {}
        for name in names:
            other = folded.setdefault(name.casefold(), name)
            if other != name:
                raise InputError(f'columns "{other}" and "{name}" differ only in capitals; leave one out with --drop')
        return names
