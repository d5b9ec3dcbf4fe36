"""Which repository is meant: an address, a database, or the one in the user's data folder. And with which keys."""

from __future__ import annotations

import os
from pathlib import Path

from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.repository.client import RemoteRepository
from idbits.repository.database import data_folder
from idbits.repository.service import Repository
from idbits.repository.signing import SigningKey, check_private

__all__ = ["AnyRepository", "connect", "default_key_file", "signing_key"]

AnyRepository = Repository | RemoteRepository


def connect(address: str | None = None, *, insecure: bool = False, create: bool = False) -> AnyRepository:
    """Return the repository that is meant.

    Args:
        address: ``https://...`` for one elsewhere (its key comes from ``IDBITS_API_KEY``, or from the file that
            ``IDBITS_API_KEY_FILE`` names), a database otherwise; None for ``IDBITS_REPOSITORY``, else for the one in
            the user's data folder.
        insecure: whether keys and figures may travel unencrypted.
        create: whether to make a database that is named and not there; the one in the data folder is always made.
    """
    chosen = address or os.environ.get("IDBITS_REPOSITORY") or None
    if chosen is not None and chosen.lower().startswith(("http://", "https://")):
        return RemoteRepository(chosen, _api_key(), insecure=insecure)
    return Repository.open(chosen, floor=_floor(), create=create or chosen is None)


def _floor() -> int:
    given = os.environ.get("IDBITS_FLOOR", "100")
    if not given.isdecimal():
        raise InputError("IDBITS_FLOOR is a number of people")
    return int(given)


def _api_key() -> str | None:
    key = os.environ.get("IDBITS_API_KEY")
    file = os.environ.get("IDBITS_API_KEY_FILE")
    if key or not file:
        return key.strip() if key else None
    note_read(file)
    try:
        check_private(Path(file))
        return Path(file).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'the key in "{file}" cannot be read') from error


def default_key_file() -> Path:
    """Return where the signing key of this user is kept."""
    return data_folder() / "signing-key.pem"


def signing_key(path: Path | None = None) -> SigningKey:
    """Return the signing key: from a file, from ``IDBITS_SIGNING_KEY`` (its PEM), or from its usual place."""
    text = os.environ.get("IDBITS_SIGNING_KEY")
    if path is None and text:
        return SigningKey.from_text(text.encode())
    return SigningKey.read(path if path is not None else default_key_file())
