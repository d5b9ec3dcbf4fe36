"""How many people will be unique with their answers, before anybody has answered.

Implements: SPEC sections 5 and 6; S2 prop. 5.1 for the answers to several questions.

A person with certain answers is unique among N people if none of the N - 1 others fits: a chance of (1 - s)^(N-1),
where s is the chance that one other person fits. For one question, s is the share of the person's answer; for
independent questions, it is the product of their shares. Few questions have few combinations of shares, and we add
them all up. With many, we add up the logarithms of shares on a fine grid instead, by convolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idbits.measures.distribution import Distribution
from idbits.measures.singletons import chance_of_no_match

__all__ = ["AnswerGroups", "combined", "expected_unique"]

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_MOST_COMBINATIONS = 2**14
_MOST_CELLS = 2**17
_FINEST_NATS = 2.0**-11


@dataclass(frozen=True, slots=True, eq=False)
class AnswerGroups:
    """People by the chance that another person fits their answers.

    Attributes:
        people: the share of people in each group; the shares add up to 1.
        matches: the chance that another person fits the answers of one in this group.
    """

    people: Floats
    matches: Floats

    @classmethod
    def of(cls, distribution: Distribution) -> AnswerGroups:
        """Return the groups of one question: another person fits by giving the same answer."""
        p = distribution.probabilities
        return cls(distribution.multiplicities * p, p)

    def with_refusals(self, refused: float) -> AnswerGroups:
        """Return the groups when a share of people refuses to answer, which counts as a separate answer."""
        kept = 1 - refused
        return AnswerGroups(
            np.concatenate(([refused], kept * self.people)), np.concatenate(([refused], kept * self.matches))
        )

    def with_skips(self, skipped: float) -> AnswerGroups:
        """Return the groups when a share of people is not asked: everybody fits them."""
        return AnswerGroups(
            np.concatenate(([skipped], (1 - skipped) * self.people)), np.concatenate(([1.0], self.matches))
        )

    def unique_people(self, population: int) -> float:
        """Return the expected number of unique people, N sum w (1 - s)^(N-1). Bounds: 0 to N.

        >>> round(AnswerGroups.of(Distribution.uniform(365)).unique_people(365), 1)
        134.5
        """
        share = float(np.dot(self.people, chance_of_no_match(self.matches, population - 1)))
        return population * min(max(share, 0.0), 1.0)


@lru_cache(maxsize=512)
def expected_unique(parts: tuple[AnswerGroups, ...], population: int) -> float:
    """Return the expected number of unique people for independent questions; changes to a survey repeat many."""
    return combined(parts).unique_people(population)


def combined(parts: Sequence[AnswerGroups]) -> AnswerGroups:
    """Return the groups of independent questions together.

    Exact for one question, and up to 16,384 combinations of different shares. Beyond, logarithms of shares are split
    between the two nearest points of a grid, so that their mean stays the same. The error of (1 - s)^(N-1) is then of
    second order: at most about a share d^2 / 8 (N s)^2 of it per question, with d the width of the grid (1/2048 for
    most questions).

    >>> two = AnswerGroups.of(Distribution.of([0.5, 0.5]))
    >>> combined([two, two]).matches.tolist()
    [0.25]
    """
    if len(parts) > 1 and math.prod(len(part.people) for part in parts) > _MOST_COMBINATIONS:
        return _on_grid(parts)
    people = matches = np.ones(1)
    for part in parts:
        people = np.multiply.outer(people, part.people).ravel()
        matches = np.multiply.outer(matches, part.matches).ravel()
    return AnswerGroups(people, matches)


def _on_grid(parts: Sequence[AnswerGroups]) -> AnswerGroups:
    """Return the groups of independent questions together, with the logarithms of their shares on a grid."""
    whole = math.fsum(-math.log(float(part.matches.min())) for part in parts)
    width = _FINEST_NATS
    while whole > width * _MOST_CELLS:
        # Few different widths: the transforms of questions can be used again.
        width *= 2
    # One more cell per question, for what is split upwards.
    cells = math.ceil(whole / width) + len(parts) + 1
    length = 1 << (cells - 1).bit_length()
    product = np.ones(length // 2 + 1, dtype=np.complex128)
    for part in parts:
        product = product * _transformed(part, width, length)
    return AnswerGroups(np.fft.irfft(product, length)[:cells], np.exp(-width * np.arange(cells)))


@lru_cache(maxsize=48)
def _transformed(part: AnswerGroups, width: float, length: int) -> Complexes:
    """Return the Fourier transform of the people on the grid; every change to a questionnaire needs most of them."""
    position = -np.log(part.matches) / width
    below = np.floor(position).astype(np.int64)
    above = position - below
    masses = np.bincount(below, part.people * (1 - above), length) + np.bincount(below + 1, part.people * above, length)
    return np.fft.rfft(masses)
