"""A cost model of questions on Spark, fitted to runs: processor seconds, rows and bytes shuffled, and driver memory.

Rows of a question go through a few steps, and each step's number of rows follows from the table: rows read, rows that
leave a task after equal ones were merged (distinct), distinct rows copied once per set of columns, distinct rows
grouped once per feature. The fit gives the processor time per row of each step, never below 0, with errors relative to
the run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import nnls

__all__ = ["STEPS", "CostModel", "Table", "distinct", "fit", "shuffled_rows"]

VALUES = {"birthdate": 37_000, "birthdate:year": 102, "zip": 100, "sex": 2, "children": 5}
WIDE_VALUES = 20
ROWS_PER_TASK = 20_000_000
ROWS_PER_PART = 250_000
# Gains of so many distinct rows are counted from packed rows (engines/spark/gains.py).
FEWEST_PACKED_ROWS = 1 << 18
VISITS_PER_PERSON = 20
CORES = 2


@dataclass(frozen=True)
class Table:
    """A table of independent columns: its rows, and the number of values of each column."""

    rows: float
    values: tuple[int, ...]

    @classmethod
    def of_run(cls, run: Mapping[str, Any]) -> Table:
        names = run["columns"]
        return cls(run["rows"], tuple(VALUES.get(name, WIDE_VALUES) for name in names))

    @property
    def cells(self) -> float:
        """The number of combinations of values."""
        return math.prod(map(float, self.values))

    @property
    def tasks(self) -> int:
        """The number of tasks that read the table."""
        return max(2, math.ceil(self.rows / ROWS_PER_TASK))

    @property
    def parts(self) -> int:
        """The number of parts of its distinct rows."""
        return max(2, 1 + int(self.distinct_rows // ROWS_PER_PART))

    @property
    def distinct_rows(self) -> float:
        return distinct(self.rows, self.cells)

    @property
    def is_packed(self) -> bool:
        """Whether gains are counted from rows that are packed in one whole number each."""
        return self.distinct_rows >= FEWEST_PACKED_ROWS

    @property
    def merged_rows(self) -> float:
        """The rows that leave the tasks: each task sends its distinct rows once."""
        return self.tasks * distinct(self.rows / self.tasks, self.cells)


def distinct(rows: float, cells: float) -> float:
    """Return how many of some equally likely cells occur among rows, on average.

    >>> distinct(10, 10)
    6.321205588285577
    """
    return -cells * math.expm1(-rows / cells)


def shuffled_rows(question: str, table: Table) -> float:
    """Return how many rows a question shuffles."""
    columns = range(len(table.values))
    if question == "spectrum":
        return table.merged_rows
    if question == "subsets":
        sets = [some for size in range(1, len(columns) + 1) for some in combinations(columns, size)]
        return table.merged_rows + _copies_merged(table, sets)
    if question == "gain" and table.is_packed:
        # Each distinct row is sent once; then only groups that are equal in all columns but the one with most values.
        pivot = max(table.values)
        groups = CORES * distinct(table.distinct_rows / CORES, table.cells / pivot)
        return table.merged_rows + table.distinct_rows + groups
    if question == "gain":
        others = [tuple(other for other in columns if other != column) for column in columns]
        sets = [*((column,) for column in columns), *others]
        # Each feature moves every distinct row to its group, and three rankings move the gains.
        return table.merged_rows + _copies_merged(table, sets) + (len(columns) + 3) * table.distinct_rows
    raise ValueError(question)


def _copies_merged(table: Table, sets: Sequence[Sequence[int]]) -> float:
    """Return the rows that leave the parts of the distinct rows, after each was copied once per set of columns."""
    rows = table.distinct_rows / table.parts
    return sum(table.parts * distinct(rows, math.prod(table.values[column] for column in some)) for some in sets)


def _n_sets(table: Table) -> int:
    return 2 ** len(table.values) - 1


STEPS = {
    "spectrum": {
        "row read": lambda table: table.rows,
        "row shuffled": lambda table: table.merged_rows,
    },
    "subsets": {
        "row read": lambda table: table.rows,
        "distinct row and set": lambda table: table.distinct_rows * _n_sets(table),
    },
    "gain": {
        "row read": lambda table: table.rows,
        "distinct row and column": lambda table: 0.0 if table.is_packed else table.distinct_rows * len(table.values),
        "packed row and column": lambda table: table.distinct_rows * len(table.values) if table.is_packed else 0.0,
    },
    "measure": {
        "row and column": lambda table: table.rows * len(table.values),
    },
    "records": {
        "row and set": lambda table: table.rows * _n_sets(table),
    },
    "events": {
        "pair of visits": lambda table: table.rows * (VISITS_PER_PERSON - 1) / 2,
    },
}
"""What the processor time of a question is proportional to."""


@dataclass(frozen=True)
class CostModel:
    """The processor seconds of one unit of each step of a question, and those that every run takes."""

    question: str
    seconds: Mapping[str, float]
    fixed_seconds: float

    def predict(self, table: Table) -> float:
        """Return the processor seconds of a question about a table."""
        steps = STEPS[self.question]
        return self.fixed_seconds + sum(self.seconds[name] * amount(table) for name, amount in steps.items())


def fit(question: str, runs: Sequence[Mapping[str, Any]]) -> CostModel:
    """Fit the seconds per step to runs of a question, with the least squares of relative errors."""
    steps = STEPS[question]
    tables = [Table.of_run(run) for run in runs]
    amounts = np.array([[1.0, *(amount(table) for amount in steps.values())] for table in tables])
    seconds = np.array([run["cpu_seconds"] for run in runs])
    relative = amounts / seconds[:, None]
    scale = relative.max(axis=0)
    found, _ = nnls(relative / scale, np.ones(len(runs)))
    fixed, *seconds_of_steps = (found / scale).tolist()
    return CostModel(question, dict(zip(steps, seconds_of_steps, strict=True)), fixed)
