"""Chances and errors as text: small ones keep their size, also below what a float can hold."""

from __future__ import annotations

import math

from idbits.render.numbers import NONE, decimal, share

__all__ = ["chance", "signed"]


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
