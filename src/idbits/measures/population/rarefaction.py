"""Smaller samples, exactly: what would be seen if only n' of the n people had been drawn.

Implements: SPEC page population.md, 8.2 (other population sizes, n' < n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from idbits.counts import Floats, Spectrum

__all__ = ["RarefiedFigures", "rarefied"]

_WIDTHS = 12.0


@dataclass(frozen=True, slots=True)
class RarefiedFigures:
    """Expected figures of a smaller sample."""

    unique_share: float
    correctness: float
    entropy_bits: float


def rarefied(spectrum: Spectrum, people: int) -> RarefiedFigures:
    """Return the expected figures of ``people`` drawn without replacement; at most as many as there are.

    sets = sum m_k (1 - C(n-k, n')/C(n, n')), uniques = sum m_k k C(n-k, n'-1)/C(n, n').

    >>> rarefied(Spectrum.of({1: 2, 2: 1}), 4)
    RarefiedFigures(unique_share=0.5, correctness=0.75, entropy_bits=1.5)
    """
    n = spectrum.n_people
    uniques, sets, bits = [], [], []
    for size, number in spectrum.pairs():
        drawn, chances = _drawn(size, n, people)
        uniques.append(number * float(chances[drawn == 1].sum()))
        sets.append(number * float(chances[drawn > 0].sum()))
        some = drawn > 0
        bits.append(number * float((chances[some] * drawn[some]) @ (math.log2(people) - np.log2(drawn[some]))) / people)
    return RarefiedFigures(math.fsum(uniques) / people, math.fsum(sets) / people, math.fsum(bits))


def _drawn(size: int, n: int, people: int) -> tuple[Floats, Floats]:
    """Return how many of a set of ``size`` can be drawn, and the probability of each number (hypergeometric)."""
    least, most = max(0, people - (n - size)), min(size, people)
    mean = size * people / n
    spread = _WIDTHS * (math.sqrt(mean) + 2)
    first, last = max(least, math.floor(mean - spread)), min(most, math.ceil(mean + spread))
    j = np.arange(first, last + 1, dtype=np.float64)
    if first == last == least == most:
        return j, np.ones(1)
    logs = _log_choose(float(size), j) + _log_choose(float(n - size), people - j) - _log_choose(float(n), float(people))
    chances = np.exp(logs - logs.max())
    return j, chances / chances.sum()


def _log_choose(n: float, k: Floats | float) -> Floats:
    made: Floats = gammaln(n + 1) - gammaln(np.asarray(k) + 1) - gammaln(n - np.asarray(k) + 1)
    return made
