"""A column in numbers, counted in a database."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.sql.cells import date_from_text
from idbits.engines.sql.connection import Connection
from idbits.engines.sql.queries import Queries
from idbits.engines.sql.words import Element
from idbits.errors import InputError
from idbits.values.attributes import Attribute, Kind
from idbits.values.profile import NULL_WORDS, Profile, profile_of_figures
from idbits.values.readings import DATE_ORDERS, NUMBER_PATTERN

__all__ = ["profile_query"]

_FRACTION = r"[^.]*\.[0-9]*[1-9].*"


def profile_query(
    connection: Connection, queries: Queries, attribute: Attribute, people: int, null_people: int
) -> Profile:
    """Describe a column by numbers."""
    words, kind = queries.words, attribute.kind
    sets = queries.grouped([attribute], shown=True).subquery("sets")
    value = words.readable(sets.c.s0) if "s0" in sets.c else sets.c.g0
    text = value if kind in (Kind.TEXT, Kind.OTHER) else words.as_text(value)
    trimmed, length = words.trimmed(text), words.length(text)
    word = func.lower(trimmed)

    def having(condition: Element) -> Element:
        return func.coalesce(func.sum(sa.case((condition, sets.c.people), else_=0)), 0)

    figures = {
        "distinct": func.count(),
        "unique": having(sets.c.people == 1),
        "most": func.coalesce(func.max(sets.c.people), 0),
        "characters": func.coalesce(func.sum(sets.c.people * length), 0),
        "longest": func.coalesce(func.max(length), 0),
        "shortest": func.coalesce(func.min(length), -1),
        "spaced": having(words.like(trimmed, "% %")),
        "padded": having(words.length(trimmed) != length),
        "null_words": having(sa.or_(*(words.compared_text(word, "=", sa.literal(w)) for w in NULL_WORDS))),
        **{name: having(condition) for name, condition in _readings(queries, value, attribute).items()},
    }
    query = sa.select(*figures.values()).select_from(sets).where(sets.c.g0.is_not(sa.null()), sets.c.people > 0)
    found = dict(zip(figures, map(int, connection.one(query, f'counting "{attribute.column}"')), strict=True))
    return profile_of_figures(found, kind, people, null_people)


def _readings(queries: Queries, value: Element, attribute: Attribute) -> dict[str, Element]:
    """Return what a value can be read as; nothing where the database cannot read text."""
    words = queries.words
    if attribute.kind is Kind.NUMBER:
        return {"fractions": words.exact(value, queries.source.types[attribute.column]) != func.floor(value)}
    if attribute.kind is not Kind.TEXT:
        return {}
    try:
        number = words.matches(value, NUMBER_PATTERN)
        finite = sa.case((number, sa.case((words.number_of(value).is_(sa.null()), 0), else_=1)), else_=0) == 1
        return {
            **{order: date_from_text(value, words, order).is_not(sa.null()) for order in DATE_ORDERS},
            "numbers": finite,
            "fractions": sa.and_(finite, words.matches(value, _FRACTION)),
            "zeros": words.matches(value, "0[0-9]+"),
        }
    except InputError:
        return {}
