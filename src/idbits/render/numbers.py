"""Numbers as people read them: the only place where anything is rounded."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = [
    "bits", "bits_of", "count", "decimal", "fixed", "percent", "probability", "published", "rough", "share",
    "significant", "to_places", "told_apart", "whole",
]  # fmt: skip

NONE = "-"


def count(number: int | None) -> str:
    """Return a whole number with thousands parted.

    >>> count(10_004_090), count(None)
    ('10,004,090', '-')
    """
    return NONE if number is None else f"{number:,}"


def rough(number: float) -> str:
    """Return a number too large to be read digit by digit.

    >>> rough(2**100)
    '1.3e+30'
    """
    return f"{number:.1e}"


def whole(number: float | None) -> str:
    """Return a real number cut to a whole one: a guarantee is never rounded up.

    >>> whole(7_301_408.9)
    '7,301,408'
    """
    return NONE if number is None else f"{math.floor(number):,}"


def to_places(number: float, places: int, *, signed: bool = False, grouped: bool = False) -> str:
    """Return a number with so many decimals: with its sign on request, and with thousands separated.

    >>> to_places(3.14159, 2), to_places(0.25, 1, signed=True), to_places(12_345.6789, 3, grouped=True)
    ('3.14', '+0.2', '12,345.679')
    """
    return f"{number:{'+' if signed else ''}{',' if grouped else ''}.{places}f}"


def bits(number: float | None) -> str:
    """Return bits with two decimals.

    >>> bits(10.303428)
    '10.30'
    """
    return NONE if number is None else f"{number:.2f}"


def bits_of(number: float, most: float) -> str:
    """Return bits beside their maximum, with as many decimals as it takes to tell them apart.

    >>> bits_of(22.98, 23.25), bits_of(15.6086, 15.6096)
    ('22.98 of the 23.25', '15.609 of the 15.610')
    """
    decimals = 2
    while number < most and f"{number:.{decimals}f}" == f"{most:.{decimals}f}" and decimals < 9:
        decimals += 1
    return f"{number:.{decimals}f} of the {most:.{decimals}f}"


def share(part: float | None) -> str:
    """Return a share in percent; what is not nothing and not all never looks so.

    >>> share(0.78432), share(0.00000001), share(0.99999999), share(0.0), share(1.0)
    ('78.43%', '<0.01%', '>99.99%', '0%', '100%')
    """
    if part is None:
        return NONE
    if part <= 0:
        return "0%"
    if part >= 1:
        return "100%"
    if part < 0.0001:
        return "<0.01%"
    if part > 0.9999:
        return ">99.99%"
    return f"{part:.2%}"


def probability(chance: float | None) -> str:
    """Return a probability: in percent, or where that would show nothing as a power of ten, rounded up.

    >>> probability(0.0234), probability(1.57e-20), probability(1e-300), probability(None)
    ('2.34%', '2e-20', '1e-300', '-')
    """
    if chance is None or chance >= 0.0001 or chance <= 0:
        return share(chance)
    mantissa, exponent = f"{chance:.6e}".split("e")
    digit = math.ceil(float(mantissa))
    return f"1e{int(exponent) + 1}" if digit == 10 else f"{digit}e{int(exponent)}"


def percent(part: float) -> str:
    """Return a share that somebody has asked for, with the digits that it has.

    >>> percent(0.8), percent(0.995)
    ('80%', '99.5%')
    """
    text = f"{Decimal(str(part)) * 100:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def published(number: float, decimals: int, most: float) -> float:
    """Return a figure rounded for publication; one that rounding lifts above its maximum is rounded down instead.

    >>> published(2.5849, 2, 2.585), published(2.807, 2, 2.8074)
    (2.58, 2.8)
    """
    rounded = round(number, decimals)
    return rounded if rounded <= most else round(rounded - 10.0**-decimals, decimals)


def decimal(number: float | None) -> str:
    """Return a positive number with the digits that matter.

    >>> decimal(1.2059), decimal(326.07), decimal(9837.57), decimal(0.04)
    ('1.21', '326.1', '9,838', '0.040')
    """
    if number is None:
        return NONE
    if math.isinf(number):
        return "unbounded"
    size = abs(number)
    if number == int(number) and size >= 1:
        return f"{int(number):,}"
    if size >= 999.95:
        return f"{number:,.0f}"
    if size >= 100:
        return f"{number:.1f}"
    return f"{number:.2f}" if size >= 0.1 or number == 0 else f"{number:.2g}" if size < 0.01 else f"{number:.3f}"


def significant(number: float, digits: int) -> str:
    """Return a number with so many significant digits at most.

    >>> significant(0.012345, 2), significant(97.5, 6)
    ('0.012', '97.5')
    """
    return f"{number:.{digits}g}"


def fixed(number: float | None, decimals: int = 2) -> str:
    """Return a coefficient with so many decimals; what is below 1 never looks like it.

    >>> fixed(-0.6831), fixed(0.99991), fixed(0.99991, 4), fixed(-0.001), fixed(1.0), fixed(float("-inf"))
    ('-0.68', '0.99', '0.9999', '0.00', '1.00', '-inf')
    """
    if number is None:
        return NONE
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    text = f"{number:.{decimals}f}"
    if abs(float(text)) == 1 and abs(number) < 1 - 1e-12:
        cut = math.trunc(number * 10**decimals) / 10**decimals
        text = f"{cut:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def told_apart(value: float, limit: float, most: int = 12) -> str:
    """Return a value with two decimals, or as many as it takes to see on which side of a limit it lies.

    >>> told_apart(4.9996, 5.0), told_apart(5.0, 5.0)
    ('4.9996', '5.00')
    """
    decimals = 2
    while value != limit and f"{value:.{decimals}f}" == f"{limit:.{decimals}f}" and decimals < most:
        decimals += 1
    return f"{value:,.{decimals}f}"
