"""How many will be unique? The study behind ``idbits predict singletons``."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, Unpack

import numpy as np

from idbits.errors import InputError
from idbits.measures.distribution import Distribution
from idbits.measures.simulation import n_draws, simulated_singletons
from idbits.measures.singleton_distribution import (
    SingletonDistribution,
    log_no_singleton,
    log_no_singleton_from_kappa,
    log_no_singleton_poisson,
    singleton_distribution,
)
from idbits.measures.singletons import (
    mean_sets,
    mean_sets_from_kappa,
    mean_singletons,
    variance_from_alphas,
    variance_from_kappa,
    variance_singletons,
)
from idbits.studies.predict.approximate import ALIKE, CHANCE, FIGURE, Approximator, chance_of
from idbits.studies.predict.charts import kappa_chart
from idbits.studies.predict.known import Known, PredictOptions, check_people, known, parted
from idbits.studies.predict.result import Approximation, Quantity, SetSize, SingletonsPrediction
from idbits.studies.predict.target import Target, answer_target
from idbits.studies.predict.uniqueness import ONLY_KAPPA

__all__ = ["singletons"]

_MANY_PEOPLE = 30
_MANY = f"at least {_MANY_PEOPLE} people"
_UNLIKELY = "no likely value (p at most 0.1)"
_NEGLIGIBLE = 0.001
# The chance that nobody is unique takes sqrt(k) steps for each distribution that is compared.
_MOST_COMPARED = 10_000
_POISSON = "at least one person expected on every value that occurs"
_FROM_KAPPA = "from kappa"


def singletons(
    k: int | None = None,
    *,
    sizes: int = 5,
    target: str | None = None,
    chart: bool = False,
    seed: int = 0,
    **options: Unpack[PredictOptions],
) -> SingletonsPrediction:
    """Predict how many of k people are unique: mean, variance, distribution, and sets of 2, 3, ... people.

    Args:
        k: how many people there are; may be left out with a target.
        sizes: up to which size sets are counted.
        target: what is to hold, for example ``"singletons<=1%"``: without k the group sizes that meet it, with k and a
            table the coarser views of its column that do.
        chart: make the chart of the mean against kappa, too.
        seed: seed of the simulation, where one is needed.
        options: what people draw from (``idbits.studies.predict.known.Given``) and how a table is read.

    >>> round(singletons(365, values=365).mean.exact, 1)
    134.5
    """
    check_people(k)
    if sizes < 1:
        raise InputError("sets have one person or more (--sizes)")
    given, reading = parted(options)
    wanted = Target.parse(target) if target is not None else None
    if k is None and wanted is None:
        raise InputError("say how many people there are (--k), or what is to hold (--target)")
    facts = known(given, reading)
    answer = answer_target(wanted, facts, k, given, reading) if wanted is not None else None
    head: dict[str, Any] = {
        "n_values": facts.n_values,
        "kappa_nats": facts.kappa_nats,
        "label": facts.label,
        "target": answer,
        "notes": facts.notes,
    }
    if k is None:
        return SingletonsPrediction(k=None, **head)
    none = _none(facts, k)
    return SingletonsPrediction(
        k=k,
        mean=_mean(facts, k),
        variance=_variance(facts, k),
        none=none,
        somebody=_complement(none),
        sizes=tuple(_size(facts, k, j) for j in range(1, min(sizes, k) + 1)),
        spec=_chart(facts, k) if chart else None,
        **_distribution(facts, k, seed),
        **head,
    )


def _mean(facts: Known, k: int) -> Quantity:
    exact = mean_singletons(facts.distribution, k) if facts.distribution is not None else None
    value = mean_sets_from_kappa(facts.n_values, facts.kappa_nats, k, 1)
    maker = Approximator(facts, k)
    approximation = maker.make(
        "k e^-a (1 + a(a-2) kappa), a = k/N",
        value,
        exact,
        figure=lambda other: mean_singletons(other, k),
        tolerance=FIGURE,
        fits=maker.alike,
        limit=ALIKE,
        most=k,
    )
    return _quantity(exact, (approximation,))


def _variance(facts: Known, k: int) -> Quantity:
    distribution, maker = facts.distribution, Approximator(facts, k)
    exact = variance_singletons(distribution, k) if distribution is not None else None
    found: list[Approximation] = []

    def add(name: str, value: float, *, fits: bool, limit: str) -> None:
        found.append(
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
    add(_FROM_KAPPA, variance_from_kappa(facts.n_values, facts.kappa_nats, k), fits=maker.alike, limit=ALIKE)
    return _quantity(exact, tuple(found))


def _none(facts: Known, k: int) -> Quantity:
    distribution, maker = facts.distribution, Approximator(facts, k)
    log_chance = log_no_singleton(distribution, k) if distribution is not None else None
    exact = math.exp(log_chance) if log_chance is not None else None
    found: list[Approximation] = []

    def add(name: str, value: float, *, fits: bool, limit: str) -> None:
        found.append(
            maker.make(
                name,
                value,
                exact,
                figure=lambda other: _comparable_none(other, k),
                tolerance=CHANCE,
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
    add("Poisson product, from kappa", value, fits=fits, limit=f"{ALIKE}; three people or more per value")
    if log_chance is None:
        return Quantity(None, None, None, tuple(found), reason=ONLY_KAPPA)
    return chance_of(log_chance, tuple(found))


def _comparable_none(distribution: Distribution, k: int) -> float | None:
    """Return the chance that nobody is unique for a distribution that may be the one; None where it is too slow.

    Where it is next to 0 or 1, bounds tell it to a tenth of a percentage point: somebody is unique with a chance of at
    most ES, and nobody with one of at most Var S / (ES)^2 (Chebyshev).
    """
    mean = mean_singletons(distribution, k)
    if mean <= _NEGLIGIBLE:
        return 1 - mean
    if variance_singletons(distribution, k) <= _NEGLIGIBLE * mean * mean:
        return 0.0
    return math.exp(log_no_singleton(distribution, k)) if k <= _MOST_COMPARED else None


def _complement(none: Quantity) -> Quantity:
    """Return the chance of somebody from that of nobody."""
    found = tuple(
        Approximation(a.name, 1 - a.value, -a.error if a.error is not None else None, a.trusted, a.limit)
        for a in none.approximations
    )
    if none.exact is None:
        return Quantity(None, None, None, found, reason=none.reason)
    assert none.log10 is not None
    # 1 - chance, with its digits where nobody is nearly certain.
    return Quantity.known(-math.expm1(none.log10 * math.log(10)) if none.exact else 1.0, found)


def _size(facts: Known, k: int, size: int) -> SetSize:
    maker = Approximator(facts, k)
    exact = mean_sets(facts.distribution, k, size) if facts.distribution is not None else None
    value = mean_sets_from_kappa(facts.n_values, facts.kappa_nats, k, size)
    approximation = maker.make(
        _FROM_KAPPA,
        value,
        exact,
        figure=lambda other: mean_sets(other, k, size),
        tolerance=FIGURE,
        fits=maker.alike,
        limit=ALIKE,
        most=k / size,
    )
    return SetSize.of(size, k, _quantity(exact, (approximation,)))


def _quantity(exact: float | None, approximations: tuple[Approximation, ...]) -> Quantity:
    if exact is None:
        return Quantity(None, None, None, approximations, reason=ONLY_KAPPA)
    return Quantity.known(exact, approximations)


def _distribution(facts: Known, k: int, seed: int) -> dict[str, Any]:
    """Return the distribution of the number of unique people: exact, else simulated."""
    if facts.distribution is None:
        return {"distribution_reason": ONLY_KAPPA}
    found, reason = singleton_distribution(facts.distribution, k), None
    if found is None:
        draws = n_draws(k)
        counts = simulated_singletons(facts.distribution, k, draws, seed)
        first = int(counts.min())
        found = SingletonDistribution(first, np.bincount(counts - first) / draws)
        reason = f"simulated, {draws:,} draws: the exact distribution is out of reach for so many people"
    mean, spread = mean_singletons(facts.distribution, k), math.sqrt(variance_singletons(facts.distribution, k))
    error = None
    if spread > 0:
        normal = NormalDist(mean, spread)
        steps = zip(found.people.tolist(), np.cumsum(found.chances).tolist(), strict=True)
        error = max(abs(normal.cdf(people + 0.5) - below) for people, below in steps)
    rows = zip(found.people.tolist(), found.chances.tolist(), strict=True)
    return {
        "distribution": tuple((people, chance) for people, chance in rows if chance > 1e-12),
        "distribution_reason": reason,
        "quantiles": (found.quantile(0.05), found.quantile(0.5), found.quantile(0.95)),
        "normal_error": error,
    }


def _chart(facts: Known, k: int) -> dict[str, Any]:
    """Return the chart of the mean against kappa, from 0 to twice the kappa here (S2 figure 5.1)."""
    last = min(math.log(facts.n_values), max(0.2, 2 * facts.kappa_nats)) if facts.n_values > 1 else 0.2
    line = [
        {"kappa": kappa, "mean": mean_sets_from_kappa(facts.n_values, kappa, k, 1), "which": "approximation"}
        for kappa in (last * step / 20 for step in range(21))
    ]
    exact = _mean(facts, k).exact
    point = [{"kappa": facts.kappa_nats, "mean": exact, "which": "exact"}] if exact is not None else []
    return kappa_chart(line, point)
