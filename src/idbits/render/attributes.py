"""Attributes in plain words: age in steps of 5, the first 2 characters of the postcode."""

from __future__ import annotations

import re
from collections.abc import Sequence

from idbits.wording import joined

__all__ = ["plain_attribute", "plain_attributes"]

_PHRASES = {
    "year": "year of {}", "quarter": "quarter of {}", "month": "month and year of {}", "week": "week of {}",
    "day": "day of {}", "monthofyear": "month of {}", "prefix": "first {n} characters of {}",
    "band": "{} in steps of {n}", "cap": "{} up to {n}", "top": "{n} most common values of {}",
    "round": "{} to the nearest {n}",
}  # fmt: skip


def plain_attribute(name: str) -> str:
    """Return an attribute in plain words.

    >>> plain_attribute("age:band5"), plain_attribute("postcode:prefix2"), plain_attribute("birthdate:year")
    ('age in steps of 5', 'first 2 characters of postcode', 'year of birthdate')
    >>> plain_attribute("postcode:prefix1")
    'first character of postcode'
    """
    phrase, *transforms = name.split(":")
    for transform in transforms:
        match = re.fullmatch(r"([a-z]+)([0-9.]*)", transform)
        if match is not None and match[1] in _PHRASES:
            form = "first character of {}" if transform == "prefix1" else _PHRASES[match[1]]
            phrase = form.format(phrase, n=match[2])
        else:
            phrase = f"{phrase}:{transform}"
    return phrase


def plain_attributes(names: Sequence[str]) -> str:
    """Return attributes in plain words, joined.

    >>> plain_attributes(["age", "gender", "postcode"])
    'age, gender and postcode'
    """
    return joined([plain_attribute(name) for name in names])
