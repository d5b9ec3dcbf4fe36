"""The studies behind ``idbits predict``: how many people will be unique, before any data are collected."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.measures.correlated import BivariateNormal
from idbits.measures.distribution import Distribution
from idbits.measures.singletons import best_group_size, gain_per_person, unique_share
from idbits.measures.suspects import (
    degree_among_suspects,
    distribution_of_weights,
    effective_suspects,
    most_bits_of_suspects,
    renyi_bits_of_suspects,
)
from idbits.reading import Names, Reading
from idbits.render.numbers import significant, written_out
from idbits.studies.predict.charts import cell_chart, kappa_chart, uniqueness_chart, width_chart
from idbits.studies.predict.known import (
    PredictOptions,
    PriorKnowledge,
    check_people,
    check_values,
    read_numbers,
    read_prior_knowledge,
    require_people,
    separate_options,
)
from idbits.studies.predict.quantities import (
    best_size,
    chance_of_nobody,
    chance_of_somebody,
    chance_of_uniqueness,
    distribution_of_singletons,
    mean_of_singletons,
    means_without_columns,
    sets_of_size,
    variance_of_singletons,
)
from idbits.studies.predict.result import (
    CorrelatedPrediction,
    GroupPrediction,
    SingletonsPrediction,
    SuspectsPrediction,
    TargetAnswer,
    UniquenessPrediction,
    WidthPrediction,
    WidthRow,
)
from idbits.studies.predict.rounding import (
    NumberPair,
    density_row,
    grid_row,
    pair_row,
    read_cells,
    read_density,
    read_pair_of_numbers,
    read_widths,
)
from idbits.studies.predict.target import Target, answer_target, best_listed_width, best_width
from idbits.studies.shared.column_source import ask_columns
from idbits.values.attributes import Attribute, parse_attribute

__all__ = ["correlated", "group", "singletons", "suspects", "uniqueness", "width"]

_LARGEST_GROUP = 10**9


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
        k: the number of people; optional with a target.
        target: find the k that meet this, for example ``"uniqueness<=1%"``.
        chart: also make the chart of the chance by k.
        seed: not used here; every study accepts it.
        options: the distribution (``idbits.studies.predict.known.Given``) and how to read a table.

    Examples:
        >>> round(uniqueness(23, values=365).probability.exact, 12)
        0.492702765676
    """
    facts, answer = _known_for(k, target, options)
    return UniquenessPrediction(
        k=k,
        n_values=facts.n_values,
        kappa_nats=facts.kappa_nats,
        label=facts.label,
        mean=mean_of_singletons(facts, k) if k is not None else None,
        probability=chance_of_uniqueness(facts, k) if k is not None else None,
        dropping=means_without_columns(facts, k) if k is not None else (),
        target=answer,
        spec=uniqueness_chart(facts, k) if chart else None,
        notes=facts.notes,
    )


def singletons(
    k: int | None = None,
    *,
    sizes: int = 5,
    target: str | None = None,
    chart: bool = False,
    seed: int = 0,
    **options: Unpack[PredictOptions],
) -> SingletonsPrediction:
    """Predict how many of k people are unique: mean, variance, distribution, and groups of 2, 3, ... people.

    Args:
        k: the number of people; optional with a target.
        sizes: the largest group size to count.
        target: a goal such as ``"singletons<=1%"``. Without k, find the group sizes that meet it; with k and a table,
            find the coarser views of its columns that meet it.
        chart: also make the chart of the mean by kappa.
        seed: seed of the simulation, if one is needed.
        options: the distribution (``idbits.studies.predict.known.Given``) and how to read a table.

    Examples:
        >>> round(singletons(365, values=365).mean.exact, 1)
        134.5
    """
    check_people(k)
    if sizes < 1:
        raise InputError("the largest group size must be at least 1 (--sizes)")
    facts, answer = _known_for(k, target, options)
    prediction = SingletonsPrediction(
        k=k, n_values=facts.n_values, kappa_nats=facts.kappa_nats, label=facts.label, target=answer, notes=facts.notes
    )
    if k is None:
        return prediction
    nobody = chance_of_nobody(facts, k)
    return replace(
        prediction,
        mean=mean_of_singletons(facts, k),
        variance=variance_of_singletons(facts, k),
        none=nobody,
        somebody=chance_of_somebody(nobody),
        sizes=tuple(sets_of_size(facts, k, j) for j in range(1, min(sizes, k) + 1)),
        dropping=means_without_columns(facts, k),
        spec=kappa_chart(facts, k) if chart else None,
        **distribution_of_singletons(facts, k, seed),
    )


