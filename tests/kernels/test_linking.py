"""Pairs of two coded tables: by packed keys, by order, and by groups of rows, all equal to brute force."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits.counts import PairCounts
from idbits.kernels.linking import LinkedRows, chain_pair_counts, linked_groups, pair_counts_of
from idbits.kernels.subsets import columns_of, symmetric_chains

ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3, st.integers(0, 400)), max_size=30)


def linked(first, second, *, sizes=(4, 4, 4), nulls=(None, 0, 3), weighted=False):
    rows = [*first, *second]
    codes = tuple(np.array([row[column] for row in rows], np.uint32) for column in range(3))
    weights = np.array([row[3] for row in rows], np.int64) if weighted else None
    return LinkedRows(codes, sizes, nulls, len(first), weights)


def brute_force(first, second, columns, nulls, *, weighted):
    counts = (Counter(), Counter())
    for rows, counter in zip((first, second), counts, strict=True):
        for row in rows:
            if not any(row[column] == nulls[column] for column in columns):
                counter[tuple(row[column] for column in columns)] += row[3] if weighted else 1
    return PairCounts.of(Counter((counts[0][key], counts[1][key]) for key in counts[0].keys() | counts[1].keys()))


@settings(max_examples=60, deadline=None)
@given(first=ROWS, second=ROWS, weighted=st.booleans(), wide=st.booleans())
def test_every_subset_equals_brute_force(first, second, weighted, wide):
    # Wide codes do not fit in one key, so that rows are ordered instead.
    rows = linked(first, second, sizes=(2**31, 2**31, 2**31) if wide else (4, 4, 4), weighted=weighted)
    if not rows.n_rows:
        return
    found = dict(pair for chain in symmetric_chains(3) for pair in chain_pair_counts(rows, chain))
    expected = {m: brute_force(first, second, columns_of(m), rows.nulls, weighted=weighted) for m in range(1, 8)}
    assert found == expected


@settings(max_examples=60, deadline=None)
@given(first=ROWS, second=ROWS, weighted=st.booleans())
def test_groups_of_rows_have_the_same_pairs(first, second, weighted):
    rows = linked(first, second, weighted=weighted)
    if not rows.n_rows:
        return
    groups = linked_groups(rows)
    assert pair_counts_of(groups.records, groups.people) == brute_force(
        first, second, range(3), rows.nulls, weighted=weighted
    )
    has_null = rows.with_nulls(range(3))
    assert np.array_equal(np.concatenate((groups.first, groups.second)) < 0, has_null)


@pytest.mark.parametrize("large", [1, 255, 256, 10**12])
def test_large_and_small_numbers_are_counted_together(large):
    records, people = np.array([1, 1, large, 0, 0]), np.array([2, 2, 5, large, 0])
    expected = Counter({(1, 2): 2})
    expected[large, 5] += 1
    expected[0, large] += 1
    assert pair_counts_of(records, people) == PairCounts.of(expected)
