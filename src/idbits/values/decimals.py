"""Exact numbers: ``band``, ``round`` and ``cap`` in decimal arithmetic.

A number is the decimal that people read: for a float, the shortest decimal that represents it. So 0.29 is in the band
of 0.29, which binary arithmetic misses (0.29 * 100 < 29).
"""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, localcontext

from idbits.errors import DataError
from idbits.values.attributes import Transform

__all__ = ["Number", "as_decimal", "coarser_number", "number_text"]

_ZEROS = 15
_SMALLEST = -4
_EXACT = Context(prec=1100)

Number = int | float | Decimal
"""A number in a Python type."""


def as_decimal(value: Number | str) -> Decimal:
    """Return a number, or the text of a number, as a decimal.

    >>> as_decimal(0.29), as_decimal(" 1e3 ")
    (Decimal('0.29'), Decimal('1E+3'))
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError("an infinite number does not have a band")
    return Decimal(repr(value) if isinstance(value, float) else value.strip() if isinstance(value, str) else value)


def coarser_number(value: Number | str, transform: Transform) -> Decimal:
    """Return the coarser number.

    >>> coarser_number(0.29, Transform("band", Decimal("0.01"))), coarser_number(-25, Transform("round", Decimal(10)))
    (Decimal('0.29'), Decimal('-30'))
    """
    assert transform.argument is not None
    number, width = as_decimal(value), transform.argument
    if transform.name == "cap":
        return min(number, width)
    with localcontext(_EXACT):
        rounding = ROUND_FLOOR if transform.name == "band" else ROUND_HALF_UP
        return (number / width).to_integral_value(rounding) * width


def number_text(number: Decimal) -> str:
    """Return the canonical text of a number; very large and very small numbers as Python writes floats.

    >>> number_text(Decimal("35.0")), number_text(Decimal("-0.0")), number_text(Decimal("1E+3"))
    ('35', '0', '1000')
    >>> number_text(Decimal("15E+300")), number_text(Decimal("0.00001"))
    ('1.5e+301', '1e-05')
    """
    if not number:
        return "0"
    with localcontext(_EXACT):
        shortest = number.normalize()
    exponent = shortest.as_tuple().exponent
    if isinstance(exponent, int) and (exponent > _ZEROS or shortest.adjusted() < _SMALLEST):
        digits = "".join(map(str, shortest.as_tuple().digits))
        point = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{'-' if shortest < 0 else ''}{digits[0]}{point}e{shortest.adjusted():+03d}"
    return f"{shortest:f}"
