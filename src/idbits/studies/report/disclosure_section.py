"""The section of a report about sensitive columns: what sharing a group gives away, without the names of models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import Level, TableBlock, Verdict
from idbits.render.numbers import count, percent, share
from idbits.render.page import Figure, Section, named, plain
from idbits.studies.disclosure.charts import share_bars, share_chart, value_chart, value_name
from idbits.studies.disclosure.result import ColumnDisclosure, Disclosure
from idbits.studies.disclosure.text import certain_sentence, column_verdict, disclosure_verdict, guess_sentence
from idbits.studies.report.charts import SCHEMA, WIDTH
from idbits.studies.report.text import few_names
from idbits.wording import joined

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["disclosure_section", "with_disclosure"]

_TITLE = "What people in the same group give away"
_COLOURS = ("var(--first)", "var(--second)")
_SHOWN_VALUES = 12


def disclosure_section(report: Report) -> Section:
    """Return for each sensitive column who can be told, how often a guess is right, and two charts."""
    answer = report.disclosure
    if answer is None:
        return Section("disclosure", _TITLE, (f"Not measured: {report.disclosure_reason}.",))
    shown = _with_names(answer)
    text = [
        f"Someone who knows a person's group learns what the group has in common. Here it is about "
        f"{joined(column.column for column in shown.sensitive)}."
    ]
    drawn: list[Figure] = []
    for column in shown.sensitive:
        if not column.is_constant:
            text.append(f"{column_verdict(column, shown).title}. {certain_sentence(column, shown)} "
                        f"{guess_sentence(column)}")  # fmt: skip
            drawn += [_shares(column, shown), _values(column, shown)]
        else:
            text.append(f"{column.column}: everyone has the same value, so nothing is to be learnt.")
    return Section("disclosure", _TITLE, tuple(text), tuple(drawn), items=_limits(shown))


def with_disclosure(verdict: Verdict, answer: Disclosure | None) -> Verdict:
    """Return a verdict that knows what groups give away: large groups that are all alike hide nothing."""
    if answer is None:
        return verdict
    shown = _with_names(answer)
    told = tuple(column for column in shown.sensitive if column_verdict(column, shown).level is not Level.GOOD)
    if not told:
        return verdict
    found = disclosure_verdict(replace(shown, sensitive=told))
    more = replace(verdict, more=(*verdict.more, *found.reasons))
    if verdict.level in (Level.BAD, Level.UNDECIDED) or (verdict.level is Level.WARN and found.level is Level.WARN):
        return more
    return Verdict(found.level, plain(found.title), found.sentence, (*found.more, *verdict.reasons))


def _with_names(answer: Disclosure) -> Disclosure:
    """Return the answer with names that are safe in a sentence."""
    columns = tuple(replace(column, column=named(column.column)) for column in answer.sensitive)
    return replace(answer, qid=few_names(answer.qid), sensitive=columns)


def _shares(column: ColumnDisclosure, answer: Disclosure) -> Figure:
    unit = answer.unit
    bars = share_bars(column)
    rows = [[name, count(people), share(column.share(people))] for name, people in bars if people]
    table = TableBlock(
        f"{unit.capitalize()} by the largest share of one {plain(column.column)} in their group",
        ("largest share, up to", str(unit), "share"),
        rows,
        caption=f"unique: {unit} {unit.who} share their group with nobody.",
    )
    nearly, likely = column.nearly_certain, column.more_likely
    words = (
        f"How much of a group has the same {column.column}: {count(column.certain.in_company)} {unit} are in groups of "
        f"several that all have the same one, {count(nearly.in_company)} in groups of which more than "
        f"{percent(answer.certainty)} have it, {count(likely.in_company)} in groups of which more than half have it."
    )
    chart = share_chart(column, unit, _COLOURS) | {"$schema": SCHEMA, "width": WIDTH, "height": 140}
    chart.pop("title")
    return Figure(chart, words, table)


def _values(column: ColumnDisclosure, answer: Disclosure) -> Figure:
    rows = [
        [value_name(row.label, row.folded_values), count(row.people), share(row.prior), share(row.posterior)]
        for row in column.values[:_SHOWN_VALUES]
    ]
    rest = len(column.values) - _SHOWN_VALUES
    table = TableBlock(
        f"How frequent each {plain(column.column)} is",
        ("value", str(answer.unit), "in general", "at most in a group"),
        rows,
        caption=f"Values of fewer than 10 {answer.unit} are not named."
        + (f" {count(rest)} more values are not shown." if rest > 0 else ""),
    )
    words = (
        f"How frequent each {column.column} is in general and at most in a group of several: the further apart, the "
        "more a group gives away."
    )
    chart = value_chart(column, _COLOURS, _SHOWN_VALUES)
    chart |= {"$schema": SCHEMA, "width": WIDTH - 100, "height": 18 * max(2, len(rows))}
    chart.pop("title")
    return Figure(chart, words, table)


def _limits(answer: Disclosure) -> tuple[str, ...]:
    """Say what such figures do not cover."""
    limits = ["Someone may rule out values or know others in the group; both make a guess more certain."]
    if len(answer.sensitive) > 1:
        limits.append("Each column was measured by itself; together they may give away more.")
    limits.append("Another release of the same people can give away more than both do alone.")
    return tuple(limits)
