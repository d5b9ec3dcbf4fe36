"""A column in numbers, counted by Spark from its distinct values."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark import values
from idbits.engines.spark.counting import SparkCounting
from idbits.values.attributes import Attribute, Kind
from idbits.values.profile import NULL_WORDS, Profile, profile_of_figures
from idbits.values.readings import DATE_ORDERS

__all__ = ["profile_of"]

_FRACTION = r"[.][0-9]*[1-9]"


def profile_of(counting: SparkCounting, attribute: Attribute, people: int, null_people: int) -> Profile:
    """Describe a column in numbers."""
    kind = attribute.kind
    sets = counting.grouped([attribute]).where(F.col("g0").isNotNull() & (F.col("people") > 0))
    sets = counting.cells.with_texts(sets.withColumn("text", F.col("g0")), [("text", attribute)])
    text, length, bare = F.col("text"), F.length("text"), F.trim(F.col("text"))

    def having(condition: Column) -> Column:
        return F.coalesce(F.sum(F.when(condition, F.col("people"))), F.lit(0))

    figures = {
        "distinct": F.count(F.lit(1)),
        "unique": having(F.col("people") == 1),
        "most": F.coalesce(F.max("people"), F.lit(0)),
        "characters": F.coalesce(F.sum(F.col("people") * length), F.lit(0)),
        "longest": F.coalesce(F.max(length), F.lit(0)),
        "shortest": F.coalesce(F.min(length), F.lit(-1)),
        "spaced": having(F.contains(bare, F.lit(" "))),
        "padded": having(text != bare),
        "null_words": having(F.lower(bare).isin(*NULL_WORDS)),
        **{name: having(condition) for name, condition in _readings(F.col("g0"), kind).items()},
    }
    row = counting.session.only_row(sets.agg(*figures.values()), f'counting "{attribute.column}"')
    numbers = dict(zip(figures, map(int, row), strict=True))
    return profile_of_figures(numbers, kind, people, null_people)


def _readings(value: Column, kind: Kind) -> dict[str, Column]:
    if kind is Kind.NUMBER:
        return {"fractions": value % 1 != 0}
    if kind is not Kind.TEXT:
        return {}
    number = values.is_number(value, kind)
    return {
        **{order: values.date_of(value, order).isNotNull() for order in DATE_ORDERS},
        "numbers": number,
        "fractions": number & value.rlike(_FRACTION),
        "zeros": values.has_pattern(value, "0[0-9]+"),
    }
