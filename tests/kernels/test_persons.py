"""The kernels that count people, against dictionaries and sets of Python."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels import person_sets, persons
from idbits.kernels.distinct import distinct_keys, repeated_keys
from idbits.kernels.households import homes_of, household_figures
from idbits.kernels.person_sets import classes_of_sets, mixed
from idbits.kernels.persons import SortedPairs, count_records, profile_entries, scan_pairs

ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=60)
"""Rows of value and person; some people of the ten may not occur."""
BITS = 4


def pairs_of(rows):
    return SortedPairs(np.array([value << BITS | person for value, person in rows], np.uint64), BITS, 10)


def by_person(rows):
    people = {}
    for value, person in rows:
        people.setdefault(person, Counter())[value] += 1
    return people


def sizes_of(rows):
    return Counter(value for value, _ in set(rows))


@given(rows=ROWS, size=st.sampled_from([1, 2, 1 << 16]))
def test_distinct_keys(rows, size):
    keys = np.array([value << BITS | person for value, person in rows], np.uint64)
    expected = sorted(Counter(keys.tolist()).items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idbits.kernels.distinct._BLOCK", size)
        distinct, counts = distinct_keys(keys.copy())
        again, repeated, times = repeated_keys(keys.copy())
    assert (
        list(zip(distinct.tolist(), [1] * len(distinct) if counts is None else counts.tolist(), strict=True))
        == expected
    )
    assert again.tolist() == distinct.tolist()
    assert [(again[i], n) for i, n in zip(repeated.tolist(), times.tolist(), strict=True)] == [
        (key, number) for key, number in expected if number > 1
    ]


@pytest.mark.parametrize("size", [1, 3, 1 << 17])
@given(rows=ROWS)
def test_blocks_have_whole_values(size, rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(persons, "_BLOCK", size)
        patch.setattr(persons, "_KEY_BLOCK", size)
        blocks = list(pairs_of(rows).blocks())
    found = [
        (int(value), int(person), int(number))
        for block in blocks
        for value, person, number in zip(
            np.repeat(block.values, block.lengths), block.persons, block.rows(), strict=True
        )
    ]
    assert found == [(*pair, number) for pair, number in sorted(Counter(rows).items())]
    values = [value for block in blocks for value in block.values.tolist()]
    assert values == sorted(set(values))


@pytest.mark.parametrize("cells", [0, 60, 1 << 20])
@given(rows=ROWS)
def test_people_and_records(cells, rows):
    people, k = by_person(rows), sizes_of(rows)
    pairs = pairs_of(rows)
    scan = scan_pairs(pairs, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(persons, "_FEW_CELLS", cells)
        records = count_records(pairs, scan)
    assert scan.figures.rows.tolist() == [people[p].total() if p in people else 0 for p in range(10)]
    assert {p: int(scan.figures.smallest[p]) for p in people} == {p: min(map(k.get, of)) for p, of in people.items()}
    assert not scan.figures.is_unique_by_null.any()
    expected = Counter((of.total(), number, k[value]) for of in people.values() for value, number in of.items())
    assert records == tuple((*key, number) for key, number in sorted(expected.items()))
    starts, groups, entries = profile_entries(pairs, scan.figures)
    profiles = [
        sorted(zip(groups[begin:end].tolist(), entries[begin:end].tolist(), strict=True))
        for begin, end in pairwise(starts.tolist())
    ]
    assert profiles == [sorted((k[v], n) for v, n in people[p].items()) for p in sorted(people)]


@pytest.mark.parametrize("first", [0, (1 << 32 - BITS) - 1, 1 << 40], ids=["32 bits", "at the border", "64 bits"])
@given(rows=ROWS)
def test_coarser_values_of_the_same_people(rows, first):
    pairs = pairs_of(rows)
    coarser = pairs.with_values(pairs.values // np.uint64(3) + np.uint64(first), BITS)
    found = [
        (int(value), int(person), int(number))
        for block in coarser.blocks()
        for value, person, number in zip(
            np.repeat(block.values, block.lengths), block.persons, block.rows(), strict=True
        )
    ]
    expected = Counter((value // 3 + first, person) for value, person in rows)
    assert found == [(*pair, number) for pair, number in sorted(expected.items())]
    assert coarser.rows_of_people().tolist() == [sum(of == person for _, of in rows) for person in range(10)]
    known = scan_pairs(coarser, None, rows=pairs.rows_of_people())
    assert known.figures.smallest.tolist() == scan_pairs(coarser, None).figures.smallest.tolist()
    entries = [part.tolist() for part in profile_entries(coarser, known.figures)]
    assert entries == [part.tolist() for part in profile_entries(coarser, scan_pairs(coarser, None).figures)]


@given(rows=ROWS, held=st.dictionaries(st.integers(0, 6), st.integers(1, 9)))
def test_groups_of_a_population(rows, held):
    people = by_person(rows)
    pairs = pairs_of(rows)

    def sizes(values, _):
        return np.array([held.get(value, 0) for value in values.tolist()], np.int64)

    scan = scan_pairs(pairs, None, sizes)
    kept = {person: of for person, of in people.items() if all(value in held for value in of)}
    assert np.flatnonzero(scan.figures.kept()).tolist() == sorted(kept)
    expected = Counter((of.total(), number, held[value]) for of in kept.values() for value, number in of.items())
    assert count_records(pairs, scan, sizes) == tuple((*key, number) for key, number in sorted(expected.items()))
    starts, groups, entries = profile_entries(pairs, scan.figures, sizes)
    assert len(starts) == len(kept) + 1
    assert Counter(zip(groups.tolist(), entries.tolist(), strict=True)) == Counter(
        (held[value], number) for of in kept.values() for value, number in of.items()
    )
    k = sizes_of(rows)
    assert scan.missing_values == sum(value not in held for value in k)
    assert scan.overfull_values == sum(0 < held.get(value, 0) < number for value, number in k.items())


def weak(numbers):
    """Return a hash with few values, so that most different sets have the same."""
    return numbers % np.uint64(2)


@pytest.mark.parametrize("mix", [mixed, weak, np.zeros_like], ids=["good", "weak", "constant"])
@pytest.mark.parametrize("counted", [False, True], ids=["sets", "multisets"])
@given(rows=ROWS)
def test_sets_are_exact_whatever_the_hash(mix, counted, rows):
    people = by_person(rows)
    classes, sizes = classes_of_sets(pairs_of(rows), counted=counted, mix=mix)
    known = {person: frozenset(of.items() if counted else of) for person, of in people.items()}
    assert [person for person in range(10) if classes[person] >= 0] == sorted(people)
    for one in people:
        for other in people:
            assert (classes[one] == classes[other]) == (known[one] == known[other])
    assert sizes.tolist() == [int((classes == number).sum()) for number in range(len(sizes))]
    assert sizes.sum() == len(people)


def test_a_collision_splits_a_bucket_of_equal_sizes():
    rows = [
        (value, person) for person, values in enumerate(["ab", "ab", "ac", "ac", "cd"]) for value in map(ord, values)
    ]
    pairs = SortedPairs(np.array([value << BITS | person for value, person in rows], np.uint64), BITS, 5)
    for mix in (mixed, np.zeros_like):
        classes, sizes = classes_of_sets(pairs, mix=mix)
        assert classes[0] == classes[1] != classes[2] == classes[3]
        assert sorted(sizes.tolist()) == [1, 2, 2]


def test_wide_keys_are_compared_by_ranks():
    """Rows of a pair that do not fit in a key beside value and class."""
    block = persons.ValueBlock(
        np.array([5, 9], np.uint64), np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([0, 1]), np.array([2**62, 7])
    )
    keys, held = person_sets._sorted_with_class(block, np.array([0, 1, 2]), np.array([1, 1]), counted=True)
    assert len(set(keys.tolist())) == 3
    assert held.tolist() == [1, 1, 1]


def test_people_who_live_together():
    rows = [(3, 0), (3, 1), (4, 1), (3, 2), (5, 3), (5, 4)]
    homes = homes_of(np.array([0, 1, 1, 2, 3, 4]), np.array([1, 1, 2, 2, 0, 2]), null=2, n_codes=10, n_named=3)
    assert (homes.people_without, homes.people_in_several) == (2, 0)
    assert homes.codes[:5].tolist() == [1, 1, 3, 0, 4]
    figures = household_figures(pairs_of(rows), homes, by_set=False)
    assert figures.members.tolist() == [1, 2, 0, 1, 1]
    assert figures.risks == {(1, 3): 1, (3,): 1, (2,): 2}
    assert figures.is_distinct.tolist() == [False, True, False, False, False]
    assert figures.compositions == {(1, 2): 1, (1, 1): 1, (2, 1): 1}


def test_somebody_in_two_homes():
    homes = homes_of(np.array([0, 0, 1]), np.array([1, 2, 1]), null=None, n_codes=2, n_named=3)
    assert homes.people_in_several == 1
