"""Chances and errors as text: small ones keep their size, also below what a float can hold."""

from __future__ import annotations

import math

from idbits.render.numbers import NONE, decimal, share
from idbits.render.people import about

__all__ = ["chance", "odds", "off_by", "signed"]


def chance(value: float | None, log10: float | None = None) -> str:
    """Return a chance: in percent, or as a power of ten below 0.01%.

    >>> chance(0.0084), chance(3.2e-7), chance(0.0, -1234.5), chance(0.0)
    ('0.84%', '3.2e-07', '10^-1234.5', '0%')
    """
    if value is None:
        return NONE
    if value < 1e-300 and log10 is not None and math.isfinite(log10):
        return f"10^{log10:.1f}"
    return f"{value:.2g}" if 0 < value < 1e-4 else share(value)


def signed(value: float | None, *, as_share: bool = False) -> str:
    """Return an error with its sign; nothing that is not 0 looks like it.

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
    """Return a chance as one says it.

    >>> odds(0.25), odds(1.65e-8), odds(0.0), odds(1e-30)
    ('25.00%', '1 in 60.6 million', '0%', 'less than 1 in 100 billion')
    """
    if value is None:
        return NONE
    if 0 < value < 1e-4:
        return f"1 in {about(1 / value)}" if value > 1e-11 else "less than 1 in 100 billion"
    return share(value)


def off_by(relative: float) -> str:
    """Return how far an approximation is off, as a part of the exact value, in words.

    >>> off_by(-0.0271), off_by(25.0), off_by(0.0001)
    ('2.7% too low', '26 times too high', 'off by less than 0.1%')
    """
    if abs(relative) < 0.0005:
        return "off by less than 0.1%"
    side = "high" if relative > 0 else "low"
    return f"{abs(relative):.1%} too {side}" if relative < 10 else f"{relative + 1:,.0f} times too high"
