"""Rows of people split column by column, against counting each combination of columns person by person."""

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import DrawnRecords, PeopleBySize, Spectrum
from idbits.kernels.coded import CodedColumns
from idbits.kernels.person_partition import AllRecords, DrawnRecord, OneRecord, PersonColumns, PersonPartition
from idbits.kernels.person_subsets import (
    count_all_but_one,
    count_beginnings,
    count_related_people,
    count_subsets_with,
    first_columns,
)
from idbits.kernels.subsets import RelatedSets, columns_of

ATTACKERS = ["one-record", "any-record", "all-records"]


@st.composite
def people_tables(draw, most_columns=4):
    """Draw (rows of a person and values, the number of columns)."""
    n_columns = draw(st.integers(1, most_columns))
    values = st.tuples(st.integers(0, 6), *(st.integers(0, draw(st.integers(0, 3))) for _ in range(n_columns)))
    return draw(st.lists(values, min_size=1, max_size=30)), n_columns


def by_hand(rows, columns, knows):
    """Count people by comparing their values, without any splitting."""
    people = defaultdict(list)
    for person, *values in rows:
        people[person].append(tuple(values[column] for column in columns))
    k = {value: sum(value in of for of in people.values()) for of in people.values() for value in of}
    if knows == "one-record":
        return sorted(Counter(min(k[value] for value in of) for of in people.values()).items())
    if knows == "any-record":
        return sorted((*key, n) for key, n in Counter((k[v], len(of)) for of in people.values() for v in of).items())
    sizes = Counter(Counter(frozenset(of) for of in people.values()).values())
    return sorted(sizes.items())


def plain(counts):
    return counts.triples() if isinstance(counts, DrawnRecords) else counts.pairs()


def whole(rows, n_columns, knows, size=None):
    """Return all rows in one partition; codes have holes, and ``size`` makes them too wide for one key."""
    codes = [np.array([10 * row[column + 1] for row in rows], np.uint32) for column in range(n_columns)]
    persons = np.array([7 * row[0] for row in rows], np.uint32)
    people = PersonColumns.of([*codes, persons], [100] * (n_columns + 1), merged=knows != "any-record")
    if size is not None:
        wide = CodedColumns(people.columns.codes, (size,) * n_columns, None, people.columns.n_people)
        people = PersonColumns(wide, people.persons, people.rows_of_person)
    known = {
        "one-record": OneRecord(np.zeros(people.n_people, np.bool_)),
        "any-record": DrawnRecord(Counter()),
        "all-records": AllRecords(),
    }
    return PersonPartition.whole(people, known[knows])


@pytest.mark.parametrize("size", [None, 2**55])
@pytest.mark.parametrize("knows", ATTACKERS)
@given(people_tables(), st.randoms(use_true_random=False))
def test_every_order_of_columns_gives_the_counts_of_people(knows, size, drawn, random):
    rows, n_columns = drawn
    order = random.sample(range(n_columns), n_columns)
    partition = whole(rows, n_columns, knows, size)
    for length, column in enumerate(order, start=1):
        expected = by_hand(rows, sorted(order[:length]), knows)
        assert plain(partition.refined_counts(column)) == expected
        partition = partition.refined(column)
        assert plain(partition.counts) == expected


@pytest.mark.parametrize("knows", ATTACKERS)
@given(people_tables(most_columns=6))
def test_every_way_of_counting_covers_what_it_promises(knows, drawn):
    rows, n_columns = drawn
    start, order = whole(rows, n_columns, knows), range(n_columns)
    beginnings, free = first_columns(order)
    parts = [count_subsets_with(start, first, free) for first in beginnings]
    counted = {mask: plain(counts) for part in parts for mask, counts in part.items()}
    expected = {mask: by_hand(rows, columns_of(mask), knows) for mask in range(1, 1 << n_columns)}
    assert counted == expected
    # Each combination is counted once.
    assert sum(map(len, parts)) == len(expected)
    everything = (1 << n_columns) - 1
    ends = dict(count_all_but_one(start, order))
    assert ends.keys() == {everything, *(everything ^ 1 << column for column in order)} - {0}
    prefixes = count_beginnings(start, order)
    assert prefixes.keys() == {(1 << length) - 1 for length in range(1, n_columns + 1)}
    for mask, counts in [*ends.items(), *prefixes.items()]:
        assert plain(counts) == expected[mask]
    if n_columns > 2:
        pairs = tuple(itertools.combinations(range(1, n_columns), 2))
        related = count_related_people(start, RelatedSets((0,), pairs))
        assert {mask: plain(counts) for mask, counts in related.items()} == {
            1 | 1 << first | 1 << last: expected[1 | 1 << first | 1 << last] for first, last in pairs
        }


def test_the_kinds_of_counts_are_those_of_the_attackers():
    rows = [(0, 0), (0, 1), (1, 0), (2, 1)]
    kinds = {knows: type(whole(rows, 1, knows).refined_counts(0)) for knows in ATTACKERS}
    assert kinds == {"one-record": PeopleBySize, "any-record": DrawnRecords, "all-records": Spectrum}


def test_settled_rows_are_not_split_again():
    # The value of the first person is theirs: only the rows of the two others are left.
    partition = whole([(0, 5, 1), (0, 5, 2), (1, 0, 1), (2, 0, 2)], 2, "one-record").refined(0)
    assert partition.persons.tolist() == [1, 2]
    assert plain(partition.refined(1).counts) == [(1, 3)]
    # Everybody is unique by now, so there is nothing left to split.
    assert len(partition.refined(1).persons) == 0
