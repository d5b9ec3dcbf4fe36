"""Predicted figures: the exact value, the results of simpler formulas, and which of these can be trusted.

Implements: SPEC section 5: every approximation states when it cannot be trusted (strong outliers, large widths).

"Trusted" promises that the error is within the tolerance. If the exact value is known, we check the promise against
it. If only kappa is known, we check it against the exact values of distributions with this kappa, from one outlier
to many slightly likelier values, and allow a margin for the distributions that we do not try.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypedDict

import numpy as np

from idbits.measures.birthday import (
    is_uniqueness_negligible,
    log_uniqueness,
    uniqueness_from_collisions,
    uniqueness_from_kappa,
    uniqueness_from_uniform_and_kappa,
)
from idbits.measures.distribution import Distribution, two_level_distributions
from idbits.measures.logarithms import complement_of_log10, log10_from_nats
from idbits.measures.simulation import n_draws, simulated_singletons
from idbits.measures.singleton_distribution import (
    SingletonDistribution,
    log_no_singleton,
    log_no_singleton_from_kappa,
    log_no_singleton_poisson,
    singleton_distribution,
)
from idbits.measures.singletons import (
    best_group_size,
    gain_from_kappa,
    mean_sets,
    mean_sets_from_kappa,
    mean_singletons,
    nearly_best_group_size,
    variance_from_alphas,
    variance_from_kappa,
    variance_singletons,
)
from idbits.studies.predict.known import PriorKnowledge
from idbits.studies.predict.result import Approximation, ColumnDrop, Quantity, SetSize

__all__ = [
    "FIGURE", "Tolerance", "best_size", "chance_of_nobody", "chance_of_somebody", "chance_of_uniqueness",
    "distribution_of_singletons", "mean_of_singletons", "means_without_columns", "sets_of_size", "uniqueness_formulas",
    "variance_of_singletons",
]  # fmt: skip

_KAPPA_ALONE = "kappa alone does not say how likely each value is"
_NEVER = "at any size, a group costs more than its unique people are worth"
_ALIKE = "values about equally likely: probabilities between 1/3 and 3 times 1/N (kappa up to 0.1 nats)"
_FEW = "few people with the likeliest value: k p at most 1/2"
_MANY_PEOPLE = 30
_MANY = f"at least {_MANY_PEOPLE} people"
_UNLIKELY = "no likely value (p at most 0.1)"
_POISSON = "at least one person expected for every value that occurs"
_COLLISIONS = "exp(-k^2/2 sum p^2)"
_FROM_KAPPA = "from kappa"
_NEGLIGIBLE = 0.001
_MOST_COMPARED = 1_000_000
# The chance that nobody is unique takes sqrt(k) steps for each distribution compared.
_MOST_COMPARED_STEPWISE = 10_000
# In a random search, three or more levels added at most 8% to the deviation of two levels: see the tests.
_ROOM = 0.75


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The largest error of a trusted approximation: a share of the exact value or an amount, whichever is larger."""

    relative: float
    absolute: float
    text: str

    def holds(self, value: float, exact: float, part: float = 1.0) -> bool:
        """Return whether a value is within this part of the tolerance."""
        # The tiny last term allows for rounding.
        room = max(self.relative * abs(exact), self.absolute) * part
        return abs(value - exact) <= room + 1e-12 * abs(exact)


FIGURE = Tolerance(0.1, 0.0, "then within 10% of the exact value")
_CHANCE = Tolerance(0.0, 0.01, "then within one percentage point of the exact chance")
_GROUP = Tolerance(0.1, 1.0, "then within 10% of the exact size, or one person")


@dataclass(frozen=True, slots=True)
class _Approximator:
    """Makes approximations for one situation and knows which of their conditions are met."""

    known: PriorKnowledge
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
        """Whether few people have the likeliest value."""
        distribution = self.known.distribution
        likeliest = 1 / self.known.n_values if distribution is None else float(distribution.probabilities[-1])
        return self.k * likeliest <= 0.5

    @property
    def possible(self) -> Sequence[Distribution]:
        """Distributions that agree with what is known."""
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
        """Return an approximation of ``figure``; ``fits``: whether the conditions of its formula are met."""
        trusted = fits and least <= value <= most
        if trusted and exact is not None:
            trusted = tolerance.holds(value, exact)
        elif trusted:
            others = map(figure, self.possible)
            trusted = all(other is not None and tolerance.holds(value, other, _ROOM) for other in others)
        error = value - exact if exact is not None else None
        return Approximation(name, value, error, trusted, f"{limit}; {tolerance.text}")


def _figure_of(exact: float | None, approximations: Sequence[Approximation]) -> Quantity:
    """Return a figure; it has no exact value if only kappa is known."""
    if exact is None:
        return Quantity(None, None, None, tuple(approximations), reason=_KAPPA_ALONE)
    return Quantity.known(exact, tuple(approximations))


