"""What a measurement holds beside its figures: groups, values, those that are folded, and the cost of withholding."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from idbits.counts import Spectrum, Value
from idbits.engines.base import Table
from idbits.measures.entropy import surprisal_bits
from idbits.measures.quantiles import pearson_correlation
from idbits.studies.measure.result import Group, Groups, Suppression, ValueRow, Values
from idbits.studies.shared.figures import Figures
from idbits.values.attributes import Attribute

__all__ = ["LEAST_SHOWN", "MOST_EXPOSED", "exposed_of", "groups_of", "largest_folded", "suppression_of", "values_of"]

MOST_EXPOSED = 10
LEAST_SHOWN = 10


def suppression_of(figures: Figures, threshold: int) -> Suppression:
    """Return what withholding everyone in a set below a size costs, and what is left."""
    remaining = figures.spectrum.with_sizes_from(threshold)
    withheld = figures.n_rows - remaining.n_people
    return Suppression(
        threshold,
        withheld,
        figures.n_sets - remaining.n_sets,
        withheld / figures.n_rows,
        Figures.of(remaining) if remaining.n_people else None,
    )


def groups_of(table: Table, by: Attribute, qid: Sequence[Attribute], *, reveal: bool) -> Groups:
    """Measure each group; groups too small to be named become one row, with others so that none can be told."""
    least = 1 if reveal else LEAST_SHOWN
    measured = [(label, Figures.of(spectrum)) for label, spectrum in table.group_spectra(by, qid, at_least=least)]
    correlation = pearson_correlation(
        [figures.n_rows for _, figures in measured], [figures.set_sizes.median for _, figures in measured]
    )
    most = 0 if reveal else largest_folded(Counter(figures.n_rows for _, figures in measured).items())
    shown = [(label, figures) for label, figures in measured if figures.n_rows > most]
    hidden = [figures.spectrum for _, figures in measured if figures.n_rows <= most]
    shown.sort(key=lambda item: (item[1].set_sizes.median, item[1].n_rows, item[0] or ""))
    rows = [Group(label, 0, figures) for label, figures in shown]
    if hidden:
        rows.append(Group(None, len(hidden), Figures.of(Spectrum.merged(hidden))))
    alone = sum(figures.singletons for _, figures in measured)
    return Groups(by.name, len(measured), alone, tuple(rows), correlation)


def values_of(table: Table, qid: Sequence[Attribute], spectrum: Spectrum, *, reveal: bool) -> Values:
    """List the values that enough people have; the others are one row."""
    most = 0 if reveal else largest_folded(spectrum.pairs())
    # The same question whatever is folded; rare values never leave a database.
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


def largest_folded(sizes: Iterable[tuple[int, int]], least: int = LEAST_SHOWN) -> int:
    """Return the size up to which groups are folded into one row; 0 where each has enough people to be named.

    What is folded must not be found by subtraction. Whoever knows all values that there can be knows which of them are
    not named; if one value alone is folded, its people are the rest. So the folded row holds

    - all groups of a size, or none: sizes alone decide, and no name that comes first;
    - groups of at least two different sizes;
    - as many people as a group needs to be named.

    Swapping the names of any two folded groups then gives the same output: nobody can tell which of the sizes a folded
    group has, and so neither which of them is the rare one. (Statistics offices call the further groups secondary
    suppression.) Where there are not enough groups for that, all of them are folded.

    Args:
        sizes: sizes of groups, each with the number of groups that have it.
        least: the people whom a named group has at least.

    >>> largest_folded([(3, 1), (50, 1), (60, 1)])
    50
    >>> largest_folded([(3, 1), (8, 1), (50, 1)]), largest_folded([(3, 2), (50, 1), (60, 1)])
    (8, 50)
    >>> largest_folded([(10, 1), (50, 1)])
    0
    """
    levels = sorted(sizes)
    if not levels or levels[0][0] >= least:
        return 0
    people = folded = 0
    for index, (size, number) in enumerate(levels):
        if size >= least and index >= 2 and people >= least:
            break
        people += size * number
        folded = size
    return folded
