"""Describes columns in numbers, all of a table together: one job for texts and what Spark can write as text.

Numbers that are not whole take one job per type, since only Python writes them as all engines do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark import dates, values
from idbits.engines.spark.counting import SparkCounting
from idbits.values.attributes import Attribute, Kind
from idbits.values.dates import DATE_ORDERS
from idbits.values.profile import NULL_WORDS, Profile, profile_of_figures
from idbits.values.value_shapes import SHAPES, shapes_of_figures

__all__ = ["COLUMNS_AT_ONCE", "profiles_of"]

# A plan grows with the columns that are described at once.
COLUMNS_AT_ONCE = 100
_FRACTION = r"[.][0-9]*[1-9]"
_NOTHING = {"shortest": -1}


def profiles_of(
    counting: SparkCounting, columns: Sequence[Attribute], people: int, null_people: Mapping[str, int]
) -> dict[str, Profile]:
    """Describe some columns in numbers."""
    figures: dict[str, dict[str, int]] = {}
    for alike in _alike(counting, columns):
        figures |= _figures(counting, alike)
    profiles = {}
    for column in columns:
        numbers = figures[column.column]
        shapes = shapes_of_figures(numbers)
        profiles[column.column] = profile_of_figures(numbers, column.kind, people, null_people[column.column], shapes)
    return profiles


def _alike(counting: SparkCounting, columns: Sequence[Attribute]) -> Iterator[list[Attribute]]:
    """Put columns together that one job can describe: all but numbers, and the numbers of each type."""
    types: dict[str, list[Attribute]] = {}
    for column in columns:
        is_number = column.kind is Kind.NUMBER
        types.setdefault(counting.source.type_of(column.column) if is_number else "", []).append(column)
    yield from types.values()


def _figures(counting: SparkCounting, columns: Sequence[Attribute]) -> dict[str, dict[str, int]]:
    is_number = columns[0].kind is Kind.NUMBER
    sets = _values(counting, columns)
    if is_number:
        sets = counting.cells.with_texts(sets.withColumn("text", F.col("value")), [("text", columns[0])])
    else:
        sets = sets.withColumn("text", F.col("value"))
    wanted = {index: column.kind for index, column in enumerate(columns)}
    sums = _general_sums() | (_number_sums() if is_number else _text_sums(wanted))
    names = ", ".join(f'"{column.column}"' for column in columns[:3]) + (", ..." if len(columns) > 3 else "")
    rows = counting.session.rows(
        sets.groupBy("index").agg(*(total.alias(name) for name, total in sums.items())), f"counting {names}"
    )
    found = {int(row["index"]): row for row in rows}
    return {
        column.column: {name: _number(found.get(index), name) for name in _names(sums, column.kind)}
        for index, column in enumerate(columns)
    }


def _number(row: Any, name: str) -> int:
    """Return a figure; a column without any value has no row."""
    return int(row[name]) if row is not None else _NOTHING.get(name, 0)


def _values(counting: SparkCounting, columns: Sequence[Attribute]) -> DataFrame:
    """Return the values of each column that somebody has, by the index of the column, with their people."""
    valued = counting.valued(columns)
    structs = []
    for index, column in enumerate(columns):
        value = F.col(f"g{index}")
        shown = value if column.kind is Kind.NUMBER else values.as_text(value, column.kind)
        structs.append(F.struct(F.lit(index).alias("index"), shown.alias("value")))
    weight = [] if counting.options.count is None else ["weight"]
    stacked = valued.select(*weight, F.inline(F.array(*structs))).where(F.col("value").isNotNull())
    return stacked.groupBy("index", "value").agg(counting.people).where(F.col("people") > 0)


def _having(condition: Column) -> Column:
    return F.coalesce(F.sum(F.when(condition, F.col("people"))), F.lit(0))


def _general_sums() -> dict[str, Column]:
    text, length, bare = F.col("text"), F.length("text"), F.trim(F.col("text"))
    return {
        "distinct": F.count(F.lit(1)),
        "unique": _having(F.col("people") == 1),
        "most": F.coalesce(F.max("people"), F.lit(0)),
        "characters": F.coalesce(F.sum(F.col("people") * length), F.lit(0)),
        "longest": F.coalesce(F.max(length), F.lit(0)),
        "shortest": F.coalesce(F.min(length), F.lit(-1)),
        "spaced": _having(F.contains(bare, F.lit(" "))),
        "padded": _having(text != bare),
        "null_words": _having(F.lower(bare).isin(*NULL_WORDS)),
    }


def _number_sums() -> dict[str, Column]:
    value = F.col("value")
    return {"fractions": _having(value % 1 != 0), "negatives": _having(value < 0)}


def _text_sums(kinds: Mapping[int, Kind]) -> dict[str, Column]:
    """Return the sums of texts and whole numbers; those of other kinds are not computed."""
    text = F.col("text")
    is_text = _has_kind(kinds, Kind.TEXT)
    readings = {
        **{order: dates.has_date(text, order, "day") for order in DATE_ORDERS},
        **{f"{order}_months": dates.has_date(text, order, "month") for order in DATE_ORDERS},
        "numbers": values.is_number(text, Kind.TEXT),
        "fractions": values.is_number(text, Kind.TEXT) & text.rlike(_FRACTION),
        "zeros": values.has_pattern(text, "0[0-9]+"),
    }
    is_shaped = _has_kind(kinds, Kind.TEXT, Kind.OTHER)
    shapes = {shape: is_shaped & values.has_pattern(text, pattern) for shape, pattern in SHAPES.items()}
    return {
        **{name: _having(is_text & condition) for name, condition in readings.items()},
        "negatives": _having(F.ltrim(text).startswith("-")),
        **{name: F.count(F.when(condition, F.lit(1))) for name, condition in shapes.items()},
    }


def _has_kind(kinds: Mapping[int, Kind], *wanted: Kind) -> Column:
    indices = [index for index, kind in kinds.items() if kind in wanted]
    return F.col("index").isin(indices) if indices else F.lit(False)


def _names(sums: Mapping[str, Column], kind: Kind) -> list[str]:
    """Return the figures of a kind of column."""
    general = list(_general_sums())
    if kind is Kind.TEXT:
        return list(sums)
    if kind is Kind.OTHER:
        return [*general, *SHAPES]
    more = {Kind.NUMBER: ["fractions", "negatives"], Kind.INTEGER: ["negatives"]}
    return [*general, *more.get(kind, [])]
