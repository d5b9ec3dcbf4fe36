"""How exposed is each record, and why: minimal sample uniques, written to a file that is safe in a spreadsheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from idbits.counts import Value
from idbits.engines.backends.subsets import RecordBatch, SubsetCounts
from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.kernels.sample_uniques import n_sets_up_to
from idbits.kernels.subsets import columns_of
from idbits.storage import whole_file
from idbits.studies.columns.candidates import Candidates
from idbits.studies.columns.result import RecordsFile
from idbits.studies.columns.search import CountedSubsets
from idbits.studies.shared.coarser import next_views
from idbits.values.attributes import Attribute
from idbits.wording import joined

if TYPE_CHECKING:
    import pyarrow

__all__ = ["RecordsRequest", "RecordsWriter", "check_records_path", "coarser_columns", "harmless"]

_FEW_VALUES = 20
_ENDINGS = (".csv", ".parquet")
# A spreadsheet treats a cell that begins with one of these as a formula.
_STEERING = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, slots=True)
class RecordsRequest:
    """Where to write the records, for sets of up to ``max_size`` columns, with or without values."""

    path: Path
    max_size: int
    reveal: bool


def check_records_path(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f'"{path}" must end in .csv or .parquet (--records)')
    if path.is_dir():
        raise InputError(f'"{path}" is a folder; name a file (--records)')
    if not path.absolute().parent.is_dir():
        raise InputError(f'"{path}" cannot be written: its folder does not exist (--records)')
    will_write(path, "--records")


class RecordsWriter:
    """Finds the minimal sample uniques of each record and writes them with the reason."""

    def __init__(self, table: Table, chosen: Candidates, counts: SubsetCounts, request: RecordsRequest) -> None:
        self._table, self._chosen, self._request = table, chosen, request
        self._max_size = min(request.max_size, len(chosen.attributes))
        self._uniques = counts.record_uniques(self._max_size)

    def write(self, counted: CountedSubsets) -> RecordsFile:
        """Write the file, within the limits of the counting."""
        chosen, uniques, path = self._chosen, self._uniques, self._request.path
        coarser = coarser_columns(self._table, chosen.attributes, counted.counts.sizes)
        n_sets = n_sets_up_to(len(chosen.attributes), self._max_size)
        with counted.step(f"searching records in {n_sets:,} combinations of columns"):
            uniques.find(coarser, counted.advance)
        if coarser:
            with counted.step("trying coarser columns"):
                uniques.try_coarser(counted.advance)
        remedies = {column: _in_words(chosen.names[column], view) for column, view in coarser.items()}
        smallest: Counter[int] = Counter()
        max_score = 0

        def tables() -> Iterator[pyarrow.Table]:
            nonlocal max_score
            for batch in uniques.in_order(values=self._request.reveal):
                if smallest:
                    counted.advance(smallest.total() / uniques.n_rows)
                smallest.update(batch.uniques.smallest_sizes.tolist())
                max_score = max(max_score, int(batch.uniques.scores.max()))
                yield _table(batch, chosen.names, remedies)

        with counted.step("writing records"):
            _write_tables(tables(), path)
        return RecordsFile(
            file=str(path),
            rows=smallest.total(),
            with_uniques=smallest.total() - smallest[0],
            max_size=self._max_size,
            max_score=max_score,
            smallest=tuple(smallest[size] for size in range(1, self._max_size + 1)),
        )


def coarser_columns(table: Table, attributes: Sequence[Attribute], sizes: Sequence[int]) -> dict[int, Attribute]:
    """Return a coarser view of each column that has many values and is not yet coarsened."""
    columns = [
        column
        for column, (attribute, n_values) in enumerate(zip(attributes, sizes, strict=True))
        if not attribute.transforms and n_values > _FEW_VALUES
    ]
    views = next_views(table, [attributes[column] for column in columns])
    return {column: view for column, view in zip(columns, views, strict=True) if view is not None}


def _in_words(name: str, coarser: Attribute) -> str:
    """Describe a coarser view in words.

    >>> from idbits.values.attributes import Kind, parse_attribute
    >>> _in_words("born", parse_attribute("born:year:band10", {"born": Kind.DATE}))
    'born by year in bands of 10'
    """
    # When a rounding is rounded again, only the last one matters.
    steps = {step.name: str(step).removeprefix(step.name) for step in coarser.transforms}
    words = {
        "band": "in bands of {}",
        "round": "rounded to {}",
        "prefix": "cut to {} characters",
        "top": "as its {} most frequent values",
    }
    return " ".join([name, *(words.get(step, f"by {step}").format(number) for step, number in steps.items())])


def harmless(text: str) -> str:
    """Return a text that no spreadsheet treats as a formula.

    >>> harmless("=1+1"), harmless("zip")
    ("'=1+1", 'zip')
    """
    return f"'{text}" if text.startswith(_STEERING) else text


def _write_tables(tables: Iterable[pyarrow.Table], path: Path) -> None:
    """Write tables one after the other, all or nothing, in the format of the file's ending."""
    import pyarrow.csv
    import pyarrow.parquet

    with whole_file(path) as draft:
        waiting = iter(tables)
        first = next(waiting)
        if path.suffix.lower() == ".csv":
            writer = pyarrow.csv.CSVWriter(str(draft), first.schema)
        else:
            writer = pyarrow.parquet.ParquetWriter(str(draft), first.schema)
        with writer:
            writer.write_table(first)
            for table in waiting:
                writer.write_table(table)


