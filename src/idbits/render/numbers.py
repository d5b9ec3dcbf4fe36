"""Numbers as people read them: the only module that rounds and decides how many digits to show.

Plain numbers and bits, then shares and probabilities, then numbers of people in everyday words.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

__all__ = [
    "NONE", "about", "bar_share", "bits", "bits_of", "chance", "count", "decimal", "estimated_share", "file_size",
    "fixed", "fold", "nearest", "odds", "off_by", "one_in", "outward", "percent", "probability", "published",
    "rough", "share", "signed", "significant", "stated_bits", "to_places", "told_apart", "whole", "whole_percent",
    "written_out",
]  # fmt: skip

NONE = "-"

_LEAST_BITS = 0.005
_ROUNDING_BITS = 1e-12


def count(number: float | None) -> str:
    """Return a number of people or things with thousands separated; an expected number keeps the digits that matter.

    >>> count(10_004_090), count(50.580127), count(None)
    ('10,004,090', '50.58', '-')
    """
    return decimal(number) if isinstance(number, float) else NONE if number is None else f"{number:,}"


def rough(number: float) -> str:
    """Return a number that is too large to read digit by digit.

    >>> rough(2**100)
    '1.3e+30'
    """
    return f"{number:.1e}"


def whole(number: float | None) -> str:
    """Return a number rounded down to a whole number: a guarantee is never rounded up.

    >>> whole(7_301_408.9)
    '7,301,408'
    """
    return NONE if number is None else f"{math.floor(number):,}"


def nearest(number: float) -> int:
    """Return the nearest whole number, for sizes and positions; ties go to the even one.

    >>> nearest(2.6), nearest(2.5)
    (3, 2)
    """
    return round(number)


def to_places(number: float, places: int, *, signed: bool = False, grouped: bool = False) -> str:
    """Return a number with a fixed number of decimals, optionally with its sign and with thousands separated.

    >>> to_places(3.14159, 2), to_places(0.25, 1, signed=True), to_places(12_345.6789, 3, grouped=True)
    ('3.14', '+0.2', '12,345.679')
    """
    return f"{number:{'+' if signed else ''}{',' if grouped else ''}.{places}f}"


def significant(number: float, digits: int = 3) -> str:
    """Return a number with at most ``digits`` significant digits, without trailing zeros.

    >>> significant(2.50, 6), significant(0.000123456, 3), significant(99.5, 2)
    ('2.5', '0.000123', '1e+02')
    """
    return f"{number:.{digits}g}"


def written_out(number: float) -> str:
    """Return a number with all its digits and no exponent.

    >>> written_out(5.0), written_out(2.5e-7), written_out(1e21)
    ('5', '0.00000025', '1000000000000000000000')
    """
    return f"{Decimal(repr(number)).normalize():f}"


def outward(number: float, *, down: bool, places: int = 2) -> str:
    """Return a bound with some decimals, rounded in the direction in which it stays true.

    >>> outward(2.581, down=True), outward(2.581, down=False), outward(0.24729, down=True, places=4)
    ('2.58', '2.59', '0.2472')
    >>> outward(0.29, down=True), outward(0.07, down=False)
    ('0.29', '0.07')
    """
    # In decimal: 0.29 * 100 is less than 29 in floats. The 15 digits that a float has for certain.
    exact = Decimal(f"{number:.15g}")
    return f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_FLOOR if down else ROUND_CEILING):f}"


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


def fixed(number: float | None, decimals: int = 2) -> str:
    """Return a coefficient with a fixed number of decimals; a value below 1 is never shown as 1.

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


def published(number: float, decimals: int, most: float) -> float:
    """Return a figure rounded for publication, or rounded down if it would exceed its maximum.

    >>> published(2.5849, 2, 2.585), published(2.807, 2, 2.8074)
    (2.58, 2.8)
    """
    rounded = round(number, decimals)
    return rounded if rounded <= most else round(rounded - 10.0**-decimals, decimals)


