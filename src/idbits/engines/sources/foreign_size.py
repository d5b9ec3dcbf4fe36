"""Whether a file of another program fits into the memory: asked before it is opened, for its reader takes it whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from idbits.engines.sources.files import Format
from idbits.engines.sources.workbook_size import TooLarge, workbook_size
from idbits.errors import DataError, EngineError, IdbitsError

__all__ = ["CELL_BYTES", "most_memory", "require_room", "too_large"]

CELL_BYTES = 110
"""What a number takes on its way from a file to a table, as measured; a text takes four times its length on top."""

# Numbers of transport files have eight bytes, those of portable files at least two, mostly more.
_BYTES_FROM = {".xpt": CELL_BYTES // 8, ".por": CELL_BYTES // 4}


def most_memory(memory: int | None) -> int:
    """Return the bytes that may be taken: as asked, or most of what the machine has."""
    if memory is not None:
        return memory
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 8 // 10
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def require_room(paths: Sequence[Path], kind: Format, memory: int | None, facts_of: Callable[[Path], Any]) -> None:
    """Refuse files that take more memory than there is.

    Args:
        facts_of: reads what a file of SPSS, SAS or Stata says about itself.
    """
    most = left = most_memory(memory)
    for path in paths:
        try:
            if kind is Format.EXCEL:
                size = workbook_size(path, left)
                left -= size.memory if size is not None else 0
            elif kind in (Format.SPSS, Format.SAS, Format.STATA):
                left -= _survey_bytes(path, facts_of)
        except TooLarge:
            left = -1
        except IdbitsError:
            raise
        except Exception as error:  # the readers raise what they like, cell values included
            # Nor is it opened by another reader, which may see more in it than can be seen here.
            raise DataError(f'"{path}" cannot be read as {kind}: it is damaged or cut short') from error
        if left < 0:
            raise too_large(path, most)


def too_large(path: Path, most: int) -> EngineError:
    """Return what to say of a file that takes more memory than there is."""
    return EngineError(
        f'reading "{path}" takes more memory than the {most // 10**6:,} MB that it may; allow more with --memory, or '
        "save it as CSV or Parquet first"
    )


def _survey_bytes(path: Path, facts_of: Callable[[Path], Any]) -> int:
    facts = facts_of(path)
    rows = facts.number_rows
    if rows is None:
        return path.stat().st_size * _BYTES_FROM.get(path.suffix.lower(), CELL_BYTES // 8)
    types, widths = facts.readstat_variable_types, facts.variable_storage_width
    a_row = sum(CELL_BYTES + (4 * int(widths.get(name, 0)) if types[name] == "string" else 0) for name in types)
    return int(rows) * a_row
