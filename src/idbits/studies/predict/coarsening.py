"""Coarser views of a table's columns, from the finest to the coarsest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from idbits.engines.base import Table
from idbits.measures.distribution import Distribution
from idbits.reading import Names, Reading
from idbits.studies.predict.known import on_table
from idbits.studies.shared.coarser import coarser_views
from idbits.values.attributes import Attribute

__all__ = ["views_to_try"]

_MOST_COLUMNS = 5


def views_to_try(source: Any, attributes: Names | None, reading: Reading) -> list[tuple[str, Distribution]]:
    """Return the columns as they are, each coarser view of one of them, and fewer columns, with their distributions."""

    def views(table: Table, wanted: tuple[Attribute, ...]) -> list[tuple[str, Distribution]]:
        every = [wanted]
        for place, attribute in enumerate(wanted):
            every += [(*wanted[:place], coarser, *wanted[place + 1 :]) for coarser in coarser_views(table, attribute)]
        every += _fewer(wanted)
        return [(_name(view), Distribution.from_spectrum(table.spectrum(view))) for view in every]

    return on_table(source, attributes, reading, views)[0]


def _fewer(wanted: tuple[Attribute, ...]) -> Iterator[tuple[Attribute, ...]]:
    """Yield sets of fewer columns, larger ones first: all of them, or, of many columns, those without one."""
    fewest = 1 if len(wanted) <= _MOST_COLUMNS else len(wanted) - 1
    for size in range(len(wanted) - 1, fewest - 1, -1):
        yield from itertools.combinations(wanted, size)


def _name(attributes: tuple[Attribute, ...]) -> str:
    return ",".join(attribute.name for attribute in attributes)
