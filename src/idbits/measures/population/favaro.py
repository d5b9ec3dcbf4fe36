"""A nonparametric estimate of the uniques (Camerlenghi, Favaro, Naulet and Panero 2021).

Implements: SPEC page population.md, 8.3 (favaro). For more than half of the population it is exactly unbiased. Below,
the alternating sum explodes and is smoothed; the constants of the smoothing are Orlitsky's and were not verified
against the paper.
"""

from __future__ import annotations

import math

from scipy.special import bdtrc

from idbits.counts import Spectrum

__all__ = ["favaro_uniques"]


def favaro_uniques(spectrum: Spectrum, fraction: float) -> float:
    """Sample uniques that are population uniques: sum (-g)^(k-1) k m_k P(L >= k-1), L binomial, or 1 for g <= 1.

    Not cut to 0 .. m_1: as it is unbiased, it can be negative.

    >>> favaro_uniques(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}), 0.5)
    28.0
    """
    g = (1 - fraction) / fraction
    pairs = spectrum.pairs()
    if g <= 1:
        return math.fsum((-g) ** (k - 1) * k * sets for k, sets in pairs)
    trials = math.floor(0.5 * math.log(spectrum.n_people * g * g / (g - 1), 3))
    likely = 2 / (2 + g)
    terms = []
    for k, sets in pairs:
        if k - 1 > trials:
            break
        weight = 1.0 if k == 1 else float(bdtrc(k - 2, max(0, trials), likely))
        terms.append((-g) ** (k - 1) * k * sets * weight)
    return math.fsum(terms)
