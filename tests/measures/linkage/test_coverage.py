"""Right links estimated from coverage alone: unbiased, with intervals that hold, in seeded simulations.

A stated limit of 3 standard errors fails by chance in 0.3% of all cases; the seeds are fixed, so that it does not.
"""

import math

import numpy as np
import pytest

from idbits.counts import PairCounts
from idbits.kernels.linking import pair_counts_of
from idbits.measures.linkage.candidates import CandidateCounts
from idbits.measures.linkage.coverage import chances_of_links, claim_weights, guess_weights, right_links

N_PEOPLE = 6_000
DRAWS = 60


def population(seed):
    """A skewed population: many rare values, and some that hundreds of people have."""
    return np.random.default_rng(seed).zipf(1.25, N_PEOPLE) % 4_000


def couples():
    """A population in which everybody shares their values with one other person."""
    return np.arange(N_PEOPLE) // 2


def drawn(values, coverage, seed):
    """Draw a release and a second table; return their counts and the true numbers of right claims and guesses."""
    rng = np.random.default_rng(seed)
    released = rng.choice(N_PEOPLE, N_PEOPLE // 6, replace=False)
    is_present = rng.random(N_PEOPLE) < coverage
    a, b = (np.bincount(values[people], minlength=4_000) for people in (released, is_present))
    counts = CandidateCounts.of_pairs(pair_counts_of(a, b), len(released), int(is_present.sum()))
    records, inside = values[released], is_present[released]
    claims = int((inside & (a[records] == 1) & (b[records] == 1)).sum())
    return counts, claims, float((inside / np.maximum(b[records], 1)).sum()), a[records], b[records]


@pytest.mark.parametrize("coverage", [0.05, 0.3, 0.5, 0.51, 0.8, 0.97])
def test_estimates_are_unbiased_and_intervals_hold(coverage):
    values = population(1)
    errors, covered = [], []
    for seed in range(DRAWS):
        counts, claims, guesses, _, _ = drawn(values, coverage, seed)
        found = right_links(counts, coverage)
        errors.append((found.claims.value - claims, found.guesses.value - guesses))
        covered.append((found.claims.low <= claims <= found.claims.high,
                        found.guesses.low <= guesses <= found.guesses.high))  # fmt: skip
    means, deviations = np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1) / math.sqrt(DRAWS)
    assert np.all(np.abs(means) < 3 * deviations), (means, deviations)
    # 60 intervals of 95% hold at least 51 times with a chance of 99.9%.
    assert np.all(np.sum(covered, axis=0) >= 51), np.sum(covered, axis=0)


@pytest.mark.parametrize("coverage", [0.7, 0.9])
def test_intervals_hold_if_people_share_values_by_construction(coverage):
    held = 0
    for seed in range(200):
        counts, _, guesses, _, _ = drawn(couples(), coverage, seed)
        found = right_links(counts, coverage).guesses
        held += found.low <= guesses <= found.high
    # 200 intervals of 95% hold at least 180 times with a chance of 99.8%.
    assert held >= 180


def test_an_estimate_of_nothing_has_a_width():
    """Everybody is found although half should be missing: r n_0 is 0, yet up to three claims may be right."""
    counts = CandidateCounts.of_pairs(PairCounts.of({(1, 1): 3}), 3, 3)
    claims = right_links(counts, 0.5).claims
    assert (claims.value, claims.low) == (0, 0)
    # One missing person more or less: r sqrt(1/c) = 1.41, and 1.96 of these.
    assert claims.high == pytest.approx(1.959964 * math.sqrt(2), rel=1e-6)


def test_with_everyone_present_every_even_guess_counts():
    pairs = PairCounts.of({(1, 1): 3, (2, 5): 2, (1, 4): 1, (0, 7): 2})
    counts = CandidateCounts.of_pairs(pairs, 8, 31)
    found = right_links(counts, 1.0)
    assert found.claims.value == found.claims.low == found.claims.high == 3
    assert found.guesses.value == pytest.approx(3 + 4 / 5 + 1 / 4, abs=1e-12)
    assert found.guesses.value == pytest.approx(counts.even_guesses(), abs=1e-12)


@pytest.mark.parametrize("coverage", [0.01, 0.2, 0.5, 0.5001, 0.7, 0.99])
def test_weights_satisfy_the_recursion(coverage):
    """in_{j+1} = r out_j for any out_j: the weights of n_j must give back what out_j contributes."""
    ratio = coverage / (1 - coverage)
    numbers = np.arange(9_000)
    guess, claim = guess_weights(numbers, coverage), claim_weights(numbers, coverage)
    assert np.allclose(guess[:-1] + ratio * guess[1:], ratio / (numbers[:-1] + 1), rtol=0, atol=2e-10)
    assert np.allclose(claim[:-1] + ratio * claim[1:], np.where(numbers[:-1] == 0, ratio, 0), rtol=0, atol=1e-12)


def test_a_hand_computed_case():
    """c = 0.2, r = 1/4: 8 records without candidates imply 2 right ones with one candidate."""
    counts = CandidateCounts.of_pairs(PairCounts.of({(1, 0): 8, (1, 1): 4}), 12, 4)
    assert right_links(counts, 0.2).claims.value == pytest.approx(2)


@pytest.mark.parametrize("coverage", [0.3, 0.8, 1.0])
def test_chances_of_records_add_up_to_about_the_expected_guesses(coverage):
    counts, _, guesses, records, people = drawn(population(2), coverage, 5)
    chances = chances_of_links(counts, coverage, people, records)
    assert chances.min() >= 0
    assert chances.max() <= 1
    assert chances.sum() == pytest.approx(guesses, rel=0.15)
    assert np.all(chances[people == 0] == 0)


def test_nothing_to_estimate():
    counts = CandidateCounts.of_pairs(PairCounts.of({(0, 3): 1}), 2, 3)
    found = right_links(counts, 0.4)
    assert (found.claims.value, found.guesses.value) == (0, 0)
