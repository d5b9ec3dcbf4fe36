"""Attributes in SQL: a column's value, coarsened step by step, as the expression that rows are grouped by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa

from idbits.engines.sql.source import DatabaseSource
from idbits.engines.sql.words import Element, Words
from idbits.values.attributes import Attribute, Kind, Transform
from idbits.values.readings import DATE_PATTERNS

__all__ = ["Decisions", "before_reading", "value_of"]


@dataclass(slots=True)
class Decisions:
    """How texts are read, as far as that is known: the order of dates, and which numbers have a decimal comma.

    Texts are named by the attribute that has to read them: a column, or a prefix of it.
    """

    date_orders: dict[Attribute, str] = field(default_factory=dict)
    commas: dict[Attribute, bool] = field(default_factory=dict)


def before_reading(attribute: Attribute) -> list[tuple[Attribute, Transform]]:
    """Return the texts that an attribute reads as numbers or dates, each with the transform that does."""
    found = []
    for place, (transform, kind) in enumerate(attribute.steps()):
        if kind is Kind.TEXT and (transform.wants_dates or transform.wants_numbers):
            found.append((Attribute(attribute.column, attribute.kind, attribute.transforms[:place]), transform))
    return found


def value_of(attribute: Attribute, source: DatabaseSource, words: Words, decisions: Decisions) -> Element:
    """Return the value of an attribute, without what ``top`` does: that takes a look at all rows."""
    type_name = source.types[attribute.column]
    value = words.comparable(source.relation.c[attribute.column], type_name, attribute.kind)
    read = dict(before_reading(attribute))
    for place, (transform, kind) in enumerate(attribute.steps()):
        if transform.name == "top":
            break
        before = Attribute(attribute.column, attribute.kind, attribute.transforms[:place])
        if transform.name == "prefix":
            assert transform.argument is not None
            value = words.prefix(value if kind is Kind.TEXT else words.as_text(value), int(transform.argument))
        elif transform.wants_dates:
            if before in read:
                value = date_from_text(value, words, decisions.date_orders[before])
            value = _coarser_date(value, words, transform.name)
        else:
            value = _coarser_number(value, words, transform, kind, type_name, _comma(before, read, decisions))
        if kind is not Kind.TEXT or transform.name != "prefix":
            type_name = "exact"
    return value


def _comma(before: Attribute, read: Mapping[Attribute, Transform], decisions: Decisions) -> bool:
    return before in read and decisions.commas[before]


def date_from_text(text: Element, words: Words, order: str) -> Element:
    """Return the date in a text, null where there is none."""
    readings = [words.date_of(text, pattern, groups) for pattern, groups in DATE_PATTERNS[order]]
    return readings[0] if len(readings) == 1 else sa.func.coalesce(*readings)


def _coarser_date(value: Element, words: Words, name: str) -> Element:
    if name == "year":
        return words.year(value)
    if name == "monthofyear":
        return words.month_of_year(value)
    return words.day(value) if name == "day" else words.truncated(value, name)


def _coarser_number(
    value: Element, words: Words, transform: Transform, kind: Kind, type_name: str, comma: bool
) -> Element:
    assert transform.argument is not None
    if kind is Kind.TEXT:
        exact = words.number_of(words.point_for_comma(value) if comma else value)
    elif kind is Kind.INTEGER and transform.result_kind(kind) is Kind.INTEGER and transform.name != "round":
        exact = words.integer(value, type_name)
    else:
        exact = words.exact(value, type_name)
    coarser = words.coarser(exact, transform.name, transform.argument)
    return words.whole(coarser) if transform.result_kind(kind) is Kind.INTEGER else coarser
