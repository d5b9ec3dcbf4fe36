"""Distinct keys and the order of rows by their hashes, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels import distinct
from idbits.kernels.distinct import distinct_keys, people_by_code, rows_of_keys
from idbits.kernels.value_order import hash_order


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_BLOCK", 3)
        yield


@given(st.lists(st.integers(0, 9), max_size=40), st.sampled_from([np.uint32, np.uint64]))
def test_distinct_keys(values, dtype):
    keys = np.array(values, dtype)
    expected, counts = np.unique(keys, return_counts=True)
    found, people = distinct_keys(keys.copy())
    assert found.tolist() == expected.tolist()
    assert found.dtype == dtype
    assert (people is None) == (len(expected) == len(keys))
    if people is not None:
        assert people.tolist() == counts.tolist()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=40))
def test_rows_of_keys(rows):
    keys = np.array([first << 2 | second for first, second in rows], np.uint32)
    found = rows_of_keys(keys, (5, 3))
    expected = sorted(set(rows))
    assert list(zip(*(codes.tolist() for codes in found.codes), strict=True)) == expected
    assert found.cohorts().tolist() == [rows.count(row) for row in expected]
    assert [people.tolist() for people in found.value_people] == [
        [sum(row[column] == code for row in rows) for code in range(size)] for column, size in enumerate((5, 3))
    ]
    order = np.arange(len(expected), dtype=np.uint32)[::-1]
    backwards = [row for _, codes in found.blocks(order) for row in zip(*(c.tolist() for c in codes), strict=True)]
    assert backwards == expected[::-1]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2**58)), max_size=40))
def test_people_by_code(rows):
    codes, people = np.array([row[0] for row in rows], np.uint8), np.array([row[1] for row in rows], np.int64)
    expected = [sum(number for code, number in rows if code == each) for each in range(10)]
    assert people_by_code(codes, 10, people).tolist() == expected
    assert people_by_code(codes, 10, None).tolist() == [codes.tolist().count(each) for each in range(10)]


@given(st.lists(st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 2**63, 2**64 - 1])), max_size=60))
def test_the_order_of_hashes(values):
    hashes = np.array(values, np.uint64)
    assert hash_order(hashes).tolist() == np.argsort(hashes, kind="stable").tolist()