def file_size(size: int | None) -> str:
    """Return a number of bytes with its unit; nothing for None.

    >>> file_size(2_516_935), file_size(12), file_size(None)
    ('2.5 MB', '12 bytes', '')
    """
    if size is None:
        return ""
    for unit, bytes_ in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} bytes"


def bits(number: float | None) -> str:
    """Return bits with two decimals.

    >>> bits(10.303428)
    '10.30'
    """
    return NONE if number is None else f"{number:.2f}"


def stated_bits(number: float) -> str:
    """Return bits for a sentence: only nothing at all is shown as 0.00.

    >>> stated_bits(10.303428), stated_bits(0.002), stated_bits(0.0), stated_bits(1e-15)
    ('10.30', '<0.01', '0.00', '0.00')
    """
    return "<0.01" if _ROUNDING_BITS < number < _LEAST_BITS else bits(number)


def bits_of(number: float, most: float) -> str:
    """Return bits and their maximum, with enough decimals to distinguish them.

    >>> bits_of(22.98, 23.25), bits_of(15.6086, 15.6096), bits_of(0.002, 13.29)
    ('22.98 of the 23.25', '15.609 of the 15.610', '<0.01 of the 13.29')
    """
    decimals = 2
    while number < most and f"{number:.{decimals}f}" == f"{most:.{decimals}f}" and decimals < 9:
        decimals += 1
    given = stated_bits(number) if decimals == 2 else f"{number:.{decimals}f}"
    return f"{given} of the {most:.{decimals}f}"


def told_apart(value: float, limit: float, most: int = 12) -> str:
    """Return a value with two decimals, or as many as are needed to show on which side of a limit it is.

    >>> told_apart(4.9996, 5.0), told_apart(5.0, 5.0)
    ('4.9996', '5.00')
    """
    decimals = 2
    while value != limit and f"{value:.{decimals}f}" == f"{limit:.{decimals}f}" and decimals < most:
        decimals += 1
    return f"{value:,.{decimals}f}"


