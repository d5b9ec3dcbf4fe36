"""What the words of column names mean, in English, German, French, Spanish, Dutch, Hungarian and Norwegian."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from pathlib import Path

__all__ = ["Sense", "senses"]

_FILE = Path(__file__).with_name("vocabulary.txt")


class Sense(StrEnum):
    """What a word of a column's name can mean."""

    NUMBER = "the number or key of something"
    PERSON = "a person"
    HOUSEHOLD = "a household"
    RECORD = "a record or an event"
    PLACE = "a place or an organisation"
    THING = "a thing or a class of things"
    CLASS = "a type, a status or another label"
    FLAG = "yes or no"
    OWN_NUMBER = "a number that a person has"
    CONTACT = "where a person can be reached"
    PERSON_NAME = "the name of a person"
    ANY_NAME = "the name of somebody or something"
    BIRTH = "a birth"
    TIME = "a date or a time"
    PART = "a part of a date"
    SPAN = "how long something takes"
    KNOWN = "what someone may know about a person"
    SENSITIVE = "what must not be learnt about a person"
    MEASURE = "a measured value or an amount"
    TALLY = "a number of things"
    PEOPLE = "people as a number"
    TEXT = "free text"
    # Traits of words that have one of the meanings above, and words that have none.
    PSEUDONYM = "a random or encrypted key"
    WEAK_KEY = "a key that may only count"
    FIRM_TIME = "certainly a date or a time"
    AGE = "an age"
    POSITION = "a position on a map"
    PERSONAL = "what describes one person"
    PROFESSIONAL = "somebody who serves the people of a table"
    FILLER = "nothing: a filler"
    NEUTRAL = "nothing by itself: a part of compounds"


@cache
def _meanings() -> dict[str, frozenset[Sense]]:
    meanings: dict[str, set[Sense]] = {}
    sense = Sense.FILLER
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        heading = re.fullmatch(r"\[([A-Z_]+)\]", line)
        if heading is not None:
            sense = Sense[heading[1]]
        elif line and not line.startswith("#"):
            _, *words = line.split()
            for word in words:
                meanings.setdefault(word, set()).add(sense)
    return {word: frozenset(found) for word, found in meanings.items()}


def senses(word: str) -> frozenset[Sense]:
    """Return the meanings of a word in lower case without accents; none if it is unknown.

    >>> sorted(map(str, senses("patient")))
    ['a person']
    """
    return _meanings().get(word, frozenset())
