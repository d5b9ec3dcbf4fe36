"""Numbers as people read them: only 0 is shown as 0, and guarantees are never rounded up."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from idbits.render import numbers


@given(st.floats(min_value=0, max_value=1))
def test_a_share_is_nothing_or_all_only_if_it_is(part: float) -> None:
    shown = numbers.share(part)
    assert (shown == "0%") == (part == 0)
    assert (shown == "100%") == (part == 1)
    if shown[0].isdigit():
        assert abs(float(shown.rstrip("%")) / 100 - part) <= 0.00005 + 1e-12
        assert shown not in ("0.00%", "100.00%")


@given(st.floats(min_value=0, max_value=1e15))
def test_a_guarantee_is_never_rounded_up(number: float) -> None:
    shown = int(numbers.whole(number).replace(",", ""))
    assert shown <= number < shown + 1


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_decimals_keep_what_matters(number: float) -> None:
    shown = float(numbers.decimal(number).replace(",", ""))
    assert math.isclose(shown, number, rel_tol=0.06)


@given(st.integers(min_value=0, max_value=10**18))
def test_counts_are_exact(number: int) -> None:
    assert int(numbers.count(number).replace(",", "")) == number


def test_what_does_not_exist_is_a_dash() -> None:
    for write in (numbers.count, numbers.whole, numbers.bits, numbers.share, numbers.decimal):
        assert write(None) == "-"
    assert numbers.decimal(math.inf) == "unbounded"


@given(st.integers(min_value=0, max_value=10**9), st.integers(min_value=0, max_value=4), st.booleans())
def test_a_bound_with_few_decimals_is_shown_as_it_is(number: int, places: int, down: bool) -> None:
    exact = Fraction(number, 10**places)
    assert Fraction(numbers.outward(float(exact), down=down, places=places)) == exact


@given(st.floats(min_value=0, max_value=1e12), st.integers(min_value=0, max_value=4))
def test_a_bound_is_rounded_outward(number: float, places: int) -> None:
    low, high = (Fraction(numbers.outward(number, down=down, places=places)) for down in (True, False))
    slack = Fraction(number) / 10**14
    assert low - slack <= Fraction(number) <= high + slack
    assert high - low <= Fraction(1, 10**places)
