"""Blocks as terminal text, by rich: in colour on a terminal, plain elsewhere.

Words in a table wrap to fit the width, but numbers are never cut. Long names break between their parts.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.render.blocks import Block, Code, Command, Heading, Items, Level, Paragraph, TableBlock, Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["print_blocks", "safe", "to_text"]

_STYLES = {
    Level.BAD: "bold red", Level.WARN: "bold yellow", Level.GOOD: "bold green", Level.UNDECIDED: "bold blue",
}  # fmt: skip
_LEAST_WORDS = 12
_LONGEST_WHOLE = 24
_WIDTH = 80
_SPACE = re.compile(" ")
# After signs that separate the parts of a name, and before a capital letter that begins one; dates stay whole.
_PART_BORDER = re.compile(r"(?<=[-_./:])(?=[^\W\d_])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def to_text(blocks: Sequence[Block], width: int = _WIDTH) -> str:
    """Return blocks as plain text."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, highlight=False, legacy_windows=False)
    _print(blocks, console, width, plain=True)
    return out.getvalue()


def print_blocks(blocks: Sequence[Block], console: Console, *, plain: bool = False) -> None:
    """Print blocks on a console; ``plain`` uses ASCII lines and at most 80 columns."""
    _print(blocks, console, min(console.width, _WIDTH) if plain else console.width, plain=plain)


def _print(blocks: Sequence[Block], console: Console, width: int, *, plain: bool) -> None:
    for index, block in enumerate(blocks):
        if index:
            console.print()
        for line in _render(block, width, plain=plain):
            # Lines are already wrapped, and commands stay on one line.
            console.print(line, soft_wrap=True)


