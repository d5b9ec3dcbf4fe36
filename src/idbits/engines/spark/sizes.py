"""How large a table on a cluster is: its rows, people and missing values, and the bytes of its texts.

They decide whether rows fit in the memory of this machine. One job counts them for all loaded columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.failures import spark_errors

__all__ = ["TableSizes", "fixed_bytes"]

# The most columns that are counted at once: a plan grows with them.
_COLUMNS_AT_ONCE = 100
# In a larger table, the rows are counted first: Parquet files know their number.
_SMALL_BYTES = 8_000_000
_FIXED_BYTES = {
    "boolean": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "float": 4, "double": 8, "date": 4,
    "timestamp": 8, "timestamp_ntz": 8,
}  # fmt: skip
_DECIMAL_BYTES = 16


class TableSizes:
    """The sizes of one table, each counted when it is first needed."""

    def __init__(self, counting: SparkCounting) -> None:
        self._counting = counting
        self._loaded: list[str] = []
        self._numbers: tuple[int, int, int] | None = None
        self._null_people: dict[str, int] = {}
        self._text_bytes: dict[str, int] = {}

    def load(self, columns: Iterable[str]) -> None:
        """Set the columns that are counted together."""
        self._loaded = list(dict.fromkeys(columns))

    @property
    def loaded(self) -> tuple[str, ...]:
        """The columns that are counted together."""
        return tuple(self._loaded)

    @property
    def n_rows(self) -> int:
        """The number of rows that pass the filter."""
        return self._all_numbers()[0]

    @property
    def n_held_rows(self) -> int:
        """The number of these rows that have at least one person."""
        return self._all_numbers()[1]

    @property
    def n_people(self) -> int:
        """The number of people."""
        return self._all_numbers()[2]

    def null_people(self, column: str) -> int:
        """Return the number of people whose value in a column is null."""
        self._count_columns([column])
        return self._null_people[column]

    def value_bytes(self, columns: Sequence[str]) -> int:
        """Return how many bytes the values of some columns take in all rows."""
        self._count_columns(columns)
        fixed = sum(self._fixed_bytes(column) for column in columns)
        return fixed * self.n_rows + sum(self._text_bytes[column] for column in columns)

    def _fixed_bytes(self, column: str) -> int:
        return fixed_bytes(self._counting.source.type_of(column))

    def _all_numbers(self) -> tuple[int, int, int]:
        if self._numbers is None:
            self._count([] if self._is_large else self._loaded[:_COLUMNS_AT_ONCE])
        assert self._numbers is not None
        return self._numbers

    @property
    def _is_large(self) -> bool:
        """Whether Spark expects to read more than a little; it knows the sizes of files, not of other frames."""
        with spark_errors():
            plan = self._counting.source.frame._jdf.queryExecution().optimizedPlan()  # noqa: SLF001
            return int(str(plan.stats().sizeInBytes())) > _SMALL_BYTES

    def _count_columns(self, columns: Sequence[str]) -> None:
        missing = [column for column in columns if column not in self._null_people]
        if missing:
            others = [column for column in self._loaded if column not in self._null_people]
            wanted = list(dict.fromkeys([*missing, *others[:_COLUMNS_AT_ONCE]]))
            self._count(wanted)

    def _count(self, columns: Sequence[str]) -> None:
        """Count rows, people, and the people without a value and the bytes of texts of some columns."""
        counting, source = self._counting, self._counting.source
        is_counted = counting.options.count is not None
        weight = F.col("weight") if is_counted else F.lit(1)
        held = F.count_if(F.col("weight") > 0) if is_counted else F.count(F.lit(1))
        sums: list[Column] = [F.count(F.lit(1)), held, counting.people]
        texts = [column for column in columns if not _is_fixed(source.type_of(column))]
        sums += [F.sum(F.when(source.value(column).isNull(), weight)) for column in columns]
        sums += [F.sum(F.octet_length(source.value(column)).cast("bigint")) for column in texts]
        row = iter(counting.session.only_row(counting.rows.agg(*sums), "counting rows"))
        self._numbers = (int(next(row)), int(next(row)), int(next(row) or 0))
        counting.session.expect_rows(self._numbers[0])
        self._null_people |= {column: int(next(row) or 0) for column in columns}
        self._text_bytes |= dict.fromkeys(columns, 0) | {column: int(next(row) or 0) for column in texts}


def fixed_bytes(spark_type: str) -> int:
    """Return how many bytes a value of a type takes in a column that is sent, without the characters of texts."""
    # A text has the position of its end.
    return _DECIMAL_BYTES if spark_type.startswith("decimal") else _FIXED_BYTES.get(spark_type, 4)


def _is_fixed(spark_type: str) -> bool:
    return spark_type in _FIXED_BYTES or spark_type.startswith("decimal")
