"""Estimates for the population that a dataset is a sample of, as figures that rules can limit: ``sample.pi_high``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.engines.base import Table
from idbits.errors import DataError, EngineError, NotEstimableError
from idbits.reading import OpenOptions
from idbits.studies.check.policy import Rule
from idbits.studies.shared.persons import PersonOptions
from idbits.studies.shared.serialisation import UncheckedData
from idbits.values.attributes import Attribute, parse_attribute

if TYPE_CHECKING:
    from idbits.studies.population.study import PopulationQuestion

__all__ = ["sample_columns", "sample_figures", "sample_question", "why_not_estimated"]

_REASON = "reason"
_REASONS = "reasons"


def sample_question(sample: UncheckedData) -> PopulationQuestion:
    """Return the question that a policy asks about the population."""
    # SciPy, which the estimates need, takes a while to import.
    from idbits.studies.population.study import population_question

    return population_question(**sample)


def sample_columns(question: PopulationQuestion | None, table: Table) -> list[str]:
    """Return the columns that the estimates need besides the quasi-identifier."""
    if question is None or question.beside is None:
        return []
    return [parse_attribute(question.beside, table.columns).column]


def sample_figures(
    table: Table,
    qid: Sequence[Attribute],
    question: PopulationQuestion,
    options: OpenOptions,
    person: PersonOptions,
) -> UncheckedData:
    """Return each estimate with its interval, as ``pi``, ``pi_low`` and ``pi_high``; or why there is none."""
    from idbits.studies.population.study import population_of_table

    try:
        answer = population_of_table(table, qid, question, options, person)
    except (DataError, EngineError, NotEstimableError) as error:
        return {_REASON: str(error)}
    figures: UncheckedData = {_REASON: answer.reason, _REASONS: answer.reasons}
    for name, figure in answer.figures.items():
        figures |= {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
    if not answer.sample_uniques:
        # Of nobody, nobody is unique in the population: the safest table must not fail.
        figures |= {"pi_low": 0.0, "pi_high": 0.0}
    return figures


def why_not_estimated(sample: UncheckedData | None, rule: Rule) -> str | None:
    """Return why a rule cannot be checked, if so."""
    if sample is None:
        return "the dataset does not say of how many people it is a sample; add [dataset.sample] with people = N"
    _, _, name = rule.figure.partition(".")
    reason = sample.get(_REASON)
    if len(sample) == 1:
        return str(reason)
    if name in sample and sample[name] is None:
        reason = reason or sample[_REASONS].get(name)
        # A small group is the risk, so its lower end is the one to limit.
        end = "low" if name == "k_hat" else "high"
        return f"not estimable: {reason}; limit {name}_{end} instead"
    return None
