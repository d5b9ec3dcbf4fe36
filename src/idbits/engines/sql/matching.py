"""Looking a release up in a population when one database has both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func

from idbits.attributes import Attribute
from idbits.engines.sql.queries import Queries

__all__ = ["match_query"]


def match_query(
    release: Queries,
    attributes: Sequence[Attribute],
    population: Queries,
    population_attributes: Sequence[Attribute],
) -> sa.Select[Any]:
    """Count by size in the population: sets, people, and values that more people have in the release."""
    ours = release.grouped(attributes).subquery("r")
    theirs = population.grouped(population_attributes).subquery("p")
    equal = [
        sa.or_(
            ours.c[f"g{place}"] == theirs.c[f"g{place}"],
            sa.and_(ours.c[f"g{place}"].is_(sa.null()), theirs.c[f"g{place}"].is_(sa.null())),
        )
        for place in range(len(attributes))
    ]
    # A join on "equal or both null" is slow in every database; almost all values are not null.
    size = func.nullif(theirs.c.people, 0)
    more = func.sum(sa.case((ours.c.people > theirs.c.people, 1), else_=0))
    return (
        sa.select(size, func.count(), func.sum(ours.c.people), more)
        .select_from(ours.outerjoin(theirs, sa.and_(*equal)))
        .where(ours.c.people > 0)
        .group_by(size)
    )
