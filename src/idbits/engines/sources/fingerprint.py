"""The fingerprint of what was read, so that a page and the data it is about can be matched later."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from idbits.engines.sources.encoding import reason
from idbits.errors import DataError

__all__ = ["sha256_of"]

_BLOCK = 1 << 20


def sha256_of(files: Sequence[Path]) -> str | None:
    """Return the SHA-256 of a file's bytes; of several, that of their own ones, a line each, in the order read.

    >>> sha256_of([]) is None
    True
    """
    found = [_of_one(path) for path in files]
    if len(found) <= 1:
        return found[0] if found else None
    return hashlib.sha256("".join(f"{one}\n" for one in found).encode()).hexdigest()


def _of_one(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise DataError(f'"{path}" cannot be read again for its hash: {reason(error)}') from error
    return digest.hexdigest()