def safe(text: str) -> str:
    """Return a text that cannot control a terminal or hide anything: control and format characters are shown.

    >>> safe("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(ascii(character)[1:-1] if _steers(character) else character for character in text)


def _steers(character: str) -> bool:
    # The two joiners only shape emoji and Persian words. SVG must not have the last two, which are no characters.
    if character in "\u200c\u200d":
        return False
    return character in "\ufffe\uffff" or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _render(block: Block, width: int, *, plain: bool) -> list[Text]:
    from rich.text import Text

    match block:
        case Verdict(level, title):
            reasons = (line for reason in block.reasons for line in _prose(reason, width))
            return [*_prose(title, width, _STYLES[level]), *reasons]
        case Heading(text):
            return _prose(text, width, "bold")
        case Paragraph(text):
            return _prose(text, width)
        case Items(title, items):
            return [*_prose(title, width, "bold"), *(line for item in items for line in _item(item, width))]
        case Command(reason, command):
            return [*_prose(reason, width, "bold"), Text("  " + safe(command), style="cyan", no_wrap=True)]
        case Code(reason, text):
            lines = [Text(safe(line), no_wrap=True) for line in text.split("\n")]
            return [Text(f"-- {safe(reason)}", style="dim", no_wrap=True), *lines]
        case TableBlock():
            return _table(block, width, plain=plain)


def _prose(text: str, width: int, style: str = "") -> list[Text]:
    from rich.text import Text

    return [Text(line, style=style, no_wrap=True) for line in _wrapped(safe(text), width)]


def _item(text: str, width: int) -> list[Text]:
    from rich.text import Text

    lines = _prose(text, max(20, width - 4))
    return [Text("    " if index else "  - ", no_wrap=True).append_text(line) for index, line in enumerate(lines)]


def _table(block: TableBlock, width: int, *, plain: bool) -> list[Text]:
    from rich.text import Text

    names, rows = [safe(name) for name in block.columns], [[safe(cell) for cell in row] for row in block.rows]
    heading, rule, *lines = _grid(names, rows, block.left, width, plain=plain)
    parts = _prose(block.title, width, "bold") if block.title else []
    parts += [Text(line, style="bold", no_wrap=True) for line in heading]
    parts += [Text(line, style="dim", no_wrap=True) for line in rule]
    for index, row in enumerate(lines):
        style = "bold" if index in block.emphasis else ""
        parts += [Text(line, style=style, no_wrap=True) for line in row]
    if block.caption:
        parts += _prose(block.caption, width, "dim")
    return parts


def _grid(
    columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int], width: int, *, plain: bool
) -> list[list[str]]:
    """Return the lines of each row: the column names, a rule, then the rows.

    If the table is too wide, names over numbers wrap first, then columns of words; then names break between their
    parts, and gaps become narrower. Numbers are never cut, even if the table stays wider than the width.
    """
    from rich.cells import cell_len

    gap, rule, cross = (" | ", "-", "-+-") if plain else ("  ", "─", "──")
    sizes = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    excess = sum(sizes) + len(gap) * (len(sizes) - 1) - width
    widest_first = sorted(range(len(sizes)), key=lambda index: -sizes[index])
    for index in widest_first:
        if excess > 0 and index not in left:
            longest = max(map(cell_len, [*columns[index].split(" "), *(row[index] for row in rows)]))
            excess -= sizes[index] - longest
            sizes[index] = longest
    # Only very long words are broken, if wrapping between words is not enough: references and names stay whole.
    for border, longest_whole in ((_SPACE, max(sizes)), (_SPACE, _LONGEST_WHOLE), (_PART_BORDER, _LONGEST_WHOLE)):
        for index in widest_first:
            if excess > 0 and index in left:
                least = _longest_part([row[index] for row in (columns, *rows)], border, longest_whole)
                cut = min(excess, max(0, sizes[index] - least))
                sizes[index] -= cut
                excess -= cut
    if excess > 0 and plain:
        gap, cross = "|", "+"
    heading = _row_lines(columns, sizes, left, gap, at_bottom=True)
    lines = [_row_lines(row, sizes, left, gap) for row in rows]
    return [heading, [cross.join(rule * size for size in sizes)], *lines]


def _longest_part(cells: Sequence[str], border: re.Pattern[str], longest_whole: int) -> int:
    """Return the width that cells need which break only at a border; parts that are longer than others may be cut."""
    from rich.cells import cell_len

    parts = [part for cell in cells for word in _SPACE.split(cell) for part in border.split(word)]
    return max((size for part in parts if (size := cell_len(part)) <= longest_whole), default=_LEAST_WORDS)


def _row_lines(
    row: Sequence[str], sizes: Sequence[int], left: Sequence[int], gap: str, *, at_bottom: bool = False
) -> list[str]:
    from rich.cells import cell_len

    cells = [_wrapped(cell, size) for cell, size in zip(row, sizes, strict=True)]
    height = max(map(len, cells))
    if at_bottom:
        cells = [[""] * (height - len(cell)) + cell for cell in cells]
    lines = []
    for level in range(height):
        parts = []
        for index, (cell, size) in enumerate(zip(cells, sizes, strict=True)):
            text = cell[level] if level < len(cell) else ""
            blank = " " * (size - cell_len(text))
            parts.append(text + blank if index in left else blank + text)
        lines.append(gap.join(parts).rstrip())
    return lines


def _wrapped(cell: str, size: int) -> list[str]:
    """Return a text in lines of at most ``size`` columns, broken at spaces or else between parts of names."""
    from rich.cells import cell_len

    if cell_len(cell) <= size:
        return [cell]
    lines = [""]
    for word in cell.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= size:
            lines[-1] = joined
            continue
        lines = lines[:-1] + ([lines[-1]] if lines[-1] else []) + _broken(word, size)
    return lines


def _broken(word: str, size: int) -> list[str]:
    """Return a word in lines of at most ``size`` columns; only a part that is longer is cut.

    >>> _broken("date_of_firstAdmission", 12)
    ['date_of_', 'first', 'Admission']
    """
    from rich.cells import cell_len, chop_cells

    lines = [""]
    for part in _PART_BORDER.split(word):
        if cell_len(lines[-1] + part) <= size:
            lines[-1] += part
        else:
            lines = [*filter(None, lines), *chop_cells(part, size)]
    return lines
