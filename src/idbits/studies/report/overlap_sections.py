"""Saved answers of ``idbits overlap`` as sections of a report."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.numbers import count
from idbits.render.page import Figure, Section, named
from idbits.studies.overlap.charts import candidate_rows, drawn_sizes, whole_ticks
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.text import (
    candidates_table,
    group_table,
    learnt_table,
    release_verdict,
    size_table,
    zone_verdict,
)
from idbits.studies.report import charts
from idbits.wording import counted_people

__all__ = ["releases_section", "zones_section"]


def zones_section(answer: ZoneOverlap, name: str, title: str) -> Section:
    """Return the groups that subtracting counts isolates, by size."""
    first, second = (named(zone) for zone in answer.zones)
    verdict = zone_verdict(replace(answer, zones=(first, second)))
    text = (f"{verdict.title}. {verdict.sentence}", *verdict.more)
    if not answer.groups:
        return Section(name, title, text)
    drawn = [(count(people), groups) for people, groups in drawn_sizes(answer)]
    words = (
        f"Groups of fewer than {count(answer.threshold)} {answer.unit} that follow from subtracting counts by {first} "
        f"and by {second}: {count(answer.isolated.groups)} in all."
    )
    figure = Figure(
        charts.groups_by_size(drawn, str(answer.unit), whole_ticks([groups for _, groups in drawn])),
        words,
        size_table(answer),
    )
    return Section(name, title, text, (figure,), (group_table(answer),))


def releases_section(answer: ReleaseOverlap, name: str, title: str) -> Section:
    """Return what two releases tell together about a column that is to stay secret."""
    secret = named(answer.sensitive)
    verdict = release_verdict(replace(answer, sensitive=secret))
    text = (f"{verdict.title}. {verdict.sentence}", *verdict.more)
    words = (
        f"People by the number of values of {secret} that are left for them: {counted_people(answer.certain.both)} "
        f"have one value left with both releases, {count(answer.certain.first)} with the first alone and "
        f"{count(answer.certain.second)} with the second."
    )
    figure = Figure(charts.people_by_values_left(candidate_rows(answer)), words, candidates_table(answer))
    return Section(name, title, text, (figure,), (learnt_table(answer),))
