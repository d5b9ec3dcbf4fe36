"""Counts values that are made of common words: given names of people, names of months and of weekdays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

__all__ = ["WORD_SHAPES", "count_common_words"]

WORD_SHAPES = ("given_names", "calendar_words")
"""Shapes that are known by their words; only engines that see values can count them."""

_FILE = Path(__file__).with_name("common_words.txt")
_PARTS = re.compile(r"[ ,.-]+")
_LONGEST, _MOST_PARTS = 60, 6
_SPECIAL = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d"})


@cache
def _words() -> Mapping[str, frozenset[str]]:
    words: dict[str, set[str]] = {}
    heading = ""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif line and not line.startswith("#"):
            words.setdefault(heading, set()).update(line.split()[1:])
    return {heading: frozenset(found) for heading, found in words.items()}


def count_common_words(texts: Sequence[str]) -> dict[str, int]:
    """Count the texts that contain a given name, and those that are the name of a month or of a weekday.

    >>> count_common_words(["Kovács, János", "Anna", "March", "X12"])
    {'given_names': 2, 'calendar_words': 1}
    """
    names, calendar = _words()["GIVEN_NAMES"], _words()["MONTHS"] | _words()["WEEKDAYS"]
    counts = dict.fromkeys(WORD_SHAPES, 0)
    for text in texts:
        parts = _parts(text)
        counts["given_names"] += any(part in names for part in parts)
        counts["calendar_words"] += len(parts) == 1 and parts[0] in calendar
    return counts


def _parts(text: str) -> list[str]:
    if len(text) > _LONGEST or any(sign.isdigit() for sign in text):
        return []
    plain = unicodedata.normalize("NFKD", text.lower().translate(_SPECIAL))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    parts = [part for part in _PARTS.split(plain) if part]
    return parts if len(parts) <= _MOST_PARTS else []
