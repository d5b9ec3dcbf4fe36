"""JSON and TOML from files, read strictly: a file may contain anything."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

from idbits.errors import InputError
from idbits.file_guard import note_read

__all__ = ["read_toml", "strict_json"]

_MOST_DIGITS = 40


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
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{called} cannot be opened: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{called} is not valid TOML: it is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{called} is not valid TOML: {str(error).partition(chr(10))[0]}") from error
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits, dates that do not exist, lists nested too deeply.
        raise InputError(f"{called} is not valid TOML: a value in it cannot be read") from error
