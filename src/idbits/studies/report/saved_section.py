"""An answer of another command, saved as JSON, as a section made from its keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from idbits.render.blocks import Table
from idbits.render.numbers import count, decimal
from idbits.render.page import Section, named, shortened
from idbits.studies.columns.result import ColumnSubsets
from idbits.studies.events.result import Events
from idbits.studies.leak.result import Leak
from idbits.studies.report.saved_sections import events_section, leak_section, subsets_section
from idbits.wording import counted

if TYPE_CHECKING:
    from idbits.studies.report.result import Included

__all__ = ["saved_section", "saved_sections"]

_TITLES = {
    "events": "Events over time",
    "leak": "What a release still tells about the original",
    "columns": "Which columns together single people out",
    "predict": "Before anything is collected",
    "questionnaire": "After each question",
}
_SKIPPED = {"schema", "command", "version", "notes", "reasons", "seed"}
_MOST_FIGURES = 40
_MOST_ROWS = 15
_MOST_COLUMNS = 9
_MOST_TABLES = 6
_NAME = 80
_LONGEST_NOTE = 240
_SHOWN_NOTES = 3


def saved_sections(included: Sequence[Included]) -> list[Section]:
    """Return all saved answers as sections; several of one command are numbered, so that each has its own name."""
    made = [saved_section(one, place) for place, one in enumerate(included, start=1)]
    titles = [section.title for section in made]
    return [
        replace(section, title=f"{section.title} ({titles[: place + 1].count(section.title)})")
        if titles.count(section.title) > 1
        else section
        for place, section in enumerate(made)
    ]


def saved_section(included: Included, place: int) -> Section:
    """Return a saved answer as a section: with its pictures where it is about events, a leak or columns."""
    result, name = included.result, f"saved-{place}"
    title = _TITLES.get(included.command, f"Saved answer: {shortened(included.command, 20)}")
    if isinstance(result, Events):
        section = events_section(result, name, title)
    elif isinstance(result, Leak):
        section = leak_section(result, name, title)
    elif isinstance(result, ColumnSubsets):
        section = subsets_section(result, name, title)
    else:
        section = _keys_section(included, name, title)
    answer = included.answer
    listed = answer.get("notes")
    notes = [shortened(str(note), _LONGEST_NOTE) for note in listed[:_SHOWN_NOTES]] if isinstance(listed, list) else []
    where = (
        f"From the saved answer {named(included.file)} of idbits {shortened(included.command, 20)} "
        f"(version {shortened(str(answer.get('version', '')), 20)}); it was not measured again."
    )
    return replace(section, text=(*section.text, where, *notes))


def _keys_section(included: Included, name: str, title: str) -> Section:
    """Return the figures and the tables of an answer, key by key; what is left out is said."""
    figures: list[list[str]] = []
    tables: list[Table] = []
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
    more = f"{counted(hidden, 'further key')} of the saved answer: see its file." if hidden else ""
    first = Table("Figures", ("figure", "value"), figures[:_MOST_FIGURES], left=(0,), caption=more)
    return Section(name, title, tables=(first, *tables) if figures else tuple(tables))


def _table(key: str, rows: list[Any]) -> Table | None:
    if not all(isinstance(row, dict) for row in rows):
        return None
    names = [name for name in rows[0] if all(_is_simple(row.get(name)) for row in rows) and name not in _SKIPPED]
    names = names[:_MOST_COLUMNS]
    if not names:
        return None
    cells = [[_cell(row.get(name)) for name in names] for row in rows[:_MOST_ROWS]]
    rest = len(rows) - _MOST_ROWS
    words = tuple(place for place, name in enumerate(names) if isinstance(rows[0].get(name), str))
    return Table(
        _words(key).capitalize(),
        tuple(map(_words, names)),
        cells,
        left=words,
        caption=f"{counted(rest, 'more row')}: see the file." if rest > 0 else "",
    )


def _is_simple(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return shortened(value, _NAME)
    return count(value) if isinstance(value, int) else decimal(value)


def _words(key: str) -> str:
    return shortened(str(key).replace("_", " "), 40)
