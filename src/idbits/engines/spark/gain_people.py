"""People who have several rows, on the cluster: which distinct rows they have, and what gains of rows mean for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.backends.persons import Persons
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.distinct import DistinctFrame, values_of
from idbits.values.attributes import Attribute

__all__ = ["PeopleFrame", "join_by_value"]

_EXACT = "decimal(38,0)"
_UNITS = 2.0**50


def join_by_value(left: DataFrame, right: DataFrame, columns: int) -> DataFrame:
    """Join two frames on the values v0, v1, ..., in which nulls are equal; the result has them once."""
    renamed = right
    condition = F.lit(True)
    for column in range(columns):
        renamed = renamed.withColumnRenamed(f"v{column}", f"key{column}")
        condition = condition & F.col(f"v{column}").eqNullSafe(F.col(f"key{column}"))
    return left.join(renamed, condition, "inner").drop(*(f"key{column}" for column in range(columns)))


class PeopleFrame:
    """Who has which distinct row.

    Attributes:
        pairs: the values v0, ... of a row, the person, and how often they have it (times). Rows without a person are
            people of their own: times is then the number of such people.
    """

    def __init__(self, counting: SparkCounting, attributes: Sequence[Attribute], pairs: DataFrame) -> None:
        self._counting, self._session = counting, counting.session
        self._attributes = tuple(attributes)
        self.pairs: DataFrame = counting.keep(pairs)

    @classmethod
    def of(
        cls, counting: SparkCounting, attributes: Sequence[Attribute], persons: Persons, who: Attribute
    ) -> PeopleFrame:
        """Return the people of a table; ``who`` is the column that identifies them."""
        grouped = counting.grouped([*attributes, who])
        *values, person = values_of(grouped, len(attributes) + 1)
        named = [value.alias(f"v{index}") for index, value in enumerate(values)]
        pairs = grouped.select(*named, person.alias("person"), F.col("people").alias("times"))
        return cls(counting, attributes, pairs if persons.null_is_own else pairs.where(F.col("person").isNotNull()))

    def narrowed(self, columns: Sequence[int]) -> PeopleFrame:
        """Return the people of the distinct rows of some columns."""
        values = [F.col(f"v{column}").alias(f"v{index}") for index, column in enumerate(columns)]
        pairs = self.pairs.groupBy(*values, "person").agg(F.sum("times").alias("times"))
        return PeopleFrame(self._counting, [self._attributes[column] for column in columns], pairs)

    @property
    def _values(self) -> list[str]:
        return [f"v{index}" for index in range(len(self._attributes))]

    def distinct(self) -> DistinctFrame:
        """Return the distinct rows with their numbers of rows."""
        rows = self.pairs.groupBy(*self._values).agg(F.sum("times").alias("people"))
        return DistinctFrame.of_frame(self._counting, self._attributes, rows)

    @cached_property
    def cohorts(self) -> DataFrame:
        """The distinct rows, each with the number of people who have it (cohort)."""
        return self._counting.keep(self.pairs.groupBy(*self._values).agg(F.sum(_people()).alias("cohort")))

    @cached_property
    def by_rows(self) -> tuple[tuple[int, int], ...]:
        """The (rows of a person, number of such people), ascending."""
        named = self.pairs.where(F.col("person").isNotNull())
        counted = named.groupBy("person").agg(F.sum("times").alias("rows")).groupBy("rows").count()
        people = {int(rows): int(number) for rows, number in self._session.rows(counted, "counting people")}
        own = self.pairs.where(F.col("person").isNull()).agg(F.coalesce(F.sum("times"), F.lit(0)))
        (alone,) = self._session.only_row(own, "counting people")
        if alone:
            people[1] = people.get(1, 0) + int(alone)
        return tuple(sorted(people.items()))

    @cached_property
    def _smallest(self) -> tuple[int, int]:
        """The smallest cohort, and the people with a row that nobody else has."""
        frame = join_by_value(self.pairs, self.cohorts, len(self._attributes))
        alone = frame.where(F.col("cohort") == 1)
        # A row of one person's own belongs to nobody else, so nobody is counted twice among those without a name.
        people = F.count_distinct("person") + F.coalesce(F.sum(F.when(F.col("person").isNull(), F.lit(1))), F.lit(0))
        (smallest,) = self._session.only_row(self.cohorts.agg(F.min("cohort")), "counting people")
        (number,) = self._session.only_row(alone.agg(people), "counting people")
        return int(smallest), int(number)

    @property
    def smallest_cohort(self) -> int:
        """The smallest number of people who have a row."""
        return self._smallest[0]

    @property
    def people_alone(self) -> int:
        """The number of people with a row that nobody else has."""
        return self._smallest[1]

    def gains(self, gained: DataFrame) -> DataFrame:
        """Return the gain of people: the largest rig and share among their rows, the sum of rig, and people.

        ``gained`` has the rig of each distinct row.
        """
        columns = len(self._attributes)
        rows = join_by_value(gained.select(*self._values, "rig"), self.cohorts, columns)
        rows = rows.withColumn("share", F.col("rig") / F.col("cohort").cast("double"))
        rows = rows.withColumn("units", F.rint(F.col("rig") * F.lit(_UNITS)).cast("decimal(19,0)"))
        held = join_by_value(self.pairs, rows, columns)
        one = F.lit(1).cast("bigint").alias("people")
        units = F.sum(F.col("units") * F.col("times").cast("decimal(19,0)")).cast(_EXACT)
        named = held.where(F.col("person").isNotNull()).groupBy("person")
        people = named.agg(F.max("rig").alias("rig"), F.max("share").alias("share"), units.alias("units"))
        own = held.where(F.col("person").isNull())
        both = people.select("rig", "share", "units", one).unionByName(
            own.select("rig", "share", F.col("units").cast(_EXACT), F.col("times").alias("people"))
        )
        added = (F.col("units").cast("double") * F.lit(1 / _UNITS)).alias("sum")
        return self._counting.keep(both.select("rig", "share", added, "people"))


def _people() -> Column:
    return F.when(F.col("person").isNull(), F.col("times")).otherwise(F.lit(1))
