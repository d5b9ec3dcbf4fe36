"""The section of a report about the population, if the table is a sample of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.estimate_charts import CurveLine, IntervalBar, ShareCurves
from idbits.render.numbers import NONE, count, estimated_share, nearest, to_places, whole_percent
from idbits.render.page import Figure, Section
from idbits.studies.population.charts import drawn_ranges
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
    words = {
        1: "What follows without any model.",
        2: "The interval and what follows without any model.",
        3: "The estimate, its interval and what follows without any model.",
    }[len(rows)]
    ranges = drawn_ranges(answer)
    chart = IntervalBar(
        (pi.value, f"Best estimate: {estimated_share(pi.value)}") if pi.value is not None else None,
        _written(ranges.get("interval"), f"{level} interval: "),
        _written(ranges.get("bounds"), "Possible without any model: "),
    )
    return Figure(chart, words, table, f"{answer.unit.capitalize()} unique here that are unique in the population")


def _written(ends: tuple[float, float] | None, what: str) -> tuple[float, float, str] | None:
    if ends is None:
        return None
    low, high = ends
    return low, high, f"{what}{whole_percent(low)} to {whole_percent(high)}"


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
    known = [size for size in answer.sizes if size.unique_share is not None]
    words = "Unique people, and how often a match is right, by the number of people."
    if known:
        first, last = known[0], known[-1]
        words += (
            f" Among {count(first.people)} people {estimated_share(first.unique_share or 0)} are unique, among "
            f"{count(last.people)} {estimated_share(last.unique_share or 0)}."
        )
    lines = [_line("unique", "rl", answer, "unique_share"), _line("match is right", "fl", answer, "correctness")]
    drawn = tuple(line for line in lines if line.points)
    if not drawn or len(drawn[0].points) < 2:
        return []
    people = [int(number) for number, _ in drawn[0].points]
    marks = [(answer.n_rows, f"the table: {count(answer.n_rows)}")]
    marks += [(answer.people, f"the population: {count(answer.people)}")] if answer.people > answer.n_rows else []
    chart = ShareCurves(drawn, tuple((n, count(n)) for n in people), "Number of people", tuple(marks))
    return [Figure(chart, words, table, "The more people, the fewer stay unique")]


def _line(name: str, colour: str, answer: PopulationAnswer, figure: str) -> CurveLine:
    """Return a line through the sizes that the model describes."""
    points = [(size.people, getattr(size, figure)) for size in answer.sizes]
    return CurveLine(name, colour, tuple((people, part) for people, part in points if part is not None))
