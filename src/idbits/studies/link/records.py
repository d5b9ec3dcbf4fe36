"""The links of every record: a file with a line per record, without any value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Floats
from idbits.errors import InputError
from idbits.measures.linkage.coverage import chances_of_links
from idbits.progress import Progress
from idbits.studies.link.links import Links, RecordLinks
from idbits.studies.link.result import Linkage
from idbits.studies.shared.row_files import write_row_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["PERSON_COLUMN", "write_records"]

_BLOCK = 1 << 17
PERSON_COLUMN = "internal_person_row"
"""The column that links people; its name says that the file is internal, even without metadata."""


def write_records(path: Path, links: Links, answer: Linkage, progress: Progress, *, reveal: bool) -> None:
    """Write row, candidates, claimed, probability and right; with ``reveal`` also the claimed row of the second table.

    Only the owner can read the file.
    """
    records = links.records
    if records is None or records.numbers is None or (reveal and records.claimed_numbers is None):
        raise InputError("records cannot be written: this source gives distinct rows with their counts, not rows")
    chances = _chances(links, answer.coverage, records)
    write_row_file(path, _blocks(records, chances, reveal=reveal), len(records.numbers), progress, "writing records",
                   private=True)  # fmt: skip


def _chances(links: Links, coverage: float | None, records: RecordLinks) -> Floats | None:
    """Return the chance that one even guess for a record is right, if the coverage is known."""
    if records.probabilities is not None or coverage is None:
        return records.probabilities
    return chances_of_links(links.counts, coverage, records.candidates, records.rivals)


def _blocks(records: RecordLinks, chances: Floats | None, *, reveal: bool) -> Iterator[pyarrow.Table]:
    import pyarrow

    assert records.numbers is not None
    for start in range(0, max(1, len(records.numbers)), _BLOCK):
        part = slice(start, start + _BLOCK)
        claimed = records.claimed[part]
        n = len(claimed)
        data = {
            "row": pyarrow.array(records.numbers[part]),
            "candidates": pyarrow.array(records.candidates[part]),
            "claimed": pyarrow.array((claimed >= 0).astype(np.int8)),
            "probability": pyarrow.nulls(n, pyarrow.float64()) if chances is None else pyarrow.array(chances[part]),
        }
        if records.right is not None:
            data["right"] = pyarrow.array(records.right[part].astype(np.int8))
        table = pyarrow.table(data)
        if reveal:
            assert records.claimed_numbers is not None
            rows = pyarrow.array(records.claimed_numbers[claimed], mask=claimed < 0)
            table = table.append_column(PERSON_COLUMN, rows)
            table = table.replace_schema_metadata({"idbits": "internal: this file links people"})
        yield table
