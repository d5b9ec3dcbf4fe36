"""Looking a release up in a population when one database has both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func

from idbits.engines.sql.queries import Queries
from idbits.values.attributes import Attribute

__all__ = ["match_query"]


def match_query(
    release: Queries,
    attributes: Sequence[Attribute],
    population: Queries,
    population_attributes: Sequence[Attribute],
) -> sa.Select[Any]:
    """Count by size in the population: sets, people, and values that more people have in the release.

    The two counts are laid one below the other and grouped again: a join on "equal, or both null" is one that no
    database does well.
    """
    keys = [f"g{place}" for place in range(len(attributes))]
    ours = _counted(release, attributes, keys, "released", "held")
    theirs = _counted(population, population_attributes, keys, "held", "released")
    both = sa.union_all(ours, theirs).subquery("both_tables")
    values = (
        sa.select(func.sum(both.c.released).label("released"), func.sum(both.c.held).label("held"))
        .group_by(*(both.c[key] for key in keys))
        .subquery("vals")
    )
    size = func.nullif(values.c.held, 0)
    more = func.sum(sa.case((values.c.released > values.c.held, 1), else_=0))
    return sa.select(size, func.count(), func.sum(values.c.released), more).where(values.c.released > 0).group_by(size)


def _counted(
    queries: Queries, attributes: Sequence[Attribute], keys: Sequence[str], people: str, nobody: str
) -> sa.Select[Any]:
    sets = queries.grouped(attributes).subquery("sets")
    counts = {people: sets.c.people.label(people), nobody: sa.literal_column("0").label(nobody)}
    return sa.select(*(sets.c[key] for key in keys), counts["released"], counts["held"])
