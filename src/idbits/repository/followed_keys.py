"""Which file with an API key this user gave for which followed repository.

The database says so, too, but others may be able to edit it: they must not make us send a key to their own server. So
we remember each address with its file in a private file of the user who follows, outside the database.
"""

from __future__ import annotations

from pathlib import Path

from idbits.canonical import canonical, digest
from idbits.errors import InputError, NotAllowedError
from idbits.repository.database import data_folder
from idbits.storage import is_private, whole_file

__all__ = ["require_permission", "write_permission"]


def write_permission(url: str, key_file: str) -> None:
    """Note that this user gave a file with an API key for an address."""
    path = _path(url, key_file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f'"{path.parent}" cannot be written: {error.strerror}') from error
    with whole_file(path, private=True) as draft:
        draft.write_text(_text(url, key_file), encoding="utf-8", newline="\n")


def require_permission(url: str, key_file: str) -> None:
    """Refuse to send a key to an address that this user did not give it for."""
    path = _path(url, key_file)
    try:
        is_given = is_private(path) and path.read_text(encoding="utf-8") == _text(url, key_file)
    except (OSError, ValueError):
        is_given = False
    if not is_given:
        raise NotAllowedError(
            "the API key is not sent: this user did not give it for this address; if the address is right, run "
            "unfollow, and follow with --api-key-file"
        )


def _path(url: str, key_file: str) -> Path:
    return data_folder() / "followed-keys" / f"{digest(_text(url, key_file))[:32]}.json"


def _text(url: str, key_file: str) -> str:
    return canonical({"format": "idbits-followed-key/1", "url": url, "key_file": key_file})