def share(part: float | None) -> str:
    """Return a share in percent; only exactly 0 and 1 are shown as 0% and 100%.

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


def bar_share(part: float) -> str:
    """Return a share as the label of a bar: one decimal, and only exactly 0 and 1 are shown as 0% and 100%.

    >>> bar_share(0.51429), bar_share(0.0002), bar_share(0.99999), bar_share(1.0)
    ('51.4%', '<0.1%', '>99.9%', '100%')
    """
    if part <= 0 or part >= 1:
        return share(part)
    if part < 0.001:
        return "<0.1%"
    return ">99.9%" if part > 0.999 else f"{part:.1%}"


def percent(part: float) -> str:
    """Return a share that the user gave, in percent with all its digits.

    >>> percent(0.8), percent(0.995)
    ('80%', '99.5%')
    """
    text = f"{Decimal(str(part)) * 100:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def whole_percent(part: float) -> str:
    """Return a share in whole percent, if only its size matters; only exactly 0 and 1 are shown as 0% and 100%.

    >>> whole_percent(0.128), whole_percent(0.0013), whole_percent(0.9987), whole_percent(1.0)
    ('13%', '<1%', '>99%', '100%')
    """
    if 0 < part < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= part < 1 else f"{part:.0%}"


def estimated_share(part: float) -> str:
    """Return a share that is estimated: two digits, and near 0% and 100% as many as are needed to differ from them.

    >>> estimated_share(0.6618), estimated_share(0.0342), estimated_share(0.99961), estimated_share(0.0)
    ('66%', '3.4%', '99.96%', '0%')
    """
    if part < 0.0001 or part >= 0.995:
        return share(part)
    return f"{part:.0%}" if part >= 0.0995 else f"{part:.1%}" if part >= 0.00995 else f"{part:.2%}"


def probability(chance: float | None) -> str:
    """Return a probability in percent or, if that would round to nothing, as a power of ten, rounded up.

    >>> probability(0.0234), probability(1.57e-20), probability(1e-300), probability(None)
    ('2.34%', '2e-20', '1e-300', '-')
    """
    if chance is None or chance >= 0.0001 or chance <= 0:
        return share(chance)
    mantissa, exponent = f"{chance:.6e}".split("e")
    digit = math.ceil(float(mantissa))
    return f"1e{int(exponent) + 1}" if digit == 10 else f"{digit}e{int(exponent)}"


def chance(value: float | None, log10: float | None = None) -> str:
    """Return a probability in percent, or as a power of ten below 0.01%.

    >>> chance(0.0084), chance(3.2e-7), chance(0.0, -1234.5), chance(0.0)
    ('0.84%', '3.2e-07', '10^-1234.5', '0%')
    """
    if value is None:
        return NONE
    if value < 1e-300 and log10 is not None and math.isfinite(log10):
        return f"10^{log10:.1f}"
    return f"{value:.2g}" if 0 < value < 1e-4 else share(value)


def signed(value: float | None, *, as_share: bool = False) -> str:
    """Return an error with its sign; only exactly 0 is shown as 0.

    >>> signed(0.0123, as_share=True), signed(-0.5), signed(0.0)
    ('+1.23%', '-0.50', '0')
    """
    if value is None:
        return NONE
    if value == 0:
        return "0"
    sign = "+" if value > 0 else "-"
    size = abs(value)
    if as_share:
        return sign + (f"{size:.1e}" if size < 1e-4 else f"{size:.2%}")
    return sign + (f"{size:.1e}" if size < 1e-3 else decimal(size))


def odds(value: float | None) -> str:
    """Return a probability in everyday words.

    >>> odds(0.25), odds(1.65e-8), odds(0.0), odds(1e-30)
    ('25.00%', '1 in 60.6 million', '0%', 'less than 1 in 100 billion')
    """
    if value is None:
        return NONE
    if 0 < value < 1e-4:
        return f"1 in {about(1 / value)}" if value > 1e-11 else "less than 1 in 100 billion"
    return share(value)


def off_by(relative: float) -> str:
    """Return the relative error of an approximation in words.

    >>> off_by(-0.0271), off_by(25.0), off_by(0.0001)
    ('2.7% too low', '26 times too high', 'off by less than 0.1%')
    """
    if abs(relative) < 0.0005:
        return "off by less than 0.1%"
    side = "high" if relative > 0 else "low"
    return f"{abs(relative):.1%} too {side}" if relative < 10 else f"{relative + 1:,.0f} times too high"


def about(people: float, rounded: Callable[[float], int] = math.floor) -> str:
    """Return a number of people with the digits that a person would say, by default rounded down.

    Round an upper bound up (``math.ceil``), and a number of people at risk to the nearest (``round``).

    >>> about(17_811_291), about(412_345), about(9_876.4), about(2.4), about(0.3)
    ('17.8 million', '412,000', '9,870', '2', 'fewer than 1')
    >>> about(412_345, math.ceil), about(29.2, math.ceil), about(95.7, round)
    ('413,000', '30', '96')
    """
    if people < 1:
        return "fewer than 1"
    if people >= 1e9:
        return f"{rounded(people / 1e7) / 100:,.2f} billion"
    if people >= 1e6:
        return f"{rounded(people / 1e5) / 10:,.1f} million"
    unit = 10 ** max(0, len(str(math.floor(people))) - 3)
    return f"{rounded(people / unit) * unit:,}"


def fold(times: float) -> str:
    """Return a factor with the digits that a person would say.

    >>> fold(1.26), fold(2.004), fold(9.94), fold(9.99), fold(87.9), fold(50_000.2)
    ('1.3', '2', '9.9', '10', '87', '50,000')
    """
    return about(times) if times >= 10 else f"{times:.1f}".removesuffix(".0")


def one_in(bits: float) -> str:
    """Return the share of people that some bits leave, in words.

    >>> one_in(1.0), one_in(11.3), one_in(0.2)
    ('1 in 2', '1 in 2,520', '9 in 10')
    """
    times = 2.0**bits
    if times < 1.05:
        return "nearly all"
    if times < 1.9:
        return f"{min(9, round(10 / times))} in 10"
    return f"1 in {fold(times)}"
