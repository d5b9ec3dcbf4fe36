"""A table as lines of text: words wrap where the width is short, but no digit is ever cut."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells

__all__ = ["grid", "wrapped"]

_LEAST_WORDS = 12


def grid(
    columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int], width: int, *, plain: bool
) -> list[list[str]]:
    """Return the lines of each row, those of the names first, then a rule, then those of the rows.

    Columns of words shrink until the table fits. What does not fit then is wider than the width: nothing is lost.
    """
    gap, rule, cross = (" | ", "-", "-+-") if plain else ("  ", "─", "──")
    sizes = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    excess = sum(sizes) + len(gap) * (len(sizes) - 1) - width
    for place in sorted(left, key=lambda position: -sizes[position]):
        if excess > 0:
            cut = min(excess, max(0, sizes[place] - _LEAST_WORDS))
            sizes[place] -= cut
            excess -= cut
    lines = [_lines(row, sizes, left, gap) for row in (columns, *rows)]
    return [lines[0], [cross.join(rule * size for size in sizes)], *lines[1:]]


def _lines(row: Sequence[str], sizes: Sequence[int], left: Sequence[int], gap: str) -> list[str]:
    cells = [wrapped(cell, size) for cell, size in zip(row, sizes, strict=True)]
    height = max(map(len, cells))
    made = []
    for level in range(height):
        parts = []
        for place, (cell, size) in enumerate(zip(cells, sizes, strict=True)):
            text = cell[level] if level < len(cell) else ""
            blank = " " * (size - cell_len(text))
            parts.append(text + blank if place in left else blank + text)
        made.append(gap.join(parts).rstrip())
    return made


def wrapped(cell: str, size: int) -> list[str]:
    """Return a text in lines of at most so many columns, broken at blanks where there are any."""
    if cell_len(cell) <= size:
        return [cell]
    lines = [""]
    for word in cell.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= size:
            lines[-1] = joined
            continue
        pieces = chop_cells(word, size)
        lines = lines[:-1] + ([lines[-1]] if lines[-1] else []) + pieces
    return lines
