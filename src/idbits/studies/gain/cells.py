"""The gain of every cell: as an Arrow table, or written to a file block by block, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.progress import Count, Progress
from idbits.storage import expand_home, whole_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["cell_names", "cells_table", "check_cells_file", "write_cells"]

_FIXED_NAMES = ("row", "rig", "cohort")


def cell_names(columns: Sequence[str]) -> list[str]:
    """Return the column names of a cells file; features named row, rig or cohort are marked.

    >>> cell_names(["zip", "row"])
    ['row', 'zip', 'row (feature)', 'rig', 'cohort']
    """
    features = [f"{name} (feature)" if name in _FIXED_NAMES else name for name in columns]
    return ["row", *features, "rig", "cohort"]


def check_cells_file(cells: str | os.PathLike[str]) -> Path:
    """Return the path of a cells file that can be written."""
    path = Path(expand_home(cells))
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise InputError(f'"{path}" must end in .parquet or .csv (--cells)')
    if not path.parent.is_dir():
        raise InputError(f'"{path}" cannot be written: its folder does not exist (--cells)')
    if path.is_dir():
        raise InputError(f'"{path}" is a folder; name a file (--cells)')
    will_write(path, "--cells")
    return path


def cells_table(blocks: Iterable[pyarrow.Table]) -> pyarrow.Table:
    """Return all cells as an Arrow table."""
    import pyarrow

    return pyarrow.concat_tables(list(blocks))


def write_cells(path: Path, blocks: Iterable[pyarrow.Table], n_rows: int, progress: Progress) -> None:
    """Write all cells to a file that appears only when it is complete."""
    with whole_file(path) as draft:
        _write(draft, path.suffix.lower(), blocks, n_rows, progress)


def _write(draft: Path, kind: str, blocks: Iterable[pyarrow.Table], n_rows: int, progress: Progress) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    writer: pyarrow.parquet.ParquetWriter | pyarrow.csv.CSVWriter | None = None
    count = Count(max(1, n_rows))
    with progress.step("writing cells", count):
        try:
            for block in blocks:
                # A spreadsheet treats a name that begins like a formula as one.
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
