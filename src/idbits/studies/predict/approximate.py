"""Approximations with their errors and the conditions under which they are trusted.

Implements: SPEC section 5: every approximation says where it stops being trusted (strong outliers, large widths).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from idbits.results.prediction import Approximation, Quantity
from idbits.studies.predict.known import Known

__all__ = ["ALIKE", "FEW", "Approximator", "chance_of"]

ALIKE = "values about equally likely: each 1/3 to 3 times as likely as 1/N (kappa up to 0.1 nats)"
FEW = "few people on the likeliest value: k p at most 1/2"


@dataclass(frozen=True, slots=True)
class Approximator:
    """Makes approximations of one situation; knows which of their conditions hold in it."""

    known: Known
    k: int

    @property
    def alike(self) -> bool:
        """Whether the values are about equally likely."""
        distribution = self.known.distribution
        if distribution is None:
            return self.known.kappa_nats <= 0.1
        return distribution.largest_alpha <= 3 and distribution.smallest_alpha >= 1 / 3

    @property
    def few(self) -> bool:
        """Whether few people are on the likeliest value."""
        distribution = self.known.distribution
        likeliest = 1 / self.known.n_values if distribution is None else float(distribution.probabilities[-1])
        return self.k * likeliest <= 0.5

    def make(
        self,
        name: str,
        value: float,
        exact: float | None,
        *,
        trusted: bool,
        limit: str,
        least: float = 0.0,
        most: float = math.inf,
    ) -> Approximation:
        """Return an approximation; one outside of what is possible is not trusted."""
        error = value - exact if exact is not None else None
        return Approximation(name, value, error, trusted and least <= value <= most, limit)


def chance_of(log_chance: float, approximations: tuple[Approximation, ...]) -> Quantity:
    """Return a chance from its natural logarithm."""
    return Quantity.known(math.exp(log_chance), approximations, log_chance / math.log(10))
