"""The section of a report about sensitive columns: what sharing a group gives away, without the names of models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import Level, TableBlock, Verdict
from idbits.render.numbers import count, share, to_places
from idbits.render.page import Figure, Section, named, plain
from idbits.studies.disclosure.charts import alike_chart, frequency_chart, share_bars, value_name
from idbits.studies.disclosure.result import ColumnDisclosure, Disclosure
from idbits.studies.disclosure.text import certain_sentence, column_verdict, disclosure_verdict, guess_sentence
from idbits.studies.report.findings import disclosure_finding
from idbits.studies.report.text import few_names

if TYPE_CHECKING:
    from idbits.studies.report.result import Report

__all__ = ["disclosure_sections", "with_disclosure"]

_SHOWN_VALUES = 12
_TOPIC = "What groups give away"
_WHAT_IS_LEARNT = "Someone who knows a person's group learns what the group has in common. Here it is about {name}."


def disclosure_sections(report: Report) -> list[Section]:
    """Return for each sensitive column who can be told, how often a guess is right, and two charts."""
    answer = report.disclosure
    if answer is None:
        return []
    shown = _with_names(answer)
    sections = [_column_section(column, shown, number) for number, column in enumerate(shown.sensitive, start=1)]
    return [*sections[:-1], replace(sections[-1], items=_limits(shown))]


def _column_section(column: ColumnDisclosure, answer: Disclosure, number: int) -> Section:
    several = len(answer.sensitive) > 1
    name = "disclosure" if number == 1 else f"disclosure-{number}"
    topic = f"{_TOPIC} about {plain(column.column)}" if several else _TOPIC
    text = [_WHAT_IS_LEARNT.format(name=column.column)] if number == 1 else []
    title = disclosure_finding(column, answer.unit)
    if column.is_constant:
        same = f"{column.column}: everyone has the same value, so nothing is to be learnt."
        return Section(name, title, (*text, same), topic=topic)
    text.append(f"{certain_sentence(column, answer)} {guess_sentence(column)}")
    drawn = (_shares(column, answer), _values(column, answer))
    return Section(name, title, tuple(text), drawn, (_guesses(column, answer),), topic=topic)


def _guesses(column: ColumnDisclosure, answer: Disclosure) -> TableBlock:
    """Return how often the best guess is right, without the table and with it."""
    guess, one = column.guess, answer.unit.singular
    rows = [["anyone, without the table", share(guess.before)]]
    rows += [[f"a {one} that is not in the table", share(guess.without)]] if guess.without is not None else []
    rows.append([f"a {one} in the table", share(guess.after)])
    caption = ""
    if guess.without is not None and guess.without <= guess.after:
        points = to_places(100 * (guess.after - guess.without), 1)
        caption = f"Being in the table costs {points} percentage points: the difference of the last two rows."
    title = f"How often a guess of {plain(column.column)} is right"
    return TableBlock(title, ("the best guess about", "right"), rows, caption=caption)


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
    return alike_chart(column, answer).with_table(table)


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
    return frequency_chart(column).with_table(table)


def _limits(answer: Disclosure) -> tuple[str, ...]:
    """Say what such figures do not cover."""
    limits = ["Someone may rule out values or know others in the group; both make a guess more certain."]
    if len(answer.sensitive) > 1:
        limits.append("Each column was measured by itself; together they may give away more.")
    limits.append("Another release of the same people can give away more than both do alone.")
    return tuple(limits)
