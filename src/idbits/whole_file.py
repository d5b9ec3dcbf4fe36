"""Files that appear when they are whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from idbits.errors import InputError

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a draft beside a file: when it is written it takes the file's place, and whatever goes wrong removes it."""
    draft: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
        os.close(descriptor)
        draft = Path(name)
        yield draft
        # mkstemp makes files that only the owner can read; give this one the rights any new file has.
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(path)
    except OSError as error:
        raise InputError(f'"{path}" cannot be written: {error.strerror or "the disk does not take it"}') from error
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)
