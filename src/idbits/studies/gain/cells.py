"""The gain of every cell: as an Arrow table, or written to a file block by block, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.progress import Progress
from idbits.studies.shared.row_files import check_row_file, write_row_file

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
    return check_row_file(cells, "--cells")


def cells_table(blocks: Iterable[pyarrow.Table]) -> pyarrow.Table:
    """Return all cells as an Arrow table."""
    import pyarrow

    return pyarrow.concat_tables(list(blocks))


def write_cells(path: Path, blocks: Iterable[pyarrow.Table], n_rows: int, progress: Progress) -> None:
    """Write all cells to a file that appears only when it is complete."""
    write_row_file(path, blocks, n_rows, progress, "writing cells")