def _table(batch: RecordBatch, names: Sequence[str], remedies: Mapping[int, str]) -> pyarrow.Table:
    """Return the output table for a batch of rows."""
    import pyarrow

    uniques = batch.uniques
    sizes = uniques.smallest_sizes
    counts = [number.astype(np.int64) for number in uniques.counts]
    people = {"people": batch.people} if batch.people is not None else {}
    data = {"row": batch.numbers, **people, "minimal_uniques": np.sum(counts, axis=0, dtype=np.int64)}
    data |= {f"of_{size}": number for size, number in enumerate(counts, start=1)}
    table = pyarrow.table({**data, "smallest": pyarrow.array(sizes, mask=sizes == 0), "score": uniques.scores})
    columns, reasons = _reasons(batch, names, remedies)
    table = table.append_column("columns", columns).append_column("why", reasons)
    if batch.values is None:
        return table
    texts = [
        _shown([names[column] for column in columns_of(uniques.sets[index])], values)
        for index, values in zip(uniques.smallest.tolist(), batch.values, strict=True)
    ]
    return table.append_column("values", pyarrow.array(texts, pyarrow.string()))


def _shown(names: Sequence[str], values: Sequence[Value]) -> str | None:
    pairs = zip(names, values, strict=True)
    text = ", ".join(f"{name}={'(null)' if value is None else value}" for name, value in pairs)
    return harmless(text) if names else None


def _reasons(
    batch: RecordBatch, names: Sequence[str], remedies: Mapping[int, str]
) -> tuple[pyarrow.Array, pyarrow.Array]:
    """Return the columns of each row's smallest set, and the sentence about it."""
    import pyarrow

    uniques = batch.uniques
    keys = np.stack([uniques.smallest.astype(np.int64), batch.coarser.astype(np.int64), batch.left], axis=1)
    distinct, where = np.unique(keys, axis=0, return_inverse=True)
    columns: list[str | None] = []
    sentences: list[str | None] = []
    for index, coarser, people in distinct.tolist():
        named = [names[column] for column in columns_of(uniques.sets[index])]
        columns.append(harmless(" + ".join(named)) if named else None)
        remedy = f"; with {remedies[coarser]} in a group of {people:,}" if coarser >= 0 else ""
        sentences.append(f"unique with {joined(named)}{remedy}" if named else None)
    indices = pyarrow.array(where.reshape(-1))
    named_columns, reasons = (pyarrow.array(texts, pyarrow.string()).take(indices) for texts in (columns, sentences))
    return named_columns, reasons
