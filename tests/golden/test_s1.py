"""S1 (Alexin, slides): its table of visit pairs agrees with itself under our definitions."""

import math

import pytest

from idbits.counts import Spectrum
from idbits.studies.events.result import PairFigures

# Entropy, predicted k, singletons and their share, as printed on the slide "Entropy of visit pairs".
ROWS = {
    "2005-01-08": (19.725, 1.247, 902_032, 0.8345),
    "2005-01-09": (19.158, 1.147, 596_462, 0.8886),
    "2005-01-10": (23.254, 2.889, 12_809_964, 0.4432),
    "2005-01-11": (23.233, 2.865, 12_561_551, 0.4446),
    "2005-01-12": (23.214, 2.750, 12_234_144, 0.4571),
    "2005-01": (27.556, 2.734, 250_588_888, 0.4647),
}
JANUARY_PAIRS, LARGEST = 539_225_013, 3_233


@pytest.mark.parametrize("row", ROWS)
def test_k_hat_times_two_to_the_entropy_is_n(row: str) -> None:
    entropy, k_hat, singletons, share = ROWS[row]
    # Digits are cut off, not rounded: up to 0.001 bits and 0.001 people are missing.
    assert k_hat * 2**entropy == pytest.approx(singletons / share, rel=2e-3)


def test_the_share_and_n_of_january() -> None:
    entropy, k_hat, singletons, share = ROWS["2005-01"]
    assert singletons / JANUARY_PAIRS == pytest.approx(share, abs=1e-4)
    assert k_hat * 2**entropy == pytest.approx(JANUARY_PAIRS, rel=1e-3)


def test_our_figures_of_a_spectrum_with_january_s_totals() -> None:
    singletons = ROWS["2005-01"][2]
    pairs_of_two = (JANUARY_PAIRS - singletons - LARGEST) // 2
    figures = PairFigures.of(Spectrum.of({1: singletons, 2: pairs_of_two, LARGEST: 1}))
    assert (figures.n_pairs, figures.singletons, figures.largest) == (JANUARY_PAIRS, singletons, LARGEST)
    assert figures.k_hat * 2**figures.entropy_bits == pytest.approx(figures.n_pairs, rel=1e-12)
    assert figures.max_entropy_bits == pytest.approx(math.log2(JANUARY_PAIRS), abs=1e-12)
