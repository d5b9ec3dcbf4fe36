"""What an inspection looks like."""

from __future__ import annotations

from idbits.render.blocks import Block, Command, Items, Paragraph, TableBlock
from idbits.render.numbers import count, share
from idbits.studies.inspect.result import Inspection
from idbits.studies.shared.presentation import show
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
            column.role,
            column.reason,
        ]
        for column in inspection.columns
    ]
    columns = counted(len(inspection.columns), "column")
    blocks: list[Block] = [
        Paragraph(f"{_size(inspection)}, {columns}. No value is shown."),
        TableBlock(
            "Columns",
            ("column", "read as", "distinct", "nulls", "unique", "likely role", "why"),
            rows,
            left=(0, 1, 5, 6),
            caption=f"unique: {inspection.unit} whose value no others have. Roles are guesses: look at each.",
        ),
    ]
    odd = tuple(f"{column.column}: {sentence}" for column in inspection.columns for sentence in column.odd)
    if odd:
        blocks.append(Items("What looks odd", odd))
    if inspection.next_command is not None:
        blocks.append(Command("Next: measure what someone may know", inspection.next_command))
    return blocks


def _size(inspection: Inspection) -> str:
    if inspection.unit == "rows":
        return counted(inspection.n_rows, "row")
    return "1 person" if inspection.n_rows == 1 else f"{count(inspection.n_rows)} people"
