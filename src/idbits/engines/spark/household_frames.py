"""The frames that count households on the cluster.

Implements: SPEC page people.md, section 2. People without a name and with the same value and household stay together;
``people`` is then their number. So do those without a household, each of whom is one of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.backends.persons import Persons
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.person_frames import figure, listed, only_home
from idbits.values.attributes import Attribute

__all__ = ["HouseholdFrames"]


class HouseholdFrames:
    """Builds the frames on the households of one table; without ``persons``, each row is a person."""

    def __init__(
        self,
        counting: SparkCounting,
        household: str,
        persons: Persons | None,
        attributes: Sequence[Attribute],
        *,
        by_set: bool,
    ) -> None:
        kinds = counting.source.kinds
        person = [] if persons is None else [Attribute(persons.column, kinds[persons.column])]
        before = [Attribute(household, kinds[household]), *person]
        everything = [*before, *attributes]
        self._values = counting.keys(everything)[len(before) :]
        self._by_set = by_set
        name = F.col("g1") if person else F.lit(None).cast("string")
        rows = counting.grouped(everything).select(
            F.col("g0").alias("home"), name.alias("p"), *self._values, F.col("people").alias("n_rows")
        )
        of_person = Window.partitionBy("p")
        named = rows.where(F.col("p").isNotNull()) if person else rows.where(F.lit(False))
        self._named = named.withColumns(
            {"home": F.min("home").over(of_person), "last_home": F.max("home").over(of_person)}
        )
        is_left_out = persons is not None and not persons.null_is_own
        self._nameless = rows.where(F.lit(False) if is_left_out else F.col("p").isNull())

    def figures(self) -> list[DataFrame]:
        """Return all figures of the households."""
        homes = self._homes()
        return [*self._checks(), self._risks(homes), self._compositions(homes)]

    def _checks(self) -> list[DataFrame]:
        """Count the people in several households, and those without one."""
        people = self._named.groupBy("p").agg(F.max("home").alias("home"), F.max("last_home").alias("last_home"))
        counts = people.agg(
            F.count_if(F.col("home") != F.col("last_home")).alias("several"),
            F.count_if(F.col("home").isNull()).alias("without"),
        )
        alone = F.sum(F.when(F.col("home").isNull(), F.col("n_rows"))).alias("without")
        return [
            figure("checked", counts, F.col("several"), F.col("without")),
            figure("checked", self._nameless.agg(alone), F.lit(0), F.coalesce("without", F.lit(0))),
        ]

    def _members(self) -> DataFrame:
        """Return the people: home, p, own, people, their set of values, the size of their group, and is_only."""
        # A person may have a value in a row that names the household and in one that does not.
        named = self._named.select("home", "p", *self._values).distinct().withColumn("people", F.lit(1).cast("bigint"))
        nameless = self._nameless.withColumnRenamed("n_rows", "people")
        pairs = named.unionByName(nameless)
        own = F.when(F.col("p").isNull(), F.struct(*self._values))
        size = F.sum("people").over(Window.partitionBy(*self._values))
        marked = pairs.withColumns({"size": size, "is_only": only_home(self._values), "own": own})
        people = marked.groupBy("home", "p", "own").agg(
            F.max("people").alias("people"),
            F.array_sort(F.collect_list(F.struct(*self._values))).alias("set"),
            F.min("size").alias("size"),
            F.max("is_only").alias("is_only"),
        )
        if not self._by_set:
            return people
        by_set = F.sum("people").over(Window.partitionBy("set"))
        return people.withColumns({"size": by_set, "is_only": only_home(["set"])})

    def _homes(self) -> DataFrame:
        """Return the households: how many they are, the groups of their members and their composition."""
        alone = F.col("home").isNull()
        placed = self._members().select(
            "home",
            F.when(alone, F.struct("p", "own")).alias("own"),
            F.when(alone, F.col("people")).otherwise(F.lit(1)).alias("homes"),
            F.when(alone, F.lit(1)).otherwise(F.col("people")).alias("members"),
            "set",
            "size",
            "is_only",
        )
        # Members with the same set are in the same group unless a group is that of their rarest value.
        counted = placed.groupBy("home", "own", "set", "size").agg(
            F.max("homes").alias("homes"), F.sum("members").alias("members"), F.max("is_only").alias("is_only")
        )
        return counted.groupBy("home", "own").agg(
            F.max("homes").alias("homes"),
            F.sum("members").alias("members"),
            F.max("is_only").alias("is_only"),
            F.collect_list(F.struct(F.col("size").alias("a"), F.col("members").alias("b"))).alias("groups"),
            F.array_sort(F.collect_list(F.struct("set", "members"))).alias("composition"),
        )

    @staticmethod
    def _risks(homes: DataFrame) -> DataFrame:
        """Count households by the sizes of their members' groups and whether they are distinct."""
        counted = homes.groupBy(listed(F.col("groups")).alias("listed"), "is_only").agg(F.sum("homes").alias("homes"))
        return figure("risks", counted, F.col("is_only"), F.col("homes"), text=F.col("listed"))

    @staticmethod
    def _compositions(homes: DataFrame) -> DataFrame:
        """Count the groups of households with the same composition by households and members."""
        alike = homes.groupBy("composition").agg(F.sum("homes").alias("households"), F.max("members").alias("members"))
        groups = alike.groupBy("households", "members").agg(F.count(F.lit(1)).alias("groups"))
        return figure("compositions", groups, F.col("households"), F.col("members"), F.col("groups"))
