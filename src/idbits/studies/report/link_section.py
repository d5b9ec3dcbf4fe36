"""Saved answers of ``idbits link`` as a section of a report."""

from __future__ import annotations

from dataclasses import replace

from idbits.render.blocks import TableBlock
from idbits.render.numbers import bar_share
from idbits.render.page import Section, named
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import (
    bits_table,
    block_table,
    class_table,
    curve_table,
    link_verdict,
    right_table,
    sensitive_tables,
    threshold_table,
    weight_table,
)
from idbits.studies.report.link_figures import link_figures

__all__ = ["link_section", "link_tables", "named_linkage"]


def link_section(answer: Linkage, name: str, topic: str) -> Section:
    """Return what happens to the records, how many links are right, and which columns do the harm."""
    shown = named_linkage(answer)
    verdict = link_verdict(shown)
    text = (verdict.sentence, *verdict.more)
    return Section(name, _finding(answer, verdict.title), text, link_figures(answer), link_tables(answer), topic=topic)


def _finding(answer: Linkage, title: str) -> str:
    n = answer.n_records
    if answer.thresholds is not None:
        claims = answer.thresholds[0].claims
        return f"{title}: {bar_share(claims / n) if claims else 'none'} of the records claim a person"
    one = answer.records.one_to_one
    who = (
        "No record matches"
        if not one
        else "Every record matches"
        if one == n
        else f"{bar_share(one / n)} of the records match"
    )
    return f"{title}: {who[0].lower()}{who[1:]} a person one to one"


def named_linkage(answer: Linkage) -> Linkage:
    """Return the answer with column names that can stand in sentences."""
    return replace(answer, on=tuple(map(named, answer.on)))


def link_tables(answer: Linkage) -> tuple[TableBlock, ...]:
    """Return the tables of an answer; cells need no marks around names."""
    tables = [class_table(answer)]
    tables += [right_table(answer)] if answer.thresholds is None or answer.truth is not None else []
    if answer.thresholds is not None:
        tables += [threshold_table(answer), weight_table(answer), block_table(answer)]
    if len(answer.curve) > 1:
        by_columns = curve_table(answer)
        tables.append(replace(by_columns, caption=by_columns.caption.replace(" in the JSON output", " not shown")))
    return (*tables, bits_table(answer), *sensitive_tables(answer))
