"""Values row by row: from what an engine read to ranks and numbers that a measure can compare.

Numbers and dates are compared as such, all other text by lexical rank (code points). Null counts as one value, ranked
below all others; as a number it is NaN.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from idbits.engines.base import numbers_of
from idbits.errors import InputError
from idbits.kernels.sorting import distinct_sorted
from idbits.values.date_readings import choose_reading, count_forms
from idbits.values.dates import form_of, has_time, read_date
from idbits.values.days import day_number
from idbits.values.readings import COMMA_NUMBER_PATTERN, NUMBER_PATTERN, SURE_COMMA_PATTERN

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ColumnValues", "RowChoice", "ranks_together", "read_column"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
RowChoice = Integers | NDArray[np.bool_] | slice
Key = str | float | Decimal
Keys = Sequence[Key] | NDArray[np.generic]

_EXACT_DIGITS = 15
_NULL = -1


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """A column row by row.

    Attributes:
        kind: ``number``, ``date``, ``moment`` or ``text``: how its values are compared.
        keys: the distinct values without null, ascending.
        places: for each row the index of its value in ``keys``, -1 for null.
        numbers: the distinct values as numbers; for text their ranks.
    """

    kind: str
    keys: Keys
    places: Integers
    numbers: Floats

    @property
    def nulls(self) -> int:
        """The number of rows that are null."""
        return int(np.sum(self.places == _NULL))

    def codes(self) -> Integers:
        """Return the rank of each row's value, from 0 without gaps, null first."""
        return self.places + 1 if self.nulls else self.places

    def row_numbers(self) -> Floats:
        """Return each row's number, NaN for null."""
        return np.append(self.numbers, np.nan)[self.places]

    def at(self, rows: RowChoice) -> ColumnValues:
        """Return some rows."""
        places = self.places[rows]
        used = distinct_sorted(places[places >= 0])
        where = np.full(len(self.numbers) + 1, _NULL, np.int64)
        where[used] = np.arange(len(used))
        keys = self.keys[used] if isinstance(self.keys, np.ndarray) else [self.keys[index] for index in used.tolist()]
        numbers = np.arange(len(used), dtype=np.float64) if self.kind == "text" else self.numbers[used]
        return ColumnValues(self.kind, keys, where[places], numbers)


def ranks_together(columns: Sequence[ColumnValues]) -> list[Integers]:
    """Return the ranks of each column's distinct values among those of all columns."""
    arrays = [column.keys for column in columns if isinstance(column.keys, np.ndarray)]
    if len(arrays) == len(columns):
        _, where = np.unique(np.concatenate(arrays), return_inverse=True)
    else:
        keys = [key for column in columns for key in _plain(column.keys)]
        ranks = {key: rank for rank, key in enumerate(_ascending(keys))}
        where = np.array([ranks[key] for key in keys], np.int64)
    return np.split(where, np.cumsum([len(column.keys) for column in columns])[:-1])


def _ascending(keys: Iterable[Key]) -> list[Key]:
    """Return the distinct keys in order; keys of one kind can be compared."""
    return sorted(set(keys))


def _plain(keys: Keys) -> Sequence[Key]:
    return keys.tolist() if isinstance(keys, np.ndarray) else keys


def read_column(array: pyarrow.Array | pyarrow.ChunkedArray, dates: str | None) -> ColumnValues:
    """Read a column of a pyarrow table."""
    import pyarrow
    import pyarrow.compute as pc

    column = array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
    kind = column.type
    if pyarrow.types.is_date(kind):
        return _of_numbers(column.cast(pyarrow.date32()).cast(pyarrow.int32()), "date")
    if pyarrow.types.is_timestamp(kind):
        return _of_numbers(column.cast(pyarrow.int64()), "moment")
    if pyarrow.types.is_boolean(kind):
        return _of_numbers(column.cast(pyarrow.int64()), "number")
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
        return _of_numbers(column, "number")
    if pyarrow.types.is_dictionary(kind):
        column = column.dictionary_decode()
    coded = pc.dictionary_encode(column)
    places = _placed(coded.indices, numbers_of(pc.drop_null(coded.indices)))
    values = coded.dictionary.to_pylist()
    if values and isinstance(values[0], Decimal):
        return _ordered("number", values, places)
    return _of_texts(list(map(str, values)), places, dates)


