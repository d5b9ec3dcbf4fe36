"""Queries that compare the values of two tables of one database.

Both counts are combined with UNION ALL and grouped again: no database is fast at a join on "equal, or both null".
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.sql.dialect import ZERO
from idbits.engines.sql.queries import Queries, Query, only_unmerged, value_names, values_named
from idbits.values.attributes import Attribute

__all__ = ["match_query", "pair_query"]


def match_query(
    release: Queries,
    attributes: Sequence[Attribute],
    population: Queries,
    population_attributes: Sequence[Attribute],
) -> Query:
    """Count by group size in the population: groups, people, and values that are more frequent in the release."""
    values = _in_both(release, attributes, population, population_attributes, null_is_value=True)
    size = func.nullif(values.c.held, 0)
    more = func.sum(sa.case((values.c.released > values.c.held, 1), else_=0))
    counts = sa.select(size, func.count(), func.sum(values.c.released), more)
    return counts.where(values.c.released > 0).group_by(size)


def pair_query(
    first: Queries,
    attributes: Sequence[Attribute],
    second: Queries,
    second_attributes: Sequence[Attribute],
    *,
    null_is_value: bool,
) -> Query:
    """Count values by how often each table has them."""
    values = _in_both(first, attributes, second, second_attributes, null_is_value=null_is_value)
    pair = (values.c.released, values.c.held)
    return sa.select(*pair, first.dialect.count()).group_by(*pair)


def _in_both(
    first: Queries,
    attributes: Sequence[Attribute],
    second: Queries,
    second_attributes: Sequence[Attribute],
    *,
    null_is_value: bool,
) -> sa.Subquery:
    """Return the people of each value in the first table (released) and in the second (held)."""
    keys = value_names(attributes)
    ours = _counted(first, attributes, keys, "released", "held")
    theirs = _counted(second, second_attributes, keys, "held", "released")
    both = sa.union_all(ours, theirs).subquery("both_tables")
    query = sa.select(func.sum(both.c.released).label("released"), func.sum(both.c.held).label("held"))
    if not null_is_value:
        query = query.where(*(both.c[key].is_not(sa.null()) for key in keys if key[0] == "g"))
    return query.group_by(*(both.c[key] for key in keys)).subquery("vals")


def _counted(queries: Queries, attributes: Sequence[Attribute], keys: Sequence[str], people: str, nobody: str) -> Query:
    sets = queries.grouped(attributes).subquery("sets")
    counts = {people: sets.c.people.label(people), nobody: ZERO.label(nobody)}
    query = sa.select(*values_named(sets, keys), counts["released"], counts["held"])
    return query.where(*only_unmerged(sets, keys))
