"""What subtracting counts of two zonings isolates, as figures that rules can limit: ``overlap.isolated.people``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.errors import DataError, EngineError
from idbits.studies.check.policy import OVERLAP, Dataset, Rule, satisfies, value_of
from idbits.studies.shared.serialisation import UncheckedData
from idbits.values.attributes import Attribute, parse_attribute

if TYPE_CHECKING:
    from idbits.engines.base import Table
    from idbits.reading import OpenOptions

__all__ = ["overlap_figures", "overlap_zones", "why_not_compared"]

_DEFAULT_BELOW = 10
_REASON = "reason"
_SMALLEST = f"{OVERLAP}.smallest"


def overlap_zones(dataset: Dataset, table: Table) -> list[Attribute]:
    """Return the two columns of zones if a rule is about them."""
    if dataset.overlap is None or not any(rule.figure.startswith(f"{OVERLAP}.") for rule in dataset.rules):
        return []
    return [parse_attribute(name, table.columns) for name in dataset.overlap["zones"]]


def overlap_figures(table: Table, zones: Sequence[Attribute], dataset: Dataset, options: OpenOptions) -> UncheckedData:
    """Return the figures of overlap. Without a small group, the smallest one is infinitely large, as rules see it."""
    # SciPy, which the search needs, takes a while to import.
    from idbits.studies.overlap.study import check_threshold, require_known_smallest, zones_of_table

    assert dataset.overlap is not None
    below = dataset.overlap.get("below", _DEFAULT_BELOW)
    check_threshold(below)
    for rule in dataset.rules:
        if rule.figure == _SMALLEST:
            require_known_smallest(rule, below)
    try:
        figures = dict(zones_of_table(table, zones, below, dataset.person, options).to_dict())
    except (DataError, EngineError) as error:
        return {_REASON: str(error)}
    return figures | ({"smallest": float("inf")} if figures["smallest"] is None else {})


def why_not_compared(figures: UncheckedData | None, rule: Rule, n_people: int) -> str | None:
    """Return why a rule cannot be checked, if so."""
    from idbits.studies.overlap.study import why_unconfirmed

    if figures is None:
        return 'the dataset does not name two columns of zones; add [dataset.overlap] with zones = ["A", "B"]'
    if _REASON in figures:
        return str(figures[_REASON])
    value = value_of(rule, {OVERLAP: figures})
    is_met = value is not None and satisfies(rule, value, n_people)
    if is_met and rule.keys[1] in ("isolated", "smallest"):
        return why_unconfirmed(figures["not_searched"]["atoms"])
    return None
