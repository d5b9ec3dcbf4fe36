"""How anonymous is somebody among suspects? The study behind ``idbits predict suspects`` (S2 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from idbits.errors import InputError
from idbits.measures.suspects import (
    degree_among_suspects,
    distribution_of_weights,
    effective_suspects,
    most_bits_of_suspects,
    renyi_bits_of_suspects,
)
from idbits.studies.predict.known import Known, PredictOptions, check_values, known, listed_numbers, parted
from idbits.studies.predict.suspects_result import SuspectsPrediction

__all__ = ["suspects"]


def suspects(
    *,
    weights: Sequence[float] | str | None = None,
    seed: int = 0,  # noqa: ARG001 (every study takes it; this one draws nothing)
    **options: Unpack[PredictOptions],
) -> SuspectsPrediction:
    """Say how anonymous somebody is among suspects to whom an attacker gives probabilities.

    Args:
        weights: how likely the suspects are in proportion to each other, ``[9, 1, 1]`` or ``"9,1,1"``; they need not
            add up to 1.
        seed: taken by every study; nothing is drawn here.
        options: the probabilities (``idbits.studies.predict.known.Given``: ``probabilities``, a ``distribution`` of a
            table, or ``values`` for equally likely suspects; with the others ``values`` says how many suspects there
            are, those not listed being ruled out), and how a table is read.

    >>> found = suspects(probabilities=[0.5, *[0.5 / 9] * 9])
    >>> round(found.entropy_bits, 2), round(found.max_entropy_bits, 2), round(found.degree_of_anonymity, 3)
    (2.58, 3.32, 0.778)
    """
    given, reading = parted(options)
    if given.get("kappa") is not None:
        raise InputError("kappa does not say how likely each suspect is: give their probabilities or weights")
    if weights is not None:
        if given.get("probabilities") is not None or given.get("distribution") is not None:
            raise InputError("give weights, probabilities or a distribution: one of them")
        check_values(given.get("values"))
        scaled = distribution_of_weights(listed_numbers(weights, "weights"), given.get("values"))
        facts = Known(scaled, scaled.n_values, scaled.kappa_nats, given.get("label") or "the given weights")
    elif not any(given.get(name) is not None for name in ("values", "probabilities", "distribution")):
        raise InputError("say how likely each suspect is: --probabilities, --weights, --distribution or --values")
    else:
        alone = given.get("probabilities") is None and given.get("distribution") is None
        label = given.get("label") or (f"{given['values']:,} equally likely suspects" if alone else None)
        facts = known({**given, "label": label}, reading)
    distribution = facts.distribution
    assert distribution is not None
    renyi = renyi_bits_of_suspects(distribution)
    return SuspectsPrediction(
        n_suspects=distribution.n_values,
        n_ruled_out=distribution.n_values - distribution.n_occurring,
        entropy_bits=renyi["1"],
        max_entropy_bits=most_bits_of_suspects(distribution),
        degree_of_anonymity=degree_among_suspects(distribution),
        effective_suspects=effective_suspects(distribution),
        best_guess=float(distribution.probabilities[-1]),
        renyi_bits=renyi,
        label=facts.label,
        notes=facts.notes,
    )