def _of_numbers(array: pyarrow.Array, kind: str) -> ColumnValues:
    import pyarrow.compute as pc

    keys, where = np.unique(numbers_of(pc.drop_null(array)), return_inverse=True)
    return ColumnValues(kind, keys, _placed(array, where), keys.astype(np.float64))


def _placed(array: pyarrow.Array, places_of_known: NDArray[np.integer]) -> Integers:
    """Return the places of all rows from those of the rows that are not null."""
    known = numbers_of(array.is_valid().cast("uint8")).astype(np.bool_)
    places = np.full(len(known), _NULL, np.int64)
    places[known] = places_of_known
    return places


def _of_texts(values: list[str], places: Integers, dates: str | None) -> ColumnValues:
    read = _dates(values, dates)
    if read is not None:
        return _ordered("date", read, places)
    numbers = _numbers(values)
    if numbers is None:
        return _ordered("text", values, places)
    if isinstance(numbers[0], Decimal):
        return _ordered("number", numbers, places)
    keys, ranks = np.unique(np.array(numbers, np.float64), return_inverse=True)
    return ColumnValues("number", keys, np.append(ranks, _NULL)[places], keys)


def _ordered(kind: str, values: Sequence[Key], places: Integers) -> ColumnValues:
    """Build a column from the value of each index; different texts may be the same number."""
    keys = _ascending(values)
    ranks = {key: rank for rank, key in enumerate(keys)}
    moved = np.array([*(ranks[value] for value in values), _NULL], np.int64)[places]
    if kind == "text":
        return ColumnValues(kind, keys, moved, np.arange(len(keys), dtype=np.float64))
    numbers = np.array([float(key) for key in keys], np.float64)
    exact = len(distinct_sorted(numbers)) == len(keys)
    return ColumnValues(kind, numbers if exact else keys, moved, numbers)


def _numbers(values: list[str]) -> list[float] | list[Decimal] | None:
    """Return texts as numbers if all of them are numbers; codes such as 007 stay texts."""
    if not values or _any(values, r"\s*0[0-9]+\s*"):
        return None
    if not _all(values, NUMBER_PATTERN):
        if not (_all(values, COMMA_NUMBER_PATTERN) and _any(values, SURE_COMMA_PATTERN)):
            return None
        values = [text.replace(",", ".") for text in values]
    numbers = list(map(float, values))
    if not all(map(math.isfinite, numbers)):
        return None
    # Different texts with the same float may be one number (1 and 1.0), or have more digits than a float.
    if len(set(numbers)) < len(values) and max(map(len, values)) > _EXACT_DIGITS:
        return [Decimal(text.strip()) for text in values]
    return numbers


def _all(values: list[str], pattern: str) -> bool:
    return all(map(re.compile(pattern, re.ASCII).fullmatch, values))


def _any(values: list[str], pattern: str) -> bool:
    return any(map(re.compile(pattern, re.ASCII).fullmatch, values))


def _dates(values: list[str], dates: str | None) -> list[int] | None:
    """Return texts as days if all of them are dates of one precision, in an order that is given or certain.

    A day cannot represent a time of day: such columns stay text.
    """
    if not values or (_short(values) and _all(values, NUMBER_PATTERN)):
        return None
    # One value that is no date decides; most columns of other values have it among the first.
    if any(form_of(text) is None or has_time(text) for text in values):
        return None
    counts = count_forms(values)
    if len({count.form.step if count.form is not None else "" for count in counts}) > 1:
        return None
    try:
        reading = choose_reading(counts, "", dates)
    except InputError:
        # If both day first and month first fit, the values stay text, which at least preserves equality.
        return None
    if reading.unread:
        return None
    days = (read_date(text, form, reading.order) for text in values if (form := form_of(text)) is not None)
    return [day_number(day) for day in days if day is not None]


def _short(values: list[str]) -> bool:
    return max(map(len, values)) < 8
