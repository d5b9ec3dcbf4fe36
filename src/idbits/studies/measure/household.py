"""Households: people who are found together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from idbits.counts import Spectrum
from idbits.engines.backends.persons import Persons
from idbits.engines.base import Table
from idbits.errors import DataError
from idbits.measures.households import risk_over_people
from idbits.reading import OpenOptions
from idbits.studies.measure.people_result import Household, HouseholdRisk
from idbits.studies.shared.figures import Figures
from idbits.values.attributes import Attribute

__all__ = ["household_of"]


def household_of(
    table: Table,
    column: str,
    persons: Persons | None,
    qid: Sequence[Attribute],
    options: OpenOptions,
    *,
    by_set: bool,
) -> Household:
    """Measure households; with ``by_set``, the attacker knows all records of a person."""
    counts = table.household_counts(column, persons, qid, options, by_set=by_set)
    if counts.people_in_several:
        people = "1 person has" if counts.people_in_several == 1 else f"{counts.people_in_several:,} people have"
        raise DataError(f'{people} rows in several households ("{column}"); each person needs one household')
    mean, high = risk_over_people(counts.risks)
    sets_by_size: Counter[int] = Counter()
    for households, _, number in counts.compositions:
        sets_by_size[households] += number
    return Household(
        column=column,
        n_households=sum(households for _, households in counts.sizes),
        sizes=counts.sizes,
        people_without=counts.people_without,
        risk=HouseholdRisk(mean, high),
        people_with_a_unique_member=counts.people_with_unique_member,
        distinct_households=counts.distinct_households,
        distinct_people=counts.distinct_people,
        people_in_unique_households=sum(
            members * n for households, members, n in counts.compositions if households == 1
        ),
        composition=Figures.of(Spectrum.of(sets_by_size)),
    )
