"""Files with one line per row of a table, written block by block, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.progress import Count, Progress
from idbits.storage import expand_home, whole_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["check_row_file", "write_row_file"]


def check_row_file(file: str | os.PathLike[str], option: str) -> Path:
    """Return the path of a file that can be written; ``option`` names it in messages."""
    path = Path(expand_home(file))
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise InputError(f'"{path}" must end in .parquet or .csv ({option})')
    if not path.parent.is_dir():
        raise InputError(f'"{path}" cannot be written: its folder does not exist ({option})')
    if path.is_dir():
        raise InputError(f'"{path}" is a folder; name a file ({option})')
    will_write(path, option)
    return path


def write_row_file(
    path: Path, blocks: Iterable[pyarrow.Table], n_rows: int, progress: Progress, label: str, *, private: bool = False
) -> None:
    """Write all blocks to a file that appears only when it is complete; if ``private``, for the owner only."""
    with whole_file(path, private=private) as draft:
        _write(draft, path.suffix.lower(), blocks, n_rows, progress, label)


def _write(
    draft: Path, kind: str, blocks: Iterable[pyarrow.Table], n_rows: int, progress: Progress, label: str
) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    writer: pyarrow.parquet.ParquetWriter | pyarrow.csv.CSVWriter | None = None
    count = Count(max(1, n_rows))
    with progress.step(label, count):
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
