"""The same people in smaller and larger populations: how uniqueness and correctness change with the number of people.

Implements: SPEC page population.md, 8.2 (other population sizes).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from idbits.measures.population.estimate import PopulationEstimate
from idbits.measures.population.rarefaction import rarefied

__all__ = ["SizeFigures", "figures_by_size"]


@dataclass(frozen=True, slots=True)
class SizeFigures:
    """The figures among this many people.

    Attributes:
        pitman_correctness: Rocher's curve of correctness, from the Pitman model.
        exact: whether the figures need no model, because the sample has as many people.
    """

    people: int
    unique_share: float | None
    correctness: float | None
    entropy_bits: float | None
    pitman_correctness: float | None
    exact: bool


def figures_by_size(answer: PopulationEstimate, sizes: Iterable[int]) -> tuple[SizeFigures, ...]:
    """Return the figures among each number of people; None where no model describes the population."""
    pitman = answer.fits.pitman
    found = []
    for people in sizes:
        curve = None if pitman is None else pitman.correctness(people)
        if people <= answer.sample.n:
            exact = rarefied(answer.sample.spectrum, people)
            found.append(
                SizeFigures(people, exact.unique_share, exact.correctness, exact.entropy_bits, curve, exact=True)
            )
        elif answer.model is None or answer.figures["correctness"].value is None:
            found.append(SizeFigures(people, None, None, None, curve, exact=False))
        else:
            figures = answer.model.among(people).figures()
            found.append(
                SizeFigures(people, figures.unique_share, figures.correctness, figures.entropy_bits, curve, exact=False)
            )
    return tuple(found)
