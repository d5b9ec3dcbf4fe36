"""Minimal sample uniques on the cluster: the smallest sets of columns that nobody else shares with a row.

What is found of a row stays with its number on the cluster; rows are put together with it once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import Any

from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.distinct import batches, by_sets, values_of
from idbits.engines.spark.numbering import numbered, numbered_batches
from idbits.values.attributes import Attribute

__all__ = ["Trial", "UniqueRows"]

Trial = tuple[int, int, int]

_BATCHES_AT_ONCE = 16
_TRIALS_AT_ONCE = 32
_HALF = (1 << 63) - 1
_FOUND = "array<struct<place:int,size:int,low:bigint,high:bigint>>"


class UniqueRows:
    """The numbered rows of a table, and by which sets of columns each of them is the only one.

    Attributes:
        rows: number, people, and the values g0, ... (o0, ...) of attributes.
    """

    def __init__(self, counting: SparkCounting, attributes: Sequence[Attribute]) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        self._counting = counting
        self._attributes = attributes
        rows = numbered(counting, attributes)
        people = F.lit(1).cast("bigint") if counting.options.count is None else F.col("weight")
        shown = [F.col(name) for name in counting.keys(attributes)]
        self.rows = counting.keep(rows.select("number", people.alias("people"), *shown))
        values = [value.alias(f"v{place}") for place, value in enumerate(values_of(self.rows, len(attributes)))]
        # Whoever is alone in a group has the group's only number.
        self._distinct = counting.keep(
            self.rows.groupBy(*values).agg(F.sum("people").alias("people"), F.min("number").alias("number"))
        )
        self._uniques: Any = None
        self._best: Any = None

    def find(self, sets: Sequence[int], tick: Callable[[int], None]) -> dict[int, int]:
        """Look for sets of columns, small ones first; return for how many rows each is the first that is found.

        ``sets`` are masks; a set is known by its place among them, from 1 on. ``tick`` is told how many are done.
        """
        from pyspark.sql import functions as F  # noqa: N812

        place_of = {mask: place for place, mask in enumerate(sets, start=1)}
        alone = self._materialised(
            list(batches(sets)),
            _BATCHES_AT_ONCE,
            lambda masks: self._alone(masks, place_of),
            lambda masks: tick(place_of[masks[-1]]),
            "looking for uniques",
        )
        sizes = range(1, sets[-1].bit_count() + 1)
        minimal = alone.groupBy("number").agg(_minimal(F.array_sort(F.collect_list("set"))).alias("sets"))
        self._uniques = self._counting.keep(
            minimal.select("number", F.col("sets")[0]["place"].alias("smallest"), *(_of_size(size) for size in sizes))
        )
        rows = self._counting.session.rows(self._uniques.groupBy("smallest").count(), "looking for uniques")
        return {int(place): int(number) for place, number in rows}

    def _materialised(
        self,
        items: Sequence[Any],
        at_once: int,
        make: Callable[[Any], Any],
        done: Callable[[Any], None],
        label: str,
    ) -> Any:
        """Return the union of a frame an item, a few of them made at a time."""
        from pyspark.sql import functions as F  # noqa: N812

        found = []
        for begin in range(0, len(items), at_once):
            some = items[begin : begin + at_once]
            kept = self._counting.keep(_union([make(item) for item in some]))
            self._counting.session.only_row(kept.agg(F.count(F.lit(1))), label)
            found.append(kept)
            done(some[-1])
        return _union(found)

    def _alone(self, masks: Sequence[int], place_of: dict[int, int]) -> Any:
        """Return the numbers of the rows that are the only ones by each of some sets (number, set)."""
        from pyspark.sql import functions as F  # noqa: N812

        people, number = F.sum("people").alias("people"), F.min("number").alias("number")
        grouped, by_id = by_sets(self._distinct, masks, people, number)
        named = {
            id_: F.struct(
                F.lit(place_of[mask]).alias("place"),
                F.lit(mask.bit_count()).alias("size"),
                F.lit(mask & _HALF).cast("bigint").alias("low"),
                F.lit(mask >> 63).cast("bigint").alias("high"),
            )
            for id_, mask in by_id.items()
        }
        return grouped.where(F.col("people") == 1).select("number", _looked_up(F.col("id"), named).alias("set"))

    def try_coarser(self, trials: Sequence[Trial], tick: Callable[[int], None]) -> None:
        """Find out which coarser column leaves a row with the most people.

        Args:
            trials: the place of a row's smallest set, the column that gets coarser, and the set of columns instead.
            tick: is told how many trials are done.
        """
        from pyspark.sql import functions as F  # noqa: N812

        marked = self._counting.keep(self._distinct.join(self._uniques.select("number", "smallest"), "number", "left"))
        numbers = range(0, len(trials), _TRIALS_AT_ONCE)
        left = self._materialised(
            [trials[number : number + _TRIALS_AT_ONCE] for number in numbers],
            1,
            lambda some: _people_left(marked, some),
            lambda some: tick(trials.index(some[-1]) + 1),
            "trying coarser columns",
        )
        # Of equal ones the first column.
        best = F.max(F.struct("left", (-F.col("column")).alias("before"))).alias("best")
        self._best = (
            left.groupBy("number")
            .agg(best)
            .select("number", F.col("best.left").alias("left"), (-F.col("best.before")).alias("column"))
        )

    def in_order(self, n_rows: int, *, values: bool) -> Iterator[list[Any]]:
        """Return all rows with what was found, in the order of the source, a few at a time; with values or without."""
        from pyspark.sql import functions as F  # noqa: N812

        shown = self._counting.with_times_as_text(self.rows, self._attributes)
        rows = (shown if values else self.rows.select("number", "people")).join(self._uniques, "number", "left")
        if self._best is None:
            rows = rows.withColumns({"left": F.lit(None), "column": F.lit(None)})
        else:
            rows = rows.join(self._best, "number", "left")
        return numbered_batches(self._counting, rows, n_rows)


def _union(frames: Sequence[Any]) -> Any:
    return reduce(lambda one, other: one.union(other), frames)


def _looked_up(key: Any, meanings: dict[int, Any]) -> Any:
    """Return what a whole number stands for."""
    from pyspark.sql import functions as F  # noqa: N812

    pairs = ((F.lit(number).cast("bigint"), meaning) for number, meaning in meanings.items())
    return F.create_map(*chain.from_iterable(pairs))[key.cast("bigint")]


def _minimal(sets: Any) -> Any:
    """Leave out sets of which a part is there: small ones come first."""
    from pyspark.sql import functions as F  # noqa: N812

    def with_one_more(kept: Any, one: Any) -> Any:
        def is_part(other: Any) -> Any:
            low = other["low"].bitwiseAND(one["low"]) == other["low"]
            return low & (other["high"].bitwiseAND(one["high"]) == other["high"])

        return F.when(F.exists(kept, is_part), kept).otherwise(F.concat(kept, F.array(one)))

    return F.aggregate(sets, F.array().cast(_FOUND), with_one_more)


def _of_size(size: int) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    return F.size(F.filter("sets", lambda one: one["size"] == size)).alias(f"of_{size}")


def _people_left(marked: Any, trials: Sequence[Trial]) -> Any:
    """Return how many people share the values of a trial's set with each row whose smallest set it is about."""
    from pyspark.sql import functions as F  # noqa: N812

    columns = range(max(mask for *_, mask in trials).bit_length())
    number = F.explode(F.array(*(F.lit(number) for number in range(len(trials))))).alias("trial")
    copies = marked.select("*", number)
    keys = [
        F.when(F.col("trial").isin([n for n, (*_, mask) in enumerate(trials) if mask >> place & 1]), F.col(f"v{place}"))
        for place in columns
    ]
    places = _looked_up(F.col("trial"), {n: F.lit(place) for n, (place, *_) in enumerate(trials)})
    about = F.when(F.col("smallest") == places, F.col("number"))
    grouped = (
        copies.select("trial", "people", about.alias("about"), *(key.alias(f"k{n}") for n, key in enumerate(keys)))
        .groupBy("trial", *(f"k{place}" for place in columns))
        # Rows that a group is about differ in the column that gets coarser: they are no more than its values.
        .agg(F.sum("people").alias("left"), F.collect_list("about").alias("numbers"))
    )
    column = _looked_up(F.col("trial"), {n: F.lit(column) for n, (_, column, _) in enumerate(trials)})
    helpful = grouped.where((F.col("left") > 1) & (F.size("numbers") > 0))
    return helpful.select(F.explode("numbers").alias("number"), column.alias("column"), "left")
