"""Which columns break a rule: those without which it holds, found by leaving columns out and counting again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from idbits.errors import DataError, EngineError, InputError, NotEstimableError
from idbits.studies.check.policy import Rule, satisfies, value_of
from idbits.studies.shared.serialisation import UncheckedData
from idbits.values.attributes import Attribute

__all__ = ["FiguresOf", "causing_columns", "is_broken"]

FiguresOf = Callable[[tuple[Attribute, ...]], UncheckedData]
"""Measures some columns instead of all."""

_MOST_COLUMNS = 12


def is_broken(rule: Rule, figures: UncheckedData) -> bool:
    """Whether the figures break a rule; a rule about a figure that they lack is not broken."""
    try:
        value = value_of(rule, figures)
    except InputError:
        return False
    return value is not None and not satisfies(rule, value, int(figures["n_people"]))


def causing_columns(
    rule: Rule, qid: Sequence[Attribute], figures_of: FiguresOf, *, until: float
) -> tuple[tuple[str, ...], bool]:
    """Return the columns that break a rule, and whether it takes all of them together.

    Each column is left out once. Those without which the rule holds are the causes. If there is none, the column whose
    omission helps most is left out for good, and so on, until the rule holds; then all of them together are the cause.
    Nothing is returned for many columns, after the time ``until``, or if no omission helps.
    """
    if len(qid) == 1:
        return (qid[0].name,), False
    if len(qid) > _MOST_COLUMNS:
        return (), False
    left = tuple(qid)
    gone: list[str] = []
    while len(left) > 1:
        tried = {}
        for attribute in left:
            if time.monotonic() > until:
                return (), False
            remaining = tuple(other for other in left if other is not attribute)
            value = _value(rule, figures_of, remaining)
            if value is None:
                return (), False
            tried[attribute.name] = value
        holding = tuple(name for name, (holds, _) in tried.items() if holds)
        if holding and not gone:
            return holding, False
        if holding:
            return (*gone, holding[0]), True
        best = min(tried, key=lambda name: tried[name][1])
        gone.append(best)
        left = tuple(attribute for attribute in left if attribute.name != best)
    return tuple(attribute.name for attribute in qid), True


def _value(rule: Rule, figures_of: FiguresOf, qid: tuple[Attribute, ...]) -> tuple[bool, float] | None:
    """Return whether a rule holds for some columns, and how far the figure is on the wrong side."""
    try:
        figures = figures_of(qid)
        value = value_of(rule, figures)
    except (DataError, EngineError, InputError, NotEstimableError):
        return None
    if value is None:
        return None
    distance = float(rule.limit) - value if rule.comparison in (">=", ">") else value - float(rule.limit)
    return satisfies(rule, value, int(figures["n_people"])), distance
