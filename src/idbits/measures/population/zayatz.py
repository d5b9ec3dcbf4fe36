"""Zayatz' estimate: the sample's groups stand for the groups of the population.

Implements: SPEC page population.md, 8.3 (zayatz). Zayatz 1991.
"""

from __future__ import annotations

import math

import numpy as np

from idbits.counts import Floats, Spectrum
from idbits.measures.population.gamma_ratios import log_rising

__all__ = ["zayatz_pi"]


def zayatz_pi(spectrum: Spectrum, people: float) -> float | None:
    """Share of sample uniques that are population uniques: m_1 h_1 / sum m_k h_k; None without sample uniques.

    h_k is the probability that of k people among N exactly one is in a sample of n.

    >>> round(zayatz_pi(Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}), 1400), 6)
    0.471779
    """
    if spectrum.sizes[0] != 1:
        return None
    sizes = spectrum.sizes.astype(np.float64)
    log_h = _log_one_of(sizes, people, spectrum.n_people)
    weights = spectrum.sets * np.exp(log_h - log_h.max())
    return float(weights[0] / math.fsum(weights))


def _log_one_of(sizes: Floats, people: float, n: int) -> Floats:
    """Return ln of k C(N-k, n-1) / C(N-1, n-1); minus infinity if more than one of k must be in the sample.

    The ratio is (N-n) (N-n-1) .. / ((N-1) (N-2) ..), with k - 1 factors each.
    """
    logs = np.full(len(sizes), -np.inf)
    for index, k in enumerate(sizes.tolist()):
        if k - 1 <= people - n:
            logs[index] = math.log(k) + log_rising(people - n - k + 2, k - 1) - log_rising(people - k + 1, k - 1)
    return logs
