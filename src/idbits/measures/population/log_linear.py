"""The log-linear model of main effects: columns that have nothing to do with each other.

Implements: SPEC page population.md, 8.3 (loglinear). Skinner and Shlomo 2008, with their formula for the population
rate: exp(-lambda (1-f)/f). (sdcMicro's modRisk has exp(-(1-f) lambda).)
"""

from __future__ import annotations

import math

import numpy as np

from idbits.kernels.distinct import people_by_code
from idbits.measures.population.sets import SampleSets

__all__ = ["log_linear_pi"]

_BLOCK = 1 << 16


def log_linear_pi(sets: SampleSets, fraction: float) -> float | None:
    """Mean over sample uniques of exp(-lambda g), lambda = n prod n_j/n; None without sample uniques."""
    of_codes = [
        people_by_code(codes, size, sets.people) / sets.n_people
        for codes, size in zip(sets.codes, sets.sizes, strict=True)
    ]
    uniques, chances = 0, []
    for start in range(0, sets.n_sets, _BLOCK):
        alone = start + np.flatnonzero(sets.people[start : start + _BLOCK] == 1)
        log_rate = np.full(len(alone), np.log(sets.n_people))
        for codes, shares in zip(sets.codes, of_codes, strict=True):
            log_rate += np.log(shares[codes[alone]])
        uniques += len(alone)
        chances.append(float(np.exp(-np.exp(log_rate) * (1 - fraction) / fraction).sum()))
    return math.fsum(chances) / uniques if uniques else None
