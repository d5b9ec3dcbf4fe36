"""TOML files that people write: policies, questionnaires, inventories. A file may hold anything."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from idbits.errors import InputError
from idbits.file_guard import note_read

__all__ = ["read_toml"]


def read_toml(path: Path, called: str) -> dict[str, Any]:
    """Return what a file says; ``called`` begins the sentence about one that cannot be read."""
    note_read(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{called} cannot be opened: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{called} is not UTF-8, as TOML files are") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{called} is no TOML file: {str(error).partition(chr(10))[0]}") from error
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits, dates that do not exist, lists within lists without end.
        raise InputError(f"{called} is no TOML file: a value in it cannot be read") from error
