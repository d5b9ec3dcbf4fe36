"""Saved answers of ``idbits link`` as a section of a report."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.blocks import TableBlock
from idbits.render.page import Section, named
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import bits_table, class_table, curve_table, link_verdict, right_table, sensitive_tables
from idbits.studies.report.link_figures import link_figures

__all__ = ["link_section", "link_tables", "named_linkage"]


def link_section(answer: Linkage, name: str, title: str) -> Section:
    """Return what happens to the records, how many links are right, and which columns do the harm."""
    shown = named_linkage(answer)
    verdict = link_verdict(shown)
    text = (f"{verdict.title}. {verdict.sentence}", *verdict.more)
    return Section(name, title, text, link_figures(answer), link_tables(shown))


def named_linkage(answer: Linkage) -> Linkage:
    """Return the answer with column names that can stand in sentences."""
    return replace(
        answer,
        on=tuple(map(named, answer.on)),
        also=tuple(map(named, answer.also)),
        curve=tuple(replace(point, on=tuple(map(named, point.on))) for point in answer.curve),
        sensitive=tuple(replace(each, column=named(each.column)) for each in answer.sensitive),
    )


def link_tables(shown: Linkage) -> tuple[TableBlock, ...]:
    """Return the tables of an answer with marked names."""
    tables = [class_table(shown), right_table(shown), bits_table(shown), *sensitive_tables(shown)]
    if len(shown.curve) > 1:
        by_columns = curve_table(shown)
        tables.insert(2, replace(by_columns, caption=by_columns.caption.replace(" in the JSON output", " not shown")))
    return tuple(tables)
