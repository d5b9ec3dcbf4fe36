"""Files that appear when they are whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from idbits.errors import InputError
from idbits.file_guard import check_write, note_written
from idbits.temporary import unused_path

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a draft beside a file: when it is written it takes the file's place, and whatever goes wrong removes it."""
    check_write(path)
    draft = unused_path(path.absolute().parent, f".{path.name}.")
    try:
        draft.touch(mode=0o600, exist_ok=False)
        yield draft
        # While it was written only the owner could read it; give it the rights any new file has.
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        check_write(path)
        draft.replace(path)
        note_written(path)
    except OSError as error:
        raise InputError(f'"{path}" cannot be written: {error.strerror or "the disk does not take it"}') from error
    finally:
        with suppress(OSError):
            draft.unlink()
