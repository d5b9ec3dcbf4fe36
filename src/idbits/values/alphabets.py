"""Texts with one byte per character, for engines that compare texts byte by byte.

DuckDB counts the edits and similarities of bytes: "é" has two. Replacing each character by a byte keeps which
characters are equal, and that is all these comparisons use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["one_byte_texts"]

_BYTES = [chr(code) for code in range(1, 128)]


def one_byte_texts(texts: Sequence[str]) -> tuple[list[str], int]:
    """Return the texts with one byte per character, and how many of them still have characters of several bytes.

    At most 127 characters can be replaced; of more, the most frequent ones are.

    >>> one_byte_texts(["ab", "b"])
    (['ab', 'b'], 0)
    >>> [[len(text.encode()) for text in one_byte_texts(["José", "Jose"])[0]], one_byte_texts(["José"])[1]]
    [[4, 4], 0]
    """
    if all(map(str.isascii, texts)):
        return list(texts), 0
    counts = Counter(character for text in texts for character in text)
    frequent = [character for character, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    replaced = set(frequent[: len(_BYTES)])
    free = iter([byte for byte in _BYTES if byte not in replaced])
    table = {ord(character): character if character.isascii() else next(free) for character in sorted(replaced)}
    rest = set(frequent[len(_BYTES) :])
    # A rare ASCII character must not look like one that replaces another: it moves to the private use area.
    table |= {ord(character): chr(0xE000 + ord(character)) for character in rest if character.isascii()}
    left = sum(1 for text in texts if not rest.isdisjoint(text)) if rest else 0
    return [text.translate(table) for text in texts], left
