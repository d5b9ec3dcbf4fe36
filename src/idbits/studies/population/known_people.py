"""What is known about the population: sampling weights, the sizes of strata, the people of each value of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import numpy as np

from idbits.counts import Floats, Value
from idbits.engines.base import OpenOptions, Table
from idbits.errors import DataError, InputError
from idbits.kernels.distinct import people_by_code
from idbits.measures.population.weights import SetWeights
from idbits.studies.population.question import MOST_PEOPLE
from idbits.studies.population.sample_rows import CodedSample
from idbits.studies.shared.value_counts import read_value_counts
from idbits.values.attributes import Attribute
from idbits.wording import counted, counted_people, near_names

__all__ = ["KnownMarginals", "read_marginals", "stratum_weights", "weights_of_column"]

KnownMarginals = tuple[dict[int, Floats], Floats]
"""For each column by its index, the share of each code in the population; and the largest size of each set there."""

_NEARLY = Fraction(1, 100)
_NO_LIMIT = 1000


def weights_of_column(table: Table, weight: Attribute, sample: CodedSample) -> SetWeights:
    """Read the sampling weights: numbers of at least 1."""
    assert sample.beside is not None
    _, codes, people = sample.beside
    numbers = np.array([_weight(text) for text in table.labels(weight)], np.float64)
    rows = people_by_code(codes, len(numbers), people)
    missing, small = int(rows[np.isnan(numbers)].sum()), int(rows[numbers < 1].sum())
    if missing:
        raise DataError(
            f'the weight column "{weight.column}" must contain numbers, but does not in {counted(missing, "row")} '
            "(empty cells included)"
        )
    if small:
        raise DataError(
            f'the weight column "{weight.column}" is below 1 in {counted(small, "row")}; a person stands for at least '
            "one person"
        )
    return _counted_weights(sample, numbers, "--weight")


def _counted_weights(sample: CodedSample, numbers: Floats, option: str) -> SetWeights:
    weights = sample.weights(numbers)
    if weights.people > MOST_PEOPLE:
        raise DataError(f"the population would have more than 2^53 people ({option})")
    return weights


def _weight(text: Value) -> float:
    try:
        number = Decimal(text) if text is not None else Decimal("NaN")
    except InvalidOperation:
        return float("nan")
    return float(number) if number.is_finite() and abs(number.adjusted()) < 100 else float("nan")


def stratum_weights(
    table: Table, strata: Attribute, sizes: object, options: OpenOptions, sample: CodedSample
) -> SetWeights:
    """Return the weights of a stratified sample: the people of a stratum in the population per person in the sample."""
    assert sample.beside is not None
    _, codes, people = sample.beside
    known = read_value_counts(strata, sizes, options, "stratum sizes")
    labels = table.labels(strata)
    rows = people_by_code(codes, len(labels), people)
    occurring = np.flatnonzero(rows).tolist()
    lacking = [code for code in occurring if labels[code] not in known]
    if lacking:
        raise DataError(
            f'the stratum sizes of "{strata.name}" lack {counted(len(lacking), "value")} of the sample '
            "(--stratum-sizes)"
        )
    small = [code for code in occurring if known[labels[code]] < int(rows[code])]
    if small:
        raise DataError(
            f'{counted(len(small), "value")} of "{strata.name}" would have fewer people in the population than in '
            "the sample (--stratum-sizes)"
        )
    numbers = np.ones(len(labels))
    for code in occurring:
        numbers[code] = float(known[labels[code]] / int(rows[code]))
    return _counted_weights(sample, numbers, "--stratum-sizes")


def read_marginals(
    table: Table,
    qid: Sequence[Attribute],
    marginals: Mapping[str, object],
    options: OpenOptions,
    sample: CodedSample,
    people: int,
) -> KnownMarginals | None:
    """Read the people of each value in the population, for some columns."""
    if not marginals:
        return None
    shares: dict[int, Floats] = {}
    most = np.full(sample.sets.n_sets, np.inf)
    for name, source in marginals.items():
        index = _index(name, qid)
        numbers = _marginal(table, qid[index], source, options, sample, index, people)
        shares[index] = numbers / people
        most = np.minimum(most, numbers[sample.sets.codes[index]])
    # A limit of many people never matters, and each limit of its own would make the sets differ.
    return shares, np.where(most > _NO_LIMIT, np.inf, most)


def _index(name: str, qid: Sequence[Attribute]) -> int:
    for index, attribute in enumerate(qid):
        if name in (attribute.name, attribute.column):
            return index
    names = [attribute.name for attribute in qid]
    raise InputError(f'--marginal names "{name}", which is not among the columns of --qid{near_names(name, names)}')


def _marginal(
    table: Table,
    attribute: Attribute,
    source: object,
    options: OpenOptions,
    sample: CodedSample,
    index: int,
    people: int,
) -> Floats:
    """Return the people of each code of a column in the population."""
    known = read_value_counts(attribute, source, options, "marginal")
    total = sum(known.values(), Fraction(0))
    if abs(total - people) > _NEARLY * people:
        raise DataError(
            f'the marginal of "{attribute.name}" has {counted_people(int(total))}, but the population {people:,}; give '
            "counts of the same population (--marginal)"
        )
    labels = table.labels(attribute)
    shown = [labels[code] for code in sample.codes[index].tolist()]
    lacking = sum(label not in known for label in shown)
    if lacking:
        raise DataError(
            f'the marginal of "{attribute.name}" lacks {counted(lacking, "value")} of the sample (--marginal)'
        )
    numbers = np.array([float(known[label]) for label in shown], np.float64)
    own = people_by_code(sample.sets.codes[index], len(numbers), sample.sets.people)
    small = int(np.count_nonzero(numbers < own))
    if small:
        raise DataError(
            f'{counted(small, "value")} of "{attribute.name}" would have fewer people in the population than in the '
            "sample (--marginal)"
        )
    return numbers
