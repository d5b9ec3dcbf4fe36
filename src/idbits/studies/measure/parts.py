"""The parts of a measurement besides its figures: categories, values, folded rows, and what withholding costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from idbits.counts import Spectrum, Value
from idbits.engines.base import Table
from idbits.measures.entropy import surprisal_bits
from idbits.measures.quantiles import pearson_correlation
from idbits.studies.measure.result import Group, Groups, Suppression, ValueRow, Values
from idbits.studies.shared.figures import Figures
from idbits.studies.shared.folding import LEAST_SHOWN, largest_folded
from idbits.values.attributes import Attribute

__all__ = [
    "LEAST_SHOWN", "LEFT_OUT", "MOST_EXPOSED", "exposed_of", "groups_of", "largest_folded", "suppression_of",
    "values_of",
]  # fmt: skip

MOST_EXPOSED = 10
LEFT_OUT = (
    "the figures of each column are omitted: with the list of values they could reveal a group of fewer than 10 "
    "people; measure without --values to see them"
)


def suppression_of(figures: Figures, threshold: int) -> Suppression:
    """Return what withholding everyone in groups below a size costs, and what is left."""
    assert figures.spectrum is not None
    remaining = figures.spectrum.with_sizes_from(threshold)
    withheld = figures.n_people - remaining.n_people
    return Suppression(
        threshold,
        withheld,
        figures.spectrum.n_sets - remaining.n_sets,
        withheld / figures.n_people,
        Figures.of(remaining) if remaining.n_people else None,
    )


def groups_of(
    by: Attribute, measured: Sequence[tuple[Value, Figures]], *, reveal: bool, people_in_several: int = 0
) -> Groups:
    """Return the categories; those too small to be named share one row, with enough others to hide which is which."""
    medians = [figures.set_sizes.median for _, figures in measured if figures.set_sizes is not None]
    sizes = [figures.n_people for _, figures in measured]
    most = 0 if reveal else largest_folded(Counter(sizes).items())
    shown = [(label, figures) for label, figures in measured if figures.n_people > most]
    hidden = [figures for _, figures in measured if figures.n_people <= most]
    shown.sort(key=lambda item: (item[1].typical_size, item[1].n_people, item[0] or ""))
    rows = [Group(label, 0, figures) for label, figures in shown]
    if hidden:
        rows.append(Group(None, len(hidden), Figures.merged(hidden)))
    alone = sum(figures.singletons for _, figures in measured)
    correlation = pearson_correlation(sizes, medians) if len(medians) == len(sizes) else None
    return Groups(by.name, len(measured), alone, tuple(rows), correlation, people_in_several)


def values_of(table: Table, qid: Sequence[Attribute], spectrum: Spectrum, *, reveal: bool) -> Values:
    """List the values that enough people have; the others share one row."""
    most = 0 if reveal else largest_folded(spectrum.pairs())
    # The query does not depend on what is folded, and rare values never leave a database.
    histogram = table.histogram(qid, at_least=1 if reveal else LEAST_SHOWN)
    pairs = [pair for pair in zip(histogram.values, histogram.people, strict=True) if pair[1] > most]
    rows = _value_rows([value for value, _ in pairs], [people for _, people in pairs], spectrum.n_people)
    hidden = [(k, sets) for k, sets in spectrum.pairs() if k <= most]
    people = [k * sets for k, sets in hidden]
    bits = surprisal_bits((k for k, _ in hidden), spectrum.n_people)
    folded = math.fsum(number * gained for number, gained in zip(people, bits, strict=True)) / spectrum.n_people
    return Values(rows, sum(sets for _, sets in hidden), sum(people), folded)


def exposed_of(table: Table, qid: Sequence[Attribute], spectrum: Spectrum) -> Values:
    """List the values that the fewest people have."""
    histogram = table.histogram(qid, most=MOST_EXPOSED)
    rows = _value_rows(histogram.values, histogram.people, spectrum.n_people)
    shown_bits = math.fsum(row.entropy_bits for row in rows)
    rest = max(0.0, Figures.of(spectrum).entropy_bits - shown_bits) if histogram.rest_values else 0.0
    return Values(rows, histogram.rest_values, histogram.rest_people, rest)


def _value_rows(values: Sequence[tuple[Value, ...]], people: Sequence[int], n: int) -> tuple[ValueRow, ...]:
    return tuple(
        ValueRow(value, number, gained, number / n * gained)
        for value, number, gained in zip(values, people, surprisal_bits(people, n), strict=True)
    )
