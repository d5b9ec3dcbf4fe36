"""Counts people on this machine, from pairs of value and person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idbits.counts import CodedRows, Integers, Spectrum, Value
from idbits.engines.backends.persons import (
    HouseholdCounts,
    PersonCategories,
    PersonCounts,
    PersonMatch,
    PersonRecord,
    PersonRequest,
    RecordProfiles,
)
from idbits.engines.person_codes import PersonCodes, PersonPairs
from idbits.kernels.distinct import distinct_rows
from idbits.kernels.households import homes_of, household_figures
from idbits.kernels.person_sets import classes_of_sets
from idbits.kernels.persons import (
    Keys,
    NullValues,
    Pairs,
    PairScan,
    ValueSizes,
    count_records,
    people_by,
    profile_entries,
    scan_pairs,
)
from idbits.kernels.run_lengths import size_counts

__all__ = ["count_categories", "count_households", "count_people", "match_people", "records_of"]


def count_people(source: PersonPairs, request: PersonRequest) -> PersonCounts:
    """Count the people of a table."""
    return _count(source.pairs(), source.nulls, request, rows=source.rows)[0]


def count_categories(source: PersonPairs, labels: Sequence[Value], request: PersonRequest) -> PersonCategories:
    """Count the people of each category."""
    categories = []
    in_one, in_several = np.zeros(source.n_codes, np.bool_), np.zeros(source.n_codes, np.bool_)
    for part in source.pairs_by_category():
        counts, scan = _count(part.pairs, source.nulls, request)
        categories.append((labels[part.category], counts))
        people = part.people[scan.figures.rows > 0]
        in_several[people] |= in_one[people]
        in_one[people] = True
    return PersonCategories(tuple(categories), int(np.count_nonzero(in_several)))


def match_people(
    source: PersonPairs, values: Keys, people: Integers, n_population: int, request: PersonRequest
) -> PersonMatch:
    """Compare people with a population, of which the values (ascending) and their numbers of people are given."""

    def sizes(wanted: Keys, _: Integers) -> Integers:
        if not len(values):
            return np.zeros(len(wanted), np.int64)
        place = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
        return np.where(values[place] == wanted, people[place], 0)

    counts, scan = _count(source.pairs(), source.nulls, request, sizes)
    missing = np.count_nonzero((scan.figures.rows > 0) & ~scan.figures.kept())
    return PersonMatch(counts, n_population, scan.missing_values, int(missing), scan.overfull_values)


def _count(
    pairs: Pairs,
    nulls: NullValues | None,
    request: PersonRequest,
    sizes: ValueSizes | None = None,
    *,
    rows: Integers | None = None,
) -> tuple[PersonCounts, PairScan]:
    """Count people; a group has the people who have its value, unless its size is given."""
    scan = scan_pairs(pairs, nulls, sizes, rows=rows)
    figures = scan.figures
    kept = figures.kept()
    own = sizes is None
    counts = PersonCounts(
        rows=people_by(figures.rows[kept]),
        smallest=people_by(figures.smallest[kept]),
        records=count_records(pairs, scan, sizes) if request.records else (),
        profiles=_profiles(pairs, scan, sizes) if request.profiles else None,
        sets=_spectrum(pairs, scan, counted=False) if request.sets and own else None,
        multisets=_spectrum(pairs, scan, counted=True) if request.multisets and own else None,
        null_people=int(np.count_nonzero(figures.is_null & kept)),
        unique_by_null_people=int(np.count_nonzero(figures.is_unique_by_null)),
    )
    return counts, scan


def _profiles(pairs: Pairs, scan: PairScan, sizes: ValueSizes | None) -> RecordProfiles:
    starts, groups, rows = profile_entries(pairs, scan.figures, sizes)
    return RecordProfiles(starts, groups, rows, np.ones(len(starts) - 1, np.int64))


def _spectrum(pairs: Pairs, scan: PairScan, *, counted: bool) -> Spectrum:
    return Spectrum.of(size_counts(classes_of_sets(pairs, scan.figures.n_values, counted=counted)[1]))


def count_households(codes: PersonCodes, *, by_set: bool) -> HouseholdCounts:
    """Count households, which are the categories of the rows."""
    assert codes.categories is not None
    persons = (codes.keys & np.uint64((1 << codes.person_bits) - 1)).astype(np.int64)
    homes = homes_of(persons, codes.categories.astype(np.int64), codes.null_category, codes.n_codes, codes.n_categories)
    if homes.people_in_several:
        return HouseholdCounts((), 0, homes.people_in_several, (), 0, 0, 0, ())
    figures = household_figures(codes.pairs(), homes, by_set=by_set)
    distinct = figures.members[figures.is_distinct]
    return HouseholdCounts(
        sizes=people_by(figures.members[figures.members > 0]),
        people_without=homes.people_without,
        people_in_several=0,
        risks=tuple(sorted(figures.risks.items())),
        people_with_unique_member=sum(len(sizes) * number for sizes, number in figures.risks.items() if sizes[0] == 1),
        distinct_households=len(distinct),
        distinct_people=int(distinct.sum()),
        compositions=tuple((*key, number) for key, number in sorted(figures.compositions.items())),
    )


def records_of(
    rows: CodedRows, labels: Sequence[Sequence[Value]], null: int | None, *, null_is_own: bool
) -> list[PersonRecord]:
    """Return the distinct records of each person; the first column of ``rows`` has the people."""
    distinct = distinct_rows(rows)
    values = [[texts[code] for code in codes.tolist()] for texts, codes in zip(labels, distinct.codes[1:], strict=True)]
    records: list[PersonRecord] = []
    next_person = rows.sizes[0]
    for person, value, number in zip(
        distinct.codes[0].tolist(), zip(*values, strict=True), distinct.cohorts().tolist(), strict=True
    ):
        if person != null:
            records.append((person, value, number))
        elif null_is_own:
            records += [(next_person + index, value, 1) for index in range(number)]
            next_person += number
    return records
