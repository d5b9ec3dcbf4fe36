"""JSON that a file holds, read strictly: what this program never writes is refused."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["strict_json"]

_MOST_DIGITS = 40


def strict_json(text: str) -> Any:
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
        answer = json.loads(text, parse_float=number, parse_int=whole, parse_constant=constant)
    except RecursionError:
        raise ValueError("lists are in lists without end") from None
    # Half of a character can be written in JSON, and cannot be written anywhere else.
    json.dumps(answer, ensure_ascii=False).encode()
    return answer
