"""Saved answers of ``idbits overlap`` as sections of a report."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import count
from idbits.render.page import Figure, Section, named
from idbits.studies.overlap.charts import candidate_rows, drawn_sizes
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.text import (
    candidates_table,
    group_table,
    learnt_table,
    release_verdict,
    size_table,
    zone_verdict,
)
from idbits.wording import counted, counted_people

__all__ = ["named_releases", "named_zones", "releases_figure", "releases_section", "zones_figure", "zones_section"]


def zones_section(answer: ZoneOverlap, name: str, topic: str) -> Section:
    """Return the groups that subtracting counts isolates, by size."""
    verdict = zone_verdict(named_zones(answer))
    text = (verdict.sentence, *verdict.more)
    if not answer.groups:
        return Section(name, verdict.title, text, topic=topic)
    return Section(name, verdict.title, text, (zones_figure(answer),), (group_table(answer),), topic=topic)


def named_zones(answer: ZoneOverlap) -> ZoneOverlap:
    """Return the answer with column names that can stand in sentences."""
    return replace(answer, zones=tuple(map(named, answer.zones)))


def zones_figure(answer: ZoneOverlap) -> Figure:
    """Return the chart of the isolated groups by size."""
    first, second = map(named, answer.zones)
    bars = tuple(
        BarRow(answer.unit.counted(people), groups, counted(groups, "group"), "r1")
        for people, groups in drawn_sizes(answer)
    )
    words = (
        f"Groups of fewer than {count(answer.threshold)} {answer.unit} that follow from subtracting counts by {first} "
        f"and by {second}: {count(answer.isolated.groups)} in all."
    )
    return Figure(LabelledBars(bars), words, size_table(answer), "Groups that follow from subtraction, by their size")


def releases_section(answer: ReleaseOverlap, name: str, topic: str) -> Section:
    """Return what two releases tell together about a column that is to stay secret."""
    verdict = release_verdict(named_releases(answer))
    text = (verdict.sentence, *verdict.more)
    return Section(name, verdict.title, text, (releases_figure(answer),), (learnt_table(answer),), topic=topic)


def named_releases(answer: ReleaseOverlap) -> ReleaseOverlap:
    """Return the answer with a name of the secret that can stand in sentences."""
    return replace(answer, sensitive=named(answer.sensitive))


def releases_figure(answer: ReleaseOverlap) -> Figure:
    """Return the chart of people by the values that are left for them."""
    words = (
        f"People by the number of values of {named(answer.sensitive)} that are left for them: "
        f"{counted_people(answer.certain.both)} have one value left with both releases, {count(answer.certain.first)} "
        f"with the first alone and {count(answer.certain.second)} with the second."
    )
    bars = tuple(
        BarRow(f"{left} left: {release}", people, count(people), meaning)
        for left, *numbers in candidate_rows(answer)
        for release, people, meaning in zip(
            ("first release", "second release", "both"), numbers, ("c1", "c1", "l1"), strict=True
        )
    )
    return Figure(LabelledBars(bars), words, candidates_table(answer), "People by the values that are left for them")
