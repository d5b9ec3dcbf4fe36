"""Which repository to use (an address, a database or the one in the user's data folder), and with which keys."""

from __future__ import annotations

import os
from pathlib import Path

from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.repository.client import RemoteRepository, checked_address
from idbits.repository.database import data_folder
from idbits.repository.service import Repository
from idbits.signing import SigningKey, check_private
from idbits.storage import expand_home

__all__ = ["AnyRepository", "connect", "default_key_file", "read_api_key", "signing_key"]

AnyRepository = Repository | RemoteRepository


def connect(address: str | None = None, *, insecure: bool = False, create: bool = False) -> AnyRepository:
    """Connect to a repository.

    Args:
        address: ``https://...`` for a remote repository (the API key comes from ``IDBITS_API_KEY`` or from the file
            named by ``IDBITS_API_KEY_FILE``), otherwise a database. None uses ``IDBITS_REPOSITORY`` if it is set, or
            else the repository in the user's data folder.
        insecure: whether to send keys and figures unencrypted.
        create: whether to create a named database that does not exist. The repository in the data folder is always
            created.
    """
    chosen = address or os.environ.get("IDBITS_REPOSITORY") or None
    if chosen is not None and chosen.lower().startswith(("http://", "https://")):
        # Commands say which option allows what is refused here.
        checked_address(chosen, insecure=insecure)
        return RemoteRepository(chosen, _api_key(), insecure=insecure)
    return Repository.open(chosen, floor=_floor(), create=create or chosen is None)


def _floor() -> int:
    given = os.environ.get("IDBITS_FLOOR", "100")
    if not given.isdecimal():
        raise InputError("IDBITS_FLOOR must be a whole number of people")
    return int(given)


def _api_key() -> str | None:
    key = os.environ.get("IDBITS_API_KEY")
    file = os.environ.get("IDBITS_API_KEY_FILE", "")
    if key or not file:
        return key.strip() if key else None
    return read_api_key(file)


def read_api_key(file: str) -> str:
    """Return the API key in a file; refuse a file that others can access."""
    file = expand_home(file)
    note_read(file)
    try:
        check_private(Path(file))
        return Path(file).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'the API key in "{file}" cannot be read') from error


def default_key_file() -> Path:
    """Return the default path of this user's signing key."""
    return data_folder() / "signing-key.pem"


def signing_key(path: Path | None = None) -> SigningKey:
    """Return the signing key.

    Args:
        path: its file; None to take it from ``IDBITS_SIGNING_KEY`` (PEM text) or else from its default path.
    """
    text = os.environ.get("IDBITS_SIGNING_KEY")
    if path is None and text:
        return SigningKey.from_text(text.encode())
    return SigningKey.read(path if path is not None else default_key_file())
