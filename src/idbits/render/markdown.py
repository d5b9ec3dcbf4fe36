"""A page as Markdown: the same sentences and tables, without charts."""

from __future__ import annotations

import re

from idbits.render.blocks import TableBlock
from idbits.render.page import Page, Section, Term, plain
from idbits.render.text import safe

__all__ = ["to_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


_LINE_TO_FILL_IN = 40


def to_markdown(page: Page) -> str:
    """Return a page as Markdown; special characters in its texts are escaped."""
    lines = [f"# {_text(page.title)}", ""]
    lines += [f"**{_text(page.stamp)}**", ""] if page.stamp else []
    lines += [*map(_filled_in, page.head), ""] if page.head else []
    lines += [_text(page.subject), "", f"**{_text(page.verdict.title)}.** {_text(page.verdict.sentence)}", ""]
    for reason in page.verdict.more:
        lines += [_text(reason), ""]
    lines += [f"- **{_text(tile.shown)}** {_text(tile.label)}. {_text(tile.meaning)}" for tile in page.tiles]
    lines.append("")
    for sentence in page.advice:
        lines += [_text(sentence), ""]
    lines += ["## Decision", "", *map(_filled_in, page.decision), ""] if page.decision else []
    for section in page.sections:
        lines += _section(section)
    lines += ["## How this page was made", "", *(_term(term) for term in page.foot), ""]
    return "\n".join(lines).rstrip() + "\n"


def _section(section: Section) -> list[str]:
    lines = [f"## {_text(section.heading)}", ""]
    for sentence in section.text:
        lines += [_text(sentence), ""]
    for figure in section.figures:
        lines += [_text(figure.words), "", *(_table(figure.table) if figure.table is not None else [])]
    for table in section.tables:
        lines += _table(table)
    lines += [*(f"- {_text(item)}" for item in section.items), ""] if section.items else []
    lines += [*(_term(term) for term in section.terms), ""] if section.terms else []
    return lines


def _table(table: TableBlock) -> list[str]:
    marks = ["---" if index in table.left else "---:" for index in range(len(table.columns))]
    names, *rows = [[_text(cell) for cell in row] for row in (table.columns, *table.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (names, marks, *rows)]
    return [f"**{_text(table.title)}**", "", *lines, "", *([_text(table.caption), ""] if table.caption else [])]


def _term(term: Term) -> str:
    link = f" <{term.link}>" if term.link else ""
    return f"- **{_text(term.name)}**: {_text(term.meaning)}{link}"


def _filled_in(term: Term) -> str:
    """Return a term; one without a meaning as a line to fill in."""
    return _term(term) if term.meaning else f"- **{_text(term.name)}**: {'_' * _LINE_TO_FILL_IN}"


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", safe(plain(text)))
