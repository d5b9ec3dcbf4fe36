"""The section of a report about the population, if the table is a sample of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.numbers import NONE, count, estimated_share, nearest, to_places, whole_percent
from idbits.render.page import Figure, Section
from idbits.studies.population.charts import drawn_ranges, estimate_chart, sizes_chart
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.population.text import (
    SAMPLING_LIMITS,
    bounds_sentence,
    population_failures,
    population_verdict,
    validation_sentence,
)
from idbits.studies.report.findings import population_finding

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["population_section", "sample_not_assessed"]


def population_section(report: Report) -> Section | None:
    """Return the estimate with its interval and bounds, the trial on the table itself, and the curve of sizes."""
    answer = report.population
    if answer is None:
        return None
    text = [population_verdict(answer).sentence, validation_sentence(answer), bounds_sentence(answer)]
    drawn = [*([_interval(answer)] if answer.pi.high is not None else []), *_sizes(answer)]
    return Section(
        "population", population_finding(answer), tuple(filter(None, text)), tuple(drawn), topic="Population"
    )


def sample_not_assessed(report: Report) -> tuple[str, ...]:
    """Say what the estimate for the population does not cover, if there is one."""
    answer = report.population
    return () if answer is None else (*SAMPLING_LIMITS, *population_failures(answer))


def _interval(answer: PopulationAnswer) -> Figure:
    pi = answer.pi
    rows = []
    if pi.value is not None:
        rows.append(["estimate", estimated_share(pi.value), _people(pi.value, answer)])
    for name, (low, high) in reversed(drawn_ranges(answer).items()):
        shown = f"{whole_percent(low)} to {whole_percent(high)}"
        rows.append([name, shown, f"{_people(low, answer)} to {_people(high, answer)}"])
    level = whole_percent(answer.level)
    table = TableBlock(
        "Of those who are unique in the table, unique in the population",
        ("", "share", "people"),
        rows,
        caption=f"interval: holds the truth in about {level} of cases, if the model is right. bounds: follow from the "
        "group sizes without any model.",
    )
    return estimate_chart(answer).with_table(table)


def _people(part: float, answer: PopulationAnswer) -> str:
    return count(nearest(part * answer.sample_uniques))


def _sizes(answer: PopulationAnswer) -> list[Figure]:
    rows = []
    for size in answer.sizes:
        parts = [NONE if part is None else estimated_share(part) for part in (size.unique_share, size.correctness)]
        bits = NONE if size.entropy_bits is None else to_places(size.entropy_bits, 1)
        rows.append([count(size.people), *parts, bits])
    table = TableBlock(
        "The same people among fewer or more",
        ("people", "unique", "match is right", "bits"),
        rows,
        left=(),
        caption="match is right: how often a guess within the right group is right.",
    )
    chart = sizes_chart(answer)
    return [chart.with_table(table)] if chart is not None else []
