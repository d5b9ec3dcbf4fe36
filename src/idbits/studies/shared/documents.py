"""JSON and TOML from files, read strictly: a file may contain anything."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from idbits.canonical import LATER, is_later_schema
from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.studies.shared.serialisation import SCHEMA, UncheckedData

__all__ = ["SavedFile", "read_saved_file", "read_toml", "strict_json"]

_MOST_DIGITS = 40
_LARGEST = 200 * 1000**2


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A saved answer of a command: its data, and the bytes that they were read from."""

    data: UncheckedData
    content: bytes

    @property
    def sha256(self) -> str:
        """The hash of the bytes."""
        return hashlib.sha256(self.content).hexdigest()


def read_saved_file(path: Path, end: str = "", how: str = "save one with --json --out FILE") -> SavedFile:
    """Read the JSON answer of a command; ``how`` and ``end`` end the message if the file is something else."""
    note_read(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f'"{path}" is too large for a saved answer{end}')
        content = path.read_bytes()
        answer = strict_json(content.decode("utf-8"))
    except OSError as error:
        raise InputError(f'"{path}" cannot be opened: {error.strerror}{end}') from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f'"{path}" is not valid JSON and so not an answer of idbits; {how}{end}') from error
    if isinstance(answer, dict) and is_later_schema(answer.get("schema"), SCHEMA):
        raise InputError(f'"{path}" {LATER}{end}')
    if not isinstance(answer, dict) or answer.get("schema") != SCHEMA or not isinstance(answer.get("command"), str):
        raise InputError(f'"{path}" is not an answer of idbits (schema {SCHEMA}); {how}{end}')
    return SavedFile(answer, content)


def strict_json(text: str) -> object:
    """Return the content of a JSON text.

    Raises:
        ValueError: if the text is not valid JSON, or has NaN or Infinity, which some programs write.
    """

    def number(digits: str) -> float:
        if not math.isfinite(value := float(digits)):
            raise ValueError("a number is too large")
        return value

    def whole(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise ValueError("a number is too large")
        return int(digits)

    def constant(_: str) -> float:
        raise ValueError("NaN and Infinity are not valid JSON")

    try:
        answer: object = json.loads(text, parse_float=number, parse_int=whole, parse_constant=constant)
    except RecursionError:
        raise ValueError("lists are nested too deeply") from None
    # JSON can contain half of a surrogate pair, which cannot be encoded.
    json.dumps(answer, ensure_ascii=False).encode()
    return answer


def read_toml(path: Path, called: str) -> dict[str, Any]:
    """Return the content of a TOML file; ``called`` begins the error message if it cannot be read."""
    note_read(path)
    try:
        # Some editors on Windows begin a file with a mark.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{called} cannot be opened: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{called} is not valid TOML: it is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{called} is not valid TOML: {str(error).partition(chr(10))[0]}") from error
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits, dates that do not exist, lists nested too deeply.
        raise InputError(f"{called} is not valid TOML: a value in it cannot be read") from error
