"""Which columns together single people out? The study behind ``idbits columns``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import counts_on_spark, open_table
from idbits.engines.spark import SparkTable
from idbits.errors import InputError
from idbits.file_guard import guarded_files
from idbits.kernels.coded import collapsed, ready
from idbits.reading import Names, Reading, open_options
from idbits.studies.columns.answers import Limits
from idbits.studies.columns.choice import Chosen, choose_columns
from idbits.studies.columns.cluster_columns import ClusterCounting
from idbits.studies.columns.cluster_records import check_cluster_rows, write_cluster_records
from idbits.studies.columns.column_study import ColumnStudy
from idbits.studies.columns.counting import Counting
from idbits.studies.columns.figures import RecordsFile
from idbits.studies.columns.records import RecordsWish, check_records, check_rows, write_records
from idbits.studies.columns.result import ColumnSubsets

__all__ = ["columns"]


@guarded_files()
def columns(
    source: Any,
    candidates: Names | None = None,
    share: float | Sequence[float] = 0.8,
    *,
    max_size: int = 5,
    max_sets: int | None = None,
    max_seconds: float | None = None,
    max_bits: float | None = None,
    min_k: int | None = None,
    records: str | os.PathLike[str] | None = None,
    record_size: int = 4,
    reveal: bool = False,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> ColumnSubsets:
    """Find out which columns together single people out, and what each column adds.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame.
        candidates: the columns to look at; without, all that do not look like direct identifiers, constants, free
            text or measurements.
        share: the share of the people that a combination has to single out; a list asks for several. Everyone (1) is
            always asked for, too.
        max_size: among more than 10 columns, look at combinations of up to so many.
        max_sets: among more than 10 columns, search at most so many combinations; single columns, all but one and all
            together are counted in any case.
        max_seconds: stop after so many seconds with what is proven by then.
        max_bits: say which columns can be released together with at most so many bits.
        min_k: say which columns can be released together when each set has at least so many people.
        records: write each record's minimal sample uniques to this file, CSV or Parquet by its ending.
        record_size: look for minimal sample uniques of up to so many columns.
        reveal: write the values of records into that file, too.
        seed: of the orders from which Shapley values of more than 10 columns are estimated.
        reading: how the table is read, see ``idbits.reading.Reading``.

    >>> import pyarrow
    >>> people = pyarrow.table({"zip": ["1", "1", "2", "2"], "sex": ["F", "M", "F", "M"], "x": ["a"] * 4})
    >>> answer = columns(people)
    >>> [list(subset.columns) for subset in answer.minimal[0].sets], answer.left_out[0].column
    ([['zip', 'sex']], 'x')
    """
    shares = _shares(share)
    _check(max_size, max_sets, max_seconds, record_size)
    limits = _limits(max_bits, min_k)
    wish = RecordsWish(Path(records), record_size, reveal) if records is not None else None
    if wish is not None:
        check_records(wish.path)
    options = open_options(reading)
    options = replace(options, in_order=wish is not None or not counts_on_spark(source, options))
    with closing(open_table(source, options)) as table:
        chosen = choose_columns(table, candidates, options)
        counting: Counting
        write: Callable[[RecordsWish], RecordsFile]
        if isinstance(table, SparkTable):
            counting, write = _on_cluster(table, chosen, wish, options, max_seconds)
        else:
            counting, write = _on_this_machine(table, chosen, wish, options, max_seconds)
        study = ColumnStudy(counting, chosen, shares, max_size, limits)
        study.count(max_sets, seed)
        decided = tuple(table.notes)
        written = study.write(partial(write, wish)) if wish is not None else None
        table.check_unchanged()
        # What coarser views were tried is told with the names of columns, which may have to be withheld.
        notes = (*(decided if chosen.withheld else table.notes), *chosen.notes)
        if wish is not None and written is None:
            notes += (f"no records were written: {study.stopped}",)
    told = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    return study.answer(told, options, notes, written, reveal and written is not None)


def _on_cluster(
    table: SparkTable, chosen: Chosen, wish: RecordsWish | None, options: OpenOptions, max_seconds: float | None
) -> tuple[Counting, Callable[[RecordsWish], RecordsFile]]:
    """Return what counts sets of columns, and what writes the file about records."""
    if wish is not None:
        check_cluster_rows(wish, chosen)
    counting = ClusterCounting(table.distinct(chosen.attributes), options.progress, max_seconds=max_seconds)
    return counting, lambda asked: write_cluster_records(table, chosen, asked, counting)


def _on_this_machine(
    table: Table, chosen: Chosen, wish: RecordsWish | None, options: OpenOptions, max_seconds: float | None
) -> tuple[Counting, Callable[[RecordsWish], RecordsFile]]:
    coded = table.coded_rows(chosen.attributes)
    if wish is not None:
        check_rows(wish, coded)
    counting = Counting(
        collapsed(ready(coded)),
        options.progress,
        threads=options.threads,
        memory=options.memory,
        max_seconds=max_seconds,
    )
    return counting, lambda asked: write_records(table, chosen, coded, asked, counting)


def _shares(share: float | Sequence[float]) -> tuple[float, ...]:
    asked = [share] if isinstance(share, int | float) else list(share)
    if not asked:
        raise InputError("name at least one share of the people (--share 0.8)")
    if not all(isinstance(part, int | float) and 0 < part <= 1 for part in asked):
        raise InputError("a share of the people is above 0 and at most 1 (--share 0.8)")
    return tuple(dict.fromkeys(map(float, asked)))


def _check(max_size: int, max_sets: int | None, max_seconds: float | None, record_size: int) -> None:
    if max_size < 1 or record_size < 1:
        raise InputError("a combination has at least one column (--max-size, --record-size)")
    if max_sets is not None and max_sets < 1:
        raise InputError("at least one combination has to be counted (--max-sets)")
    if max_seconds is not None and not max_seconds > 0:
        raise InputError("the time is more than 0 seconds (--max-seconds)")


def _limits(max_bits: float | None, min_k: int | None) -> Limits | None:
    if max_bits is not None and not 0 <= max_bits < math.inf:
        raise InputError("bits are 0 or more (--max-bits)")
    if min_k is not None and min_k < 1:
        raise InputError("a set has at least one person (--min-k 1 or more)")
    return Limits(max_bits, min_k) if max_bits is not None or min_k is not None else None
