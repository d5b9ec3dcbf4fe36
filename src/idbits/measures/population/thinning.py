"""Thinning: a sample of the sample, in which the truth about the whole sample is known.

Implements: SPEC page population.md, 8.5 (self-validation). Each person stays with the same probability, independently.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from idbits.counts import Floats, Spectrum
from idbits.measures.population.sets import SampleSets

__all__ = ["thinned_sets", "thinned_spectrum", "thinning_fraction"]

_LEAST_PEOPLE = 400
_BLOCK = 1 << 16


def thinning_fraction(fraction: float, n: int) -> float:
    """The share of the sample to keep: r = max(f, min(1/2, 400/n)), so that enough people are left.

    >>> thinning_fraction(0.1, 30_162), thinning_fraction(0.01, 2_000), thinning_fraction(0.01, 500)
    (0.1, 0.2, 0.5)
    """
    return max(fraction, min(0.5, _LEAST_PEOPLE / n))


def thinned_sets(sets: SampleSets, share: float, rng: np.random.Generator) -> tuple[SampleSets, int]:
    """Return the sets that are left, and how many uniques of the thinned sample are unique in the whole sample."""
    people = np.empty(sets.n_sets, sets.people.dtype)
    for start in range(0, sets.n_sets, _BLOCK):
        part = slice(start, start + _BLOCK)
        people[part] = rng.binomial(sets.people[part], share)
    lasting = int(np.count_nonzero(people[sets.people == 1]))
    return sets.with_people(people), lasting


def thinned_spectrum(spectrum: Spectrum, share: float, rng: np.random.Generator) -> tuple[Spectrum, int]:
    """Return the spectrum that is left, and how many of its uniques are unique in the whole spectrum.

    >>> thinned_spectrum(Spectrum.of({1: 5, 3: 2}), 1.0, np.random.default_rng(0))[0].pairs()
    [(1, 5), (3, 2)]
    """
    left: Counter[int] = Counter()
    lasting = 0
    for size, sets in spectrum.pairs():
        # Few sets are drawn one by one, many of a small size by how many of them keep how many people.
        if sets > size:
            chances = _binomial(size, share)
            kept = dict(enumerate(rng.multinomial(sets, chances).tolist()))
        else:
            kept = dict(Counter(rng.binomial(size, share, sets).tolist()))
        left.update(kept)
        lasting += kept.get(1, 0) if size == 1 else 0
    return Spectrum.of({size: sets for size, sets in left.items() if size and sets}), lasting


def _binomial(size: int, share: float) -> Floats:
    # Takes 25 MB, which a sample with many sets needs for those.
    from scipy.stats import binom

    chances: Floats = binom.pmf(np.arange(size + 1), size, share)
    made: Floats = chances / chances.sum()
    return made
