"""Who has which distinct row, against counting people one by one."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.row_people import RowPeople

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(1, 3)), min_size=1, max_size=30)


def rows_of(pairs):
    """Return the rows of each person with their number, in the order of the people."""
    people = defaultdict(lambda: defaultdict(int))
    for person, row, times in pairs:
        people[person][row] += times
    return [people[person] for person in sorted(people)]


def made(pairs, n_rows=6):
    persons, rows, times = (np.array(column) for column in zip(*pairs, strict=True))
    return RowPeople.of(1000 * persons, rows, times, n_rows)


@given(PAIRS)
def test_people_and_cohorts_are_counted(pairs):
    people, own = made(pairs), rows_of(pairs)
    cohorts = [sum(row in of for of in own) for row in range(6)]
    assert people.n_people == len(own)
    assert people.cohorts.tolist() == cohorts
    assert people.n_unique == sum(any(cohorts[row] == 1 for row in of) for of in own)
    sizes = [sum(of.values()) for of in own]
    assert people.by_rows == tuple((size, sizes.count(size)) for size in sorted(set(sizes)))


@pytest.mark.parametrize("n_rows", [6, 1 << 62], ids=["one key", "two columns"])
@given(PAIRS)
def test_single_rows_are_combined(n_rows, pairs):
    """With so many rows that a pair does not fit in one key, too."""
    single = [(person, row, 1) for person, row, times in pairs for _ in range(times)]
    persons, rows, _ = (np.array(column) for column in zip(*single, strict=True))
    people, expected = RowPeople.of(1000 * persons, rows, None, n_rows), made(pairs)
    for name in ("rows", "times", "starts"):
        assert getattr(people, name).tolist() == getattr(expected, name).tolist()


@given(PAIRS, st.lists(st.floats(0, 60), min_size=6, max_size=6))
def test_the_largest_and_the_sum_of_a_persons_rows(pairs, numbers):
    people, own, values = made(pairs), rows_of(pairs), np.array(numbers)
    assert people.largest(values).tolist() == [max(numbers[row] for row in of) for of in own]
    sums = [sum(numbers[row] * times for row, times in of.items()) for of in own]
    assert people.sums(values) == pytest.approx(sums, abs=1e-12)


@given(PAIRS)
def test_merged_rows_keep_their_people(pairs):
    new_rows = np.array([0, 1, 0, 1, 2, 2], np.uint32)
    merged = made(pairs).narrowed(new_rows, 3)
    fresh = made([(person, int(new_rows[row]), times) for person, row, times in pairs], n_rows=3)
    for name in ("rows", "times", "starts", "cohorts"):
        assert getattr(merged, name).tolist() == getattr(fresh, name).tolist()


def test_sums_of_many_rows_are_rounded_once():
    times = 4_000_000
    people = RowPeople.of(np.zeros(2, np.int64), np.arange(2), np.array([times, 1]), n_rows=2)
    # In floats, a unit would be lost beside four million times 55 bits.
    assert people.sums(np.array([55.0, 2.0**-20])).tolist() == [55.0 * times + 2.0**-20]
