"""Defects of other tools that the documentation describes, as worked examples with numbers."""

import math

import numpy as np
from disclosure_columns import column_of

from idbits.measures.disclosure.diversity import distinct_values, entropy_values, recursive_limits
from idbits.measures.disclosure.likeness import likeness


def grassberger(n: int) -> float:
    """G(n) of Grassberger 2003: G(1) = -gamma - ln 2, G(2) = G(1) + 2, G(2n + 2) = G(2n) + 2/(2n + 1)."""
    first = -float(np.euler_gamma) - math.log(2)
    if n == 1:
        return first
    return first + sum(2 / odd for odd in range(1, n - n % 2, 2))


def test_arx_stops_before_the_negative_terms() -> None:
    bound = 5 * math.log(5 / 2)
    terms = [4 * grassberger(4), 1 * grassberger(1)]
    assert [round(term, 2) for term in terms] == [5.59, -1.27]
    assert round(bound, 2) == 4.58
    # The partial sum passes the bound; the whole sum does not.
    assert terms[0] > bound
    assert round(sum(terms), 2) == 4.31
    assert sum(terms) <= bound


def test_pycanon_divides_the_smallest_count() -> None:
    column = column_of([(0, value) for value in "aaabbc"])
    # The largest count over the tail: 3 / (2 + 1). The smallest over the tail would be 1 / 3.
    assert recursive_limits(column, [2])["2"] == 1.0


def test_pycanon_cuts_entropy_off() -> None:
    column = column_of([(0, value) for value in "aaaabbb"])
    assert 1.97 < (entropy_values(column) or 0) < 1.99


def test_pycanon_returns_a_beta_where_none_holds() -> None:
    column = column_of([(0, "a"), (0, "a"), *[(1, "b")] * 60])
    found = likeness(column)
    assert found.enhanced == math.inf
    wrong = min(found.beta or 0, -math.log(min(column.prior.shares)))
    assert math.isfinite(wrong)


def test_sdcmicro_counts_missing_values_in_two_ways() -> None:
    column = column_of([(0, "flu"), (0, None), (0, None), (1, "flu"), (1, "cold")])
    assert distinct_values(column) == 2
    assert recursive_limits(column, [2])["2"] == 2.0


def test_sdcmicro_counts_with_32_bits() -> None:
    large = 2**24 + 1
    assert int(np.float32(large)) != large
