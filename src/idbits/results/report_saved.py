"""An answer of another command, saved as JSON, as a section made from its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from idbits.errors import counted
from idbits.render.blocks import Table
from idbits.render.numbers import count, decimal
from idbits.render.page import Section, shortened

if TYPE_CHECKING:
    from idbits.results.report import Included

__all__ = ["saved_section"]

_TITLES = {
    "events": "Events over time",
    "leak": "What a release still tells about the original",
    "columns": "Which columns together",
    "predict": "Before anything is collected",
    "questionnaire": "After each question",
}
_WORDS = {
    "events": "How many people a pair of events, or a few points of somebody's path, singles out.",
    "leak": "Whether the released values still depend on the original ones.",
}
_SKIPPED = {"schema", "command", "version", "notes", "reasons", "seed"}
_MOST_ROWS = 15
_MOST_COLUMNS = 9
_MOST_TABLES = 6
_NAME = 80


def saved_section(included: Included, place: int) -> Section:
    """Return the figures and the tables of a saved answer; what is left out is said."""
    answer = included.answer
    figures: list[list[str]] = []
    tables: list[Table] = []
    hidden = 0
    for key, value in answer.items():
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
    more = f" {counted(hidden, 'further key')} of the saved answer: see its file." if hidden else ""
    shown = [["figure", "value"], *figures[:40]]
    first = Table("Figures", ("figure", "value"), shown[1:], left=(0,), caption=more.strip())
    version = shortened(str(answer.get("version", "")), 20)
    text = (
        *((_WORDS[included.command],) if included.command in _WORDS else ()),
        f"From the saved answer {shortened(included.file, _NAME)} of idbits {shortened(included.command, 20)} "
        f"(version {version}); it was not measured again.",
        *(str(note) for note in answer.get("notes") or ()),
    )
    title = _TITLES.get(included.command, f"Saved answer: {shortened(included.command, 20)}")
    return Section(f"saved-{place}", title, text, tables=(first, *tables) if figures else tuple(tables))


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
