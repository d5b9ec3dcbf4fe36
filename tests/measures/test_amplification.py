"""S4's gamma, r1 and epsilon at every limit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.measures.permutation_entropy import (
    amplification,
    ceiling,
    degree_of_anonymity,
    implied_epsilon,
    information_coefficient,
    saturated,
)

INF = math.inf
LIMITS = {
    (0.0, 0.0): (1.0, math.sqrt(1 - math.exp(-2)), 0.0),
    (1.0, 1.0): (1.0, math.sqrt(1 - math.exp(-2)), 0.0),
    (0.4, 0.4): (1.0, math.sqrt(1 - math.exp(-2)), 0.0),
    (0.0, 0.5): (INF, 1.0, INF),
    (0.0, 1.0): (INF, 1.0, INF),
    (0.5, 1.0): (INF, 1.0, INF),
    (0.5, 0.0): (0.0, 0.0, -INF),
    (1.0, 0.0): (0.0, 0.0, -INF),
    (1.0, 0.5): (0.0, 0.0, -INF),
    (0.5, 0.75): (3.0, math.sqrt(1 - math.exp(-6)), math.log(3)),
}


@pytest.mark.parametrize(("rhos", "expected"), LIMITS.items())
def test_limits(rhos: tuple[float, float], expected: tuple[float, float, float]) -> None:
    gamma = amplification(*rhos)
    assert (gamma, information_coefficient(gamma), implied_epsilon(gamma)) == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0, 1))
def test_never_an_exception_and_in_bounds(rho1: float, rho2: float) -> None:
    gamma = amplification(rho1, rho2)
    assert 0 <= gamma <= INF
    assert 0 <= information_coefficient(gamma) <= 1
    assert not math.isnan(implied_epsilon(gamma))
    if rho1 < rho2:
        assert gamma >= 1
    if rho1 > rho2:
        assert gamma <= 1


def test_the_ceiling_is_what_s4_prints() -> None:
    # S4's figure 3: 944, 1500 and 1000 rows at lengths 11, 10 and 9, printed with three digits.
    for rows, order, printed in ((944, 11, "0.998"), (1500, 10, "0.999"), (1000, 9, "0.999")):
        assert f"{ceiling(rows - order + 1, rows):.3f}" == printed
    assert degree_of_anonymity(math.log2(9_990), 10_000) == ceiling(9_990, 10_000)


def test_saturated_within_half_a_percent() -> None:
    assert saturated(0.995, 1.0)
    assert not saturated(0.9949, 1.0)
    assert saturated(0.0, 0.0)