def _known_for(
    k: int | None, target: str | None, options: PredictOptions
) -> tuple[PriorKnowledge, TargetAnswer | None]:
    """Return what is known of the distribution and what meets the target, which is required without k."""
    check_people(k)
    given, reading = separate_options(options)
    wanted = Target.parse(target) if target is not None else None
    if k is None and wanted is None:
        raise InputError("the number of people is missing; give it with --k, or a goal with --target")
    facts = read_prior_knowledge(given, reading)
    return facts, answer_target(wanted, facts, k, given, reading) if wanted is not None else None


def group(
    cost: float,
    *,
    seed: int = 0,  # noqa: ARG001 (every study takes it; this one draws nothing)
    **options: Unpack[PredictOptions],
) -> GroupPrediction:
    """Find the group size with the most unique people for its cost: the maximum of share unique - cost / k.

    Args:
        cost: the cost of a group, in unique people.
        seed: not used here; every study accepts it.
        options: the distribution (``idbits.studies.predict.known.Given``) and how to read a table.

    Examples:
        >>> group(10, values=95).group_size.exact
        37
    """
    if not (cost > 0 and math.isfinite(cost)):
        raise InputError("the cost must be a finite number greater than 0 (--cost)")
    facts = read_prior_knowledge(*separate_options(options))
    distribution = facts.distribution
    # Beyond this size hardly anyone is unique and the cost per person is almost 0, so the gain only approaches 0.
    largest = min(_LARGEST_GROUP, max(10_000, math.ceil(50 * max(facts.n_values, cost))))
    best = best_group_size(lambda k: gain_per_person(distribution, cost, k), largest) if distribution else None
    exact = best[0] if best is not None else None
    return GroupPrediction(
        k=exact,
        n_values=facts.n_values,
        kappa_nats=facts.kappa_nats,
        label=facts.label,
        cost=cost,
        group_size=best_size(facts, cost, largest, exact),
        gain=best[1] if best is not None else None,
        unique_share=unique_share(distribution, exact) if distribution is not None and exact is not None else None,
        notes=facts.notes,
    )


def suspects(
    *,
    weights: Sequence[float] | str | None = None,
    seed: int = 0,  # noqa: ARG001 (every study takes it; this one draws nothing)
    **options: Unpack[PredictOptions],
) -> SuspectsPrediction:
    """Measure how anonymous a person is among suspects to whom an attacker assigns probabilities.

    Args:
        weights: how likely the suspects are relative to each other, ``[9, 1, 1]`` or ``"9,1,1"``.
        seed: not used here; every study accepts it.
        options: the probabilities (``idbits.studies.predict.known.Given``: ``probabilities``, a ``distribution`` of a
            table, or ``values`` for equally likely suspects; together with one of the others, ``values`` is the number
            of suspects, and those not listed are ruled out), and how to read a table.

    Examples:
        >>> round(suspects(probabilities=[0.5, *[0.5 / 9] * 9]).degree_of_anonymity, 3)
        0.778
    """
    given, reading = separate_options(options)
    if given.get("kappa") is not None:
        raise InputError("kappa does not determine how likely each suspect is; give --probabilities or --weights")
    if weights is not None:
        if given.get("probabilities") is not None or given.get("distribution") is not None:
            raise InputError("give only one of --weights, --probabilities and --distribution")
        check_values(given.get("values"))
        scaled = distribution_of_weights(read_numbers(weights, "weights"), given.get("values"))
        facts = PriorKnowledge(scaled, scaled.n_values, scaled.kappa_nats, given.get("label") or "the given weights")
    elif not any(given.get(name) is not None for name in ("values", "probabilities", "distribution")):
        raise InputError(
            "the suspects' probabilities are missing; give --probabilities, --weights, --distribution or --values"
        )
    else:
        alone = given.get("probabilities") is None and given.get("distribution") is None
        label = given.get("label") or (_equally_likely_suspects(given["values"]) if alone else None)
        facts = read_prior_knowledge({**given, "label": label}, reading)
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


def _equally_likely_suspects(number: int | None) -> str:
    return "one suspect" if number == 1 else f"{number:,} equally likely suspects"


