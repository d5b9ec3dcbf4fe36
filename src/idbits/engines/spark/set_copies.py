"""Many combinations of columns in one pass: each row is copied once per combination, with only its values.

A copy has the number of its combination and its values, side by side in as few columns as the largest combination
needs; so neither the plan nor the number of jobs grows with the columns of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.kernels.subsets import columns_of

__all__ = ["batches", "by_sets", "copies", "number_at"]

# Each combination of columns adds one copy of the rows to the data being counted.
_COPIES_AT_ONCE = 1 << 28
_FEWEST_SETS, _MOST_SETS = 32, 8_192
# The bits of one whole number say which values a copy keeps, where most of them are kept.
_MOST_BITS = 60
# With more columns, a copy that has all values of its row until it is made costs more than making copies one by one.
_MOST_CARRIED = 64


def by_sets(frame: DataFrame, masks: Sequence[int], *counted: Column) -> tuple[DataFrame, dict[int, int]]:
    """Group a frame by several combinations of its columns v0, v1, ...; also return the mask of each group id."""
    copied, keys = copies(frame, masks)
    return copied.groupBy("id", *keys).agg(*counted), dict(enumerate(masks))


def copies(frame: DataFrame, masks: Sequence[int]) -> tuple[DataFrame, list[str]]:
    """Return a copy of each row per combination of columns v0, v1, ..., and the names of the columns of its values.

    The column id is the position of the combination among the masks. Columns without a value are null. All columns that
    are in no combination are copied.
    """
    columns = columns_of(reduce(or_, masks))
    names = [f"v{column}" for column in columns]
    if len(masks) == 1:
        return frame.withColumn("id", F.lit(0)), names
    beside = [name for name in frame.columns if name not in names]
    types: dict[str, list[int]] = {}
    for column in columns:
        types.setdefault(frame.schema[f"v{column}"].dataType.simpleString(), []).append(column)
    slots = _slots(list(types.values()), masks)
    if len(columns) <= _MOST_BITS and len(columns) < 2 * sum(map(len, slots)):
        return _with_bits(frame, masks, columns, beside), names
    arrays = [
        F.array(*(F.col(f"v{column}") for column in alike)).alias(f"array{index}")
        for index, alike in enumerate(types.values())
    ]

    def values(number: Column) -> list[Column]:
        return [
            F.col(f"array{index}")[number_at(number, positions)].alias(f"slot{index}_{slot}")
            for index, of_type in enumerate(slots)
            for slot, positions in enumerate(of_type)
        ]

    numbers = F.sequence(F.lit(0), F.lit(len(masks) - 1))
    if len(columns) > _MOST_CARRIED:
        made = F.transform(numbers, lambda number: F.struct(number.alias("id"), *values(number)))
        copied = frame.select(*arrays, *beside).select(*beside, F.inline(made))
    else:
        copied = frame.select(*arrays, *beside, F.explode(numbers).alias("id"))
        copied = copied.select("id", *beside, *values(F.col("id")))
    return copied, [name for name in copied.columns if name.startswith("slot")]


def _with_bits(frame: DataFrame, masks: Sequence[int], columns: Sequence[int], beside: Sequence[str]) -> DataFrame:
    """Return the copies with a column for each column of a combination."""
    chosen = [sum(1 << bit for bit, column in enumerate(columns) if mask >> column & 1) for mask in masks]
    copied = F.expr(f"posexplode(array({', '.join(f'{bits}L' for bits in chosen)}))").alias("id", "bits")
    names = [f"v{column}" for column in columns]
    values = [
        F.when(F.col("bits").bitwiseAND(F.lit(1 << bit)) != 0, F.col(name)).alias(name)
        for bit, name in enumerate(names)
    ]
    return frame.select(*names, *beside, copied).select("id", *beside, *values)


def _slots(types: Sequence[Sequence[int]], masks: Sequence[int]) -> list[list[list[int | None]]]:
    """Return, for each type and slot, the position among the columns of the type that each combination puts there.

    >>> _slots([[0, 2], [1]], [0b101, 0b010])
    [[[0, None], [1, None]], [[None, 0]]]
    """
    slots = []
    for alike in types:
        chosen = [[position for position, column in enumerate(alike) if mask >> column & 1] for mask in masks]
        width = max(map(len, chosen))
        slots.append([[each[slot] if slot < len(each) else None for each in chosen] for slot in range(width)])
    return slots


def number_at(position: Column, numbers: Sequence[int | None]) -> Column:
    """Return the whole number at a position: one text, which Spark reads faster than thousands of columns."""
    texts = ("NULL" if number is None else f"{number}L" for number in numbers)
    return F.expr(f"array({', '.join(texts)})")[position]


def batches(masks: Sequence[int], n_rows: int, most: int = _MOST_SETS) -> Iterator[list[int]]:
    """Split combinations of columns into batches that are counted at once: the fewer rows, the larger."""
    at_once = min(most, max(_FEWEST_SETS, _COPIES_AT_ONCE // max(1, n_rows)))
    wanted = list(dict.fromkeys(masks))
    for begin in range(0, len(wanted), at_once):
        yield wanted[begin : begin + at_once]
