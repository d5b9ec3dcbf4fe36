"""Sorting by buckets gives the same keys as NumPy's sort, whatever they look like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from idbits.kernels import sorting
from idbits.kernels.sorting import bucket_sort, distinct_sorted, sort_keys


@given(arrays(st.sampled_from([np.uint32, np.uint64]), st.integers(0, 600)))
def test_buckets_sort_any_keys(keys: np.ndarray) -> None:
    expected = np.sort(keys)
    bucket_sort(keys)
    assert np.array_equal(keys, expected)


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("largest", [0, 1, 300, 2**20, 2**32 - 1, 2**64 - 1])
def test_buckets_sort_keys_of_any_width(dtype: type[np.unsignedinteger], largest: int) -> None:
    draw = np.random.default_rng(largest)
    keys = draw.integers(0, min(largest, int(np.iinfo(dtype).max)), 40_000, dtype=dtype, endpoint=True)
    keys[::3] = keys[0]
    expected = np.sort(keys)
    bucket_sort(keys)
    assert np.array_equal(keys, expected)


@pytest.mark.parametrize("slow", [True, False])
def test_only_long_arrays_are_sorted_by_buckets(monkeypatch: pytest.MonkeyPatch, *, slow: bool) -> None:
    sorted_by_buckets = []
    monkeypatch.setattr(sorting, "_FEW", 100)
    monkeypatch.setattr(sorting, "numpy_sorts_slowly", lambda: slow)
    monkeypatch.setattr(sorting, "bucket_sort", lambda keys: (sorted_by_buckets.append(len(keys)), keys.sort()))
    for length in (99, 100):
        keys = np.arange(length, 0, -1, dtype=np.uint64)
        sort_keys(keys)
        assert keys.tolist() == list(range(1, length + 1))
    assert sorted_by_buckets == ([100] if slow else [])


@given(arrays(st.sampled_from([np.int64, np.uint32, np.uint64]), st.integers(0, 300), elements=st.integers(0, 200)))
def test_distinct_values_as_numpy_finds_them(values: np.ndarray) -> None:
    given = values.copy()
    assert np.array_equal(distinct_sorted(values), np.unique(values))
    assert np.array_equal(values, given)
