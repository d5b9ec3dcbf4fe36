"""Saved answers of ``idbits overlap`` as sections of a report."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.page import Figure, Section, named
from idbits.studies.overlap.charts import left_chart, sizes_chart
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.text import (
    candidates_table,
    group_table,
    learnt_table,
    release_verdict,
    size_table,
    zone_verdict,
)

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
    return sizes_chart(answer).with_table(size_table(answer))


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
    return left_chart(answer).with_table(candidates_table(answer))
