"""Finds notes and totals below a table: the last rows fill few cells, or begin with a total."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from idbits.engines.sources.encoding import Packing
from idbits.engines.sources.row_comparison import Row

__all__ = ["LAST_ROWS", "count_footer_rows", "footer_note", "last_rows"]

LAST_ROWS = 60
_MOST_FOOTER, _FEWEST_ABOVE = 20, 5
_TAIL_BYTES = 1 << 15
_TOTALS = (
    "total", "totals", "subtotal", "sum", "summe", "gesamt", "insgesamt", "gesamtsumme", "ensemble", "somme", "suma",
    "totaal", "som", "összesen", "mindösszesen",
)  # fmt: skip


def count_footer_rows(rows: Sequence[Row], width: int) -> int:
    """Return how many of the last rows are below the table.

    >>> table = [["Ann", "34", "1011"]] * 9
    >>> count_footer_rows([*table, ["", "", ""], ["Source: office", "", ""]], 3), count_footer_rows(table, 3)
    (2, 0)
    """
    last = rows[-LAST_ROWS:]
    filled = [sum(1 for cell in row[:width] if cell.strip()) for row in last]
    number = 0
    while number < len(last) and (_is_sparse(filled[-1 - number], width) or _is_total(last[-1 - number])):
        number += 1
    above = filled[: len(filled) - number]
    is_footer = 0 < number <= _MOST_FOOTER and any(filled[len(above) :])
    is_below_table = len(above) >= _FEWEST_ABOVE and not any(_is_sparse(cells, width) for cells in above)
    return number if is_footer and is_below_table else 0


def _is_sparse(filled: int, width: int) -> bool:
    return width > 2 and 2 * filled < width


def _is_total(row: Row) -> bool:
    first = next((cell.strip() for cell in row if cell.strip()), "")
    return first.rstrip(":").lower() in _TOTALS


def footer_note(number: int) -> str:
    """Return the note on rows below the table.

    >>> footer_note(1)
    'the last row looks like a note or a total below the table, but counts as a row; remove it from the file'
    """
    if number == 1:
        return "the last row looks like a note or a total below the table, but counts as a row; remove it from the file"
    return (
        f"the last {number} rows look like notes or totals below the table, but count as rows; remove them from the "
        "file"
    )


def last_rows(path: Path, packing: Packing, codec: str, delimiter: str, quote: str) -> list[list[str]]:
    """Return the last rows of a text file that is too long to be looked at as a whole; none if that takes too long."""
    if packing != "none" or not path.is_file() or codec.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        return []
    try:
        with path.open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(0, stream.tell() - _TAIL_BYTES))
            lines = stream.read(_TAIL_BYTES).decode(codec, errors="replace").splitlines()[1:]
        return list(csv.reader(lines, delimiter=delimiter, quotechar=quote))
    except (OSError, csv.Error):
        return []
