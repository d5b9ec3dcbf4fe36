"""Saved answers of ``idbits link`` as a section of a report."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.page import Section, named
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import bits_table, class_table, curve_table, link_verdict, right_table, sensitive_tables

__all__ = ["link_section"]


def link_section(answer: Linkage, name: str, title: str) -> Section:
    """Return what happens to the records, how many links are right, and which columns do the harm."""
    shown = replace(
        answer,
        on=tuple(map(named, answer.on)),
        also=tuple(map(named, answer.also)),
        curve=tuple(replace(point, on=tuple(map(named, point.on))) for point in answer.curve),
        sensitive=tuple(replace(each, column=named(each.column)) for each in answer.sensitive),
    )
    verdict = link_verdict(shown)
    tables = [class_table(shown), right_table(shown), bits_table(shown), *sensitive_tables(shown)]
    if len(shown.curve) > 1:
        tables.insert(2, curve_table(shown))
    return Section(name, title, (f"{verdict.title}. {verdict.sentence}", *verdict.more), (), tuple(tables))