def _chance_of(log_chance: float | None, approximations: Sequence[Approximation]) -> Quantity:
    """Return a chance from its natural logarithm, which is None if only kappa is known."""
    if log_chance is None:
        return _figure_of(None, approximations)
    return Quantity.known(math.exp(log_chance), tuple(approximations), log10_from_nats(log_chance))


def chance_of_uniqueness(facts: PriorKnowledge, k: int) -> Quantity:
    """Return the chance that all of k people are unique."""
    distribution, maker = facts.distribution, _Approximator(facts, k)
    log_chance = log_uniqueness(distribution, k) if distribution is not None else None
    exact = math.exp(log_chance) if log_chance is not None else None
    figure = _comparable(facts.n_values, k)
    approximations = []
    for name, value in uniqueness_formulas(facts, k).items():
        only_few = name == _COLLISIONS
        fits = maker.few and (only_few or maker.alike)
        limit = _FEW if only_few else f"{_ALIKE}; {_FEW}"
        approximations.append(
            maker.make(name, value, exact, figure=figure, tolerance=_CHANCE, fits=fits, limit=limit, most=1.0)
        )
    return _chance_of(log_chance, approximations)


def _comparable(n_values: int, k: int) -> Callable[[Distribution], float | None]:
    """Return the chance as a function of a candidate distribution; the function returns None if it is too slow."""
    if is_uniqueness_negligible(n_values, k, _NEGLIGIBLE):
        return lambda _: 0.0
    return lambda other: math.exp(log_uniqueness(other, k)) if k <= _MOST_COMPARED else None


def uniqueness_formulas(facts: PriorKnowledge, k: int) -> dict[str, float]:
    """Return the result of each formula by its name."""
    n_values, kappa, distribution = facts.n_values, facts.kappa_nats, facts.distribution
    by_collisions = {_COLLISIONS: uniqueness_from_collisions(distribution, k)} if distribution is not None else {}
    return by_collisions | {
        "equally likely * exp(-k^2 kappa/N)": uniqueness_from_uniform_and_kappa(n_values, kappa, k),
        "exp(-(1/2 + kappa) k^2/N)": uniqueness_from_kappa(n_values, kappa, k),
    }


def mean_of_singletons(facts: PriorKnowledge, k: int) -> Quantity:
    """Return the mean number of unique people among k."""
    exact = mean_singletons(facts.distribution, k) if facts.distribution is not None else None
    value = mean_sets_from_kappa(facts.n_values, facts.kappa_nats, k, 1)
    maker = _Approximator(facts, k)
    approximation = maker.make(
        "k e^-a (1 + a(a-2) kappa), a = k/N",
        value,
        exact,
        figure=lambda other: mean_singletons(other, k),
        tolerance=FIGURE,
        fits=maker.alike,
        limit=_ALIKE,
        most=k,
    )
    return _figure_of(exact, [approximation])


def means_without_columns(facts: PriorKnowledge, k: int) -> tuple[ColumnDrop, ...]:
    """Return the mean number of unique people without each column of a table, the smallest first."""
    drops = [ColumnDrop(column, mean_singletons(others, k)) for column, others in facts.without]
    return tuple(sorted(drops, key=lambda drop: drop.mean))


def variance_of_singletons(facts: PriorKnowledge, k: int) -> Quantity:
    """Return the variance of the number of unique people."""
    distribution, maker = facts.distribution, _Approximator(facts, k)
    exact = variance_singletons(distribution, k) if distribution is not None else None
    approximations: list[Approximation] = []

    def add(name: str, value: float, *, fits: bool, limit: str) -> None:
        approximations.append(
            maker.make(
                name,
                value,
                exact,
                figure=lambda other: variance_singletons(other, k),
                tolerance=FIGURE,
                fits=fits and k >= _MANY_PEOPLE,
                limit=f"{limit}; {_MANY}",
            )
        )

    if distribution is not None:
        unlikely = float(distribution.probabilities[-1]) <= 0.1
        add("limit for large N", variance_from_alphas(distribution, k), fits=unlikely, limit=_UNLIKELY)
    add(_FROM_KAPPA, variance_from_kappa(facts.n_values, facts.kappa_nats, k), fits=maker.alike, limit=_ALIKE)
    return _figure_of(exact, approximations)


def chance_of_nobody(facts: PriorKnowledge, k: int) -> Quantity:
    """Return the chance that nobody is unique."""
    distribution, maker = facts.distribution, _Approximator(facts, k)
    log_chance = log_no_singleton(distribution, k) if distribution is not None else None
    exact = math.exp(log_chance) if log_chance is not None else None
    approximations: list[Approximation] = []

    def add(name: str, value: float, *, fits: bool, limit: str) -> None:
        approximations.append(
            maker.make(
                name,
                value,
                exact,
                figure=lambda other: _comparable_none(other, k),
                tolerance=_CHANCE,
                fits=fits,
                limit=limit,
                most=1.0,
            )
        )

    if distribution is not None:
        value = math.exp(log_no_singleton_poisson(distribution, k))
        add("Poisson product", value, fits=k * float(distribution.probabilities[0]) >= 1, limit=_POISSON)
    value = math.exp(log_no_singleton_from_kappa(facts.n_values, facts.kappa_nats, k))
    fits = maker.alike and k >= 3 * facts.n_values
    add("Poisson product, from kappa", value, fits=fits, limit=f"{_ALIKE}; three people or more per value")
    return _chance_of(log_chance, approximations)


