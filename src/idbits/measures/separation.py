"""How well columns distinguish people, as a share: distinction and separation.

Implements: SPEC section 2; the definitions of Motwani and Xu (2007, "Efficient algorithms for masking and finding
quasi-identifiers"), as ARX reports them. Both are shares of whole numbers, so they are exact to the last bit.
"""

from __future__ import annotations

from idbits.counts import Spectrum

__all__ = ["distinction", "separation"]


def distinction(spectrum: Spectrum) -> float:
    """Distinct rows over rows: n_sets / N. Bounds: 1/N (all people are equal) to 1 (everyone is unique).

    >>> distinction(Spectrum.of({1: 2, 2: 1}))
    0.75
    """
    return spectrum.n_sets / spectrum.n_people


def separation(spectrum: Spectrum) -> float | None:
    """Pairs of people that the columns distinguish, over all pairs. Bounds: 0 to 1. None for one person.

    >>> separation(Spectrum.of({1: 2, 2: 1}))
    0.8333333333333334
    """
    n = spectrum.n_people
    if n < 2:
        return None
    # Python integers: pairs of a large table do not fit in 64 bits.
    together = sum(sets * (k * (k - 1)) for k, sets in spectrum.pairs())
    return (n * (n - 1) - together) / (n * (n - 1))
