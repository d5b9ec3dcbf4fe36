"""All figures of one sensitive column, computed in one place so that no two of them can contradict each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idbits.counts import Integers, Value
from idbits.measures.disclosure.attackers import after_excluding, after_knowing
from idbits.measures.disclosure.certainty import (
    certain_people,
    given_away,
    largest_share,
    people_above_share,
    top_shares,
)
from idbits.measures.disclosure.closeness import (
    equal_distance,
    hierarchical_distance,
    ordered_distances,
)
from idbits.measures.disclosure.diversity import (
    distinct_values,
    entropy_values,
    people_below_distinct,
    recursive_limits,
    recursive_values,
)
from idbits.measures.disclosure.guess import guess_chances
from idbits.measures.disclosure.information import LearntBits, learnt_bits, prior_entropy_bits
from idbits.measures.disclosure.likeness import delta_bits, delta_bits_present, likeness
from idbits.measures.disclosure.near import NearPeople, near_people
from idbits.measures.disclosure.worst_groups import most_exposed_groups, value_exposures
from idbits.studies.disclosure.prepared import PreparedColumn
from idbits.studies.disclosure.question import DisclosureQuestion
from idbits.studies.disclosure.result import ColumnDisclosure, ExposedGroup, ExposedValue, GainBits
from idbits.studies.shared.folding import largest_folded

__all__ = ["column_disclosure"]

_MOST_EXPOSED = 10
_HALF = 0.5
# Unique people are collapsed if at least one group in this many has one person.
_MANY_ALONE = 8

GroupLabels = Callable[[int], tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class _Distances:
    equal: float
    ordered: float | None
    of_positions: float | None
    hierarchical: float | None


def column_disclosure(
    prepared: PreparedColumn,
    question: DisclosureQuestion,
    bits: LearntBits | None = None,
    group_labels: GroupLabels | None = None,
) -> ColumnDisclosure:
    """Compute the figures of a column; ``bits`` if they are known already, ``group_labels`` to show them."""
    if bits is None and _has_many_alone(prepared):
        prepared, numbers = prepared.collapsed()
        group_labels = _renumbered(group_labels, numbers)
    column, certainty = prepared.column, question.certainty
    bits = learnt_bits(column) if bits is None else bits
    likely, distances = likeness(column), _distances(prepared)
    certain, nearly = given_away(column, certainty)
    figures = ColumnDisclosure(
        column=prepared.attribute.name,
        n_values=prepared.plain.prior.n_values,
        nulls=prepared.nulls,
        prior_entropy_bits=prior_entropy_bits(column),
        conditional_entropy_bits=bits.conditional_entropy_bits,
        l_distinct=distinct_values(column),
        l_entropy=entropy_values(column),
        recursive=recursive_limits(column, question.l),
        recursive_l=recursive_values(column, question.c),
        alpha=largest_share(column),
        t_equal=distances.equal,
        t_ordered=distances.ordered,
        t_distance=distances.of_positions,
        t_hierarchical=distances.hierarchical,
        beta=likely.beta,
        enhanced_beta=likely.enhanced,
        enhanced_beta_violations=likely.violations,
        delta_bits=delta_bits(column),
        delta_bits_present=delta_bits_present(column),
        gain_bits=GainBits(bits.mean, bits.p50, bits.p95, bits.max),
        bits_table=bits.table,
        certain=certain_people(column),
        nearly_certain=people_above_share(column, certainty),
        more_likely=people_above_share(column, _HALF),
        guess=guess_chances(column),
        after_excluding=tuple(after_excluding(column, question.excluded, certainty)),
        after_knowing=tuple(after_knowing(column, question.known_people, certainty)),
        near=_near(prepared, certainty),
        people_below_l=people_below_distinct(column, question.l),
        worst=_worst(prepared, bits, group_labels),
        reasons={},
        n_people=column.cells.n_people,
        given_away=certain,
        nearly_given_away=nearly,
        top_shares=top_shares(column),
        values=_values(prepared),
        largest_prior=float(column.prior.shares.max()),
        only_secret=column.secret is not None,
    )
    figures.reasons.update(_reasons(prepared, figures))
    return figures


def _has_many_alone(prepared: PreparedColumn) -> bool:
    """Whether enough people are unique for their groups to be collapsed; nearness needs each of them."""
    if prepared.asked.window is not None:
        return False
    sizes = prepared.column.cells.sizes
    return _MANY_ALONE * int(np.count_nonzero(sizes == 1)) >= max(1, len(sizes))


def _renumbered(labels: GroupLabels | None, numbers: Integers) -> GroupLabels | None:
    return None if labels is None else lambda group: labels(int(numbers[group]))


def _distances(prepared: PreparedColumn) -> _Distances:
    """Return the distances of groups from everyone; orders and hierarchies are those of all values, merged or not."""
    equal = equal_distance(prepared.column)
    ordered = of_positions = hierarchical = None
    if prepared.is_ordered:
        known = prepared.plain.without_null()
        positions = None
        if prepared.order.positions is not None:
            positions = np.array(prepared.order.positions, np.float64)
        ordered, of_positions = ordered_distances(known.cells, known.prior, known.with_secret, positions)
    if prepared.levels is not None:
        hierarchical = hierarchical_distance(prepared.plain, prepared.levels)
    return _Distances(equal, ordered, of_positions, hierarchical)


def _near(prepared: PreparedColumn, certainty: float) -> NearPeople | None:
    window, positions = prepared.asked.window, prepared.order.positions
    if window is None or positions is None:
        return None
    plain = prepared.plain
    numbers = np.array(positions, np.float64)
    return near_people(plain.cells, prepared.table, numbers, window, certainty, plain.secret_cells)


def _worst(prepared: PreparedColumn, bits: LearntBits, labels: GroupLabels | None) -> tuple[ExposedGroup, ...]:
    most = _MOST_EXPOSED
    found = most_exposed_groups(prepared.column, bits.by_group, most)
    return tuple(
        ExposedGroup(each.k, each.l, each.top_share, each.gain_bits, labels(each.group) if labels is not None else ())
        for each in found
    )


def _values(prepared: PreparedColumn) -> tuple[ExposedValue, ...]:
    """Return secret values with their largest share in a group; those with few people are folded into one row."""
    exposures = value_exposures(prepared.plain)
    sizes: dict[int, int] = {}
    for each in exposures:
        sizes[each.people] = sizes.get(each.people, 0) + bool(each.people)
    most = largest_folded([(size, number) for size, number in sizes.items() if number])
    labels = prepared.order.labels
    rows = [
        ExposedValue(labels[each.value], 0, each.people, each.prior, each.posterior)
        for each in exposures
        if each.people > most
    ]
    folded = [each for each in exposures if 0 < each.people <= most]
    if folded:
        people, prior = sum(each.people for each in folded), sum(each.prior for each in folded)
        rows.append(ExposedValue(None, len(folded), people, prior, max(each.posterior for each in folded)))
    return tuple(sorted(rows, key=lambda row: (row.folded_values > 0, -row.people, row.label or "")))


_NOBODY = "nobody has a secret value"


def _reasons(prepared: PreparedColumn, figures: ColumnDisclosure) -> dict[str, str]:
    """Return why figures do not exist."""
    reasons = {}
    no_secret = not prepared.column.with_secret.any()
    if figures.t_ordered is None:
        no_order = "text has no order; give one with --ranks"
        reasons["t_ordered"] = no_order if not prepared.is_ordered else _nothing(no_secret=no_secret)
    if figures.t_distance is None:
        no_numbers = "text has no distances" if prepared.asked.ranks is None else "ranks have no distances"
        has_numbers = prepared.order.positions is not None
        reasons["t_distance"] = _nothing(no_secret=no_secret) if has_numbers else no_numbers
    if figures.t_hierarchical is None:
        reasons["t_hierarchical"] = _NOBODY if prepared.levels is not None else "no hierarchy was given"
    if figures.near is None:
        asked = prepared.asked.window is not None
        reasons["near"] = _nothing(no_secret=no_secret) if asked else "what counts as near was not given (--near)"
    if any(each.max is None for each in figures.after_excluding):
        reasons["after_excluding"] = _NOBODY if no_secret else "with all other values ruled out one is always left"
    if figures.guess.without is None:
        reasons["guess.without"] = "there is nobody else to guess from"
    if no_secret:
        keys = ("l_distinct", "l_entropy", "recursive", "recursive_l", "alpha", "beta", "enhanced_beta")
        reasons |= dict.fromkeys((*keys, "after_knowing"), _NOBODY)
    return reasons


def _nothing(*, no_secret: bool) -> str:
    return _NOBODY if no_secret else "all values are missing"
