"""Splits the name of a column into words: ``PULocationID`` is pu, location, id; ``Kundennummer`` is kunden, nummer."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from idbits.studies.shared.roles.words import Sense, senses

__all__ = ["name_words"]

_PIECES = re.compile(r"[a-z]+|[0-9]+|#")
_CASES = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Z]{2})(?=[A-Z][a-z])")
_SPECIAL = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "№": "#"})
# Letters that join the parts of a compound: Geburts-datum, Kunden-nummer.
_JOINTS = ("", "s", "n", "en", "es", "e", "i")
_SHORTEST_PART = 3
# A long word at either end of an unknown compound still tells: gba-geboortejaar.
_LONG_PART = 7
_VERY_LONG_PART = 9
_SHORTEST_REST = 2
_SHORT_ENDINGS = ("id", "nr", "no", "dt")
# Endings that say the same after any word.
_SAFE_ENDINGS = (
    "datum", "datuma", "date", "datetime", "timestamp", "year", "month", "week", "jahr", "monat", "jaar", "maand", "nummer",
    "number", "szam", "azonosito", "adres",
)  # fmt: skip
_OF_ID = {Sense.PERSON, Sense.HOUSEHOLD, Sense.RECORD, Sense.PLACE, Sense.THING}
_LONGEST_NAME = 200


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case without accents; a sequence of digits or # is a word, too.

    >>> name_words("PULocationID"), name_words("date_of_birth"), name_words("Kundennummer"), name_words("py010n")
    (('pu', 'location', 'id'), ('date', 'of', 'birth'), ('kunden', 'nummer'), ('py', '010', 'n'))
    """
    plain = unicodedata.normalize("NFKD", name[:_LONGEST_NAME].translate(_SPECIAL))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    lowered = _CASES.sub(" ", plain).lower()
    return tuple(part for piece in _PIECES.findall(lowered) for part in _parts(piece))


@lru_cache(maxsize=20_000)
def _parts(piece: str) -> tuple[str, ...]:
    """Split a compound into known words; an unknown word stays whole."""
    if senses(piece) or not piece.isalpha() or len(piece) < 2 * _SHORTEST_PART - 2:
        return (piece,)
    if piece.endswith("s") and senses(piece[:-1]):
        return (piece[:-1],)
    return _compound(piece) or _with_long_part(piece) or _with_safe_ending(piece) or (piece,)


def _compound(piece: str) -> tuple[str, ...] | None:
    """Return two or three known words that make up the whole piece."""
    for end in range(len(piece) - 2, _SHORTEST_PART - 1, -1):
        first, rest = piece[:end], piece[end:]
        if not senses(first):
            continue
        for joint in _JOINTS:
            tail = rest.removeprefix(joint) if rest.startswith(joint) else ""
            if _may_end(first, tail):
                return (first, tail)
            more = _compound(tail) if len(tail) >= 2 * _SHORTEST_PART else None
            if more is not None and len(more) == 2:
                return (first, *more)
    return None


def _may_end(first: str, tail: str) -> bool:
    if tail in _SHORT_ENDINGS:
        return bool(senses(first) & _OF_ID) or tail in ("dt", "nr")
    return len(tail) >= _SHORTEST_PART and bool(senses(tail))


def _with_long_part(piece: str) -> tuple[str, ...] | None:
    """Return a long known word, or two words, at the end or the beginning of a piece, and the unknown rest."""
    for cut in range(_SHORTEST_REST, len(piece) - _LONG_PART + 1):
        known = _known(piece[cut:]) if cut > 2 or len(piece) - cut >= _VERY_LONG_PART else None
        if known is not None:
            return (piece[:cut], *known)
        known = _known(piece[: len(piece) - cut]) if cut > 2 else None
        if known is not None:
            return (*known, piece[len(piece) - cut :])
    return None


def _with_safe_ending(piece: str) -> tuple[str, ...] | None:
    for ending in _SAFE_ENDINGS:
        if piece.endswith(ending) and len(piece) >= len(ending) + _SHORTEST_PART:
            return (piece.removesuffix(ending), ending)
    return None


def _known(part: str) -> tuple[str, ...] | None:
    return (part,) if senses(part) else _compound(part)
