"""Coarser views of a table's columns, from the finest to the coarsest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from idbits.engines.base import Table
from idbits.errors import DataError, InputError
from idbits.measures.distribution import Distribution
from idbits.reading import Names, Reading
from idbits.studies.predict.known import on_table
from idbits.values.attributes import Attribute, Kind, parse_attribute

__all__ = ["coarser_attributes", "coarser_views"]

_DATES = ("week", "month", "quarter", "year")
_BANDS = tuple(f"band{digit}{'0' * power}" for power in range(7) for digit in (2, 5, 10))
_TOPS = ("top100", "top50", "top20", "top10", "top5", "top2")
_LONGEST_PREFIX = 12
_MOST_COLUMNS = 5


def coarser_views(source: Any, attributes: Names | None, reading: Reading) -> list[tuple[str, Distribution]]:
    """Return the columns as they are, each coarser view of one of them, and fewer columns, with their distributions."""

    def views(table: Table, wanted: tuple[Attribute, ...]) -> list[tuple[str, Distribution]]:
        every = [wanted]
        for place, attribute in enumerate(wanted):
            every += [
                (*wanted[:place], coarser, *wanted[place + 1 :]) for coarser in coarser_attributes(table, attribute)
            ]
        every += _fewer(wanted)
        return [(_name(view), Distribution.from_spectrum(table.spectrum(view))) for view in every]

    return on_table(source, attributes, reading, views)[0]


def _fewer(wanted: tuple[Attribute, ...]) -> Iterator[tuple[Attribute, ...]]:
    """Yield sets of fewer columns, larger ones first: all of them, or, of many columns, those without one."""
    fewest = 1 if len(wanted) <= _MOST_COLUMNS else len(wanted) - 1
    for size in range(len(wanted) - 1, fewest - 1, -1):
        yield from itertools.combinations(wanted, size)


def coarser_attributes(table: Table, attribute: Attribute) -> Iterator[Attribute]:
    """Yield coarser views of an attribute that its values allow, each with fewer values than the one before."""
    n_values = table.spectrum((attribute,)).n_values
    for ladder in _ladders(table, attribute):
        fits = False
        for word in ladder:
            coarser = _view(table, attribute, word)
            if coarser is None:
                break
            fits = True
            fewer = table.spectrum((coarser,)).n_values
            if fewer < n_values:
                n_values = fewer
                yield coarser
            if fewer == 1:
                return
        if fits:
            return


def _ladders(table: Table, attribute: Attribute) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of coarsening to try: numbers, dates, then beginnings of texts, then the most frequent."""
    if attribute.transforms and attribute.transforms[-1].name == "top":
        return
    kind = attribute.result_kind
    if kind in (Kind.INTEGER, Kind.NUMBER, Kind.TEXT):
        yield _BANDS
    if kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT):
        yield _DATES
    if kind is Kind.TEXT and table.profile(attribute.column).fixed_length:
        longest = min(_LONGEST_PREFIX, table.profile(attribute.column).longest - 1)
        yield tuple(f"prefix{length}" for length in range(longest, 0, -1))
    yield _TOPS


def _view(table: Table, attribute: Attribute, word: str) -> Attribute | None:
    try:
        coarser = parse_attribute(f"{attribute.name}:{word}", table.columns)
        table.spectrum((coarser,))
    except (InputError, DataError):
        return None
    return coarser


def _name(attributes: tuple[Attribute, ...]) -> str:
    return ",".join(attribute.name for attribute in attributes)
