"""Entropy and related figures, against people counted one by one and against logarithms of 60 digits."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import Spectrum
from idbits.errors import NotEstimableError
from idbits.measures.entropy import (
    degree_of_anonymity,
    entropy_bits,
    estimated_anonymity,
    guaranteed_singletons,
    kappa_nats,
    max_entropy_bits,
    renyi_bits,
    surprisal_bits,
)

BILLION, TRILLION = 10**9, 10**12
DIGITS = decimal.Context(prec=60)
LN2 = DIGITS.ln(Decimal(2))
LAST_DIGITS = 2e-15

SpectrumPairs = dict[int, int]

SMALL = st.dictionaries(st.integers(1, 30), st.integers(1, 8), min_size=1, max_size=6)
LARGE = st.dictionaries(st.integers(1, 10**6), st.integers(1, 10**5), min_size=1, max_size=6)

# Where formulas that look right lose their digits.
PRECISE: list[SpectrumPairs] = [
    {1: 1},
    {7: 1},
    {1: 11},
    {3: 7},
    {1: 1, BILLION - 1: 1},
    {1: 1, TRILLION - 1: 1},
    {2: 1, 1: BILLION - 2},
    {2: 1, 1: TRILLION - 2},
    {TRILLION // 2: 2},
    {TRILLION // 2 - 1: 1, TRILLION // 2 + 1: 1},
    {999_999: 500, 1_000_001: 500},
    {1: 10**6, 10**6: 1},
    dict.fromkeys(range(1, 400), 1),
]
PRECISELY = pytest.mark.parametrize("pairs", PRECISE, ids=lambda pairs: str(pairs)[:40])


def log2(number: Decimal | int) -> Decimal:
    return DIGITS.divide(DIGITS.ln(Decimal(number)), LN2)


def people_in(pairs: SpectrumPairs) -> int:
    return sum(k * m for k, m in pairs.items())


def mean_over_people(pairs: SpectrumPairs, figure: Callable[[int], Decimal]) -> Decimal:
    with decimal.localcontext(DIGITS):
        return sum(k * m * figure(k) for k, m in pairs.items()) / Decimal(people_in(pairs))


def exact_entropy(pairs: SpectrumPairs) -> Decimal:
    n = people_in(pairs)
    return mean_over_people(pairs, lambda k: log2(DIGITS.divide(Decimal(n), Decimal(k))))


def exact_kappa(pairs: SpectrumPairs, n_values: int) -> Decimal:
    n = people_in(pairs)
    return mean_over_people(pairs, lambda k: DIGITS.ln(DIGITS.divide(Decimal(k * n_values), Decimal(n))))


@given(SMALL)
def test_entropy_is_the_mean_surprise_over_people_one_by_one(pairs: SpectrumPairs) -> None:
    people = [k for k, m in pairs.items() for _ in range(m) for _ in range(k)]
    expected = math.fsum(-math.log2(k / len(people)) for k in people) / len(people)
    assert entropy_bits(Spectrum.of(pairs)) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@PRECISELY
def test_entropy_has_all_its_digits(pairs: SpectrumPairs) -> None:
    assert entropy_bits(Spectrum.of(pairs)) == pytest.approx(float(exact_entropy(pairs)), rel=LAST_DIGITS, abs=0)


@given(LARGE)
def test_entropy_of_large_tables_has_all_its_digits(pairs: SpectrumPairs) -> None:
    assert entropy_bits(Spectrum.of(pairs)) == pytest.approx(float(exact_entropy(pairs)), rel=LAST_DIGITS, abs=0)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 10_004_090, BILLION, TRILLION, TRILLION + 1])
@pytest.mark.parametrize("k", [1, 2, 589, 3286, "half", "half and one", "all but one", "all"])
def test_surprisal_has_all_its_digits(k: int | str, n: int) -> None:
    size = {"half": n // 2, "half and one": n // 2 + 1, "all but one": n - 1, "all": n}.get(k, k)  # type: ignore[call-overload]
    if not 1 <= size <= n:
        size = n
    expected = float(log2(DIGITS.divide(Decimal(n), Decimal(size))))
    assert surprisal_bits(np.array([size]), n)[0] == pytest.approx(expected, rel=LAST_DIGITS, abs=0)


@pytest.mark.parametrize("n", [1, 2, 3, 1000, 10_004_090, TRILLION])
def test_maximum_is_the_logarithm_of_the_people(n: int) -> None:
    assert max_entropy_bits(Spectrum.of({n: 1})) == max_entropy_bits(Spectrum.of({1: n})) == math.log2(n)


@pytest.mark.parametrize("n", [1, 2, 5, BILLION, TRILLION])
def test_everybody_alike_gives_nothing_away(n: int) -> None:
    spectrum = Spectrum.of({n: 1})
    assert (entropy_bits(spectrum), estimated_anonymity(spectrum)) == (0, n)


@pytest.mark.parametrize("n", [2, 10, 11, 13, 29, 10_004_090, TRILLION])
def test_everybody_unique_has_no_anonymity_at_all(n: int) -> None:
    spectrum = Spectrum.of({1: n})
    assert estimated_anonymity(spectrum) == 1
    assert guaranteed_singletons(spectrum) == n
    assert degree_of_anonymity(spectrum) == 0


@PRECISELY
def test_k_hat_has_its_digits(pairs: SpectrumPairs) -> None:
    expected = DIGITS.power(Decimal(2), mean_over_people(pairs, log2))
    assert estimated_anonymity(Spectrum.of(pairs)) == pytest.approx(float(expected), rel=1e-14, abs=0)


@PRECISELY
def test_guaranteed_singletons_are_s0_31(pairs: SpectrumPairs) -> None:
    n = people_in(pairs)
    expected = max(Decimal(0), (exact_entropy(pairs) - (log2(n) - 1)) * n)
    assert guaranteed_singletons(Spectrum.of(pairs)) == pytest.approx(float(expected), rel=1e-15, abs=1e-15 * n)


@pytest.mark.parametrize("pairs", [{1: 5, 2: 10**11}, {1: 3, 2: 1, 4: 1}, {1: 10**12, 2: 1}], ids=str)
def test_guaranteed_singletons_are_exact_where_logarithms_are(pairs: SpectrumPairs) -> None:
    expected = sum(k * m * (1 - (k.bit_length() - 1)) for k, m in pairs.items())
    assert guaranteed_singletons(Spectrum.of(pairs)) == max(0, expected)


@PRECISELY
def test_degree_of_anonymity_has_its_digits(pairs: SpectrumPairs) -> None:
    degree = degree_of_anonymity(Spectrum.of(pairs))
    if people_in(pairs) == 1:
        assert degree is None
        return
    # 1 - E / log2 N, written without the difference that eats digits.
    expected = mean_over_people(pairs, log2) / log2(people_in(pairs))
    assert degree == pytest.approx(float(expected), rel=1e-13, abs=0)


@PRECISELY
def test_renyi_entropies_have_their_digits(pairs: SpectrumPairs) -> None:
    n, n_sets = people_in(pairs), sum(pairs.values())
    collision = DIGITS.divide(Decimal(n * n), Decimal(sum(k * k * m for k, m in pairs.items())))
    expected = {
        "0": float(log2(n_sets)),
        "1": float(exact_entropy(pairs)),
        "2": float(log2(collision)),
        "inf": float(log2(DIGITS.divide(Decimal(n), Decimal(max(pairs))))),
    }
    assert renyi_bits(Spectrum.of(pairs)) == pytest.approx(expected, rel=LAST_DIGITS, abs=0)


@pytest.mark.parametrize("n_values", [None, 1000, 10**6, 10**15])
@PRECISELY
def test_kappa_has_its_digits(pairs: SpectrumPairs, n_values: int | None) -> None:
    possible = max(n_values or 0, sum(pairs.values()))
    kappa = kappa_nats(Spectrum.of(pairs), possible)
    assert kappa == pytest.approx(float(exact_kappa(pairs, possible)), rel=1e-12, abs=0)


@pytest.mark.parametrize("deviation", [1, 10, 100, 999, 1000, 1001, 2000, 10_000, 100_000, 999_999])
def test_kappa_of_nearly_uniform_values_has_its_digits(deviation: int) -> None:
    pairs = {10**6 - deviation: 500, 10**6 + deviation: 500}
    assert kappa_nats(Spectrum.of(pairs)) == pytest.approx(float(exact_kappa(pairs, 1000)), rel=1e-12, abs=0)


def test_kappa_counts_values_that_nobody_has() -> None:
    expected = float(exact_kappa({2: 3, 5: 1}, 10))
    assert kappa_nats(Spectrum.of({0: 6, 2: 3, 5: 1})) == pytest.approx(expected, rel=1e-14)
    assert kappa_nats(Spectrum.of({2: 3, 5: 1}), 10) == pytest.approx(expected, rel=1e-14)


def test_kappa_of_one_person_among_very_many() -> None:
    pairs = {1: 1, 10**18: 2}
    assert kappa_nats(Spectrum.of(pairs)) == pytest.approx(float(exact_kappa(pairs, 3)), rel=1e-12, abs=0)


POPULATION = [5, 5, 1, 20, 69]
RELEASE = [2, 1, 1, 0, 4]


def against_population() -> Spectrum:
    return Spectrum.against([(1, 1, 1), (5, 2, 3), (69, 1, 4)], n_reference=100, n_values=4)


def test_against_a_population_bits_are_means_over_the_release() -> None:
    records = [k for k, copies in zip(POPULATION, RELEASE, strict=True) for _ in range(copies)]
    mean = math.fsum(math.log2(100 / k) for k in records) / len(records)
    assert entropy_bits(against_population()) == pytest.approx(mean, rel=1e-14)
    assert max_entropy_bits(against_population()) == math.log2(100)
    assert estimated_anonymity(against_population()) == pytest.approx(100 / 2**mean, rel=1e-14)
    assert degree_of_anonymity(against_population()) == pytest.approx(1 - mean / math.log2(100), rel=1e-14)


@pytest.mark.parametrize("figure", [guaranteed_singletons, renyi_bits, kappa_nats])
def test_against_a_population_some_figures_do_not_exist(figure: Callable[[Spectrum], object]) -> None:
    assert figure(against_population()) is None
    # Nor when the release happens to hold as many records as the population.
    assert figure(Spectrum.against([(2, 2, 4)], n_reference=4, n_values=2)) is None


@pytest.mark.parametrize(
    "figure",
    [entropy_bits, max_entropy_bits, estimated_anonymity, guaranteed_singletons, renyi_bits, kappa_nats],
)
def test_nobody_has_no_entropy(figure: Callable[[Spectrum], object]) -> None:
    with pytest.raises(NotEstimableError, match="nobody"):
        figure(Spectrum.of({}))
