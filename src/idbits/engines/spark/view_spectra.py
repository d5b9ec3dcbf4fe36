"""The spectra of many columns and coarser views by themselves, counted by one job from the values of each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.counts import Spectrum
from idbits.engines.spark.cells import expressible
from idbits.engines.spark.counting import SparkCounting
from idbits.errors import IdbitsError
from idbits.values.attributes import Attribute

__all__ = ["is_top_of_column", "top_spectrum", "view_spectra"]

# Values of these types are equal if and only if their comparable values are, so Spark may group them as they are.
_GROUPED_AS_THEY_ARE = ("string", "tinyint", "smallint", "int", "bigint", "date", "timestamp_ntz", "boolean")


def is_top_of_column(view: Attribute) -> bool:
    """Whether a view consists of the most frequent values of a column."""
    return [transform.name for transform in view.transforms] == ["top"]


def view_spectra(counting: SparkCounting, views: Sequence[Attribute]) -> dict[Attribute, Spectrum]:
    """Count columns and views by one job, except those that Spark cannot express or that do not fit the values."""
    views = _readable(counting, [view for view in views if expressible(view) == len(view.transforms)])
    if not views:
        return {}
    numbers = {view: number for number, view in enumerate(views)}
    columns = dict.fromkeys(view.column for view in views)
    stacked = [
        _stacked(counting, column, {view: number for view, number in numbers.items() if view.column == column})
        for column in columns
    ]
    together = reduce(lambda some, more: some.unionByName(more), stacked)
    groups = together.groupBy("id", "value").agg(F.sum("people").alias("people"))
    rows = counting.session.rows(groups.groupBy("id", "people").count(), "counting coarser views")
    pairs: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        pairs.setdefault(int(row["id"]), []).append((int(row["people"]), int(row["count"])))
    return {view: Spectrum.of(pairs.get(number, ())) for view, number in numbers.items()}


def _readable(counting: SparkCounting, views: list[Attribute]) -> list[Attribute]:
    """Return the views that all values of their columns have."""
    try:
        counting.decide(views)
    except IdbitsError:
        return [view for view in views if _is_readable(counting, view)]
    return views


def _is_readable(counting: SparkCounting, view: Attribute) -> bool:
    try:
        counting.decide([view])
    except IdbitsError:
        return False
    return True


def _stacked(counting: SparkCounting, column: str, numbers: dict[Attribute, int]) -> DataFrame:
    """Return the people by the values of each view of a column, as texts: different values have different texts."""
    source = counting.source
    name = f"c{source.positions[column]}"
    if source.type_of(column) in _GROUPED_AS_THEY_ARE:
        distinct = counting.rows.groupBy(name).agg(counting.people)
    else:
        people = F.lit(1) if counting.options.count is None else F.col("weight")
        distinct = counting.rows.select(name, people.cast("bigint").alias("people"))
    shown = [
        F.struct(F.lit(number).alias("id"), counting.cells.expression(view).cast("string").alias("value"))
        for view, number in numbers.items()
    ]
    return distinct.select("people", F.inline(F.array(*shown)))


def top_spectrum(column: Spectrum, null_people: int, most: int) -> Spectrum:
    """Return the spectrum of the most frequent values of a column, whichever of equally frequent ones they are.

    The other values become one; a missing value stays one.

    >>> top_spectrum(Spectrum.of({5: 1, 3: 2, 1: 4}), 3, 2).pairs()
    [(3, 2), (4, 1), (5, 1)]
    """
    sizes = Counter(dict(column.pairs()))
    missing = [null_people] if null_people else []
    sizes.subtract(missing)
    shown: Counter[int] = Counter(missing)
    for people in sorted(sizes, reverse=True):
        number = min(most, sizes[people])
        shown[people] += number
        sizes[people] -= number
        most -= number
    others = sum(people * number for people, number in sizes.items())
    return Spectrum.of(shown + Counter([others] if others else []))
