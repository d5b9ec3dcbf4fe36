"""JSON and TOML that files hold, read strictly. A file may hold anything."""

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
    """Return what a JSON text says.

    Raises:
        ValueError: for a text that is no JSON; NaN and numbers without end, which some programs write, are none.
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
        raise ValueError("NaN and Infinity are no JSON")

    try:
        answer: object = json.loads(text, parse_float=number, parse_int=whole, parse_constant=constant)
    except RecursionError:
        raise ValueError("lists are in lists without end") from None
    # Half of a character can be written in JSON, and cannot be written anywhere else.
    json.dumps(answer, ensure_ascii=False).encode()
    return answer


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
