"""The interval of a share against SciPy, and its coverage by exact summation."""

import math

import pytest
from scipy import stats

from idbits.measures.unicity import share_interval


@pytest.mark.parametrize(("successes", "draws"), [(0, 10), (10, 10), (3, 10), (1, 1), (97, 100), (9_990, 10_000)])
def test_equals_scipy(successes: int, draws: int) -> None:
    expected = stats.binomtest(successes, draws).proportion_ci(0.95, "exact")
    assert share_interval(successes, draws) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("share", [0.001, 0.03, 0.2, 0.5, 0.9, 0.999])
def test_holds_the_truth_at_least_so_often(share: float) -> None:
    draws, covered = 60, 0.0
    for successes in range(draws + 1):
        low, high = share_interval(successes, draws)
        chance = math.comb(draws, successes) * share**successes * (1 - share) ** (draws - successes)
        covered += chance * (low <= share <= high)
    assert covered >= 0.95
