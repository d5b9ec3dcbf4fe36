"""Who is in the table at all: delta-presence against the population that the release is part of.

Implements: SPEC page disclosure.md, sections 3 and 8; Nergiz, Atzori and Clifton, "Hiding the presence of individuals
from shared databases", 2007.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers
from idbits.measures.disclosure.column import PeopleCount

__all__ = ["Presence", "presence"]


@dataclass(frozen=True, slots=True)
class Presence:
    """What belonging to a group says about being in the release; people are those of the population.

    Attributes:
        delta_min, delta_max: the smallest and the largest share of a group that is in the release.
        certain_in, certain_out: people in groups that are in the release as a whole, or not at all.
        nearly_in: people in groups of which more than the certainty are in the release.
        mean_bits, max_bits: what the group says about presence, over people.
    """

    delta_min: float
    delta_max: float
    certain_in: PeopleCount
    certain_out: PeopleCount
    nearly_in: PeopleCount
    mean_bits: float
    max_bits: float


def presence(released: Integers, population: Integers, groups: Integers, certainty: float) -> Presence:
    """Return delta-presence from the people of groups in the release and in the population.

    Args:
        released, population: different pairs of a group's people, those of the population at least 1.
        groups: the number of groups of each pair.
        certainty: the share above which people count as nearly certain.

    >>> found = presence(np.array([0, 2]), np.array([2, 2]), np.array([1, 1]), 0.9)
    >>> found.delta_min, found.delta_max, found.mean_bits
    (0.0, 1.0, 1.0)
    """
    deltas = released / population
    people = population * groups
    in_release, everyone = int((released * groups).sum()), int(people.sum())
    bits = [_divergence(delta, in_release / everyone) for delta in deltas.tolist()]
    return Presence(
        delta_min=float(deltas.min()),
        delta_max=float(deltas.max()),
        certain_in=_counted(released == population, population, people),
        certain_out=_counted(released == 0, population, people),
        nearly_in=_counted(deltas > certainty, population, people),
        mean_bits=math.fsum(number * each for number, each in zip(people.tolist(), bits, strict=True)) / everyone,
        max_bits=max(bits),
    )


def _counted(kept: np.ndarray[tuple[int], np.dtype[np.bool_]], sizes: Integers, people: Integers) -> PeopleCount:
    total = int(people[kept].sum())
    alone = int(people[kept & (sizes == 1)].sum())
    return PeopleCount(total, alone, total - alone)


def _divergence(p: float, q: float) -> float:
    """KL divergence of two coins in bits; the population always has everyone whom the release has."""
    terms = ((p, q), (1 - p, 1 - q))
    return max(0.0, math.fsum(a * math.log2(a / b) for a, b in terms if a))
