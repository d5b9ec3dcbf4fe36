"""Entropy estimators that start from a sample, for comparison: they do not aim at the population's table.

Implements: SPEC page population.md, section 8 (sample entropy). Miller 1955; Grassberger 2003; Chao and Shen 2003. They
estimate the entropy of the distribution that people are drawn from, not that of the table of N people, and are biased
for the latter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from idbits.counts import Spectrum
from idbits.measures.entropy import entropy_bits, max_entropy_bits

__all__ = ["SampleEntropy", "sample_entropy"]


@dataclass(frozen=True, slots=True)
class SampleEntropy:
    """The entropy of the sample, three corrections of it, and the largest entropy that a sample can show."""

    entropy_bits: float
    miller_madow: float
    grassberger: float
    chao_shen: float | None
    max_entropy_bits: float


def sample_entropy(spectrum: Spectrum) -> SampleEntropy:
    """Return the estimates; Chao-Shen is None if everyone is unique, because the coverage is then 0.

    >>> estimates = sample_entropy(Spectrum.of({1: 2, 2: 1}))
    >>> estimates.entropy_bits, round(estimates.miller_madow, 6)
    (1.5, 1.860674)
    """
    n = spectrum.n_people
    plug_in = entropy_bits(spectrum)
    miller = plug_in + (spectrum.n_sets - 1) / (2 * n * math.log(2))
    return SampleEntropy(plug_in, miller, _grassberger(spectrum), _chao_shen(spectrum), max_entropy_bits(spectrum))


def _grassberger(spectrum: Spectrum) -> float:
    """ln n - 1/n sum c G(c), G(c) = psi(c) + (-1)^c/2 (psi((c+1)/2) - psi(c/2)), in bits."""
    c = spectrum.sizes.astype(np.float64)
    sign = np.where(spectrum.sizes % 2 == 0, 1.0, -1.0)
    g = digamma(c) + sign / 2 * (digamma((c + 1) / 2) - digamma(c / 2))
    n = spectrum.n_people
    return (math.log(n) - math.fsum(spectrum.people * g) / n) / math.log(2)


def _chao_shen(spectrum: Spectrum) -> float | None:
    """- sum p log2 p/(1 - (1-p)^n) over sets, with p = (1 - m_1/n) c/n."""
    n = spectrum.n_people
    uniques = int(spectrum.sets[spectrum.sizes == 1].sum())
    if uniques == n:
        return None
    p = (1 - uniques / n) * spectrum.sizes / n
    seen = -np.expm1(n * np.log1p(-np.minimum(p, 1 - 1e-16)))
    return math.fsum(-spectrum.sets * p * np.log2(p) / seen)
