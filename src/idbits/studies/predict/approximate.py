"""Approximations with their errors, and the rule that says which of them are trusted.

Implements: SPEC section 5: every approximation says where it stops being trusted (strong outliers, large widths).

Trusted means a promise: the error is within the tolerance. Where the exact value is known, the promise is checked
against it. Where only kappa is known, it is checked against the exact values of distributions that share this kappa,
from one outlier to many slightly likelier values, with room to spare for those that are not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from idbits.measures.distribution import Distribution
from idbits.measures.two_levels import two_level_distributions
from idbits.studies.predict.known import Known
from idbits.studies.predict.result import Approximation, Quantity

__all__ = ["ALIKE", "CHANCE", "FEW", "FIGURE", "GROUP", "Approximator", "Tolerance", "chance_of"]

ALIKE = "values about equally likely: each 1/3 to 3 times as likely as 1/N (kappa up to 0.1 nats)"
FEW = "few people on the likeliest value: k p at most 1/2"

# What three or more levels can add to two was 8% of the deviation at most in a random search: see the tests.
_ROOM = 0.75


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The largest error of a trusted approximation: a share of the exact value or an amount, whichever is more."""

    relative: float
    absolute: float
    text: str

    def holds(self, value: float, exact: float, part: float = 1.0) -> bool:
        """Whether a value is within this part of the tolerance."""
        # The smallest part of the value is for rounding: 10% of 0 is 0.
        room = max(self.relative * abs(exact), self.absolute) * part
        return abs(value - exact) <= room + 1e-12 * abs(exact)


FIGURE = Tolerance(0.1, 0.0, "then within 10% of the exact value")
CHANCE = Tolerance(0.0, 0.01, "then within one percentage point of the exact chance")
GROUP = Tolerance(0.1, 1.0, "then within 10% of the exact size, or one person")


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

    @property
    def possible(self) -> Sequence[Distribution]:
        """Distributions that the people may draw from, as far as is known."""
        return two_level_distributions(self.known.n_values, self.known.kappa_nats)

    def make(
        self,
        name: str,
        value: float,
        exact: float | None,
        *,
        figure: Callable[[Distribution], float | None],
        tolerance: Tolerance,
        fits: bool,
        limit: str,
        least: float = 0.0,
        most: float = math.inf,
    ) -> Approximation:
        """Return an approximation of ``figure``; ``fits`` says whether the conditions of its formula hold."""
        trusted = fits and least <= value <= most
        if trusted and exact is not None:
            trusted = tolerance.holds(value, exact)
        elif trusted:
            others = map(figure, self.possible)
            trusted = all(other is not None and tolerance.holds(value, other, _ROOM) for other in others)
        error = value - exact if exact is not None else None
        return Approximation(name, value, error, trusted, f"{limit}; {tolerance.text}")


def chance_of(log_chance: float, approximations: tuple[Approximation, ...]) -> Quantity:
    """Return a chance from its natural logarithm."""
    return Quantity.known(math.exp(log_chance), approximations, log_chance / math.log(10))
