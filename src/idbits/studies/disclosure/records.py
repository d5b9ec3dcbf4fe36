"""What the group of every record gives away: a file with a line per record and no value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Floats, Integers
from idbits.engines.backends.group_values import GroupValueCounts
from idbits.measures.disclosure.information import LearntBits, bits_of_values
from idbits.progress import Progress
from idbits.studies.disclosure.prepared import PreparedColumn
from idbits.studies.shared.row_files import write_row_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["RecordFigures", "record_figures", "write_records"]

_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class RecordFigures:
    """The figures of every record about one sensitive column, by the cell of the record.

    Attributes:
        column: the name of the column.
        numbers: the number of each record in the source.
        cells: the cell of each record.
        by_cell: the figures of each cell, by name.
    """

    column: str
    numbers: Integers
    cells: Integers
    by_cell: dict[str, Integers | Floats]


def record_figures(prepared: PreparedColumn, counts: GroupValueCounts, bits: LearntBits) -> RecordFigures:
    """Return what each record's group gives away; groups keep their order when values are renumbered."""
    assert counts.rows is not None
    column, counted = prepared.column, counts.cells
    cells, n_values = column.cells, max(1, column.cells.n_values)
    keys = cells.groups * n_values + cells.values
    place = np.searchsorted(keys, counted.groups * n_values + prepared.numbers[counted.values])
    groups = counted.groups
    by_cell: dict[str, Integers | Floats] = {
        "k": cells.sizes[groups],
        "l": cells.lengths[groups],
        "top_share": column.top_shares[groups],
        "gain_bits": bits.by_group[groups],
        "true_bits": bits_of_values(column)[place],
    }
    return RecordFigures(prepared.attribute.name, counts.rows.numbers, counts.rows.cells, by_cell)


def write_records(path: Path, columns: Sequence[RecordFigures], progress: Progress) -> None:
    """Write the figures of every record; only the owner can read the file. Several columns add their names."""
    first = columns[0]

    def blocks() -> Iterator[pyarrow.Table]:
        import pyarrow

        for start in range(0, max(1, len(first.numbers)), _BLOCK):
            part = slice(start, start + _BLOCK)
            data: dict[str, Integers | Floats] = {
                "row": first.numbers[part],
                "k": first.by_cell["k"][first.cells[part]],
            }
            for column in columns:
                suffix = f".{column.column}" if len(columns) > 1 else ""
                for name, values in column.by_cell.items():
                    if name != "k":
                        data[f"{name}{suffix}"] = values[column.cells[part]]
            yield pyarrow.table({name: pyarrow.array(values) for name, values in data.items()})

    write_row_file(path, blocks(), len(first.numbers), progress, "writing records", private=True)
