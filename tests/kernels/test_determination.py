"""Which columns a column determines, compared with dictionaries of sets."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.determination import determination

ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 3)), max_size=40)


@given(ROWS)
def test_brute_force(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, np.uint64).reshape(len(rows), 3)
    found = determination(table[:, 0], table[:, 1:])
    shared = [code for code in {row[0] for row in rows} if sum(row[0] == code for row in rows) > 1]
    assert found.values == len(shared)
    for column in (1, 2):
        constant = sum(len({row[column] for row in rows if row[0] == code}) == 1 for code in shared)
        equal = sum(a[column] == b[column] for a, b in itertools.combinations(rows, 2))
        assert found.constant[column - 1] == constant
        assert found.equal_pairs[column - 1] == equal
    assert found.pairs == len(rows) * (len(rows) - 1) // 2
