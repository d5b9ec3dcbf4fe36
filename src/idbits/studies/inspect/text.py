"""An inspection as text."""

from __future__ import annotations

from idbits.render.blocks import Block, Command, Items, Paragraph, TableBlock
from idbits.render.numbers import count, share
from idbits.studies.inspect.result import Inspection
from idbits.studies.shared.presentation import show
from idbits.studies.shared.roles import shown_role
from idbits.wording import counted

__all__: list[str] = []


@show.register
def _(inspection: Inspection) -> list[Block]:
    rows = [
        [
            column.column,
            column.reads_as,
            count(column.distinct),
            count(column.nulls),
            share(column.unique / inspection.n_rows if inspection.n_rows else None),
            shown_role(column.role) + (f": {column.reason}" if column.role != "quasi-identifier" else ""),
        ]
        for column in inspection.columns
    ]
    columns = counted(len(inspection.columns), "column")
    blocks: list[Block] = [
        Paragraph(f"{_size(inspection)}, {columns}. No values are shown."),
        TableBlock(
            "Columns",
            ("column", "read as", "values", "missing", "unique", "likely role"),
            rows,
            left=(0, 1, 5),
            caption=f"unique: {inspection.unit} whose value no other {inspection.unit} have. may be known: values are "
            "shared, and someone may know them (quasi-identifier). Roles are guesses: check each one.",
        ),
    ]
    odd = tuple(f"{column.column}: {sentence}" for column in inspection.columns for sentence in column.odd)
    if odd:
        blocks.append(Items("What looks odd", odd))
    if inspection.next_command is not None:
        blocks.append(Command("Next: measure the columns someone may know", inspection.next_command))
    return blocks


def _size(inspection: Inspection) -> str:
    if inspection.unit == "rows":
        return counted(inspection.n_rows, "row")
    return "1 person" if inspection.n_rows == 1 else f"{count(inspection.n_rows)} people"
