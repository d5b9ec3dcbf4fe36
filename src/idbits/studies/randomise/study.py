"""EXPERIMENTAL: the study behind ``idbits randomise``, which makes a release for trying ``idbits leak``."""

from __future__ import annotations

import math
import os
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from idbits.engines.open import open_table
from idbits.errors import InputError, NotEstimableError
from idbits.measures.randomisers import (
    are_whole,
    exponential_places,
    gaussian_noise,
    laplace_noise,
    nearest_whole,
    response_places,
)
from idbits.reading import Reading, open_options
from idbits.studies.randomise.result import Release
from idbits.studies.shared.row_values import ColumnValues, read_column
from idbits.wording import counted

if TYPE_CHECKING:
    import pyarrow

__all__ = ["MECHANISMS", "randomise"]

MECHANISMS = ("exponential", "laplace", "gaussian", "response")

_NOISE = ("laplace", "gaussian")


def randomise(
    source: object, *, mechanism: str, epsilon: float, delta: float = 1e-5, seed: int = 0, **reading: Unpack[Reading]
) -> Release:
    """Randomise a table row by row, in the same order. EXPERIMENTAL: not for protecting real data.

    Args:
        source: a path, a glob of paths, or a pandas, polars or pyarrow frame.
        mechanism: ``"exponential"``, ``"laplace"``, ``"gaussian"`` or ``"response"`` (k-ary randomised response).
        epsilon: the privacy budget of a cell; smaller is more random.
        delta: the probability with which the Gaussian mechanism may exceed epsilon.
        seed: the same seed gives the same release.
        reading: how to read the table, see ``idbits.reading.Reading``.

    Examples:
        >>> import pyarrow
        >>> people = pyarrow.table({"age": [31, 45, 27, 60]})
        >>> randomise(people, mechanism="response", epsilon=50).table.to_pydict()
        {'age': [31, 45, 27, 60]}
    """
    _check(mechanism, epsilon, delta, seed)
    options = replace(open_options(reading), in_order=True)
    if options.count is not None:
        raise InputError("randomise works row by row, but with --count a row is many people; omit --count")
    with closing(open_table(source, options)) as table:
        names = list(table.columns)
        table.load(names)
        rows = table.rows_in_order(names)
        table.check_unchanged()
        notes = list(table.notes)
    import pyarrow

    kept = rows.table.filter(pyarrow.array(rows.kept))
    if kept.num_rows == 0:
        raise NotEstimableError("there are no rows to randomise")
    rng = np.random.default_rng([seed, 4])
    arrays, instead = [], 0
    for name in names:
        column = read_column(kept.column(name), options.dates)
        if mechanism in _NOISE and _takes_noise(column):
            arrays.append(_noise(column, mechanism, epsilon, delta, rng))
        else:
            instead += mechanism in _NOISE
            arrays.append(_values(kept.column(name), column, mechanism, epsilon, rng))
    if instead:
        notes.append(f"{counted(instead, 'column')} without numbers: we used randomised response instead of noise")
    return Release(
        source=os.fspath(source) if isinstance(source, str | os.PathLike) else None,
        table=pyarrow.table(arrays, names=names),
        mechanism=mechanism,
        epsilon=epsilon,
        delta=delta if mechanism == "gaussian" else None,
        seed=seed,
        notes=tuple(notes),
    )


def _check(mechanism: str, epsilon: float, delta: float, seed: int) -> None:
    if mechanism not in MECHANISMS:
        raise InputError(f"the mechanism must be {', '.join(MECHANISMS[:-1])} or {MECHANISMS[-1]} (--mechanism)")
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise InputError("epsilon must be greater than 0 and finite (--epsilon)")
    if not 0 < delta < 1:
        raise InputError("delta must be greater than 0 and less than 1 (--delta)")
    if seed < 0:
        raise InputError("the seed must be at least 0 (--seed)")


def _takes_noise(column: ColumnValues) -> bool:
    return column.kind == "number" and len(column.keys) > 0 and bool(np.isfinite(column.numbers).all())


def _noise(
    column: ColumnValues, mechanism: str, epsilon: float, delta: float, rng: np.random.Generator
) -> pyarrow.Array:
    """Add noise to numbers; whole numbers stay whole, nulls stay null."""
    import pyarrow

    numbers = column.row_numbers()
    known = ~np.isnan(numbers)
    noisy = (
        laplace_noise(numbers[known], epsilon, rng)
        if mechanism == "laplace"
        else gaussian_noise(numbers[known], epsilon, delta, rng)
    )
    drawn = np.full(len(numbers), np.nan)
    drawn[known] = noisy
    if are_whole(column.numbers) and np.abs(noisy).max(initial=0.0) < 2**53:
        return pyarrow.array(nearest_whole(np.where(known, drawn, 0.0)), mask=~known)
    return pyarrow.array(drawn, mask=~known)


def _values(
    array: pyarrow.ChunkedArray, column: ColumnValues, mechanism: str, epsilon: float, rng: np.random.Generator
) -> pyarrow.Array:
    """Draw values of the column as they are written in the source; null is one of them."""
    import pyarrow
    import pyarrow.compute as pc

    codes = column.codes()
    n_values = int(codes.max()) + 1
    if mechanism == "exponential":
        measurable = column.kind != "text" and not column.nulls and np.isfinite(column.numbers).all()
        distances = column.numbers if measurable else None
        drawn = exponential_places(codes, distances, n_values, epsilon, rng)
    else:
        drawn = response_places(codes, n_values, epsilon, rng)
    # One row per value, to copy how the value is written.
    example = np.zeros(n_values, np.int64)
    example[codes[::-1]] = np.arange(len(codes))[::-1]
    flat = array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
    return pc.take(flat, pyarrow.array(example[drawn]))