def _comparable_none(distribution: Distribution, k: int) -> float | None:
    """Return the chance that nobody is unique for a candidate distribution; None if it is too slow.

    Close to 0 or 1, bounds give it to a tenth of a percentage point: the chance that somebody is unique is at most ES,
    and the chance that nobody is unique is at most Var S / (ES)^2 (Chebyshev).
    """
    mean = mean_singletons(distribution, k)
    if mean <= _NEGLIGIBLE:
        return 1 - mean
    if variance_singletons(distribution, k) <= _NEGLIGIBLE * mean * mean:
        return 0.0
    return math.exp(log_no_singleton(distribution, k)) if k <= _MOST_COMPARED_STEPWISE else None


def chance_of_somebody(none: Quantity) -> Quantity:
    """Return the chance that somebody is unique from the chance that nobody is."""
    approximations = tuple(
        Approximation(a.name, 1 - a.value, -a.error if a.error is not None else None, a.trusted, a.limit)
        for a in none.approximations
    )
    if none.exact is None:
        return Quantity(None, None, None, approximations, reason=none.reason)
    assert none.log10 is not None
    # 1 - chance, without losing digits when the chance is nearly 1.
    return Quantity.known(complement_of_log10(none.log10) if none.exact else 1.0, approximations)


def sets_of_size(facts: PriorKnowledge, k: int, size: int) -> SetSize:
    """Return the mean number of groups of this size, and the share of people in them."""
    maker = _Approximator(facts, k)
    exact = mean_sets(facts.distribution, k, size) if facts.distribution is not None else None
    value = mean_sets_from_kappa(facts.n_values, facts.kappa_nats, k, size)
    approximation = maker.make(
        _FROM_KAPPA,
        value,
        exact,
        figure=lambda other: mean_sets(other, k, size),
        tolerance=FIGURE,
        fits=maker.alike,
        limit=_ALIKE,
        most=k / size,
    )
    return SetSize.of(size, k, _figure_of(exact, [approximation]))


class SingletonSpread(TypedDict, total=False):
    """The distribution of the number of unique people, by the names of ``SingletonsPrediction``."""

    distribution: tuple[tuple[int, float], ...]
    distribution_reason: str | None
    quantiles: tuple[int, int, int]
    normal_error: float | None


def distribution_of_singletons(facts: PriorKnowledge, k: int, seed: int) -> SingletonSpread:
    """Return the distribution of the number of unique people, simulated if it cannot be exact."""
    if facts.distribution is None:
        return {"distribution_reason": _KAPPA_ALONE}
    spread, reason = singleton_distribution(facts.distribution, k), None
    if spread is None:
        draws = n_draws(k)
        counts = simulated_singletons(facts.distribution, k, draws, seed)
        first = int(counts.min())
        spread = SingletonDistribution(first, np.bincount(counts - first) / draws)
        reason = f"simulated with {draws:,} draws: there are too many people for the exact distribution"
    mean, deviation = mean_singletons(facts.distribution, k), math.sqrt(variance_singletons(facts.distribution, k))
    error = None
    if deviation > 0:
        normal = NormalDist(mean, deviation)
        steps = zip(spread.people.tolist(), np.cumsum(spread.chances).tolist(), strict=True)
        error = max(abs(normal.cdf(people + 0.5) - below) for people, below in steps)
    rows = zip(spread.people.tolist(), spread.chances.tolist(), strict=True)
    return {
        "distribution": tuple((people, chance) for people, chance in rows if chance > 1e-12),
        "distribution_reason": reason,
        "quantiles": (spread.quantile(0.05), spread.quantile(0.5), spread.quantile(0.95)),
        "normal_error": error,
    }


def best_size(facts: PriorKnowledge, cost: float, largest: int, exact: int | None) -> Quantity:
    """Return the group size with the most unique people for its cost, and the exact one if it is known."""
    rough = best_group_size(lambda k: gain_from_kappa(facts.n_values, facts.kappa_nats, cost, k), largest)
    approximations: tuple[Approximation, ...] = ()
    if rough is not None:
        maker = _Approximator(facts, rough[0])
        approximation = maker.make(
            "e^-a (1 + a(a-2) kappa) - cost/k, a = k/N",
            rough[0],
            exact,
            figure=lambda other: nearly_best_group_size(other, cost, largest),
            tolerance=_GROUP,
            # If no size is worth its cost, a known distribution has no exact size to compare with.
            fits=maker.alike and (facts.distribution is None or exact is not None),
            limit=_ALIKE,
        )
        approximations = (approximation,)
    reason = None if exact is not None else _KAPPA_ALONE if facts.distribution is None else _NEVER
    return Quantity(exact, exact, exact, approximations, reason=reason)