def width(
    distribution: object,
    width: float | Sequence[float] | str | None = None,
    k: int | None = None,
    *,
    attribute: str | None = None,
    target: str | None = None,
    chart: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> WidthPrediction:
    """Predict how rounding a numeric attribute to intervals [i d, (i+1) d) changes the number of unique people.

    Args:
        distribution: ``"normal:sd=5.289"``, ``"normal:mean=70,sd=5"``, ``"uniform:low=0,high=10"``,
            ``"uniform:length=10"``, ``"exponential:mean=3"``, ``"lognormal:mu=10,sigma=0.5"``, or the values of a
            table, ``"people.csv:weight"`` (a frame, with ``attribute``).
        width: one width or several, ``[0.5, 1, 2]`` or ``"0.5,1,2"``; optional with a target.
        k: the number of people.
        attribute: the column of a frame.
        target: find the narrowest width that meets this, for example ``"singletons<=10%"``.
        chart: also make the chart of the mean by width.
        seed: seed of the simulation, if one is needed.
        reading: how to read a table.

    Examples:
        >>> round(width("normal:sd=5.289", [1], k=10).widths[0].mean.exact, 3)
        6.223
    """
    k = require_people(k)
    given = read_widths(width) if width is not None else ()
    if not given and target is None:
        raise InputError("the width of the intervals is missing; give it with --width, or a goal with --target")
    density = read_density(distribution) if isinstance(distribution, str | os.PathLike) else None
    if density is None:
        return _width_of_values(distribution, attribute, given, k, target, chart, reading)
    answer = best_width(target, density, k) if target is not None else None
    if answer is not None and not given:
        assert answer.chosen is not None
        given = (float(answer.chosen),)
    rows = tuple(density_row(density, size, k, seed) for size in given)
    return WidthPrediction(
        k=k,
        label=str(distribution),
        placed=density.is_placed,
        widths=rows,
        target=answer,
        spec=width_chart(rows) if chart else None,
    )


def _width_of_values(
    source: object,
    attribute: str | None,
    given: tuple[float, ...],
    k: int,
    target: str | None,
    chart: bool,
    reading: Reading,
) -> WidthPrediction:
    """Round the values of a table: the same as ``column:band5`` for width 5."""

    def rounded(table: Table, wanted: tuple[Attribute, ...]) -> tuple[list[WidthRow], TargetAnswer | None, str]:
        if len(wanted) != 1:
            raise InputError("give exactly one numeric column, such as people.csv:weight (--distribution)")

        def grid(size: float) -> Distribution:
            band = parse_attribute(f"{wanted[0].name}:band{written_out(size)}", table.columns)
            return Distribution.from_spectrum(table.spectrum((band,)))

        answer = None
        sizes = given
        if target is not None:
            answer = best_listed_width(target, grid, k, table.spectrum(wanted).n_sets)
            sizes = given or (float(answer.chosen or 1),)
        return [grid_row(size, k, grid(size)) for size in sizes], answer, wanted[0].name

    names: Names | None = [attribute] if attribute is not None else None
    (rows, answer, label), _, notes = ask_columns(source, names, reading, rounded)
    return WidthPrediction(
        k=k,
        label=label,
        placed=True,
        widths=tuple(rows),
        target=answer,
        spec=width_chart(rows) if chart else None,
        notes=notes,
    )


def correlated(
    sd: NumberPair,
    rho: float,
    width: NumberPair | Sequence[NumberPair],
    k: int | None = None,
    *,
    mean: NumberPair | None = None,
    chart: bool = False,
    seed: int = 0,
) -> CorrelatedPrediction:
    """Predict the number of unique people when two correlated numeric attributes are rounded (bivariate normal).

    Args:
        sd: both standard deviations, ``[5.289, 4.83]`` or ``"5.289,4.83"``.
        rho: the correlation of the attributes, between -1 and 1.
        width: both widths, or a list of such pairs.
        k: the number of people.
        mean: both means; without them, figures are averaged over the positions of the grid.
        chart: also make the chart of the mean by cell size.
        seed: seed of the simulation, if one is needed.

    Examples:
        >>> round(correlated([5.289, 4.83], 0.5028, [1, 1], k=10).widths[0].mean.exact, 3)
        9.683
    """
    k = require_people(k)
    sds = read_pair_of_numbers(sd, "standard deviations (--sd)")
    if not min(sds) > 0:
        raise InputError("standard deviations must be greater than 0 (--sd)")
    if not -1 < rho < 1:
        raise InputError(
            "the correlation must be between -1 and 1 (--rho); at 1 both are one attribute: use predict width"
        )
    pair = BivariateNormal(sds, rho, read_pair_of_numbers(mean, "means (--mean)") if mean is not None else None)
    rows = tuple(pair_row(pair, cell, k, seed) for cell in read_cells(width))
    both, correlation = " and ".join(significant(deviation, 6) for deviation in sds), significant(rho, 6)
    return CorrelatedPrediction(
        k=k,
        label=f"two normal attributes, sd {both}, correlation {correlation}",
        placed=pair.means is not None,
        widths=rows,
        rho=rho,
        spec=cell_chart(rows) if chart else None,
    )
