"""The study behind ``idbits leak``: whether a release still leaks its original."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import fields
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from idbits.errors import InputError
from idbits.measures.reduction import first_component, neighbour_embedding
from idbits.reading import OpenOptions, Reading, open_options
from idbits.studies.leak.dependence import TOGETHER
from idbits.studies.leak.irregularity import Irregularity, OrderOptions, Patterns, compare_order, read_patterns
from idbits.studies.leak.link import find_link
from idbits.studies.leak.matches import n_cross_pairs
from idbits.studies.leak.paired_tables import PairedTables, Series, as_pair, read_pairs
from idbits.studies.leak.result import Leak
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.row_values import ColumnValues

__all__ = ["leak"]

_SHORT_ORDER = 3
_FEW_ROWS = 50


def leak(
    original: object,
    released: object,
    *,
    order: int | str = "auto",
    delay: int = 1,
    reduction: str = "pca",
    scales: int = 1,
    conditional: bool = False,
    patterns: str | Mapping[tuple[int, ...] | str, float] | None = None,
    tolerance: float = 0.001,
    error_rate: float = 0.01,
    mic_rows: int = 1_000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Leak:
    """Test, row by row, whether a release still leaks the original that it was made from.

    Args:
        original: the original table: a path, a glob of paths, or a pandas, polars or pyarrow frame.
        released: the same rows in the same order after a randomiser, an anonymiser or a synthesiser.
        order: the length of ordinal patterns; ``"auto"`` takes the shortest with the largest entropy, as S4 does.
        delay: the distance in rows between the values of a pattern.
        reduction: how several columns become one sequence: ``"pca"``, or S4's ``"tsne"`` (extra ``leak``).
        scales: also compare the sequences at scales 1 to this number (multi-scale permutation entropy).
        conditional: also compute the conditional permutation entropy.
        patterns: count only these patterns, with weights: ``"0-1-2,2-1-0=3,*=0.5"``, or a dictionary.
        tolerance: degrees of anonymity that differ by at most this count as equal.
        error_rate: the chance of a false alarm for a release without any link to the original.
        mic_rows: compute the maximal information coefficient from at most this many rows, drawn at random.
        seed: seed of all random draws.
        reading: how to read both tables, see ``idbits.reading.Reading``. ``where`` selects rows by the values of
            the original.

    Examples:
        >>> import pyarrow
        >>> people = pyarrow.table({"age": [31, 45, 27, 60, 52, 38, 41, 29, 33, 70, 48, 55]})
        >>> leak(people, people).verdict
        'leaks'
    """
    options = open_options(reading)
    chosen = read_patterns(patterns) if patterns is not None else None
    length = _order(order, chosen)
    _check(delay, reduction, scales, tolerance, error_rate, mic_rows, seed)
    if options.count is not None:
        raise InputError("leak compares rows, but with --count a row is many people; omit --count")
    tables = read_pairs(original, released, options)
    if not tables.pairs and not n_cross_pairs(tables):
        raise InputError(
            "the two tables have no column name in common, and too many columns to compare all pairs; give columns "
            "that belong together the same name"
        )
    sequences = _sequences(tables, reduction, seed)
    with options.progress.step("comparing the order of rows"):
        irregularity = compare_order(*sequences, OrderOptions(length, delay, tolerance, scales, conditional, chosen))
    together = as_pair(TOGETHER, *sequences) if len(tables.pairs) > 1 else None
    threads = options.threads or os.cpu_count() or 1
    link = find_link(tables, together, error_rate, mic_rows, seed, options.progress, threads)
    judged, unchanged = link.judged, link.unchanged
    rows = unchanged.rows
    return Leak(
        original=_path(original),
        released=_path(released),
        n_rows=tables.n_rows,
        order_chosen=length is None,
        reduction=reduction if len(_compared(tables)[0]) > 1 or len(_compared(tables)[1]) > 1 else "none",
        tolerance=tolerance,
        conclusion=link.verdict,
        undecided_because=link.undecided_because,
        columns=judged.columns,
        together=judged.together,
        matches=link.matches.columns,
        pairs_compared=link.matches.n_pairs,
        rows_unchanged=rows.count if rows is not None else 0,
        rows_unchanged_by_chance=rows.by_chance if rows is not None else None,
        rows_unchanged_probability=rows.probability if rows is not None else None,
        rows_unchanged_null=rows.null if rows is not None else None,
        rows_leak=unchanged.rows_leak,
        unchanged_threshold=unchanged.level,
        rearranged=link.rearranged,
        error_rate=link.error_rate,
        mic_rows=judged.mic_rows,
        test_rows=judged.test_rows,
        patterns=chosen.as_written() if chosen is not None else None,
        seed=seed,
        notes=(*tables.notes, *link.notes),
        next_command=_next_command(_path(original), _path(released), options, irregularity, tables.n_rows),
        **{field.name: getattr(irregularity, field.name) for field in fields(irregularity)},
    )


def _path(source: object) -> str | None:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else None


def _next_command(
    original: str | None, released: str | None, options: OpenOptions, irregularity: Irregularity, n_rows: int
) -> str | None:
    """Return the same question with a shorter pattern if rho is at its ceiling, where it says nothing."""
    if original is None or released is None or "-" in (original, released):
        return None
    if not irregularity.saturated or irregularity.order <= _SHORT_ORDER or n_rows <= _FEW_ROWS:
        return None
    words = ["idbits", "leak", shlex.quote(original), shlex.quote(released), "--order", str(_SHORT_ORDER)]
    words += ["--columns", shlex.quote(quoted_names(options.columns))] if options.columns is not None else []
    return " ".join([*words, *options.command_words()])


def _order(order: int | str, patterns: Patterns | None) -> int | None:
    """Return the requested order, or None if it is to be chosen."""
    if isinstance(order, str) and order.strip().lower() == "auto":
        return patterns.order if patterns is not None else None
    try:
        length = int(order)
    except ValueError:
        length = 0
    if length < 2:
        raise InputError("the order must be auto or a whole number of at least 2 (--order)")
    if patterns is not None and patterns.order != length:
        raise InputError(f"the patterns have {patterns.order} values, but --order is {length}; omit one of them")
    return length


def _check(
    delay: int, reduction: str, scales: int, tolerance: float, error_rate: float, mic_rows: int, seed: int
) -> None:
    if delay < 1:
        raise InputError("the delay must be at least 1 (--delay)")
    if reduction not in ("pca", "tsne"):
        raise InputError("the reduction must be pca or tsne (--reduction)")
    if scales < 1:
        raise InputError("the number of scales must be at least 1 (--scales)")
    if not 0 <= tolerance < 1:
        raise InputError("the tolerance must be at least 0 and less than 1 (--tolerance)")
    if not 0.0001 <= error_rate <= 0.5:
        raise InputError("the error rate must be between 0.0001 and 0.5 (--error-rate)")
    if mic_rows < 10:
        raise InputError("MIC needs at least 10 rows (--mic-rows)")
    if seed < 0:
        raise InputError("the seed must be at least 0 (--seed)")


def _compared(tables: PairedTables) -> tuple[list[ColumnValues], list[ColumnValues]]:
    """Return the columns of both tables for comparing the order of rows: those with the same name, or all."""
    if tables.pairs:
        return [pair.original for pair in tables.pairs], [pair.released for pair in tables.pairs]
    return [named.column for named in tables.originals], [named.column for named in tables.releases]


def _sequences(tables: PairedTables, reduction: str, seed: int) -> tuple[Series, Series]:
    """Return each table as one sequence."""
    before, after = _compared(tables)
    return _sequence(before, reduction, seed), _sequence(after, reduction, seed)


def _sequence(columns: list[ColumnValues], reduction: str, seed: int) -> Series:
    """Return the columns as one sequence."""
    if len(columns) == 1:
        return columns[0].codes()
    numbers = [_filled(column) for column in columns]
    return first_component(numbers) if reduction == "pca" else neighbour_embedding(numbers, seed)


def _filled(column: ColumnValues) -> NDArray[np.float64]:
    """Return the numbers of a column; a null becomes one standard deviation below the smallest."""
    numbers = column.row_numbers()
    known = ~np.isnan(numbers)
    if not np.isfinite(numbers[known]).all():
        return column.codes().astype(np.float64)
    if not known.all():
        inside = numbers[known]
        numbers[~known] = inside.min() - (inside.std() or 1.0) if len(inside) else 0.0
    return numbers
