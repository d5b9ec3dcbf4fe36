"""An inspection as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from idbits.render.blocks import Block, Command, Items, Paragraph, TableBlock
from idbits.render.numbers import count, share
from idbits.studies.inspect.grouping import ColumnGroup, group_columns, listed, range_of
from idbits.studies.inspect.result import Inspection
from idbits.studies.shared.presentation import show
from idbits.studies.shared.roles import Role, shown_role
from idbits.wording import counted

__all__: list[str] = []

_FEWEST_ALIKE = 3


@show.register
def _(inspection: Inspection) -> list[Block]:
    columns = counted(len(inspection.columns), "column")
    blocks: list[Block] = [
        Paragraph(f"{_size(inspection)}, {columns}. No values are shown."),
        TableBlock(
            "Columns",
            ("column", "read as", "values", "missing", "unique", "likely role"),
            [_line(group, inspection.n_rows) for group in group_columns(inspection.columns)],
            left=(0, 1, 5),
            caption=f"unique: {inspection.unit} whose value no other {inspection.unit} have. may be known: someone may "
            "know it (quasi-identifier). Roles are guesses: check each one.",
        ),
    ]
    odd = tuple(_odd(inspection))
    if odd:
        blocks.append(Items("What looks odd", odd))
    if inspection.next_command is not None:
        blocks.append(Command("Next: measure the columns someone may know", inspection.next_command))
    if inspection.n_left_out:
        blocks.append(Paragraph(_left_out(inspection.n_left_out)))
    return blocks


def _line(group: ColumnGroup, n_rows: int) -> list[str]:
    return [
        group.label,
        group.first.reads_as,
        range_of(group, lambda column: column.distinct, count),
        range_of(group, lambda column: column.nulls, count),
        range_of(group, lambda column: column.unique, lambda unique: share(unique / n_rows if n_rows else None)),
        shown_role(group.first.role) + (f": {group.first.reason}" if group.first.role != Role.QUASI else ""),
    ]


def _odd(inspection: Inspection) -> Iterator[str]:
    """Yield what looks odd, once for all columns of which the same is true."""
    found: dict[str, list[tuple[str, str]]] = {}
    for column in inspection.columns:
        for sentence in column.odd:
            found.setdefault(re.sub(r"^[0-9,]+ ", "# ", sentence), []).append((column.column, sentence))
    for alike in found.values():
        if len(alike) < _FEWEST_ALIKE:
            yield from (f"{name}: {sentence}" for name, sentence in alike)
        else:
            names = [name for name, _ in alike]
            yield f"{counted(len(alike), 'column')}: {_together([sentence for _, sentence in alike])} ({listed(names)})"


def _together(sentences: list[str]) -> str:
    """Return sentences that differ in their number only as one, with the smallest and the largest number."""
    numbers = [int(match[0].replace(",", "")) for text in sentences if (match := re.match(r"[0-9][0-9,]*(?= )", text))]
    if not numbers or min(numbers) == max(numbers):
        return sentences[0]
    return re.sub(r"^[0-9,]+", f"{count(min(numbers))} to {count(max(numbers))}", sentences[0])


def _left_out(number: int) -> str:
    verb, them = ("is", "it") if number == 1 else ("are", "them")
    columns = counted(number, "more column")
    return f"{columns} that someone may know {verb} not in this command: the role is less sure. Add {them} to --qid."


def _size(inspection: Inspection) -> str:
    if inspection.unit == "rows":
        return counted(inspection.n_rows, "row")
    return "1 person" if inspection.n_rows == 1 else f"{count(inspection.n_rows)} people"
