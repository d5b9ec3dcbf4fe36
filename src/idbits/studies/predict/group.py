"""How large should groups be? The study behind ``idbits predict group`` (S2 example 5.6)."""

from __future__ import annotations

import math
from typing import Unpack

from idbits.errors import InputError
from idbits.measures.group_size import (
    best_group_size,
    gain_from_kappa,
    gain_per_person,
    nearly_best_group_size,
)
from idbits.measures.singletons import unique_share
from idbits.studies.predict.approximate import ALIKE, GROUP, Approximator
from idbits.studies.predict.known import PredictOptions, known, parted
from idbits.studies.predict.result import Approximation, GroupPrediction, Quantity
from idbits.studies.predict.uniqueness import ONLY_KAPPA

__all__ = ["group"]

_NEVER = "each group costs more than its unique people bring, whatever its size"
_LARGEST = 10**9


def group(
    cost: float,
    *,
    seed: int = 0,  # noqa: ARG001 (every study takes it; this one draws nothing)
    **options: Unpack[PredictOptions],
) -> GroupPrediction:
    """Find the group size that makes most people unique for its cost: the highest of share unique - cost / k.

    Args:
        cost: what a group costs, in unique people.
        seed: taken by every study; nothing is drawn here.
        options: what people draw from (``idbits.studies.predict.known.Given``) and how a table is read.

    >>> group(10, values=95).group_size.exact
    37
    """
    if not (cost > 0 and math.isfinite(cost)):
        raise InputError("a group costs something, and not without limit (--cost)")
    facts = known(*parted(options))
    # Beyond this size hardly anyone is unique, and a group costs next to nothing: the gain only nears 0.
    largest = min(_LARGEST, max(10_000, math.ceil(50 * max(facts.n_values, cost))))
    rough = best_group_size(lambda k: gain_from_kappa(facts.n_values, facts.kappa_nats, cost, k), largest)
    distribution = facts.distribution
    best = best_group_size(lambda k: gain_per_person(distribution, cost, k), largest) if distribution else None
    exact = best[0] if best is not None else None
    found: tuple[Approximation, ...] = ()
    if rough is not None:
        maker = Approximator(facts, rough[0])
        name = "e^-a (1 + a(a-2) kappa) - cost/k, a = k/N"
        approximation = maker.make(
            name,
            rough[0],
            exact,
            figure=lambda other: nearly_best_group_size(other, cost, largest),
            tolerance=GROUP,
            # A known distribution for which no size is worth its cost has no exact size to compare with.
            fits=maker.alike and (distribution is None or exact is not None),
            limit=ALIKE,
        )
        found = (approximation,)
    reason = None if exact is not None else ONLY_KAPPA if distribution is None else _NEVER
    return GroupPrediction(
        k=exact,
        n_values=facts.n_values,
        kappa_nats=facts.kappa_nats,
        label=facts.label,
        cost=cost,
        group_size=Quantity(exact, exact, exact, found, reason=reason),
        gain=best[1] if best is not None else None,
        unique_share=unique_share(distribution, exact) if distribution is not None and exact is not None else None,
        notes=facts.notes,
    )
