"""What columns of text contain: numbers, dates or words. A file of text has no types, but its columns can change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from idbits.engines.base import Table
from idbits.values.attributes import Kind
from idbits.values.profile import Profile

__all__ = ["changed_contents", "column_contents", "contents_of"]

_MOSTLY: Final = 0.9
_COMPARED: Final = ("numbers", "dates", "words")


def column_contents(table: Table, loaded: Collection[str]) -> dict[str, str]:
    """Return what the columns of text contain, judged by all rows of ``loaded`` columns and by a sample of the others.

    Nothing for tables in databases and on clusters, whose columns have types.
    """
    if not table.trials_are_cheap:
        return {}
    sample = table.draw_sample()
    profiles = dict(sample.profiles) if sample is not None else {}
    text = [name for name, kind in table.columns.items() if kind is Kind.TEXT]
    profiles |= {name: table.profile(name) for name in text if name in loaded}
    return {name: contents_of(profiles[name]) for name in text if name in profiles}


def contents_of(profile: Profile) -> str:
    """Return what most values of a column are; ``mixed`` if no reading fits nine of ten, or nearly none.

    Values that can be read both as numbers and as dates, such as 2019, are numbers.
    """
    if not profile.known:
        return "empty"
    numbers, dates = profile.numbers / profile.known, profile.dates / profile.known
    if numbers >= _MOSTLY:
        return "numbers"
    if dates >= _MOSTLY:
        return "dates"
    return "words" if max(numbers, dates) <= 1 - _MOSTLY else "mixed"


def changed_contents(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the columns whose contents are known before and now and differ.

    >>> changed_contents({"age": "numbers", "zip": "mixed"}, {"age": "words", "zip": "words"})
    {'age': ('numbers', 'words')}
    """
    return {
        name: (before[name], kind)
        for name, kind in now.items()
        if before.get(name) in _COMPARED and kind in _COMPARED and kind != before[name]
    }
