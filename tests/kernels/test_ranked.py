"""People ranked by a number of their row, against a list of everybody."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.cohorts import CohortSizes
from idbits.kernels.ranked import RankedRows, largest_share, people_with_share

ROWS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.5, 2.25, 7.0]), st.integers(1, 2000)), min_size=1, max_size=30)


@given(ROWS)
def test_positions_and_levels_are_those_of_everybody_in_a_line(rows):
    numbers, people = (np.array(column) for column in zip(*rows, strict=True))
    everybody = sorted(number for number, times in rows for _ in range(times))
    ranked = RankedRows.of(numbers, people)
    assert ranked.n_people == len(everybody)
    positions = sorted({0, len(everybody) // 2, len(everybody) - 1})
    assert ranked.at(positions) == [everybody[position] for position in positions]
    levels = [0.0, 0.5, 1.0, 7.0]
    assert ranked.people_above(levels) == [sum(number > level for number in everybody) for level in levels]


@given(ROWS)
def test_shares_are_those_of_each_row(rows):
    numbers, people = (np.array(column) for column in zip(*rows, strict=True))
    most = max(number / times for number, times in rows)
    assert largest_share(numbers, people) == most
    least = [most, 0.25, 0.0]
    assert people_with_share(numbers, people, least) == [
        sum(times for number, times in rows if number / times >= level) for level in least
    ]


def test_without_people_each_row_is_one():
    numbers = np.array([3.0, 1.0, 2.0])
    assert RankedRows.of(numbers, None).at([0, 1, 2]) == [1.0, 2.0, 3.0]
    assert (largest_share(numbers, None), people_with_share(numbers, None, [2.0])) == (3.0, [2])


@given(st.lists(st.lists(st.sampled_from([1, 2, 4095, 4096, 10**9]), min_size=1), min_size=1))
def test_sizes_of_blocks_add_up(blocks):
    sizes = CohortSizes()
    for block in blocks:
        sizes.add(np.array(block))
    everything = [size for block in blocks for size in block]
    assert sizes.spectrum().pairs() == [(size, everything.count(size)) for size in sorted(set(everything))]
