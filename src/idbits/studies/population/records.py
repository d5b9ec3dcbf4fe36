"""The risk of every record: how likely it is to be unique in the population, and a match to it to be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Floats, Integers
from idbits.errors import NotEstimableError
from idbits.measures.population.estimate import EXACT, PopulationEstimate
from idbits.progress import Progress
from idbits.studies.population.sample_rows import CodedSample
from idbits.studies.shared.row_files import write_row_file

if TYPE_CHECKING:
    import pyarrow

__all__ = ["write_records"]

_BLOCK = 1 << 17


def write_records(path: Path, answer: PopulationEstimate, sample: CodedSample, progress: Progress) -> None:
    """Write row, c, p_unique and match of every record; only the owner can read the file."""
    if answer.reason is not None:
        raise NotEstimableError(f"records cannot be written: {answer.reason} (--records)")
    assert sample.rows is not None
    p_unique, match = _by_set(answer, sample)
    numbers, sets = sample.rows.numbers, sample.rows.sets
    people = sample.sets.people

    def blocks() -> Iterator[pyarrow.Table]:
        import pyarrow

        for start in range(0, max(1, len(numbers)), _BLOCK):
            part = sets[start : start + _BLOCK]
            columns: dict[str, Integers | Floats] = {
                "row": numbers[start : start + _BLOCK],
                "c": people[part].astype(np.int64),
                "p_unique": p_unique[part],
                "match": match[part],
            }
            yield pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})

    write_row_file(path, blocks(), len(numbers), progress, "writing records", private=True)


def _by_set(answer: PopulationEstimate, sample: CodedSample) -> tuple[Floats, Floats]:
    """Return the probability of being unique and the mean of 1/F, set by set."""
    people = sample.sets.people
    if answer.method == EXACT:
        return (people == 1).astype(np.float64), 1 / people
    model, regression = answer.model, answer.fits.regression
    assert model is not None
    if regression is None:
        where = np.searchsorted(model.people, people)
        return model.p_unique[where], model.match[where]
    return regression.by_set(answer.fits.g, answer.sample.most, model.scale)
