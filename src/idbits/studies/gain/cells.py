"""The gain of every cell: as an Arrow table, or written to a file block by block, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.progress import Progress
from idbits.storage import whole_file
from idbits.studies.gain.attack import Attack, Count

if TYPE_CHECKING:
    from idbits.studies.gain.table import RowsRead

__all__ = ["cell_blocks", "cell_names", "cells_table", "check_cells_file", "shown_cells", "write_cells"]

_BLOCK = 1 << 17
_OWN = ("row", "rig", "cohort")


def cell_names(columns: Sequence[str]) -> list[str]:
    """Return the names of the columns of a cells file: features that are called row, rig or cohort say so.

    >>> cell_names(["zip", "row"])
    ['zip', 'row (feature)']
    """
    return [f"{name} (feature)" if name in _OWN else name for name in columns]


def check_cells_file(cells: Any) -> Path:
    """Return the path of a cells file that can be written."""
    path = Path(os.fspath(cells))
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise InputError("cells are written to a file that ends in .parquet or .csv (--cells)")
    if not path.parent.is_dir():
        raise InputError(f'there is no folder "{path.parent}" to write cells to (--cells)')
    if path.is_dir():
        raise InputError(f'"{path}" is a folder; cells are written to a file (--cells)')
    will_write(path, "--cells")
    return path


def cell_blocks(read: RowsRead, attack: Attack, shown: Sequence[Any], names: Sequence[str]) -> Iterator[Any]:
    """Yield the cells of all rows as Arrow tables, in the order of the source."""
    import pyarrow

    place = read.rows.place
    assert place is not None
    cohorts = read.rows.cohorts()
    for start in range(0, len(place), _BLOCK):
        rows = place[start : start + _BLOCK]
        columns = {"row": read.numbers[start : start + _BLOCK]}
        columns |= {name: line[rows] for name, line in zip(cell_names(names), shown, strict=True)}
        columns |= {"rig": attack.rig_bits[rows], "cohort": cohorts[rows]}
        yield pyarrow.table(columns)


def shown_cells(attack: Attack, weights: Sequence[float], kind: str) -> list[Any]:
    """Return one array a feature of what cells show: cig, weighted (CIG times its feature's weight) or csf."""
    if kind == "csf":
        assert attack.csf is not None
        return list(attack.csf)
    assert attack.cig_bits is not None
    if kind == "weighted":
        return [line * weight for line, weight in zip(attack.cig_bits, weights, strict=True)]
    return list(attack.cig_bits)


def cells_table(blocks: Iterable[Any]) -> Any:
    """Return all cells as an Arrow table."""
    import pyarrow

    return pyarrow.concat_tables(list(blocks))


def write_cells(path: Path, blocks: Iterable[Any], n_rows: int, progress: Progress) -> None:
    """Write all cells to a file that appears when it is whole."""
    with whole_file(path) as draft:
        _write(draft, path.suffix.lower(), blocks, n_rows, progress)


def _write(draft: Path, kind: str, blocks: Iterable[Any], n_rows: int, progress: Progress) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    writer: Any = None
    count = Count(max(1, n_rows))
    with progress.step("writing cells", count):
        try:
            for block in blocks:
                # A spreadsheet takes a name that begins like a formula for one.
                safe = [f"'{name}" if name[:1] in tuple("=+-@\t\r") else name for name in block.column_names]
                block = block.rename_columns(safe) if kind == ".csv" else block
                if writer is None:
                    make = pyarrow.parquet.ParquetWriter if kind == ".parquet" else pyarrow.csv.CSVWriter
                    writer = make(draft, block.schema)
                writer.write_table(block)
                count.done += block.num_rows
        finally:
            if writer is not None:
                writer.close()
