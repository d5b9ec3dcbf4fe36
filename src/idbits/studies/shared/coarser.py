"""Coarser views of a column: the steps of its ladder that fit its values and merge some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from idbits.engines.base import Table
from idbits.errors import IdbitsError
from idbits.values.attributes import Attribute, Kind, Transform, parse_attribute
from idbits.values.ladder import is_fraction_ladder, ladder

__all__ = ["coarser_views", "next_view", "next_views", "spread_views"]

_SPREAD_DIGITS = 3


def coarser_views(table: Table, attribute: Attribute) -> Iterator[Attribute]:
    """Yield the views of an attribute, finest first, each with fewer values than the one before; counts each."""
    fewest = table.spectrum((attribute,)).n_sets
    views = ladder(attribute, table.profile(attribute.column))
    steps = _fraction_steps(table, views) if is_fraction_ladder(views) else views
    for view, n_values in _counted(table, steps):
        # A column with one value is as good as left out.
        if n_values == 1:
            return
        if n_values < fewest:
            fewest = n_values
            yield view


def spread_views(table: Table, attribute: Attribute, most: int) -> list[Attribute]:
    """Return at most ``most`` coarser views, from the finest to the coarsest of the ladder."""
    views = list(coarser_views(table, attribute))
    if len(views) <= most:
        return views
    return [views[index * (len(views) - 1) // (most - 1)] for index in range(most)]


def next_view(table: Table, attribute: Attribute, *, by_trial: bool | None = None) -> Attribute | None:
    """Return the finest view that at least halves the number of values, or else the coarsest view.

    If trials are expensive, the first step for the kind of the column is proposed untried; ``by_trial`` forces trials.
    """
    if not (table.trials_are_cheap if by_trial is None else by_trial):
        return _untried(attribute)
    n_values = table.spectrum((attribute,)).n_sets
    view = None
    for view in coarser_views(table, attribute):
        if 2 * table.spectrum((view,)).n_sets <= n_values:
            return view
    return view


def next_views(table: Table, attributes: Sequence[Attribute]) -> list[Attribute | None]:
    """Return the next view of each attribute by trials; a cluster counts those of all attributes at once."""
    ladders = {attribute: ladder(attribute, table.profile(attribute.column)) for attribute in attributes}
    table.count_ahead([*attributes, *(view for views in ladders.values() for view in views)])
    fractions = [views for views in ladders.values() if is_fraction_ladder(views)]
    table.count_ahead([view for views in fractions for view in _fraction_steps(table, views)])
    return [next_view(table, attribute, by_trial=True) for attribute in attributes]


def _untried(attribute: Attribute) -> Attribute | None:
    if attribute.kind is Kind.TEXT and not attribute.transforms:
        # Only the values could tell whether these are dates, numbers or codes; any text has a prefix.
        return parse_attribute(f"{attribute.column}:prefix2", {attribute.column: attribute.kind})
    return next(iter(ladder(attribute)), None)


def _counted(table: Table, views: Iterable[Attribute]) -> Iterator[tuple[Attribute, int]]:
    """Yield the views that fit the values, each with its number of values."""
    for view in views:
        try:
            n_values = table.spectrum((view,)).n_sets
        except IdbitsError:
            continue
        yield view, n_values


def _fraction_steps(table: Table, views: Sequence[Attribute]) -> list[Attribute]:
    """Return roundings to three, two and one digits of the spread, each applied after the one before.

    One digit of the spread is the coarsest power of ten that leaves at least two values.
    """
    coarsest_first = list(reversed(views))
    first = next((index for index, (_, n) in enumerate(_counted(table, coarsest_first)) if n > 1), None)
    if first is None:
        return []
    chain: tuple[Transform, ...] = ()
    steps = []
    for view in reversed(coarsest_first[first : first + _SPREAD_DIGITS]):
        chain = (*chain, *view.transforms)
        steps.append(replace(view, transforms=chain))
    return steps
