"""Permutation entropy: published examples, the values of two other libraries, and a slow reference version."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.errors import InputError, NotEstimableError
from idbits.kernels.ordinal import pattern_code, pattern_codes, pattern_spectra, pattern_spectrum
from idbits.measures.permutation_entropy import (
    best_order,
    coarse_grained,
    conditional_permutation_entropy_bits,
    permutation_entropies_bits,
    permutation_entropy_bits,
    weighted_permutation_entropy_bits,
)

BANDT_POMPE = np.array([4, 7, 9, 10, 6, 11, 3])


def patterns(series: list[float], order: int, delay: int) -> list[tuple[int, ...]]:
    """Return the pattern of each window: its positions in order of the values, equal ones by position."""
    windows = len(series) - (order - 1) * delay
    values = ([series[t + j * delay] for j in range(order)] for t in range(windows))
    return [tuple(sorted(range(order), key=lambda j, v=value: (v[j], j))) for value in values]


def entropy(counts: Counter) -> float:
    n = sum(counts.values())
    return -math.fsum(k / n * math.log2(k / n) for k in counts.values())


def twin(series: list[float], order: int, delay: int) -> float:
    return entropy(Counter(patterns(series, order, delay)))


SERIES = st.lists(st.integers(-4, 4), min_size=1, max_size=60)


@given(SERIES, st.integers(1, 12), st.integers(1, 4))
def test_it_is_what_counting_patterns_gives(series: list[int], order: int, delay: int) -> None:
    if len(series) - (order - 1) * delay < 1:
        with pytest.raises(NotEstimableError, match="rows"):
            permutation_entropy_bits(np.array(series), order, delay)
        return
    assert permutation_entropy_bits(np.array(series), order, delay) == pytest.approx(
        twin(series, order, delay), abs=1e-12
    )


@given(SERIES, st.integers(1, 3))
def test_all_orders_at_once_are_the_same_as_one_by_one(series: list[int], delay: int) -> None:
    array = np.array(series)
    found = list(permutation_entropies_bits(array, 24, delay))
    assert found == [permutation_entropy_bits(array, order, delay) for order in range(1, len(found) + 1)]
    assert len(found) == min(24, (len(series) - 1) // delay + 1)


@pytest.mark.parametrize("kind", ["noise", "tied", "periodic", "constant"])
def test_long_series_refine_to_the_same_counts(kind: str) -> None:
    rng = np.random.default_rng(3)
    n = 70_000
    series = {
        "noise": rng.normal(size=n),
        "tied": rng.integers(0, 5, n),
        "periodic": np.arange(n) % 11,
        "constant": np.zeros(n),
    }[kind]
    for order, spectrum in zip((9, 12), (pattern_spectrum(series, 9), pattern_spectrum(series, 12)), strict=True):
        counts = np.unique(pattern_codes(series, order), return_counts=True)[1]
        assert spectrum.pairs() == sorted(Counter(counts.tolist()).items())
    assert [s.pairs() for s in pattern_spectra(series, range(7, 13))] == [
        pattern_spectrum(series, order).pairs() for order in range(7, 13)
    ]


@given(st.permutations(range(6)))
def test_a_pattern_has_the_code_of_its_window(pattern: list[int]) -> None:
    assert pattern_codes(np.array(pattern), 6).tolist() == [pattern_code(tuple(pattern))]


def test_every_pattern_has_a_code_of_its_own() -> None:
    import itertools

    codes = [pattern_code(pattern) for pattern in itertools.permutations(range(5))]
    assert sorted(codes) == list(range(120))


def test_bandt_and_pompe_2002() -> None:
    # Four of six neighbours rise: H(2) = -(4/6) log2(4/6) - (2/6) log2(2/6), printed 0.918; H(3) printed 1.522.
    assert permutation_entropy_bits(BANDT_POMPE, 2) == pytest.approx(0.918, abs=5e-4)
    assert permutation_entropy_bits(BANDT_POMPE, 3) == pytest.approx(1.522, abs=5e-4)


# What antropy 0.2.3 and ordpy 1.2.3 say, which agree to 14 digits: 400 normal numbers, 400 dice throws, orders 2 to 8.
OTHERS = {
    ("noise", 1): [0.9998867208118981, 2.5801555259820863, 4.550111597814823, 6.731945122908738, 8.224368779740463,
                   8.571290398136581, 8.613296443734434],
    ("noise", 3): [0.999958808256683, 2.5834683894697306, 4.544084022879726, 6.668874446650078, 8.162639051121722,
                   8.519837204999101, 8.560776993316207],
    ("tied", 1): [0.9872345881346622, 2.5404868357394546, 4.431197256097318, 6.492152682208518, 7.948753535587,
                  8.486240207770269, 8.58785115111357],
    ("tied", 3): [0.989866061373736, 2.5429566262443215, 4.431769793655242, 6.432891636004234, 7.88267098364338,
                  8.410480038740417, 8.544945858751564],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "delay"), OTHERS)
def test_other_libraries_say_the_same(kind: str, delay: int) -> None:
    rng = np.random.default_rng(2024)
    noise = rng.normal(size=400)
    series = noise if kind == "noise" else rng.integers(0, 6, 400).astype(float)
    found = [permutation_entropy_bits(series, order, delay) for order in range(2, 9)]
    assert found == pytest.approx(OTHERS[kind, delay], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_ten_thousand_random_scores_of_s4(seed: int) -> None:
    scores = np.random.default_rng(seed).integers(1, 101, 10_000)
    bits = permutation_entropy_bits(scores, 11)
    assert f"{bits:.2f}" == "13.29"
    assert 0.9998 <= bits / math.log2(10_000) <= 0.9999
    assert best_order(list(permutation_entropies_bits(scores, 24))) in (11, 12, 13)


def test_the_best_order_is_the_smallest_that_reaches_the_most() -> None:
    assert best_order([0.0, 0.9, 1.5, 1.5, 1.2]) == 3
    assert best_order([0.0, 0.0]) == 2
    assert best_order([0.0, 0.5, 2.8073549220, 2.8073549221]) == 3


@given(SERIES.filter(lambda s: len(s) > 3))
def test_equal_weights_change_nothing_and_a_subset_is_what_is_left(series: list[int]) -> None:
    array = np.array(series)
    everything = weighted_permutation_entropy_bits(array, {(0, 1, 2): 2.0}, others=2.0)
    assert everything == pytest.approx(permutation_entropy_bits(array, 3), abs=1e-12)
    counts = Counter(patterns(series, 3, 1))
    # The position of each value in order is the inverse of its rank.
    some = {tuple(np.argsort(order)): counts[order] for order in counts if order in ((0, 1, 2), (1, 2, 0))}
    if some:
        found = weighted_permutation_entropy_bits(array, dict.fromkeys([(0, 1, 2), (2, 0, 1)], 1.0))
        assert found == pytest.approx(entropy(Counter(some)), abs=1e-12)


def test_no_window_with_a_pattern_that_counts() -> None:
    with pytest.raises(NotEstimableError, match="--patterns"):
        weighted_permutation_entropy_bits(np.arange(9), {(2, 1, 0): 1.0})


@pytest.mark.big
@given(SERIES.filter(lambda s: len(s) > 8), st.integers(2, 4), st.integers(1, 2))
def test_conditional_entropy_is_that_of_the_next_pattern(series: list[int], order: int, delay: int) -> None:
    found = patterns(series, order, delay)
    pairs = list(zip(found[:-delay], found[delay:], strict=True))
    expected = entropy(Counter(pairs)) - entropy(Counter(first for first, _ in pairs))
    conditional = conditional_permutation_entropy_bits(np.array(series), order, delay)
    assert conditional == pytest.approx(expected, abs=1e-9)
    assert 0 <= conditional <= math.log2(order) + 1e-9


def test_coarse_graining_takes_means_and_drops_the_rest() -> None:
    assert coarse_grained(np.array([1, 3, 2, 4, 9]), 2).tolist() == [2.0, 3.0]


def test_limits() -> None:
    with pytest.raises(InputError, match="at least 1"):
        permutation_entropy_bits(np.arange(5), 0)
    with pytest.raises(InputError, match="20"):
        conditional_permutation_entropy_bits(np.arange(50), 21)
    with pytest.raises(NotEstimableError, match="next one"):
        conditional_permutation_entropy_bits(np.arange(3), 3)
    assert permutation_entropy_bits(np.arange(100), 30) == 0.0
