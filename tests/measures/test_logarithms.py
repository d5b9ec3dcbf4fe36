"""Fixed-point logarithms, compared with logarithms of 50 digits."""

import random
from decimal import Decimal, localcontext

import numpy as np
import pytest

from idbits.kernels.exact_sums import FRACTION_BITS, ROUNDING_UNITS
from idbits.measures.logarithms import fixed_log2


@pytest.mark.parametrize("bits", [10, 20, 31, 53, 62])
def test_four_logarithms_are_off_by_less_than_what_is_taken_for_rounding(bits: int) -> None:
    draw = random.Random(bits)
    numbers = [1, 2, 3, 2**bits - 1, 2**bits, *(draw.randrange(1, 2**bits) for _ in range(500))]
    with localcontext(prec=50):
        exact = [Decimal(number).ln() / Decimal(2).ln() * 2**FRACTION_BITS for number in numbers]
        found = fixed_log2(np.array(numbers, np.int64)).tolist()
        worst = max(abs(Decimal(units) - real) for units, real in zip(found, exact, strict=True))
    assert 4 * worst < ROUNDING_UNITS
