"""Self-validation: the method tried on the sample itself, where the answer is known.

Implements: SPEC page population.md, 8.5 and 8.8b. An alarm, not a judge: it widens the interval and is shown, but it
does not choose between methods, and it misses several kinds of failure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from idbits.counts import Floats, Spectrum
from idbits.measures.population.local_gamma import fit_local_gamma
from idbits.measures.population.match_regression import fit_match_regression
from idbits.measures.population.pitman import fit_pitman
from idbits.measures.population.sets import SampleSets
from idbits.measures.population.thinning import thinned_sets, thinned_spectrum, thinning_fraction

__all__ = ["SelfValidation", "ValidationReplicate", "logit", "validate_sets", "validate_spectrum"]

_REPLICATES = 20
_FEWEST_REPLICATES = 5
_MANY_PEOPLE = 2_000_000
_LEAST_UNIQUES = 3
_LEAST_SHARE = 0.002


@dataclass(frozen=True, slots=True)
class ValidationReplicate:
    """One thinned sample.

    Attributes:
        n: its people.
        sample_uniques: its uniques.
        truth: the share of these that are unique in the whole sample.
        estimate: what the method says this share is.
        other: what local gamma and Pitman say; None if they are not identified.
    """

    n: int
    sample_uniques: int
    truth: float
    estimate: float
    other: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class SelfValidation:
    """The thinned samples.

    Attributes:
        fraction: the share of the sample that was kept.
    """

    fraction: float
    replicates: tuple[ValidationReplicate, ...]

    @property
    def truth(self) -> float:
        """The mean share of uniques that are unique in the whole sample."""
        return math.fsum(replicate.truth for replicate in self.replicates) / len(self.replicates)

    @property
    def estimate(self) -> float:
        """The mean estimate of this share."""
        return math.fsum(replicate.estimate for replicate in self.replicates) / len(self.replicates)

    @property
    def error_logit(self) -> float:
        """The distance of estimate and truth in logits, both cut to .002 to .998."""
        return abs(logit(self.estimate) - logit(self.truth))


def logit(share: float, least: float = _LEAST_SHARE) -> float:
    """ln(p/(1-p)) of a share cut to ``least`` to 1 - ``least``.

    >>> logit(0.5), round(logit(0.0), 4)
    (0.0, -6.2126)
    """
    cut = min(1 - least, max(least, share))
    return math.log(cut / (1 - cut))


def validate_sets(sets: SampleSets, fraction: float, warm: Floats, seed: int) -> SelfValidation | None:
    """Thin the sample, refit everything and compare; None if the thinned samples have too few uniques."""

    def thinned(share: float, rng: np.random.Generator) -> tuple[Spectrum, int, Callable[[], float | None]]:
        left, lasting = thinned_sets(sets, share, rng)
        return left.spectrum, lasting, lambda: fit_match_regression(left, share, warm).model().pi

    return _validated(sets.n_people, fraction, seed, thinned)


def validate_spectrum(spectrum: Spectrum, fraction: float, seed: int) -> SelfValidation | None:
    """Thin the spectrum, refit local gamma and compare; None if the thinned samples have too few uniques."""

    def thinned(share: float, rng: np.random.Generator) -> tuple[Spectrum, int, Callable[[], float | None]]:
        left, lasting = thinned_spectrum(spectrum, share, rng)
        return left, lasting, lambda: _local_gamma(left, share)

    return _validated(spectrum.n_people, fraction, seed, thinned)


Thinned = Callable[[float, np.random.Generator], tuple[Spectrum, int, Callable[[], float | None]]]
"""Thins the sample: the spectrum that is left, its uniques that are unique in the sample, and the estimate of those."""


def _validated(n: int, fraction: float, seed: int, thinned: Thinned) -> SelfValidation | None:
    share = thinning_fraction(fraction, n)
    replicates = tuple(_replicates(n, share, seed, thinned))
    return SelfValidation(share, replicates) if replicates else None


def _replicates(n: int, share: float, seed: int, thinned: Thinned) -> Iterator[ValidationReplicate]:
    rng = np.random.default_rng([seed, 1])
    # Large samples vary so little that a few of them show the error.
    number = int(min(_REPLICATES, max(_FEWEST_REPLICATES, _MANY_PEOPLE // (share * n))))
    for _ in range(number):
        spectrum, lasting, estimate = thinned(share, rng)
        uniques = int(spectrum.sets[spectrum.sizes == 1].sum())
        found = estimate() if uniques >= _LEAST_UNIQUES else None
        if found is None:
            continue
        pitman = fit_pitman(spectrum)
        other = {
            "local_gamma": _local_gamma(spectrum, share),
            "pitman": None if pitman is None else pitman.pi(spectrum.n_people / share),
        }
        yield ValidationReplicate(spectrum.n_people, uniques, lasting / uniques, found, other)


def _local_gamma(spectrum: Spectrum, share: float) -> float | None:
    model = fit_local_gamma(spectrum)
    return None if model is None else model.pi(share)
