"""Combinations of codes are numbered in the order of the codes, however the rows are cut and the columns grouped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.errors import EngineError
from idbits.kernels import packed as combinations
from idbits.kernels.packed import Combinations

SIZES = [2**32 - 1, 3, 2**31, 2**20, 2, 2**32 - 1]
rows_of_codes = st.lists(st.tuples(*(st.integers(0, min(size, 4) - 1) for size in SIZES)), min_size=1, max_size=40)


@given(rows_of_codes, st.integers(1, 9), st.booleans())
def test_numbers_are_those_of_the_sorted_rows(rows, piece_rows, merge_always) -> None:
    rows = [tuple(size - 1 - code for size, code in zip(SIZES, row, strict=True)) for row in rows]
    columns = np.array(rows, np.uint32).T
    pieces = [columns[:, start : start + piece_rows] for start in range(0, len(rows), piece_rows)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(combinations, "_LEAST_WAITING", 1 if merge_always else 1 << 20)
        known = Combinations(SIZES)
        known.read(lambda: pieces, lambda _: None)
    expected = sorted(set(rows))
    assert known.size == len(expected)
    assert np.concatenate([known.codes(piece) for piece in pieces]).tolist() == [expected.index(row) for row in rows]


def test_what_waits_is_told() -> None:
    told: list[int] = []
    Combinations([2**32 - 1]).read(lambda: [[np.arange(10, dtype=np.uint32)]] * 3, told.append)
    assert told == [80, 160, 240]


def test_more_than_can_be_numbered_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combinations, "_CODE_BITS", 3)
    with pytest.raises(EngineError, match="more combinations"):
        Combinations([16]).read(lambda: [[np.arange(10, dtype=np.uint32)]], lambda _: None)
