"""Splits the name of a column into words: ``PULocationID`` is pu, location, id; ``Kundennummer`` is kunde, nummer."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from idbits.studies.shared.roles.words import Sense, senses

__all__ = ["name_words"]

_PIECES = re.compile(r"[a-z]+|[0-9]+|#")
_CASES = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPECIAL = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "№": "#"})
_LONGEST_NAME, _LONGEST_PIECE = 200, 60

# Letters that join the parts of a compound: Geburts-datum, Kunden-nummer.
_JOINTS = ("s", "n", "en", "es", "e", "i")
_SHORTEST_WORD, _SHORTEST_INNER_WORD, _LONGEST_WORD = 3, 4, 30
_PLURALS = ("s", "n", "es", "en")
_SHORT_ENDINGS = ("id", "nr", "no", "dt", "dx")
_KEYED = {Sense.NUMBER, Sense.PERSON, Sense.HOUSEHOLD, Sense.RECORD, Sense.PLACE, Sense.THING}
# A compound may have an unknown part, if most of it is known.
_MOST_UNKNOWN, _SHORTEST_UNKNOWN, _SHORTEST_REST = 0.3, 3, 9
# Endings that say the same after any word.
_SAFE_ENDINGS = (
    "datum", "datuma", "date", "datetime", "timestamp", "year", "month", "week", "jahr", "monat", "jaar", "maand",
    "nummer", "number", "szam", "azonosito", "adres", "serial", "hhid",
)  # fmt: skip
_SHORTEST_BEFORE_ENDING = 1
# What is left of an English word whose beginning is a word by chance.
_SUFFIXES = ("able", "ally", "ance", "ence", "ing", "ion", "ish", "ism", "ist", "ity", "ive", "ment", "ness", "ous")


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case without accents; a sequence of digits or # is a word, too.

    >>> name_words("PULocationID"), name_words("date_of_birth"), name_words("Kundennummer"), name_words("py010n")
    (('pu', 'location', 'id'), ('date', 'of', 'birth'), ('kunde', 'nummer'), ('py', '010', 'n'))
    """
    plain = unicodedata.normalize("NFKD", name[:_LONGEST_NAME].translate(_SPECIAL))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    lowered = _CASES.sub(" ", plain).lower()
    return tuple(part for piece in _PIECES.findall(lowered) for part in _parts(piece))


@lru_cache(maxsize=20_000)
def _parts(piece: str) -> tuple[str, ...]:
    """Split a compound into known words; an unknown word stays whole."""
    if senses(piece) or not piece.isalpha() or not 2 * _SHORTEST_WORD - 2 <= len(piece) <= _LONGEST_PIECE:
        return (piece,)
    for ending in _PLURALS:
        singular = piece.removesuffix(ending)
        if singular != piece and len(singular) >= _SHORTEST_WORD and senses(singular):
            return (singular,)
    return _compound(piece) or _with_safe_ending(piece) or (piece,)


class _Split(NamedTuple):
    """The parts of the beginning of a compound; those with the fewest unknown letters and then parts are best."""

    unknown: int
    n_parts: int
    parts: tuple[str, ...]


def _compound(piece: str) -> tuple[str, ...] | None:
    """Return the words that make up a piece, of which at least one is known and most letters are."""
    best: list[_Split | None] = [_Split(0, 0, ())] + [None] * len(piece)
    for start, split in enumerate(best):
        if split is None:
            continue
        for end in range(start + 2, min(len(piece), start + _LONGEST_WORD) + 1):
            part = piece[start:end]
            known = _is_word(part, split.parts, is_end=end == len(piece), is_start=start == 0)
            if not known and not _may_be_unknown(piece, start, end):
                continue
            _improve(
                best, end, _Split(split.unknown + (0 if known else len(part)), split.n_parts + 1, (*split.parts, part))
            )
            for joint in _JOINTS:
                if known and piece.startswith(joint, end) and end + len(joint) < len(piece):
                    _improve(best, end + len(joint), _Split(split.unknown, split.n_parts + 1, (*split.parts, part)))
    found = best[len(piece)]
    if found is None or found.n_parts < 2 or found.unknown > _MOST_UNKNOWN * len(piece):
        return None
    return found.parts


def _improve(best: list[_Split | None], end: int, split: _Split) -> None:
    current = best[end]
    if current is None or split < current:
        best[end] = split


def _is_word(part: str, before: tuple[str, ...], *, is_start: bool, is_end: bool) -> bool:
    if part in _SHORT_ENDINGS:
        after_key = bool(before) and bool(senses(before[-1]) & _KEYED)
        return is_end and (after_key or (part != "no" and part != "id" and bool(before)))
    shortest = _SHORTEST_WORD if is_start or is_end else _SHORTEST_INNER_WORD
    return len(part) >= shortest and bool(senses(part))


def _may_be_unknown(piece: str, start: int, end: int) -> bool:
    """Whether letters may be no known word: not so few that they are an ending of the word before them."""
    if end == len(piece) and piece[start:] in _SUFFIXES:
        return False
    return end - start >= _SHORTEST_UNKNOWN or (start == 0 and len(piece) - end >= _SHORTEST_REST)


def _with_safe_ending(piece: str) -> tuple[str, ...] | None:
    for ending in _SAFE_ENDINGS:
        if piece.endswith(ending) and len(piece) >= len(ending) + _SHORTEST_BEFORE_ENDING:
            return (piece.removesuffix(ending), ending)
    return None
