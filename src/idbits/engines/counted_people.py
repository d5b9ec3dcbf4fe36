"""Puts together what a database or a cluster has counted about people and households."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from idbits.counts import Spectrum
from idbits.engines.backends.persons import HouseholdCounts, PersonCounts, PersonRequest, RecordProfiles

__all__ = ["CountedPeople", "counted_households", "counted_people"]

Fetched = Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class CountedPeople:
    """People, and the number of those with a value that the population does not have."""

    counts: PersonCounts
    missing_people: int


def counted_people(fetched: Mapping[str, Fetched], request: PersonRequest) -> CountedPeople:
    """Put together the counts of people.

    Args:
        fetched: the rows by the figure that they count. ``people``: rows, smallest group (0 if the population does not
            have a value), unique only by nulls, nothing but nulls, people. ``records``: as in ``PersonCounts``.
            ``profiles``: a list of group sizes and rows, people. ``sets``, ``multisets``: size, groups.
        request: what was counted.
    """
    of_rows: Counter[int] = Counter()
    of_groups: Counter[int] = Counter()
    nulls = by_null = 0
    for row in fetched.get("people", ()):
        n_rows, size, is_by_null, is_null, number = map(int, row)
        of_groups[size] += number
        of_rows[n_rows] += number if size else 0
        by_null += number if is_by_null else 0
        nulls += number if is_null and size else 0
    missing = of_groups.pop(0, 0)
    counts = PersonCounts(
        rows=tuple(sorted((+of_rows).items())),
        smallest=tuple(sorted(of_groups.items())),
        records=tuple(sorted(_four(row) for row in fetched.get("records", ()))),
        profiles=_profiles(fetched.get("profiles", ())) if request.profiles else None,
        sets=_spectrum(fetched.get("sets", ())) if request.sets else None,
        multisets=_spectrum(fetched.get("multisets", ())) if request.multisets else None,
        null_people=nulls,
        unique_by_null_people=by_null,
    )
    return CountedPeople(counts, missing)


def _four(row: tuple[Any, ...]) -> tuple[int, int, int, int]:
    total, of_pair, size, number = map(int, row)
    return total, of_pair, size, number


def _spectrum(rows: Fetched) -> Spectrum:
    return Spectrum.of((int(size), int(sets)) for size, sets in rows)


def _items(listed: Any) -> list[tuple[int, int]]:
    """Return the pairs of numbers in a list.

    >>> _items("3:1,12:2")
    [(3, 1), (12, 2)]
    """
    text = listed.decode() if isinstance(listed, bytes) else str(listed)
    pairs = (item.split(":") for item in text.split(","))
    return [(int(first), int(second)) for first, second in pairs]


def _profiles(rows: Fetched) -> RecordProfiles:
    profiles = [_items(listed) for listed, _ in rows]
    entries = np.array([entry for profile in profiles for entry in profile], np.int64).reshape(-1, 2)
    return RecordProfiles(
        np.cumsum([0, *map(len, profiles)], dtype=np.int64),
        entries[:, 0],
        entries[:, 1],
        np.array([int(people) for _, people in rows], np.int64),
    )


def counted_households(
    risks: Iterable[tuple[Any, ...]], compositions: Iterable[tuple[Any, ...]], people_without: int
) -> HouseholdCounts:
    """Put together the counts of households.

    Args:
        risks: a list of group sizes and members, whether the household is distinct, households.
        compositions: as in ``HouseholdCounts``.
        people_without: the people without a household.
    """
    sizes: Counter[int] = Counter()
    of_members: Counter[tuple[int, ...]] = Counter()
    distinct_households = distinct_people = 0
    for listed, is_distinct, households in risks:
        members = tuple(sorted(size for size, number in _items(listed) for _ in range(number)))
        number = int(households)
        sizes[len(members)] += number
        of_members[members] += number
        distinct_households += number if is_distinct else 0
        distinct_people += len(members) * number if is_distinct else 0
    groups = [(int(households), int(members), int(number)) for households, members, number in compositions]
    return HouseholdCounts(
        sizes=tuple(sorted(sizes.items())),
        people_without=people_without,
        people_in_several=0,
        risks=tuple(sorted(of_members.items())),
        people_with_unique_member=sum(len(of) * number for of, number in of_members.items() if of[0] == 1),
        distinct_households=distinct_households,
        distinct_people=distinct_people,
        compositions=tuple(sorted(groups)),
    )
