"""EM on counts of patterns, the match rate, and the choice of blocks."""

import math
from itertools import product

import numpy as np
import pytest

from idbits.measures.linkage.blocks import BlockCandidates, choose_blocks
from idbits.measures.linkage.claims import calibrate, claim_counts, match_probabilities, odds_in_units
from idbits.measures.linkage.fellegi_sunter import (
    PatternTable,
    chances_of_nonmatches,
    estimate_block,
    likelihood_ratios,
    match_rate,
    mean_chances,
    weight_bits,
)

M = [np.array([0.9, 0.1]), np.array([0.8, 0.15, 0.05]), np.array([0.95, 0.05]), np.array([0.7, 0.3])]
U = [np.array([0.05, 0.95]), np.array([0.02, 0.08, 0.9]), np.array([0.3, 0.7]), np.array([0.01, 0.99])]
RATE, PAIRS = 0.2, 10**9


def _exact_patterns() -> PatternTable:
    """Return the expected counts of a known model, so that EM must find the model itself."""
    levels = list(product(*(range(len(m)) for m in M)))
    counts = [
        PAIRS
        * (
            RATE * math.prod(M[c][k] for c, k in enumerate(row))
            + (1 - RATE) * math.prod(U[c][k] for c, k in enumerate(row))
        )
        for row in levels
    ]
    return PatternTable(np.array(levels), np.round(counts).astype(np.int64))


def test_em_recovers_a_known_model() -> None:
    found = estimate_block(_exact_patterns(), (), U)
    assert found.rate == pytest.approx(RATE, rel=1e-5)
    assert found.matches == pytest.approx(RATE * PAIRS, rel=1e-5)
    for estimated, true in zip(found.chances, M, strict=True):
        assert estimated == pytest.approx(true, rel=1e-4)


def test_columns_of_the_block_are_left_out() -> None:
    table = _exact_patterns()
    equal = table.levels[:, 0] == 0
    found = estimate_block(PatternTable(table.levels[equal], table.pairs[equal]), (0,), U)
    rate = RATE * 0.9 / (RATE * 0.9 + (1 - RATE) * 0.05)
    assert found.chances[0] is None
    assert found.rate == pytest.approx(rate, rel=1e-4)
    assert found.chances[1] == pytest.approx(M[1], rel=1e-4)


def test_nulls_are_no_evidence() -> None:
    table = _exact_patterns()
    hidden = table.levels.copy()
    hidden[:, 3] = -1
    both = PatternTable(np.concatenate([table.levels, hidden]), np.concatenate([table.pairs, table.pairs]))
    found = estimate_block(both, (), U)
    for estimated, true in zip(found.chances, M, strict=True):
        assert estimated == pytest.approx(true, rel=1e-4)
    ratios = likelihood_ratios(np.array([[0, 0, 0, -1], [-1, -1, -1, -1]]), M, U)
    assert ratios == pytest.approx([0.9 / 0.05 * 0.8 / 0.02 * 0.95 / 0.3, 1.0])


def test_mean_is_weighted_by_matches() -> None:
    table = _exact_patterns()
    first, second = estimate_block(table, (1,), U), estimate_block(table, (0,), U)
    means = mean_chances([first, second], 4)
    assert means[0] == pytest.approx(first.chances[0])
    total = first.matches + second.matches
    expected = (first.matches * first.chances[2] + second.matches * second.chances[2]) / total
    assert means[2] == pytest.approx(expected)
    assert mean_chances([estimate_block(table, (1,), U)], 4)[1] is None


def test_match_rate_is_a_fixed_point() -> None:
    table = _exact_patterns()
    ratios = likelihood_ratios(table.levels, M, U)
    rate = match_rate(ratios, table.pairs, PAIRS, 40_000)
    assert rate == pytest.approx(RATE, rel=1e-6)


def test_chances_of_nonmatches() -> None:
    # A level that no drawn pair has counts half a pair; a first level beyond "equal" takes part in both.
    assert chances_of_nonmatches(200_000, 10**6, [0, 0, 99], first_is_equal=True) == pytest.approx(
        [0.2, 0.8 * 0.5 / 99.5, 0.8 * 99 / 99.5]
    )
    assert chances_of_nonmatches(20, 100, [30, 70], first_is_equal=False) == pytest.approx([0.2 + 0.8 * 0.3, 0.8 * 0.7])
    assert chances_of_nonmatches(0, 1000, [0, 1], first_is_equal=True)[0] == pytest.approx(0.0005)


def test_weights_are_logarithms() -> None:
    assert weight_bits(np.array([0.9]), np.array([0.1])) == pytest.approx([math.log2(9)])


def test_blocks_with_matches_are_chosen_and_no_column_is_in_all() -> None:
    # 1,000 matches among 10^6 pairs, all equal in columns 0 and 1, half of them in column 2.
    masks = {0b011: 500 + 100, 0b111: 500 + 1, 0b001: 9_000, 0b010: 9_000, 0b100: 10_000, 0b101: 100, 0b110: 100}
    chances = [0.0106, 0.0106, 0.0107]
    pairs = {(0, 1): 1_101, (0, 2): 601, (1, 2): 601, (0,): 10_601}
    chosen = choose_blocks(BlockCandidates(pairs, masks, 10**6, 1.0, chances), 100_000)
    assert chosen[0] == (0, 1)
    assert not set.intersection(*map(set, chosen))
    assert (
        sum(pairs[block] for block in choose_blocks(BlockCandidates(pairs, masks, 10**6, 1.0, chances), 1_300)) <= 1_300
    )


def test_probabilities_of_claims() -> None:
    odds = np.array([3.0, 1.0, 0.5])
    units = odds_in_units(odds)
    found = match_probabilities(np.array(units, np.float64), np.array([sum(units)] * 3, np.float64))
    assert found == pytest.approx([3 / 5.5, 1 / 5.5, 0.5 / 5.5])
    right = np.array([True, False, True])
    counts = claim_counts(found, right, [0.1, 0.5])
    assert [(each.claims, each.right, each.wrong) for each in counts] == [(2, 1, 1), (1, 1, 0)]
    assert counts[0].expected_right + counts[0].expected_wrong == pytest.approx(2)
    bins = calibrate(np.array([0.05, 0.95, 1.0]), np.array([False, True, True]))
    assert (bins[0].pairs, bins[9].pairs, bins[9].right, len(bins)) == (1, 2, 2, 10)
