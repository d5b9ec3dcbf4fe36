"""Splitting people by one more column, in each of the ways that depend on the number of possible keys."""

from collections import Counter

import numpy as np
import pytest

from idbits.counts import CodedRows
from idbits.kernels import partition as kernel
from idbits.kernels.coded import ready
from idbits.kernels.partition import Partition, sorted_with_positions


@pytest.mark.parametrize("small_space", [0, 1 << 16])
@pytest.mark.parametrize("sizes", [(3, 2, 4), (40, 30, 20), (2_000, 3, 1_500), (5_000, 4_000, 2)])
@pytest.mark.parametrize("counted", [False, True])
def test_people_are_split_as_by_hand(
    monkeypatch: pytest.MonkeyPatch, small_space: int, sizes: tuple[int, ...], *, counted: bool
) -> None:
    monkeypatch.setattr(kernel, "_SMALL_SPACE", small_space)
    draw, n = np.random.default_rng(sum(sizes)), 3_000
    codes = tuple((draw.random(n) ** 2 * size).astype(np.uint32) for size in sizes)
    people = draw.integers(1, 5, n) if counted else None
    table = ready(CodedRows(codes, sizes, people))
    partition, alone_before = Partition.whole(table), set()
    for length in range(1, len(sizes) + 1):
        partition = partition.refined(length - 1)
        keys = list(zip(*(column.tolist() for column in table.codes[:length]), strict=True))
        rows_of = Counter(keys)
        shared = [row for row in range(n) if rows_of[keys[row]] > 1]
        assert partition.rows is not None
        assert partition.sets is not None
        assert partition.rows.tolist() == shared
        # Equal numbers for equal keys, and each number from 0 on is in use.
        pairs = set(zip((keys[row] for row in shared), partition.sets.tolist(), strict=True))
        assert len(pairs) == partition.n_sets == len({number for _, number in pairs})
        assert {number for _, number in pairs} == set(range(partition.n_sets))
        alone = set(range(n)) - set(shared)
        assert set(partition.alone.tolist()) == alone - alone_before
        alone_before = alone
        sizes_by_hand: Counter[tuple[int, ...]] = Counter()
        for row, key in enumerate(keys):
            sizes_by_hand[key] += 1 if table.people is None else int(table.people[row])
        assert dict(partition.spectrum().pairs()) == dict(Counter(sizes_by_hand.values()))


@pytest.mark.parametrize("n_values", [1, 40, 3_000, 0])
def test_sorted_keys_are_split_as_unsorted_ones(n_values: int) -> None:
    """Without a number of values, all rows differ."""
    draw = np.random.default_rng(5)
    first = draw.integers(0, n_values, 2_000) if n_values else draw.permutation(2_000)
    codes = (first.astype(np.uint32), draw.integers(0, 3, 2_000).astype(np.uint32))
    table = ready(CodedRows(codes, (n_values or 2_000, 3)))
    split = Partition.whole(table).refined(0)
    of_sorted = Partition.of_sorted(table, *sorted_with_positions(table.codes[0]))
    assert split.rows is not None
    assert of_sorted.rows is not None
    assert split.sets is not None
    assert of_sorted.sets is not None
    assert of_sorted.rows.tolist() == split.rows.tolist()
    assert of_sorted.sets.tolist() == split.sets.tolist()
    assert (of_sorted.n_sets, of_sorted.settled) == (split.n_sets, split.settled)
    assert of_sorted.refined_spectrum(1) == split.refined_spectrum(1)
    assert of_sorted.refined(1).spectrum() == split.refined(1).spectrum()
