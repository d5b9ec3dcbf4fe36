"""Counting packed keys gives the same as a Counter, wherever the blocks end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from idbits.counts import Spectrum
from idbits.kernels import packed
from idbits.kernels.packed import Layout, group_spectra_of_keys, spectrum_of_keys

WIDTHS = {np.uint32: 32, np.uint64: 64}
TYPES = pytest.mark.parametrize("kind", WIDTHS)

# Few and far apart: runs of every length, and keys that use the lowest and the highest bits.
KEYS = st.lists(st.sampled_from([0, 1, 2, 3, 2**16, 2**31, 2**32 - 1]), max_size=60)


def spectrum_by_counter(keys: list[int]) -> Spectrum:
    return Spectrum.of(Counter(Counter(keys).values()))


def groups_by_counter(keys: list[int], low_bits: int) -> list[tuple[int, Spectrum]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for key in keys:
        groups[key >> low_bits].append(key)
    return [(group, spectrum_by_counter(groups[group])) for group in sorted(groups)]


def stretched(keys: list[int], kind: type) -> list[int]:
    """Use all bits of the type."""
    return [key << (WIDTHS[kind] - 32) | key for key in keys]


@TYPES
@pytest.mark.parametrize("block", [1, 2, 3, 7, 64])
@given(keys=KEYS)
def test_spectra_are_those_of_a_counter_for_every_block_length(kind: type, block: int, keys: list[int]) -> None:
    keys = stretched(keys, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "_BLOCK", block)
        assert spectrum_of_keys(np.array(keys, dtype=kind)) == spectrum_by_counter(keys)


@pytest.mark.parametrize("block", [4, 5])
@pytest.mark.parametrize(
    "lengths",
    [[4], [5], [4, 4], [5, 5], [1, 4, 4], [4, 1], [3, 1, 1, 3], [9, 1], [1, 9], [2, 13, 1], [1] * 10, [12]],
    ids=str,
)
def test_runs_that_end_at_or_cross_a_border_are_whole(block: int, lengths: list[int]) -> None:
    keys = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "_BLOCK", block)
        assert spectrum_of_keys(keys) == Spectrum.of(Counter(lengths))


@TYPES
def test_real_blocks_are_crossed(kind: type) -> None:
    border = packed._BLOCK
    lengths = [border - 1, 2, border, 1, 3 * border + 1, 1, 1]
    keys = np.repeat(np.arange(len(lengths), dtype=kind), lengths)
    np.random.default_rng(0).shuffle(keys)
    assert spectrum_of_keys(keys) == Spectrum.of(Counter(lengths))


@TYPES
@pytest.mark.parametrize("keys", [[], [0], [5], [5, 5], [5, 6]], ids=str)
def test_next_to_nothing_is_counted(kind: type, keys: list[int]) -> None:
    assert spectrum_of_keys(np.array(keys, dtype=kind)) == spectrum_by_counter(keys)
    assert group_spectra_of_keys(np.array(keys, dtype=kind), 1) == groups_by_counter(keys, 1)


@TYPES
@pytest.mark.parametrize("share", [0.0, 1 / 32, 0.5, 31 / 32, 1.0], ids=["none", "few", "half", "most", "all"])
@given(keys=KEYS)
def test_group_spectra_are_those_of_a_counter(kind: type, share: float, keys: list[int]) -> None:
    keys, low_bits = stretched(keys, kind), int(share * WIDTHS[kind])
    assert group_spectra_of_keys(np.array(keys, dtype=kind), low_bits) == groups_by_counter(keys, low_bits)


@TYPES
@pytest.mark.parametrize("people", [1, 7, 8, 63, 1000])
def test_keys_without_group_bits_are_one_group(kind: type, people: int) -> None:
    keys = np.arange(people, dtype=kind)[::-1] * kind(2 ** (WIDTHS[kind] - 10))
    assert group_spectra_of_keys(keys, WIDTHS[kind]) == [(0, Spectrum.of({1: people}))]


def test_keys_that_are_all_group_are_one_set_each() -> None:
    keys = np.array([9, 4, 9, 9], dtype=np.uint64)
    assert group_spectra_of_keys(keys, 0) == [(4, Spectrum.of({1: 1})), (9, Spectrum.of({3: 1}))]


@pytest.mark.parametrize("longest", [1023, 1024, 1025, 1036, 1037, 5000])
@pytest.mark.parametrize("count", [spectrum_of_keys, lambda keys: group_spectra_of_keys(keys, 20)[0][1]])
def test_both_ways_of_counting_lengths_agree(count: Callable[[NDArray[np.uint32]], Spectrum], longest: int) -> None:
    lengths = [longest, 1, 1, 2]
    keys = np.repeat(np.arange(4, dtype=np.uint32), lengths)
    assert count(keys) == Spectrum.of(Counter(lengths))


@given(st.lists(st.integers(0, 10**6), max_size=6))
def test_codes_fit_their_fields_and_fields_do_not_overlap(cardinalities: list[int]) -> None:
    layout = Layout(cardinalities)
    used = 0
    for cardinality, bits, shift in zip(cardinalities, layout.bits, layout.shifts, strict=True):
        largest_code = max(0, cardinality - 1)
        assert largest_code < 2**bits
        assert bits == 0 or largest_code >= 2 ** (bits - 1)  # and no bit is wasted
        field = (2**bits - 1) << shift
        assert used & field == 0
        used |= field
    assert used == 2**layout.total_bits - 1


@given(st.lists(st.tuples(st.integers(0, 36), st.integers(0, 4), st.integers(0, 1)), max_size=50))
def test_packing_rows_counts_the_rows(rows: list[tuple[int, int, int]]) -> None:
    layout = Layout([37, 5, 2])
    keys = [sum(code << shift for code, shift in zip(row, layout.shifts, strict=True)) for row in rows]
    assert spectrum_of_keys(np.array(keys, dtype=np.uint32)) == Spectrum.of(Counter(Counter(rows).values()))


@pytest.mark.parametrize(
    ("cardinalities", "total", "key_bytes", "fits"),
    [
        ([], 0, 4, True),
        ([0, 1], 0, 4, True),
        ([2**16, 2**16], 32, 4, True),
        ([2**16, 2**16 + 1], 33, 8, True),
        ([2**32, 2**32], 64, 8, True),
        ([2**32, 2**32, 2], 65, 8, False),
    ],
)
def test_the_size_of_a_key(cardinalities: list[int], total: int, key_bytes: int, fits: bool) -> None:
    layout = Layout(cardinalities)
    assert (layout.total_bits, layout.fits) == (total, fits)
    assert not fits or layout.key_bytes == key_bytes
