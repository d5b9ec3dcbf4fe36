"""Grammar of messages: numbers with their nouns, lists of words, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["counted", "counted_people", "either", "joined", "listed_names", "near_names"]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(2500, "row")
    ('1 row', '2,500 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counted_people(number: int) -> str:
    """Return a number of people.

    >>> counted_people(1), counted_people(2500)
    ('1 person', '2,500 people')
    """
    return "1 person" if number == 1 else f"{number:,} people"


def near_names(name: str, names: Iterable[str]) -> str:
    """Return the end of a sentence that suggests the names closest to a wrong one, if any is close.

    >>> near_names("brithdate", ["birthdate", "zip"])
    '; did you mean "birthdate"?'
    """
    lowered = {known.casefold(): known for known in names}
    # No name of very different length: in a damaged header, a name may have data attached to it.
    similar = [known for known in lowered if abs(len(known) - len(name)) <= 3]
    near = [lowered[match] for match in get_close_matches(name.casefold(), similar, n=3, cutoff=0.6)]
    return "; did you mean " + " or ".join(f'"{match}"' for match in near) + "?" if near else ""


def listed_names(names: Iterable[str], *, most: int = 8) -> str:
    """Return the end of a sentence that lists names.

    >>> listed_names(["people", "visits"])
    '; there are "people", "visits"'
    """
    names = tuple(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; there are " + ", ".join(f'"{known}"' for known in names[:most]) + more if names else ""


def either(words: Iterable[str]) -> str:
    """Join words of which one is meant.

    >>> either(["birthdate", "zip", "gender"])
    'birthdate, zip or gender'
    """
    *most, last = list(words)
    return f"{', '.join(most)} or {last}" if most else last


def joined(words: Iterable[str]) -> str:
    """Join words as in a sentence.

    >>> joined(["birthdate", "zip", "gender"])
    'birthdate, zip and gender'
    """
    *most, last = list(words)
    return f"{', '.join(most)} and {last}" if most else last
