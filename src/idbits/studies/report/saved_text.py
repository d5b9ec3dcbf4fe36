"""Saved answers of other commands as sections of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock
from idbits.render.numbers import NONE, bits, count, decimal
from idbits.render.page import Figure, Section, named, shortened
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.columns.text import contribution_table
from idbits.studies.events.charts import pairs_chart, unicity_chart
from idbits.studies.events.result import Events, Unicity
from idbits.studies.events.text import events_verdict, grid_table, left_out, pairs_table, unicity_table
from idbits.studies.leak.charts import dependence_chart, irregularity_chart
from idbits.studies.leak.result import Leak
from idbits.studies.leak.text import (
    change_sentence,
    dependence_table,
    irregularity_table,
    leak_verdict,
    matches_table,
    null_sentences,
    unchanged_table,
)
from idbits.studies.link.result import Linkage, SyntheticAttack
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.report.attack_section import attack_section
from idbits.studies.report.column_sections import combinations, renamed
from idbits.studies.report.findings import events_finding, leak_finding, subsets_finding
from idbits.studies.report.link_section import link_section
from idbits.studies.report.overlap_sections import releases_section, zones_section
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Included

__all__ = [
    "events_named", "events_section", "leak_section", "saved_section", "saved_sections", "subsets_section",
]  # fmt: skip

_TOPICS = {
    "events": "Events over time",
    "leak": "What the release tells about the original",
    "link": "What a second table tells about the records",
    "columns": "Which columns together make people unique",
    "overlap": "What two publications give away together",
    "predict": "Before anything is collected",
    "questionnaire": "After each question",
}
_SKIPPED = {
    "schema", "command", "version", "notes", "reasons", "seed", "verdict", "verdict_level", "verdict_reasons",
}  # fmt: skip
_MOST_FIGURES = 40
_MOST_ROWS = 15
_MOST_COLUMNS = 9
_MOST_TABLES = 6
_NAME = 80
_LONGEST_NOTE = 240
_LONGEST_VERDICT = 400
_SHOWN_NOTES = 3


def saved_sections(included: Sequence[Included]) -> list[Section]:
    """Return all saved answers as sections; several from one command are numbered."""
    made = [saved_section(row, index) for index, row in enumerate(included, start=1)]
    topics = [section.topic for section in made]
    return [
        replace(section, topic=f"{section.topic} ({topics[: index + 1].count(section.topic)})")
        if topics.count(section.topic) > 1
        else section
        for index, section in enumerate(made)
    ]


def saved_section(included: Included, index: int) -> Section:
    """Return a saved answer as a section, with charts for events, leaks, columns, links and overlaps."""
    result, name = included.result, f"saved-{index}"
    topic = _TOPICS.get(included.command, f"Saved answer: {shortened(included.command, 20)}")
    if isinstance(result, Events):
        section = events_section(result, name, topic)
    elif isinstance(result, Leak):
        section = leak_section(result, name, topic)
    elif isinstance(result, ColumnSubsets):
        section = subsets_section(result, name, topic)
    elif isinstance(result, Linkage):
        section = link_section(result, name, topic)
    elif isinstance(result, SyntheticAttack):
        section = attack_section(result, name)
    elif isinstance(result, ZoneOverlap):
        section = zones_section(result, name, topic)
    elif isinstance(result, ReleaseOverlap):
        section = releases_section(result, name, topic)
    else:
        section = _keys_section(included, name, topic)
    answer = included.answer
    listed = answer.get("notes")
    notes = [shortened(str(note), _LONGEST_NOTE) for note in listed[:_SHOWN_NOTES]] if isinstance(listed, list) else []
    where = (
        f"From the saved answer {named(included.file)} of idbits {shortened(included.command, 20)} "
        f"(version {shortened(str(answer.get('version', '')), 20)}); not measured again."
    )
    return replace(section, text=(*section.text, where, *notes))


def _keys_section(included: Included, name: str, topic: str) -> Section:
    """Return the verdict of an answer, then its figures and tables key by key, with the number of keys left out."""
    figures: list[list[str]] = []
    tables: list[TableBlock] = []
    hidden = 0
    for key, value in included.answer.items():
        if key in _SKIPPED or value is None or value in ([], {}):
            continue
        if isinstance(value, dict):
            simple = {name: item for name, item in value.items() if _is_simple(item)}
            figures += [[f"{_words(key)}: {_words(name)}", _cell(item)] for name, item in simple.items()]
            hidden += len(value) - len(simple)
        elif isinstance(value, list):
            made = _table(key, value)
            tables += [made] if made is not None and len(tables) < _MOST_TABLES else []
            hidden += made is None or len(tables) > _MOST_TABLES
        else:
            figures.append([_words(key), _cell(value)])
    more = f"{counted(hidden, 'more figure')} in the saved file." if hidden else ""
    first = TableBlock("Figures", ("figure", "value"), figures[:_MOST_FIGURES], left=(0,), caption=more)
    return Section(
        name, *_saved_verdict(included.answer), tables=(first, *tables) if figures else tuple(tables), topic=topic
    )


def _saved_verdict(answer: JsonObject) -> tuple[str, tuple[str, ...]]:
    """Return the heading and the text of an answer that is shown key by key: its verdict and its reasons, if any."""
    verdict, reasons = answer.get("verdict"), answer.get("verdict_reasons")
    # That of a report has a title and a sentence.
    verdict = verdict.get("title") if isinstance(verdict, dict) else verdict
    title = verdict if isinstance(verdict, str) and verdict else "The figures of a saved answer"
    sentences = [reason for reason in reasons if isinstance(reason, str)] if isinstance(reasons, list) else []
    shown = (shortened(sentence, _LONGEST_VERDICT) for sentence in sentences[:_SHOWN_NOTES])
    return shortened(title, _LONGEST_VERDICT), tuple(shown)


def _table(key: str, entries: list[Json]) -> TableBlock | None:
    rows = [entry for entry in entries if isinstance(entry, dict)]
    if len(rows) < len(entries):
        return None
    names = [name for name in rows[0] if all(_is_simple(row.get(name)) for row in rows) and name not in _SKIPPED]
    names = names[:_MOST_COLUMNS]
    if not names:
        return None
    cells = [[_cell(row.get(name)) for name in names] for row in rows[:_MOST_ROWS]]
    rest = len(rows) - _MOST_ROWS
    words = tuple(index for index, name in enumerate(names) if isinstance(rows[0].get(name), str))
    return TableBlock(
        _words(key).capitalize(),
        tuple(map(_words, names)),
        cells,
        left=words,
        caption=f"{counted(rest, 'more row')} in the saved file." if rest > 0 else "",
    )


def _is_simple(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _cell(value: Json) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return shortened(value, _NAME)
    return count(value) if isinstance(value, int) else decimal(value) if isinstance(value, float) else NONE


def _words(key: str) -> str:
    return shortened(str(key).replace("_", " "), 40)


_MOST_SHOWN_ROWS = 31
_SHORT_NAME = 40


def _short(name: str) -> str:
    return shortened(name, _SHORT_NAME)


def _cut(table: TableBlock, most: int = _MOST_SHOWN_ROWS) -> TableBlock:
    """Return a table short enough for the page: its first rows, and the emphasised ones."""
    rest = [index for index in range(most, len(table.rows)) if index not in table.emphasis]
    if not rest:
        return table
    kept = [index for index in range(len(table.rows)) if index not in rest]
    return replace(
        table,
        rows=[table.rows[index] for index in kept],
        emphasis=tuple(kept.index(index) for index in table.emphasis),
        caption=f"{table.caption} {counted(len(rest), 'more row')} in the saved file.".strip(),
    )


def events_section(answer: Events, name: str, topic: str) -> Section:
    """Return pairs of events by day, and how many points make people unique."""
    verdict = events_verdict(events_named(answer))
    shown = _events_named(answer, _short)
    drawn = [_pairs(shown)]
    tables: tuple[TableBlock, ...] = ()
    if any(row.share is not None for row in shown.grid):
        drawn.insert(0, unicity_chart(shown).with_table(_cut(grid_table(shown))))
        tables = (_cut(unicity_table(shown)),) if shown.unicity else ()
    text = (verdict.sentence, left_out(shown).text)
    return Section(name, events_finding(answer), text, tuple(drawn), tables, topic=topic)


def events_named(answer: Events) -> Events:
    """Return the answer with column names that can stand in sentences."""
    return _events_named(answer, named)


def _events_named(answer: Events, rename: Callable[[str], str]) -> Events:
    def unicity(rows: tuple[Unicity, ...]) -> tuple[Unicity, ...]:
        return tuple(replace(row, attributes=tuple(map(rename, row.attributes))) for row in rows)

    return replace(
        answer,
        time=rename(answer.time),
        attributes=tuple(map(rename, answer.attributes)),
        unicity=unicity(answer.unicity),
        grid=unicity(answer.grid),
    )


def _pairs(answer: Events) -> Figure:
    table = pairs_table(answer)
    # A terminal can do without a header over Mon and Tue; a screen reader cannot.
    table = replace(table, columns=tuple(head or "weekday" for head in table.columns))
    return pairs_chart(answer).with_table(_cut(table))


def leak_section(answer: Leak, name: str, topic: str) -> Section:
    """Return how much released columns tell about their originals, and the entropy of patterns (S4 figure 2)."""
    verdict = leak_verdict(_leak_named(answer, named))
    shown = _leak_named(answer, _short)
    drawn = (
        [dependence_chart(shown).with_table(_cut(dependence_table(shown)))]
        if any(column.mic is not None for column in shown.columns)
        else []
    )
    drawn += [_entropy(shown)] if shown.entropy_curve else []
    text = (verdict.sentence, *null_sentences(shown), change_sentence(shown))
    tables = [irregularity_table(shown) if drawn else dependence_table(shown)]
    tables += [_cut(unchanged_table(shown))] if _counts_unchanged(shown) else []
    tables += [_cut(matches_table(shown))] if shown.matches else []
    return Section(name, leak_finding(answer, verdict.title), text, tuple(drawn), tuple(tables), topic=topic)


def _leak_named(answer: Leak, rename: Callable[[str], str]) -> Leak:
    return replace(
        answer,
        columns=tuple(replace(row, column=rename(row.column)) for row in answer.columns),
        matches=tuple(
            replace(row, original=rename(row.original), released=rename(row.released)) for row in answer.matches
        ),
    )


def _counts_unchanged(answer: Leak) -> bool:
    """Whether the answer counts unchanged values; answers of earlier versions do not."""
    return any(column.unchanged is not None for column in answer.columns)


def _entropy(answer: Leak) -> Figure:
    points = [(row.order, row.original_bits, row.released_bits) for row in answer.entropy_curve]
    table = TableBlock(
        "Permutation entropy by pattern length",
        ("length", "original", "release"),
        [[str(order), bits(before), bits(after)] for order, before, after in points],
        left=(),
        caption="In bits.",
    )
    return irregularity_chart(answer).with_table(_cut(table))


def subsets_section(answer: ColumnSubsets, name: str, topic: str) -> Section:
    """Return which columns together make people unique, and what each adds."""
    sentences, by_size, smallest = combinations(answer)
    parts = _cut(contribution_table(renamed(answer, _short)))
    return Section(name, subsets_finding(answer), sentences, (by_size,), (*smallest, parts), topic=topic)
