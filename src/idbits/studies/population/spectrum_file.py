"""Group sizes from a file: how many groups of k people the sample has."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from decimal import Decimal, InvalidOperation

from idbits.counts import Spectrum, Value
from idbits.engines.base import OpenOptions
from idbits.engines.open import open_table
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.values.attributes import Attribute

__all__ = ["read_spectrum"]

_SIZES, _SETS = ("k", "size"), ("sets", "groups", "count")


def read_spectrum(source: object, options: OpenOptions) -> Spectrum:
    """Read a table with the columns k (people per group) and sets (groups of that size)."""
    with closing(open_table(source, options)) as table:
        lowered = {name.strip().lower(): name for name in table.columns}
        found = [next((lowered[name] for name in names if name in lowered), None) for names in (_SIZES, _SETS)]
        if None in found:
            raise InputError('a table of group sizes needs the columns "k" and "sets" (--spectrum)')
        columns = [Attribute(name, table.columns[name]) for name in found if name is not None]
        table.load([column.column for column in columns])
        rows = table.coded_rows(columns)
        sizes, sets = ([_number(text) for text in table.labels(column)] for column in columns)
        counted: Counter[int] = Counter()
        for size, number in zip(rows.codes[0].tolist(), rows.codes[1].tolist(), strict=True):
            counted[sizes[size]] += sets[number]
        table.check_unchanged()
    if counted.get(0):
        raise DataError("a group has at least one person; leave out groups of 0 (--spectrum)")
    spectrum = Spectrum.of({size: number for size, number in counted.items() if number})
    if not spectrum.n_people:
        raise NotEstimableError("the table of group sizes has no people in it (--spectrum)")
    return spectrum


def _number(text: Value) -> int:
    try:
        number = Decimal(text) if text is not None else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    # Sizes are compared first: int() of 1e999999999 would never end.
    if not number.is_finite() or not 0 <= number <= 2**53 or number != int(number):
        raise DataError("group sizes and numbers of groups must be whole numbers from 0 to 2^53 (--spectrum)")
    return int(number)
