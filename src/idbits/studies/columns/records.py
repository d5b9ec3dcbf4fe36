"""How exposed is each record, and why: minimal sample uniques, written to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from idbits.counts import CodedRows
from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.file_guard import will_write
from idbits.kernels.coded import CodedColumns, ready
from idbits.kernels.partition import Partition
from idbits.kernels.sample_uniques import SampleUniques, minimal_sample_uniques, n_sets_up_to
from idbits.studies.columns.choice import Chosen
from idbits.studies.columns.counting import Counting, columns_of
from idbits.studies.columns.figures import RecordsFile
from idbits.studies.columns.records_file import RecordsTable, write_tables
from idbits.studies.shared.coarser import next_view
from idbits.values.attributes import Attribute

__all__ = [
    "RecordsWish",
    "check_records",
    "check_rows",
    "coarser_columns",
    "remedy_words",
    "too_many_sets",
    "write_records",
]

Integers = NDArray[np.int64]

_FEW_VALUES = 20
_MASKS_BYTES = 4_000_000_000
_MOST_SETS = 200_000
_ENDINGS = (".csv", ".parquet")


@dataclass(frozen=True, slots=True)
class RecordsWish:
    """Where to write what about records: sets of up to ``max_size`` columns, with values or without."""

    path: Path
    max_size: int
    reveal: bool


def check_records(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    if path.suffix.lower() not in _ENDINGS:
        raise InputError("the file of records ends in .csv or .parquet (--records)")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f'"{path}" cannot be written: its folder does not exist, or it is one (--records)')
    will_write(path, "--records")


def check_rows(wish: RecordsWish, coded: CodedRows) -> None:
    """Refuse a source that has no rows of its own, and more sets of columns than can be looked for in each row."""
    if coded.numbers is None:
        raise InputError("--records needs the rows themselves, and this source gives only counts of them")
    n_columns = len(coded.codes)
    max_size = min(wish.max_size, n_columns)
    total = n_sets_up_to(n_columns, max_size)
    if total > _MOST_SETS or n_sets_up_to(n_columns, max_size - 1) * coded.n_rows // 8 > _MASKS_BYTES:
        raise too_many_sets(total)


def too_many_sets(number: int) -> InputError:
    """Return the error about more sets of columns than can be looked for."""
    return InputError(
        f"{number:,} sets of columns are too many to look for in each record; "
        "name fewer columns (--candidates) or smaller sets (--record-size)"
    )


def write_records(table: Table, chosen: Chosen, coded: CodedRows, wish: RecordsWish, counting: Counting) -> RecordsFile:
    """Find the minimal sample uniques of each record and write them with the reason."""
    n_columns = len(chosen.attributes)
    max_size = min(wish.max_size, n_columns)
    total = n_sets_up_to(n_columns, max_size)
    prepared = ready(coded)
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        counting.advance(done / total)

    with counting.step(f"records: {total:,} sets of columns"):
        uniques = minimal_sample_uniques(prepared, max_size, tick)
    remedies = _remedies(table, chosen, coded, uniques, counting)
    kept = coded.people > 0 if coded.people is not None else slice(None)
    assert coded.numbers is not None
    records = RecordsTable(
        numbers=coded.numbers[kept],
        people=prepared.people,
        uniques=uniques,
        names=chosen.names,
        remedies=remedies,
        values=_values(table, chosen, [codes[kept] for codes in coded.codes], uniques) if wish.reveal else None,
    )
    with counting.step("writing records"):
        write_tables([records], wish.path)
    sizes = uniques.smallest_sizes
    return RecordsFile(
        file=str(wish.path),
        rows=prepared.n_rows,
        with_uniques=int((sizes > 0).sum()),
        max_size=max_size,
        max_score=int(uniques.scores.max()),
        smallest=tuple(int((sizes == size).sum()) for size in range(1, max_size + 1)),
    )


def _remedies(
    table: Table, chosen: Chosen, coded: CodedRows, uniques: SampleUniques, counting: Counting
) -> tuple[list[str], NDArray[np.int16], Integers]:
    """Return coarser columns, and for each row which of them would leave the most people, and how many.

    Only columns of the row's smallest minimal sample unique are tried, one at a time; -1 where none helps.
    """
    coarser = coarser_columns(table, chosen.attributes, coded.sizes)
    best = np.full(len(uniques.smallest), -1, np.int16)
    leaves = np.ones(len(uniques.smallest), np.int64)
    if coarser:
        more = table.coded_rows(list(coarser.values()))
        everything = ready(CodedRows((*coded.codes, *more.codes), (*coded.sizes, *more.sizes), coded.people))
        places = {column: len(coded.codes) + place for place, column in enumerate(coarser)}
        trials = [
            (place, column)
            for place in np.unique(uniques.smallest).tolist()
            for column in columns_of(uniques.sets[place])
            if column in coarser
        ]
        done = 0

        def store(trial: tuple[int, int], found: tuple[Integers, Integers]) -> None:
            nonlocal done
            rows, people = found
            # Of equal ones the first column, whichever thread was first.
            better = (people > leaves[rows]) | ((people == leaves[rows]) & (people > 1) & (trial[1] < best[rows]))
            best[rows[better]], leaves[rows[better]] = trial[1], people[better]
            done += 1
            counting.advance(done / len(trials))

        def work(trial: tuple[int, int]) -> tuple[Integers, Integers]:
            place, column = trial
            columns = [places[column] if other == column else other for other in columns_of(uniques.sets[place])]
            return _people_left(everything, columns, np.flatnonzero(uniques.smallest == place))

        with counting.step("what a coarser column would leave"):
            counting.run(work, trials, store)
    return remedy_words(chosen, coarser), best, leaves


def coarser_columns(table: Table, attributes: Sequence[Attribute], sizes: Sequence[int]) -> dict[int, Attribute]:
    """Return a coarser view of each column that has many values and none yet."""
    coarser: dict[int, Attribute] = {}
    for column, (attribute, values) in enumerate(zip(attributes, sizes, strict=True)):
        if attribute.transforms or values <= _FEW_VALUES:
            continue
        view = next_view(table, attribute, by_trial=True)
        if view is not None:
            coarser[column] = view
    return coarser


def _people_left(table: CodedColumns, columns: list[int], rows: Integers) -> tuple[Integers, Integers]:
    """Return rows and how many people share their values in some columns."""
    partition = Partition.whole(table)
    for column in sorted(columns, key=lambda column: -table.sizes[column]):
        partition = partition.refined(column)
    people = np.ones(table.n_rows, np.int64) if table.people is None else table.people.copy()
    people[partition.rows] = partition.people_of_rows()
    return rows, people[rows]


def remedy_words(chosen: Chosen, coarser: Mapping[int, Attribute]) -> list[str]:
    """Return for each column its coarser view in words."""
    return [_in_words(name, coarser.get(column)) for column, name in enumerate(chosen.names)]


def _in_words(name: str, coarser: Attribute | None) -> str:
    """Say in words what a coarser view is."""
    if coarser is None:
        return ""
    (step,) = coarser.transforms
    number = f"{step.argument:f}" if step.argument is not None else ""
    words = {
        "band": f"in bands of {number}",
        "prefix": f"cut to {number} characters",
        "top": f"as its {number} most frequent values",
    }
    return f"{name} {words.get(step.name, f'by {step.name}')}"


def _values(
    table: Table, chosen: Chosen, codes: list[NDArray[np.uint32]], uniques: SampleUniques
) -> NDArray[np.object_]:
    """Return, for each row, its values in its smallest minimal sample unique."""
    labels = [["(null)" if text is None else text for text in table.labels(a)] for a in chosen.attributes]
    shown = np.full(len(uniques.smallest), None, object)
    for place in np.unique(uniques.smallest[uniques.smallest > 0]).tolist():
        rows = np.flatnonzero(uniques.smallest == place)
        columns = columns_of(uniques.sets[place])
        cells = [codes[column][rows].tolist() for column in columns]
        for row, values in zip(rows.tolist(), zip(*cells, strict=True), strict=True):
            pairs = zip(columns, values, strict=True)
            shown[row] = ", ".join(f"{chosen.names[c]}={labels[c][value]}" for c, value in pairs)
    return shown
