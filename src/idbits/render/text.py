"""Blocks as terminal text, by rich: in colour on a terminal, plain elsewhere."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.render.blocks import Block, Command, Heading, Items, Level, Paragraph, Table, Verdict

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["print_blocks", "safe", "to_text"]

_SHORT_WORDS = 24
_STYLES = {Level.BAD: "bold red", Level.WARN: "bold yellow", Level.GOOD: "bold green"}


def to_text(blocks: Sequence[Block], width: int = 100) -> str:
    """Return blocks as plain text."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, highlight=False, legacy_windows=False)
    print_blocks(blocks, console, plain=True)
    return out.getvalue()


def print_blocks(blocks: Sequence[Block], console: Console, *, plain: bool = False) -> None:
    """Print blocks on a console; ``plain`` keeps to ASCII lines."""
    for position, block in enumerate(blocks):
        if position:
            console.print()
        for part in _render(block, plain=plain):
            console.print(part, soft_wrap=isinstance(block, Command))


def safe(text: str) -> str:
    """Return a text in which nothing can steer a terminal or hide: control and format characters are shown.

    >>> safe("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(
        character if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else ascii(character)[1:-1]
        for character in text
    )


def _render(block: Block, *, plain: bool) -> list[RenderableType]:
    from rich.text import Text

    match block:
        case Verdict(level, title, sentence):
            return [Text(safe(title), style=_STYLES[level]), Text(safe(sentence))]
        case Heading(text):
            return [Text(safe(text), style="bold")]
        case Paragraph(text):
            return [Text(safe(text))]
        case Items(title, items):
            return [Text(safe(title), style="bold"), *(Text("  - " + safe(item)) for item in items)]
        case Command(reason, command):
            return [Text(safe(reason), style="bold"), Text("  " + safe(command), style="cyan")]
        case Table():
            return _table(block, plain=plain)


def _table(block: Table, *, plain: bool) -> list[RenderableType]:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.ASCII2 if plain else box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for position, name in enumerate(block.columns):
        left = position in block.left
        table.add_column(
            Text(safe(name)),
            justify="left" if left else "right",
            overflow="fold",
            no_wrap=not left or max((len(row[position]) for row in block.rows), default=0) <= _SHORT_WORDS,
        )
    for position, row in enumerate(block.rows):
        style = "bold" if position in block.emphasis else None
        table.add_row(*(Text(safe(cell)) for cell in row), style=style)
    parts: list[RenderableType] = [Text(safe(block.title), style="bold")] if block.title else []
    parts.append(table)
    if block.caption:
        parts.append(Text(safe(block.caption), style="dim"))
    return parts
