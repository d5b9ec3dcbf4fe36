"""Will everyone be unique? The study behind ``idbits predict uniqueness``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

from idbits.errors import InputError
from idbits.measures.birthday import (
    log_uniform_uniqueness,
    log_uniqueness,
    uniqueness_from_collisions,
    uniqueness_from_kappa,
    uniqueness_from_uniform_and_kappa,
)
from idbits.measures.distribution import Distribution
from idbits.studies.predict.approximate import ALIKE, CHANCE, FEW, Approximator, chance_of
from idbits.studies.predict.charts import uniqueness_chart
from idbits.studies.predict.known import Known, PredictOptions, check_people, known, parted
from idbits.studies.predict.result import Quantity, UniquenessPrediction
from idbits.studies.predict.target import Target, answer_target

__all__ = ["uniqueness"]

ONLY_KAPPA = "kappa alone does not say how likely each value is"
_NEGLIGIBLE = 0.001
_MOST_COMPARED = 1_000_000
_COLLISIONS = "exp(-k^2/2 sum p^2)"


def uniqueness(
    k: int | None = None,
    *,
    target: str | None = None,
    chart: bool = False,
    seed: int = 0,  # noqa: ARG001 (every study takes it; this one draws nothing)
    **options: Unpack[PredictOptions],
) -> UniquenessPrediction:
    """Predict the chance that all of k people are unique.

    Args:
        k: how many people there are; may be left out with a target.
        target: for which k does this hold, for example ``"uniqueness<=1%"``.
        chart: make the chart of the chance against k, too.
        seed: taken by every study; nothing is drawn here.
        options: what people draw from (``idbits.studies.predict.known.Given``) and how a table is read.

    >>> round(uniqueness(23, values=365).probability.exact, 12)
    0.492702765676
    """
    check_people(k)
    given, reading = parted(options)
    wanted = Target.parse(target) if target is not None else None
    if k is None and wanted is None:
        raise InputError("say how many people there are (--k), or what is to hold (--target)")
    facts = known(given, reading)
    answer = answer_target(wanted, facts, k, given, reading) if wanted is not None else None
    probability = _probability(facts, k) if k is not None else None
    return UniquenessPrediction(
        k=k,
        n_values=facts.n_values,
        kappa_nats=facts.kappa_nats,
        label=facts.label,
        probability=probability,
        target=answer,
        spec=_chart(facts, k) if chart else None,
        notes=facts.notes,
    )


def _probability(facts: Known, k: int) -> Quantity:
    distribution, maker = facts.distribution, Approximator(facts, k)
    log_chance = log_uniqueness(distribution, k) if distribution is not None else None
    exact = math.exp(log_chance) if log_chance is not None else None
    figure = _comparable(facts.n_values, k)
    found = []
    for name, value in _formulas(facts, k).items():
        only_few = name == _COLLISIONS
        fits = maker.few and (only_few or maker.alike)
        limit = FEW if only_few else f"{ALIKE}; {FEW}"
        found.append(
            maker.make(
                name,
                value,
                exact,
                figure=figure,
                tolerance=CHANCE,
                fits=fits,
                limit=limit,
                most=1.0,
            )
        )
    if log_chance is None:
        return Quantity(None, None, None, tuple(found), reason=ONLY_KAPPA)
    return chance_of(log_chance, tuple(found))


def _comparable(n_values: int, k: int) -> Callable[[Distribution], float | None]:
    """Return the chance as a function of a distribution that may be the one; its value is None where it is too slow."""
    # Equally likely values make uniqueness likeliest, so nothing is left to find out where even that is negligible.
    if log_uniform_uniqueness(n_values, k) < math.log(_NEGLIGIBLE):
        return lambda _: 0.0
    return lambda other: math.exp(log_uniqueness(other, k)) if k <= _MOST_COMPARED else None


def _formulas(facts: Known, k: int) -> dict[str, float]:
    """Return what each formula gives, by its name."""
    n_values, kappa, distribution = facts.n_values, facts.kappa_nats, facts.distribution
    found = {_COLLISIONS: uniqueness_from_collisions(distribution, k)} if distribution is not None else {}
    return found | {
        "equally likely * exp(-k^2 kappa/N)": uniqueness_from_uniform_and_kappa(n_values, kappa, k),
        "exp(-(1/2 + kappa) k^2/N)": uniqueness_from_kappa(n_values, kappa, k),
    }


def _chart(facts: Known, k: int | None) -> dict[str, Any]:
    """Return the chart of the chance against k, up to where it has fallen to nearly nothing (S2 figure 4.3)."""
    crowd = (
        facts.distribution.collision if facts.distribution is not None else (1 + 2 * facts.kappa_nats) / facts.n_values
    )
    last = max(2, min(facts.n_values, math.ceil(3.5 / math.sqrt(crowd))), k or 0)
    sizes = sorted({max(1, round(1 + (last - 1) * step / 40)) for step in range(41)} | ({k} if k else set()))
    rows = []
    for size in sizes:
        rows += [{"k": size, "chance": value, "which": name} for name, value in _formulas(facts, size).items()]
        if facts.distribution is not None:
            exact = math.exp(log_uniqueness(facts.distribution, size))
            rows.append({"k": size, "chance": exact, "which": "exact"})
    return uniqueness_chart(rows)
